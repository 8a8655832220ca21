package train

import (
	"slices"
	"testing"
)

func TestNonsenseInANumberFieldIsAnErrorThere(t *testing.T) {
	numbers := map[string]bool{ // whether empty means a default, which is shown
		keyNodes: false, "roles[0].replicas": false, "roles[1].replicas": false, "roles[1].gpus": true, "submission.total": true,
		"submission.concurrency": true, "faultTolerance.maxRestarts": true, "timeoutMinutes": true, "gracePeriodSeconds": true,
	}
	for path, standard := range numbers {
		for _, text := range []string{"-3", "", "three", "1.5", "199999999999999999999", "-199999999999999999999"} {
			d := filled()
			d.Set("submission.mode", "Queue")
			d.Set("submission.queue", "research")
			before := d.Get(path)
			d.Set(path, text)
			Changed(d, path, before)
			if text == "" && standard {
				continue
			}
			v := Check(d, &Context{Snapshot: place(8, 8, 8)})
			here := 0
			for _, p := range v.Errors {
				if p.Path == path {
					here++
				}
			}
			if here != 1 || v.OK() {
				t.Errorf("%s = %q: %v", path, text, codes(v.Errors))
			}
		}
	}
}

// Typed digit by digit, a number is right for a while before it is too long: one message is enough.
func TestANumberOfNodesThatIsTooLongIsOneError(t *testing.T) {
	d := filled()
	text := ""
	for range 21 {
		before := text
		text += "9"
		d.Set(keyNodes, text)
		Changed(d, keyNodes, before)
	}
	v := Check(d, &Context{Snapshot: place(8, 8, 8)})
	if got := codes(v.Errors); !slices.Equal(got, []string{keyNodes + " " + CodeNumberTooLong}) {
		t.Errorf("%q", got)
	}
}

func TestNodesFieldAndTableFollowEachOther(t *testing.T) {
	d := filled()
	change(d, keyNodes, "4")
	if d.Get("roles[1].replicas") != "3" {
		t.Errorf("workers: %s", d.Get("roles[1].replicas"))
	}
	change(d, "roles[1].replicas", "6")
	if d.Get(keyNodes) != "7" {
		t.Errorf("nodes: %s", d.Get(keyNodes))
	}
	change(d, "roles[0].gpus", "8")
	if d.Get("roles[1].gpus") != "8" {
		t.Errorf("workers' cards: %s", d.Get("roles[1].gpus"))
	}
	change(d, keyNodes, "x")
	if d.Get("roles[1].replicas") != "6" {
		t.Error("what is no number changed the table")
	}
}
