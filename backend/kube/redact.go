package kube

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// redactions are texts that must never be shown: what a server or a proxy answers may repeat them. The zero value is
// ready.
type redactions struct {
	mu    sync.Mutex
	known []string
}

const (
	// leastSecret keeps what is so short that it stands in any text from tearing messages apart.
	leastSecret = 6
	// mostSecrets bounds what is remembered of credentials that are renewed by the hour.
	mostSecrets = 64
	removed     = "(removed)"
)

func (r *redactions) add(texts ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range texts {
		if len(text) >= leastSecret && !slices.Contains(r.known, text) {
			r.known = append(r.known, text)
		}
	}
	if extra := len(r.known) - mostSecrets; extra > 0 {
		r.known = slices.Delete(r.known, 0, extra)
	}
}

// addURL adds the password that a URL carries, as it is written and as it is meant.
func (r *redactions) addURL(u *url.URL) {
	if u == nil || u.User == nil {
		return
	}
	password, _ := u.User.Password()
	_, written, _ := strings.Cut(u.User.String(), ":")
	r.add(password, written)
}

// addHeader adds what an Authorization header carries.
func (r *redactions) addHeader(value string) {
	scheme, credentials, _ := strings.Cut(value, " ")
	r.add(credentials)
	if decoded, err := base64.StdEncoding.DecodeString(credentials); err == nil && strings.EqualFold(scheme, "Basic") {
		_, password, _ := strings.Cut(string(decoded), ":")
		r.add(password)
	}
}

// remove gives the text without them.
func (r *redactions) remove(text string) string {
	r.mu.Lock()
	known := slices.Clone(r.known)
	r.mu.Unlock()
	// The longest first: one may be part of another.
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range known {
		text = strings.ReplaceAll(text, secret, removed)
	}
	return text
}

// witness notes the credentials of each request as they are sent: only here are those known that come from a file, a
// plugin or the server's URL.
type witness struct {
	next http.RoundTripper
	seen *redactions
	last atomic.Pointer[string]
}

func (w *witness) RoundTrip(request *http.Request) (*http.Response, error) {
	if value := request.Header.Get("Authorization"); value != "" {
		if last := w.last.Load(); last == nil || *last != value {
			w.seen.addHeader(value)
			w.last.Store(&value)
		}
	}
	return w.next.RoundTrip(request)
}

// WrappedRoundTripper lets client-go find the transport.
func (w *witness) WrappedRoundTripper() http.RoundTripper { return w.next }

// Users and passwords in URLs: where a text quotes one, and where the whole text is about one that is not well-formed.
var (
	quotedUser = regexp.MustCompile(`(://)[^\s"'/?#]*@|(")[^\s"'/?#:]*:[^\s"'/?#]*@`)
	anyUser    = regexp.MustCompile(`(://|"|^)[^\s"']*@`)
)

// withoutUsers is a text without the users and passwords of URLs in it.
func withoutUsers(text string) string {
	return quotedUser.ReplaceAllString(text, "${1}${2}"+removed+"@")
}

// bareHost is a server's URL without user and password.
func bareHost(host string) string { return anyUser.ReplaceAllString(host, "${1}") }
