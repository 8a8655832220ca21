package main

import (
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/logs"
)

func TestWhyThereIsNoLog(t *testing.T) {
	zero := 0
	for _, c := range []struct {
		name string
		j    job.Status
		says string // "" = there is one, or may be
	}{
		{"its image can't be pulled", job.Status{Name: "x", Phase: job.Starting, Reason: "ImagePull", Roles: []job.RoleStatus{{Pods: []job.PodStatus{{Phase: "Pending"}}}}},
			"no log of job x: Starting, the image can't be pulled"},
		{"it waits", job.Status{Name: "x", Phase: job.Queued}, "no log of job x: Queued"},
		{"it runs", job.Status{Name: "x", Phase: job.Running, Roles: []job.RoleStatus{{Pods: []job.PodStatus{{Phase: "Running"}}}}}, ""},
		{"one pod is there", job.Status{Name: "x", Phase: job.Starting, Roles: []job.RoleStatus{{Pods: []job.PodStatus{{Phase: "Pending"}, {Phase: "Running"}}}}}, ""},
		{"it ended", job.Status{Name: "x", Phase: job.Failed, Roles: []job.RoleStatus{{Pods: []job.PodStatus{{Phase: "Failed", ExitCode: &zero}}}}}, ""},
	} {
		if silent := noneBegan(c.j); silent != (c.says != "") {
			t.Errorf("%s: %v", c.name, silent)
		} else if silent {
			a := testApp("en")
			a.noLogYet(c.j)
			if _, stderr := output(a); stderr != c.says+"\n" {
				t.Errorf("%s: %q", c.name, stderr)
			}
		}
	}
}

func TestMarksHaveNoEmptyParentheses(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		for _, mark := range []logs.Mark{logs.Cut, logs.Resumed, logs.Gap, logs.Ended, logs.Restarted, logs.Refused, logs.Deleted, logs.Stopped} {
			text := testApp(lang).t("mark."+string(mark), "pod", "worker-0", "message", "")
			if strings.Contains(text, "()") || strings.Contains(text, "（）") || !strings.Contains(text, "worker-0") {
				t.Errorf("%s %s: %q", lang, mark, text)
			}
		}
	}
}
