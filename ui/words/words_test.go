package words

import (
	"strings"
	"testing"
	"time"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/nav"
)

func TestDuration(t *testing.T) {
	en, zh := i18n.New(i18n.English), i18n.New(i18n.Chinese)
	for _, c := range []struct {
		d              time.Duration
		exact, chinese string
	}{
		{-time.Hour, "0s", "0秒"},
		{42*time.Second + 900*time.Millisecond, "42s", "42秒"},
		{3*time.Minute + 7*time.Second, "3m07s", "3分07秒"},
		{2*time.Hour + 5*time.Minute, "2h05m", "2时05分"},
		{47*time.Hour + 59*time.Minute, "47h59m", "47时59分"},
		{80*time.Hour + 20*time.Minute, "3d08h", "3天08时"},
	} {
		if got := Duration(en, c.d); got != c.exact {
			t.Errorf("Duration(%v) = %q, want %q", c.d, got, c.exact)
		}
		if got := Duration(zh, c.d); got != c.chinese {
			t.Errorf("Duration(%v) = %q, want %q", c.d, got, c.chinese)
		}
	}
}

// In a minute without events a screen changes seldom: what is said of things that go on moves in common steps.
func TestRunningMovesInCommonSteps(t *testing.T) {
	en := i18n.New(i18n.English)
	start := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		age     time.Duration
		changes int
	}{
		{2 * time.Minute, 1}, {20 * time.Minute, 1}, {5 * time.Hour, 1}, {90 * time.Hour, 1},
	} {
		moments := map[int]bool{}
		last := map[int]string{}
		for second := range 61 {
			for i := range 7 { // started at odd moments
				since := start.Add(-c.age - time.Duration(i)*1300*time.Millisecond)
				text := Running(en, since, start.Add(time.Duration(second)*time.Second))
				if was, ok := last[i]; ok && was != text {
					moments[second] = true
				}
				last[i] = text
			}
		}
		if len(moments) > c.changes {
			t.Errorf("%v: the screen changed at %d moments of a minute", c.age, len(moments))
		}
	}
	for d, want := range map[time.Duration]string{
		42 * time.Second: "42s", time.Minute: "1m", 119 * time.Second: "1m", 3*time.Minute + 59*time.Second: "3m", time.Hour: "1h00m",
	} {
		if got := Running(en, start, start.Add(d)); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
		if got := Running(en, start.Add(29*time.Second), start.Add(29*time.Second+d)); d == time.Minute && got != "1m" {
			t.Errorf("a minute that began at an odd moment: %q", got)
		}
	}
}

func TestReason(t *testing.T) {
	en := i18n.New(i18n.English)
	code := func(n int) *int { return &n }
	pods := []job.RoleStatus{{Name: "worker", Pods: []job.PodStatus{{Name: "p-1", Index: 1}}}}
	for _, c := range []struct {
		s    job.Status
		want string
	}{
		{job.Status{Phase: job.Running}, ""},
		{job.Status{Phase: job.Failed, Reason: "ExitCode", ExitCode: code(3), FailedPod: "p-1", Roles: pods}, "exit 3 (general error), worker-1"},
		{job.Status{Phase: job.Failed, Reason: "ExitCode", ExitCode: code(127), FailedPod: "gone"}, "exit 127 (command not found), gone"},
		{job.Status{Phase: job.Failed, Reason: "ExitCode", ExitCode: code(140)}, "exit 140 (killed by signal 12)"},
		{job.Status{Phase: job.Failed, Reason: "ExitCode", ExitCode: code(77)}, "exit 77 (error of the program)"},
		{job.Status{Phase: job.Failed, Reason: "No\x1b[2JSuch"}, "NoSuch"},
		{job.Status{Phase: job.Succeeded, ExitCode: code(0)}, ""},
	} {
		if got := Reason(en, c.s); got != c.want {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
	}
}

func TestSize(t *testing.T) {
	for want, roles := range map[string][]job.RoleStatus{
		"–":         nil,
		"4×8":       {{Replicas: 1, GPUs: 8}, {Replicas: 3, GPUs: 8}},
		"1×CPU+4×8": {{Replicas: 1}, {Replicas: 4, GPUs: 8}, {Replicas: 0, GPUs: 2}},
	} {
		if got := Size(job.Status{Roles: roles}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestConnection(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	env := nav.Env{Texts: i18n.New(i18n.English), Styles: themes.New(themes.None), Now: func() time.Time { return now }}
	at := func(d time.Duration) time.Time { return now.Add(-d) }
	for _, c := range []struct {
		c    snapshot.Connection
		want string
	}{
		{snapshot.Connection{State: snapshot.Live, Fresh: at(300 * time.Millisecond)}, "live, <5s"},
		{snapshot.Connection{State: snapshot.Live, Fresh: at(-time.Minute)}, "live, <5s"},
		{snapshot.Connection{State: snapshot.Stale, Fresh: at(42 * time.Second), Error: "dial tcp 1.2.3.4: connect: connection refused"}, "stale 40s: connection refused, retrying"},
		{snapshot.Connection{State: snapshot.Stale, Since: at(3 * time.Minute), Error: "x\x1b[2J"}, "not reached for 3m: x, retrying"},
		{snapshot.Connection{State: snapshot.Connecting, Since: now}, "connecting"},
		{snapshot.Connection{State: snapshot.Connecting, Since: at(20 * time.Second)}, "connecting for 20s"},
		{snapshot.Connection{State: snapshot.Unauthorized}, "401: credentials refused"},
		{snapshot.Connection{State: snapshot.NoConfig}, "no kubeconfig"},
	} {
		if got, _ := Connection(env, c.c); got != c.want {
			t.Errorf("%+v: %q, want %q", c.c, got, c.want)
		}
		needsHelp := c.c.State == snapshot.Stale || c.c.State == snapshot.Unauthorized || c.c.State == snapshot.NoConfig
		if got := withoutURL(`the log: Get "https://a:1/x?y=1&z": dial tcp a:1: refused`); got != "the log: dial tcp a:1: refused" {
			t.Error(got)
		}
		if help := ConnectionHelp(env.Texts, c.c); (help != nil) != needsHelp {
			t.Errorf("%s: help %q", c.c.State, help)
		}
	}
}

// What is wrong with a kubeconfig, or with a certificate, is said in the catalogue's words and not in those for logs.
func TestConnectionHelpSaysWhichFile(t *testing.T) {
	zh := i18n.New(i18n.Chinese)
	for _, c := range []snapshot.Connection{
		{State: snapshot.NoConfig, Error: "KubeconfigNamespace path=/k", Problem: &job.Problem{Code: "KubeconfigNamespace", Args: map[string]string{"path": "/k", "value": "a/b", "context": "c"}}},
		{State: snapshot.Connecting, Error: "Certificate host=/k", Problem: &job.Problem{Code: "Certificate", Args: map[string]string{"host": "/k", "message": "x509"}}},
	} {
		help := ConnectionHelp(zh, c)
		if len(help) != 1 || !strings.Contains(help[0], "/k") || strings.Contains(help[0], "path=") || strings.Contains(help[0], "host=") {
			t.Errorf("%q", help)
		}
	}
}
