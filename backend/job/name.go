package job

import (
	"strconv"
	"strings"
	"time"
)

const (
	// MaxName is the longest name of a job in bytes, which Kueue's names of its own allow for.
	MaxName = 50
	// maxLabel is the longest name of a pod that is also its host name.
	maxLabel = 63

	nameStamp    = "20060102-1504"
	nameRandom   = 4
	nameAlphabet = "bcdfghjklmnpqrstvwxz2456789" // no vowels: no words; nothing that looks like another
	shortestName = len("a-") + len(nameStamp) + 1 + nameRandom
)

// groupSuffix is what a member's name has behind the group's: "-" and its index, at the longest.
func (s Spec) groupSuffix() string {
	if !s.Group() {
		return ""
	}
	return "-" + strconv.Itoa(s.Submission.Total-1)
}

// podSuffix is what a pod's name has behind the job's, at the longest: the replica's index and the pod's, of which one is
// always 0, and five random characters (JobSet's <job>-<role>-<replica>-<pod>-abcde, the longest of all engines').
func podSuffix(r Role) string {
	return "-" + r.Name + "-0-" + strconv.Itoa(max(r.Replicas-1, 0)) + "-abcde"
}

// roomBeside is how long the job's name may be for the pods of one role.
func (s Spec) roomBeside(r Role) int {
	return min(MaxName, maxLabel-len(podSuffix(r))) - len(s.groupSuffix())
}

// nameLimit is how long the job's name may be, and the derived name that sets the limit.
func (s Spec) nameLimit() (limit int, derived string) {
	limit, derived = MaxName-len(s.groupSuffix()), s.Name+s.groupSuffix()
	for _, r := range s.Roles {
		if room := s.roomBeside(r); r.Replicas > 0 && room < limit {
			limit, derived = room, s.Name+s.groupSuffix()+podSuffix(r)
		}
	}
	return limit, derived
}

// GenerateName makes a name for a spec that has none: what of its display name may stand in one (else the
// framework's), the minute, and four random characters; short enough for every derived name. intN returns a
// number in [0, n), as math/rand/v2's IntN does.
func GenerateName(s Spec, now time.Time, intN func(n int) int) string {
	base := nameBase(s.DisplayName)
	framework := nameBase(string(s.Framework))
	if framework == "" {
		framework = "job"
	}
	if base == "" {
		base = framework
	} else if base[0] <= '9' { // a label begins with a letter
		base = framework + "-" + base
	}
	tail := "-" + now.Format(nameStamp) + "-"
	for range nameRandom {
		tail += string(nameAlphabet[intN(len(nameAlphabet))])
	}
	limit, _ := s.nameLimit()
	room := max(limit-len(tail), 1)
	if len(base) > room {
		base = strings.TrimRight(base[:room], "-")
	}
	return base + tail
}

// nameBase is the letters and digits of ASCII in lower case, what stands between them as one dash.
func nameBase(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimRight(b.String(), "-")
}
