package words

import (
	"strings"
	"testing"
	"time"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/nav"
)

func TestEachCauseOfAnOutageHasItsWords(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	problem := func(code string) *job.Problem {
		return &job.Problem{Code: code, Args: map[string]string{"host": "https://h", "message": "m"}}
	}
	for _, c := range []struct {
		name        string
		err         string
		problem     *job.Problem
		brief, help string
		not         string
	}{
		{"it stopped", `Get "https://h/readyz": dial tcp 10.0.0.1:6443: connect: connection refused`, problem(kube.CodeUnreachable), "connection refused, retrying", "can't be reached", "readyz"},
		{"just now", "", nil, "connection lost, retrying", "can't be reached", ": ,"},
		{"it hangs", `Get "https://h/readyz": context deadline exceeded`, problem(kube.CodeTimedOut), "does not answer, retrying", "overloaded or stuck", "deadline"},
		{"an unknown CA", `Get "https://h/readyz": tls: failed to verify certificate: x509: certificate signed by unknown authority`, problem(kube.CodeCertificate), "certificate is not trusted, retrying", "certificate", "VPN"},
	} {
		for _, state := range []snapshot.ConnState{snapshot.Stale, snapshot.Connecting} {
			conn := snapshot.Connection{State: state, Since: now, Fresh: now.Add(-time.Minute), Error: c.err, Problem: c.problem}
			if state == snapshot.Connecting {
				if c.err == "" {
					continue // nothing was tried yet
				}
				conn.Fresh = time.Time{}
			}
			env := nav.Env{Texts: i18n.New(i18n.English), Styles: themes.New(themes.None), Now: func() time.Time { return now }}
			brief, _ := Connection(env, conn)
			help := strings.Join(ConnectionHelp(env.Texts, conn), " ")
			if !strings.Contains(brief, c.brief) || !strings.Contains(help, c.help) || strings.Contains(brief+help, c.not) {
				t.Errorf("%s, %s: %q, %q", c.name, state, brief, help)
			}
		}
	}
}
