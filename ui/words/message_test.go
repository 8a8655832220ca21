package words

import (
	"slices"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/i18n"
)

func TestLastLines(t *testing.T) {
	full := strings.Repeat("x", 3000)
	for _, c := range []struct {
		name, text string
		n          int
		want       []string
	}{
		{"nothing", "", 2, nil},
		{"blank lines", "\n \n\r\n", 2, nil},
		{"one line", "boom\n", 2, []string{"boom"}},
		{"the last two", "a\nb\n\n  c  \n\n", 2, []string{"b", "c"}},
		{"one is asked for", "a\nb\nc", 1, []string{"c"}},
		{"a progress bar", "10%\r20%\r100%\r\nerror", 2, []string{"100%", "error"}},
		{"escapes", "\x1b[31mred\x1b[0m\x1b]0;t\x07", 1, []string{"red"}},
		{"the beginning is lost", full, 2, []string{"…" + full}},
		{"the beginning is lost, but not of these", full + "\na\nb", 2, []string{"a", "b"}},
	} {
		if got := LastLines(c.text, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%s: %.40q, want %.40q", c.name, got, c.want)
		}
	}
}

func TestQueueWordsPutCardsFirst(t *testing.T) {
	en, zh := i18n.New(i18n.English), i18n.New(i18n.Chinese)
	long := "couldn't assign flavors to pod set master: insufficient unused quota for cpu in flavor h100, 96 more needed, " +
		"insufficient unused quota for memory in flavor h100, 900Gi more needed, insufficient unused quota for nvidia.com/gpu in flavor h100, 8 more needed; " +
		"couldn't assign flavors to pod set worker: insufficient unused quota for memory in flavor h100, 2Ti more needed, insufficient unused quota for nvidia.com/gpu in flavor h100, 16 more needed. Pending the preemption of 1 workload(s)"
	never := "couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in flavor h100, previously considered podsets requests (8) + current podset request (16) > maximum capacity (16), flavor a100 doesn't match node affinity"
	for _, c := range []struct {
		t          *i18n.Texts
		text, want string
	}{
		{en, long, "needs 16 more nvidia.com/gpu in flavor h100; needs 96 more cpu in flavor h100; needs 2Ti more memory in flavor h100; Pending the preemption of 1 workload(s)"},
		{en, never, "asks for 24 nvidia.com/gpu; flavor h100 has 16 at most; flavor a100 doesn't match node affinity"},
		{zh, "x: insufficient unused quota for nvidia.com/gpu in flavor h100, 8 more needed", "还缺 8 nvidia.com/gpu（flavor h100）；x:"},
		{en, "words, that\x1b[2J are not known", "words, that are not known"},
	} {
		s := job.Status{Phase: job.Queued, Reason: "QuotaExceeded", Message: c.text}
		if got := Message(c.t, s, 2); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestOnlyAsMuchOfAMessageIsReadAsIsShown(t *testing.T) {
	en, three := i18n.New(i18n.English), 3
	for _, message := range []string{strings.Repeat("x", 1<<20), strings.Repeat("数据\xff", 1<<18)} {
		for _, s := range []job.Status{{Message: message}, {Message: message, ExitCode: &three}, {Message: message, Reason: "QuotaExceeded"}} {
			got := strings.Join(Message(en, s, 2), "")
			if len(got) > 2*messageLimit || len(got) < messageLimit/2 || !strings.Contains(got, "…") {
				t.Errorf("%d of %d bytes are left: %.12q", len(got), len(message), got)
			}
		}
	}
}

func TestPodMessage(t *testing.T) {
	three := 3
	for _, c := range []struct {
		pod  job.PodStatus
		want string
	}{
		{job.PodStatus{Message: "0/4 nodes\nfit"}, "0/4 nodes fit"},
		{job.PodStatus{ExitCode: &three, Message: "ut of the middle\nValueError: x\n\n"}, "ValueError: x"},
		{job.PodStatus{ExitCode: &three}, ""},
	} {
		if got := PodMessage(c.pod); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestBrief(t *testing.T) {
	en := i18n.New(i18n.English)
	three := 3
	for _, c := range []struct {
		s    job.Status
		want string
	}{
		{job.Status{Phase: job.Queued, Reason: "QuotaExceeded", Message: "insufficient unused quota for nvidia.com/gpu in flavor h100, 8 more needed"}, "needs 8 more nvidia.com/gpu in flavor h100"},
		{job.Status{Phase: job.Queued, Reason: "QuotaExceeded", Message: "no words we know"}, "the queue's quota is used up; it starts when others end: no words we know"},
		{job.Status{Phase: job.Failed, Reason: "ExitCode", ExitCode: &three, Message: "d of a line\nTraceback\nValueError: x\n"}, "exit 3 (general error): ValueError: x"},
		{job.Status{Phase: job.TimedOut, Reason: "DeadlineExceeded", Message: "Job was active longer than specified deadline"}, "ran longer than its timeout"},
		{job.Status{Phase: job.Starting, Message: "pulling"}, "pulling"},
		{job.Status{Phase: job.Running}, ""},
	} {
		if got := Brief(en, c.s); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
