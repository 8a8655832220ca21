// Package words puts what the backend says as values into words: durations, exit codes, reasons, the state of the
// connection. All texts come from the catalogue; text of the cluster is cleaned.
package words

import (
	"strconv"
	"time"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/safetext"
)

// None stands where there is nothing to say.
const None = "–"

// Duration is a length of time in its two greatest units. Less than nothing, as from a clock that is behind, is 0.
func Duration(t *i18n.Texts, d time.Duration) string {
	if d < 0 {
		d = 0
	}
	seconds := int(d / time.Second)
	minutes, hours, days := seconds/60, seconds/3600, seconds/86400
	switch {
	case seconds < 60:
		return t.T("duration.seconds", "s", seconds)
	case minutes < 60:
		return t.T("duration.minutes", "m", minutes, "s", two(seconds%60))
	case hours < 48:
		return t.T("duration.hours", "h", hours, "m", two(minutes%60))
	}
	return t.T("duration.days", "d", days, "h", two(hours%24))
}

// Running is how long something that still goes on has lasted. From a minute on it is said in whole minutes, and all that
// is on a screen moves at the same moments: so that a screen of running jobs is not sent anew every second, and what
// moves once a minute shows no seconds that seem to hang.
func Running(t *i18n.Texts, since, now time.Time) string {
	switch d := now.Sub(since); {
	case d >= time.Hour:
		return Duration(t, now.Truncate(time.Minute).Sub(since))
	case d >= time.Minute:
		return t.T("duration.wholeMinutes", "m", max(int(now.Truncate(time.Minute).Sub(since)/time.Minute), 1))
	default:
		return Duration(t, d)
	}
}

// Rough is the age of data, in steps that grow with it.
func Rough(t *i18n.Texts, d time.Duration) string {
	switch {
	case d < 5*time.Second:
		return t.T("duration.now")
	case d >= time.Hour:
		return Duration(t, d)
	case d >= time.Minute:
		return t.T("duration.wholeMinutes", "m", int(d/time.Minute))
	case d >= 10*time.Second:
		d = d.Truncate(10 * time.Second)
	default:
		d = 5 * time.Second
	}
	return t.T("duration.seconds", "s", int(d/time.Second))
}

// Ago is how long ago something was.
func Ago(t *i18n.Texts, d time.Duration) string { return t.T("ago", "age", Rough(t, d)) }

// Ran is how long a job ran or runs, [None] when it never began.
func Ran(t *i18n.Texts, s job.Status, now time.Time) string {
	switch {
	case s.Started == nil && s.RunSeconds > 0:
		return Duration(t, time.Duration(s.RunSeconds)*time.Second)
	case s.Started == nil:
		return None
	case s.Finished != nil:
		return Duration(t, s.Finished.Sub(*s.Started))
	}
	return Running(t, *s.Started, now)
}

// Phase is the name of a phase.
func Phase(t *i18n.Texts, p job.Phase) string {
	if key := "phase." + string(p); t.Has(key) {
		return t.T(key)
	}
	return safetext.Clean(string(p))
}

// PhaseMeaning says in a sentence what a phase means for the user.
func PhaseMeaning(t *i18n.Texts, p job.Phase) string { return t.T("phaseMeaning." + string(p)) }

// Framework is the name of a framework. All but Custom are proper nouns.
func Framework(t *i18n.Texts, f job.Framework) string {
	if key := "framework." + string(f); t.Has(key) {
		return t.T(key)
	}
	return safetext.Clean(string(f))
}

// PodPhase is the name of a pod's phase.
func PodPhase(t *i18n.Texts, phase string) string {
	if key := "podPhase." + phase; t.Has(key) {
		return t.T(key)
	}
	return safetext.Clean(phase)
}

// Exit is an exit code with its meaning, such as "exit 3 (general error)".
func Exit(t *i18n.Texts, code int) string {
	return ExitWith(t, code, ExitMeaning(t, code))
}

// ExitWith is an exit code with a meaning that is known better than from the code alone.
func ExitWith(t *i18n.Texts, code int, meaning string) string {
	return t.T("exit", "code", code, "meaning", meaning)
}

// ExitMeaning is what programs and shells usually mean by an exit code.
func ExitMeaning(t *i18n.Texts, code int) string {
	key := "exit." + strconv.Itoa(code)
	switch {
	case t.Has(key):
		return t.T(key)
	case code > 128 && code < 128+65:
		return t.T("exit.signal", "signal", code-128)
	}
	return t.T("exit.general")
}

// Code is the text of a reason's code, or the code itself when the catalogue does not know it.
func Code(t *i18n.Texts, code string) string {
	if key := "reason." + code; t.Has(key) {
		return t.T(key)
	}
	return safetext.Clean(code)
}

// Reason is why a job is in its phase, in a few words: "exit 3 (general error), worker-1". It is "" when there is
// nothing to say.
func Reason(t *i18n.Texts, s job.Status) string {
	text := ""
	switch {
	case s.ExitCode != nil && *s.ExitCode != 0 && s.Reason == "OOMKilled":
		text = ExitWith(t, *s.ExitCode, Code(t, s.Reason))
	case s.ExitCode != nil && *s.ExitCode != 0:
		text = Exit(t, *s.ExitCode)
		if s.Reason != "" && s.Reason != "ExitCode" {
			text = Code(t, s.Reason) + " · " + text
		}
	case s.Reason != "":
		text = Code(t, s.Reason)
	}
	if text == "" {
		return ""
	}
	if pod, ok := FailedPod(s); ok {
		return t.T("reason.where", "reason", text, "pod", pod)
	}
	return text
}

// FailedPod is role-index of the pod that decided the end.
func FailedPod(s job.Status) (string, bool) {
	if s.FailedPod == "" {
		return "", false
	}
	for _, role := range s.Roles {
		for _, pod := range role.Pods {
			if pod.Name == s.FailedPod {
				return safetext.Clean(role.Name) + "-" + strconv.Itoa(pod.Index), true
			}
		}
	}
	return safetext.Clean(s.FailedPod), true
}

// Size is nodes × cards of a job, such as "4×8 H100"; roles with different cards per node are added: "1×CPU+4×8".
func Size(s job.Status) string {
	type part struct{ nodes, cards int }
	var parts []part
	for _, role := range s.Roles {
		if role.Replicas == 0 {
			continue
		}
		if n := len(parts); n > 0 && parts[n-1].cards == role.GPUs {
			parts[n-1].nodes += role.Replicas
			continue
		}
		parts = append(parts, part{role.Replicas, role.GPUs})
	}
	if len(parts) == 0 {
		return None
	}
	text := ""
	for i, p := range parts {
		if i > 0 {
			text += "+"
		}
		cards := strconv.Itoa(p.cards)
		if p.cards == 0 {
			cards = "CPU"
		}
		text += strconv.Itoa(p.nodes) + "×" + cards
	}
	if s.CardType != "" {
		text += " " + safetext.Clean(s.CardType)
	}
	return text
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
