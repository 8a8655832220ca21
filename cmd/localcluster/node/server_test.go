package node

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	utilexec "k8s.io/client-go/util/exec"
)

// certificate makes a certificate that serves 127.0.0.1, identifies a client, and is its own authority.
func certificate(t *testing.T) (tls.Certificate, []byte, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.ParseIP(hostIP)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	cert, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	return cert, certPEM, keyPEM
}

// serve serves the kubelet API of a bench and returns how to reach it. The pods given are those that the API server has.
func (b *bench) serve(pods ...*pod) *rest.Config {
	t := b.t
	t.Helper()
	cert, certPEM, keyPEM := certificate(t)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	l, err := net.Listen("tcp", hostIP+":0")
	if err != nil {
		t.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	informer := factory.Core().V1().Pods()
	for _, p := range pods {
		if err := informer.Informer().GetStore().Add(p.current()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- (&server{kubelet: b.kubelet, pods: informer.Lister()}).serve(ctx, l, cert, pool)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &rest.Config{Host: "https://" + l.Addr().String(), TLSClientConfig: rest.TLSClientConfig{CAData: certPEM, CertData: certPEM, KeyData: keyPEM}}
}

func (b *bench) run(c *rest.Config, path string, args []string, o remotecommand.StreamOptions) error {
	b.t.Helper()
	u, err := url.Parse(c.Host + path)
	if err != nil {
		b.t.Fatal(err)
	}
	q := url.Values{"command": args}
	for name, is := range map[string]bool{"input": o.Stdin != nil, "output": o.Stdout != nil, "error": o.Stderr != nil, "tty": o.Tty} {
		if is {
			q.Set(name, "1")
		}
	}
	u.RawQuery = q.Encode()
	e, err := remotecommand.NewSPDYExecutor(c, http.MethodPost, u)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), 20*time.Second)
	defer cancel()
	return e.StreamWithContext(ctx, o)
}

type sizes chan *remotecommand.TerminalSize

func (s sizes) Next() *remotecommand.TerminalSize { return <-s }

func TestExecOverHTTP(t *testing.T) {
	b := newBench(t)
	p := b.pod("p", "echo up; sleep 100")
	b.untilLogged(p, "up")
	c := b.serve(p)
	const path = "/exec/ns/p/c"
	var out, errs bytes.Buffer
	err := b.run(c, path, []string{"sh", "-c", "cat; echo e >&2; hostname 2>/dev/null || cat /proc/sys/kernel/hostname; exit 6"}, remotecommand.StreamOptions{Stdin: strings.NewReader("in\n"), Stdout: &out, Stderr: &errs})
	var code utilexec.CodeExitError
	if !errors.As(err, &code) || code.Code != 6 || out.String() != "in\np\n" || errs.String() != "e\n" {
		t.Errorf("%v %q %q", err, out.String(), errs.String())
	}
	out.Reset()
	if err := b.run(c, path, []string{"sh", "-c", "head -c 3000000 /dev/zero"}, remotecommand.StreamOptions{Stdout: &out}); err != nil || out.Len() != 3000000 {
		t.Errorf("%v, %d bytes", err, out.Len())
	}
	if err := b.run(c, path, []string{"no-such"}, remotecommand.StreamOptions{Stdout: &out}); err == nil || !strings.Contains(err.Error(), "not found in $PATH") {
		t.Error(err)
	}
	out.Reset()
	resize := make(sizes, 1)
	resize <- &remotecommand.TerminalSize{Width: 123, Height: 45}
	err = b.run(c, path, []string{"sh", "-c", "while [ \"$(stty size)\" != '45 123' ]; do sleep .02; done; tty; read x; echo got $x; exit 2"}, remotecommand.StreamOptions{Stdin: strings.NewReader("word\n"), Stdout: &out, Tty: true, TerminalSizeQueue: resize})
	close(resize)
	if !errors.As(err, &code) || code.Code != 2 || !strings.Contains(out.String(), "/dev/pts/") || !strings.Contains(out.String(), "got word\r\n") {
		t.Errorf("%v %q", err, out.String())
	}
}

func TestExecClientGoesAway(t *testing.T) {
	b := newBench(t)
	p := b.pod("p", "echo up; sleep 100")
	b.untilLogged(p, "up")
	c := b.serve(p)
	u, _ := url.Parse(c.Host + "/exec/ns/p/c?output=1&command=sleep&command=54321")
	e, err := remotecommand.NewSPDYExecutor(c, http.MethodPost, u)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: io.Discard}) }()
	wait := func(n int) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); processes(t, "sleep\x0054321") != n; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d processes, want %d", processes(t, "sleep\x0054321"), n)
			}
		}
	}
	wait(1)
	cancel()
	<-ended
	wait(0)
}

func TestPortForwardOverHTTP(t *testing.T) {
	b := newBench(t)
	p := b.pod("p", `perl -MIO::Socket -e '$s=IO::Socket::INET->new(LocalAddr=>"127.0.0.1",LocalPort=>6006,Listen=>5,ReuseAddr=>1) or die $!; $|=1; print "up\n"; while($c=$s->accept){print $c "hello ".scalar <$c>; close $c}'`)
	b.untilLogged(p, "up")
	c := b.serve(p)
	transport, upgrader, err := spdy.RoundTripperFor(c)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(c.Host + "/portForward/ns/p")
	stop, ready := make(chan struct{}), make(chan struct{})
	f, err := portforward.New(spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, u), []string{"0:6006", "0:6007"}, stop, ready, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- f.ForwardPorts() }()
	defer func() { close(stop); <-ended }()
	<-ready
	ports, err := f.GetPorts()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", ports[0].Local))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "you %d\n", i)
		got, err := io.ReadAll(conn)
		conn.Close()
		if string(got) != fmt.Sprintf("hello you %d\n", i) || err != nil {
			t.Errorf("%q %v", got, err)
		}
	}
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", ports[1].Local))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got, _ := io.ReadAll(conn); len(got) > 0 {
		t.Errorf("nobody listens, but says %q", got)
	}
}

func TestLogsOverHTTP(t *testing.T) {
	b := newBench(t)
	p := b.pod("p", "for i in 1 2 3; do echo $i; done; while [ ! -f /tmp/go ]; do sleep .02; done; echo 4")
	b.untilLogged(p, "3\n")
	c := b.serve(p)
	client, err := rest.HTTPClientFor(c)
	if err != nil {
		t.Fatal(err)
	}
	get := func(query string) (int, string) {
		t.Helper()
		r, err := client.Get(c.Host + "/containerLogs/ns/p/" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(body)
	}
	for query, want := range map[string]string{"c": "1\n2\n3\n", "c?tailLines=1": "3\n", "c?tailLines=0": "", "c?limitBytes=3": "1\n2", "c?sinceSeconds=3600&tailLines=2": "2\n3\n",
		"c?sinceTime=" + time.Now().Add(time.Hour).UTC().Format(time.RFC3339): ""} {
		if code, got := get(query); code != 200 || got != want {
			t.Errorf("%s: %d %q", query, code, got)
		}
	}
	for query, want := range map[string]int{"c?tailLines=-1": 400, "c?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z": 400, "c?previous=true": 400, "x": 404} {
		if code, got := get(query); code != want {
			t.Errorf("%s: %d %q", query, code, got)
		}
	}
	// Followers get their header at once, also of a quiet log, and leave nothing behind when they go.
	before := goruntime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	for range 30 {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Host+"/containerLogs/ns/p/c?follow=true&tailLines=0", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Do(r); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	client.CloseIdleConnections()
	for deadline := time.Now().Add(5 * time.Second); goruntime.NumGoroutine() > before+3; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", goruntime.NumGoroutine(), before)
		}
	}
	r, err := client.Get(c.Host + "/containerLogs/ns/p/c?follow=true&tailLines=1")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := b.run(c, "/exec/ns/p/c", []string{"touch", "/tmp/go"}, remotecommand.StreamOptions{Stdout: io.Discard}); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(r.Body); string(rest) != "3\n4\n" || err != nil {
		t.Errorf("%q %v", rest, err)
	}
	if _, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}).Get(c.Host + "/pods"); err == nil {
		t.Error("served without a client certificate")
	}
}
