package e2e

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// nowhere is the address of a server that is not there: its port was free a moment ago.
func nowhere(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "https://" + listener.Addr().String()
}

// changed is a copy of alice's kubeconfig with something changed; it returns the environment that names it.
func changed(t testing.TB, change func(*clientcmdapi.Config)) []string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(kubeconfig(t, "alice"))
	if err != nil {
		t.Fatal(err)
	}
	change(config)
	path := file(t, "kubeconfig", "")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return []string{"KUBECONFIG=" + path}
}

// trouble is a way in which a cluster cannot be used, with what a command and the UI must say of it.
type trouble struct {
	name   string
	env    func(t testing.TB) []string
	args   []string
	stderr []string
	screen string
}

func troubles() []trouble {
	return []trouble{
		{
			name:   "no kubeconfig",
			env:    func(t testing.TB) []string { return []string{"KUBECONFIG=" + t.TempDir() + "/none"} },
			stderr: []string{"/none", "kubeconfig"}, screen: "kubeconfig",
		},
		{
			name:   "a broken kubeconfig",
			env:    func(t testing.TB) []string { return []string{"KUBECONFIG=" + file(t, "broken", "{ not: [yaml")} },
			stderr: []string{"/broken"}, screen: "kubeconfig",
		},
		{
			name: "a server that is not there",
			env: func(t testing.TB) []string {
				return changed(t, func(c *clientcmdapi.Config) {
					for _, cluster := range c.Clusters {
						cluster.Server = nowhere(t)
					}
				})
			},
			stderr: []string{"127.0.0.1"}, screen: "refused",
		},
		{
			name: "an expired token",
			env: func(t testing.TB) []string {
				return changed(t, func(c *clientcmdapi.Config) {
					for name := range c.AuthInfos {
						c.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: "eyJhbGciOi-expired-token"}
					}
				})
			},
			stderr: []string{"401"}, screen: "401",
		},
		{
			name:   "a context that the kubeconfig does not have",
			env:    func(t testing.TB) []string { return as(t, "alice") },
			args:   []string{"--context", "other-place"},
			stderr: []string{"other-place"}, screen: "kubeconfig",
		},
		{
			name:   "a workspace that is not there",
			env:    func(t testing.TB) []string { return as(t, "admin") },
			args:   []string{"-n", "no-such-place"},
			stderr: []string{"no-such-place"}, screen: "no-such-place",
		},
		{
			name:   "no rights",
			env:    func(t testing.TB) []string { return as(t, "carol") },
			stderr: []string{"carol", "list"}, screen: "carol",
		},
	}
}

func TestCommandsSayWhatIsWrong(t *testing.T) {
	for _, c := range troubles() {
		t.Run(c.name, func(t *testing.T) {
			env := c.env(t)
			for _, command := range [][]string{{"list"}, {"get", "x"}, {"logs", "x"}, {"wait", "x"}, {"stop", "x"}} {
				r := muster(t, env, append(command, c.args...)...).must(t, 1).says(t, c.stderr...)
				if r.out != "" || strings.Contains(r.err, "problem.") || strings.Contains(r.err, "expired-token") {
					t.Errorf("%q: stdout %q, stderr %q", command, r.out, r.err)
				}
			}
			r := muster(t, env, append([]string{"doctor", "-o", "json"}, c.args...)...).must(t, 1)
			if !strings.Contains(r.out, `"fail"`) || strings.Contains(r.out, "expired-token") {
				t.Errorf("doctor: %s", r.out)
			}
		})
	}
}

func TestTheUIOpensAllTheSame(t *testing.T) {
	for _, c := range troubles() {
		t.Run(c.name, func(t *testing.T) {
			term := open(t, 100, 30, append(c.env(t), "HOME="+t.TempDir()), c.args...)
			screen := term.shows(soon, "muster", c.screen)
			if strings.Contains(screen, "expired-token") {
				t.Errorf("the token is on the screen:\n%s", screen)
			}
			term.press("q")
			if got := term.ends(soon); got != 0 {
				t.Errorf("exit %d", got)
			}
		})
	}
}

func TestAMendedKubeconfigIsTaken(t *testing.T) {
	path := file(t, "kubeconfig", "{ not: [yaml")
	term := open(t, 100, 30, []string{"KUBECONFIG=" + path, "HOME=" + t.TempDir()})
	term.shows(soon, "no kubeconfig")
	whole, err := os.ReadFile(kubeconfig(t, "alice"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	term.shows(soon, "live", "research")
}

// BenchmarkFirstFrame measures the time from exec to the first whole frame, with an API server that does not answer.
func BenchmarkFirstFrame(b *testing.B) {
	address := nowhere(b)
	config := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}], `+
		`clusters: [{name: c, cluster: {server: %q}}], users: [{name: u, user: {}}]}`, address)
	env := []string{"KUBECONFIG=" + file(b, "kubeconfig", config), "HOME=" + b.TempDir()}
	var cpu time.Duration
	for b.Loop() {
		term := open(b, 120, 40, env)
		term.shows(soon, "Jobs", "quit")
		b.StopTimer()
		term.press("q")
		term.ends(soon)
		cpu += term.cmd.ProcessState.UserTime() + term.cmd.ProcessState.SystemTime()
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/frame")
	// Of the whole run: it says what the frame costs on a machine that is busy otherwise, too.
	b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/run")
}

// Who may not list the whole cluster sees his own workspaces in -A; who may see none is told so.
func TestAllWorkspacesAreThoseThatOneMaySee(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "of-alice")
	muster(t, alice, "submit", "-f", file(t, "job.yaml", spec("of-alice", "exit 0\n", threeNodes))).must(t, 0)
	if out := muster(t, alice, "list", "-A").must(t, 0).out; !strings.Contains(out, "research\tof-alice") {
		t.Errorf("alice's list of all workspaces:\n%s", out)
	}
	if out := muster(t, as(t, "admin"), "list", "-A", "-o", "name").must(t, 0).out; !strings.Contains(out, "of-alice\n") {
		t.Errorf("the administrator's: %s", out)
	}
	muster(t, as(t, "carol"), "list", "-A").must(t, 1).says(t, "carol", "no right to list all workspaces", "-n")
}
