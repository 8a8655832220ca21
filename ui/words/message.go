package words

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/safetext"
)

// terminationLimit is how many bytes of a log the kubelet keeps as the message of a container that failed (and wrote no
// message of its own): the last ones, so that the first line of so long a message has lost its beginning.
// https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
const terminationLimit = 2048

// messageLimit is how many bytes of a message are looked at: it is said at every frame, and may be of any length.
const messageLimit = 8 << 10

// head is the beginning of a message that is longer than is looked at.
func head(message string) string {
	if len(message) <= messageLimit {
		return message
	}
	return strings.ToValidUTF8(message[:messageLimit], "") + cell.Ellipsis
}

// Brief is the reason of a job with what there is room for in one line of the cluster's own words behind it: of a queue
// what is missing, of a program that failed the last thing that it wrote.
func Brief(t *i18n.Texts, s job.Status) string {
	text := Reason(t, s)
	var words []string
	switch {
	case s.ExitCode != nil && *s.ExitCode != 0:
		words = Message(t, s, 1)
	case s.Phase.Terminal():
	case ofQuota(s):
		if lacks, ok := quota(t, s.Message); ok {
			return lacks
		}
		fallthrough
	default:
		words = Message(t, s, 1)
	}
	switch {
	case len(words) == 0:
		return text
	case text == "":
		return words[0]
	}
	return t.T("reason.detail", "reason", text, "message", words[0])
}

// ofQuota tells whether a queue's words say which resources lack.
func ofQuota(s job.Status) bool {
	switch s.Reason {
	case "QuotaExceeded", "QuotaTooSmall", "NoMatchingFlavor":
		return true
	}
	return false
}

// Message is the cluster's own words behind a job's reason, fit to be shown: of what a failed program wrote the last
// lines, at most the number of lines given; of a queue's words what is missing, cards first. It is nil when there are none.
func Message(t *i18n.Texts, s job.Status, lines int) []string {
	switch {
	case s.Message == "":
		return nil
	case s.ExitCode != nil:
		return LastLines(s.Message, lines)
	case ofQuota(s):
		text, _ := quota(t, s.Message)
		return []string{text}
	}
	return []string{safetext.Clean(head(s.Message))}
}

// PodMessage is the cluster's own words about a pod in one line: of a program that ended the last thing that it wrote.
func PodMessage(pod job.PodStatus) string {
	if pod.ExitCode == nil {
		return safetext.Clean(head(pod.Message))
	}
	return strings.Join(LastLines(pod.Message, 1), "")
}

// QueueMessage is what a queue says of a job that waits in it, with what is missing first, cards before all.
func QueueMessage(t *i18n.Texts, message string) string {
	text, _ := quota(t, message)
	return text
}

// LastLines are the last lines of text that have anything in them, at most n, each as a terminal would show it. Where the
// beginning of the first one is lost, an ellipsis says so.
func LastLines(text string, n int) []string {
	var lines []string
	if len(text) > messageLimit {
		text = strings.ToValidUTF8(text[len(text)-messageLimit:], "")
	}
	rest := strings.TrimRight(text, "\r\n")
	for rest != "" && len(lines) < n {
		at := strings.LastIndexByte(rest, '\n')
		line := strings.TrimSpace(safetext.Clean(safetext.LastState(strings.TrimRight(rest[at+1:], "\r"))))
		if at < 0 && line != "" && len(text) >= terminationLimit {
			line = cell.Ellipsis + line
		}
		if line != "" {
			lines = append([]string{line}, lines...)
		}
		rest = rest[:max(at, 0)]
	}
	return lines
}

// What Kueue 0.19 writes of a resource that lacks (pkg/scheduler/flavorassigner), and what it begins with.
var (
	unused  = regexp.MustCompile(`insufficient unused quota for (\S+) in flavor (\S+), (\S+) more needed`)
	maximum = regexp.MustCompile(`insufficient quota for (\S+) in flavor (\S+), previously considered podsets requests \(([^()]*)\) \+ current podset request \(([^()]*)\) > maximum capacity \(([^()]*)\)`)
	podSet  = regexp.MustCompile(`couldn't assign flavors to pod set (\S+): `)
)

// quota says which resources lack, cards first: a queue names all that do, and the cards are what matters. Words that
// are not understood stay as they are; with not one that is, ok is false.
func quota(t *i18n.Texts, message string) (text string, ok bool) {
	message = safetext.Clean(head(message))
	var cards, others []string
	add := func(resource, text string) {
		to := &others
		if IsCard(resource) {
			to = &cards
		}
		if !slices.Contains(*to, text) {
			*to = append(*to, text)
		}
	}
	take := func(pattern *regexp.Regexp, say func(m []string) string) {
		for _, m := range pattern.FindAllStringSubmatch(message, -1) {
			add(m[1], say(m))
		}
		message = pattern.ReplaceAllString(message, "")
	}
	most := largest(unused.FindAllStringSubmatch(message, -1))
	take(unused, func(m []string) string {
		return t.T("quota.more", "count", most[[2]string{m[1], m[2]}], "resource", m[1], "flavor", m[2])
	})
	take(maximum, func(m []string) string {
		return t.T("quota.never", "resource", m[1], "flavor", m[2], "wanted", wanted(m[3], m[4]), "most", m[5])
	})
	parts := append(cards, others...)
	if len(parts) == 0 { // nothing was taken out
		return message, false
	}
	for _, piece := range strings.FieldsFunc(podSet.ReplaceAllString(message, ""), func(r rune) bool { return r == ',' || r == ';' }) {
		if piece = strings.Trim(piece, " ."); piece != "" && !slices.Contains(parts, piece) {
			parts = append(parts, piece)
		}
	}
	return strings.Join(parts, t.T("quota.and")), true
}

// largest is how much lacks of each resource and flavor. Kueue counts what the pod sets named before would take, so the
// last and largest amount is the whole job's.
func largest(found [][]string) map[[2]string]string {
	most := map[[2]string]string{}
	for _, m := range found {
		key, amount := [2]string{m[1], m[2]}, m[3]
		if known, there := most[key]; there {
			a, errA := resource.ParseQuantity(known)
			b, errB := resource.ParseQuantity(amount)
			if errA != nil || errB != nil || a.Cmp(b) >= 0 {
				continue
			}
		}
		most[key] = amount
	}
	return most
}

// wanted is what the pod sets ask for together, as Kueue writes it.
func wanted(before, this string) string {
	if before == "0" {
		return this
	}
	if a, err := strconv.Atoi(before); err == nil {
		if b, err := strconv.Atoi(this); err == nil {
			return strconv.Itoa(a + b)
		}
	}
	return before + "+" + this
}

// IsCard tells an accelerator (vendor.example/gpu) from CPU, memory and RDMA devices.
func IsCard(resource string) bool {
	vendor, _, extended := strings.Cut(resource, "/")
	return extended && vendor != "rdma" && !strings.HasPrefix(resource, "rdma") && !strings.Contains(resource, "hca")
}
