package logview

import (
	"context"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/internal/fixture"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
)

func TestWhyNothingIsWrittenIsSaid(t *testing.T) {
	snap := fixture.Snapshot()
	for phase, want := range map[job.Phase]string{job.Starting: "Starting: the image can't be pulled", job.Running: "Nothing written yet"} {
		snap.Jobs = []job.Status{{Workspace: "research", Name: "new", Phase: phase, Reason: "ImagePull"}}
		env := nav.Env{Texts: i18n.New(i18n.English), Styles: themes.New(themes.None), Keys: keys.Default(), Now: fixture.Now}
		m := New(context.Background(), env, &fixture.Backend{}, snap, nav.OpenLogs{Workspace: "research", Job: "new", Index: -1})
		t.Cleanup(m.Close)
		if f := frame(m, 80, 24); !strings.Contains(f, want) || strings.Contains(f, "Running") {
			t.Errorf("%s: want %q\n%s", phase, want, f)
		}
	}
}
