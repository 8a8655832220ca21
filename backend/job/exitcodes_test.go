package job_test

import (
	"errors"
	"testing"

	"muster.dev/muster/backend/job"
)

func TestExitCodes(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", "255": "255", "200-205": "200-205", "199,255": "199,255", "199,200-204,230": "199,200-204,230",
		" 199 , 200 - 204 ，230 ": "199,200-204,230", "199 200": "199,200", "1 -3 5": "1-3,5", "1\t2\n3": "1,2,3",
		"230,1": "1,230", "1,1,1": "1", "5-5": "5", "1-10,5": "1-10", "1-10,5-20": "1-20", "1-3,4-6": "1-3,4-6", "007": "7",
	} {
		codes, err := job.ParseExitCodes(text)
		if err != nil || codes.String() != want {
			t.Errorf("%q: %q, %v; want %q", text, codes, err, want)
		}
	}
	codes, _ := job.ParseExitCodes("199,200-204")
	for code, want := range map[int]bool{198: false, 199: true, 200: true, 204: true, 205: false, 0: false} {
		if codes.Contains(code) != want {
			t.Errorf("contains %d: %v", code, !want)
		}
	}
	if list := codes.Codes(); len(list) != 6 || list[0] != 199 || list[5] != 204 {
		t.Errorf("codes: %v", list)
	}
}

func FuzzExitCodes(f *testing.F) {
	for _, text := range []string{"1", "199,200-204，230", "1 - 3", "", ",", "0", "256", "9-1", "1--2", "１"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		codes, err := job.ParseExitCodes(text)
		if err != nil {
			var bad *job.ExitCodesError
			if !errors.As(err, &bad) {
				t.Fatalf("%q: an error of another kind: %v", text, err)
			}
			return
		}
		again, err := job.ParseExitCodes(codes.String())
		if err != nil || again.String() != codes.String() {
			t.Fatalf("%q: %q is not canonical: %q, %v", text, codes, again, err)
		}
		list := codes.Codes()
		if len(list) == 0 {
			t.Fatalf("%q: no codes", text)
		}
		for i, code := range list {
			if code < 1 || code > 255 || i > 0 && code <= list[i-1] || !codes.Contains(code) {
				t.Fatalf("%q: %v", text, list)
			}
		}
	})
}
