package job

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Validate checks every rule of DESIGN.md sections 3 to 6 that needs no site, and reports all that is wrong at once. Of
// two fields compared, the problem stands at the one that section 3 names; a rule about a list as a whole has
// the list's path. Roles with 0 replicas are left out of what roles are compared for.
func Validate(s Spec) Report { return check(s, nil) }

// checker gathers problems. unread are the paths of values that could not be read: where one stands in the spec, there is
// a default that nobody wrote. Each rule says (known) which of the values that it reads are not its own path's, and is not
// judged without them; of the rest nothing is hidden.
type checker struct {
	spec   Spec
	unread []string
	report Report
}

func check(s Spec, unread []string) Report {
	c := &checker{spec: s, unread: unread}
	c.basics()
	c.container()
	c.storage()
	c.roles()
	c.submission()
	c.faultTolerance()
	c.advanced()
	c.size()
	return c.report
}

// fail reports an error; args are pairs of name and value.
func (c *checker) fail(path, code string, args ...string) {
	if c.known(path) {
		c.report.Errors = append(c.report.Errors, problem(path, code, args))
	}
}

func (c *checker) warn(path, code string, args ...string) {
	if c.known(path) {
		c.report.Warnings = append(c.report.Warnings, problem(path, code, args))
	}
}

func problem(path, code string, args []string) Problem {
	p := Problem{Path: path, Code: code}
	for i := 0; i+1 < len(args); i += 2 {
		if p.Args == nil {
			p.Args = map[string]string{}
		}
		p.Args[args[i]] = args[i+1]
	}
	return p
}

// known tells whether the values at the paths were read. What stands below them (entries of a list, fields of an entry) has
// paths of its own.
func (c *checker) known(paths ...string) bool {
	for _, path := range paths {
		for _, u := range c.unread {
			if within(path, u) {
				return false
			}
		}
	}
	return true
}

// eachKnown tells whether a field was read in every entry of a list.
func (c *checker) eachKnown(list string, n int, field string) bool {
	for i := range n {
		if !c.known(at(list, i, field)) {
			return false
		}
	}
	return c.known(list)
}

// within tells whether path is base or a field or entry below it.
func within(path, base string) bool {
	rest, ok := strings.CutPrefix(path, base)
	return ok && (rest == "" || base == "" || rest[0] == '.' || rest[0] == '[')
}

func at(list string, i int, field string) string {
	path := list + "[" + strconv.Itoa(i) + "]"
	if field == "" {
		return path
	}
	return path + "." + field
}

// oneOf checks a value that must be one of a few.
func oneOf[T ~string](c *checker, path string, value T, known ...T) bool {
	names := make([]string, len(known))
	for i, k := range known {
		if names[i] = string(k); k == value {
			return true
		}
	}
	c.fail(path, CodeUnknownValue, "value", string(value), "known", strings.Join(names, ", "), "nearest", nearest(string(value), names))
	return false
}

// between checks a whole number.
func (c *checker) between(path string, value, low, high int) bool {
	switch {
	case value < low:
		c.fail(path, CodeTooSmall, "value", strconv.Itoa(value), "min", strconv.Itoa(low))
	case value > high:
		c.fail(path, CodeTooLarge, "value", strconv.Itoa(value), "max", strconv.Itoa(high))
	default:
		return true
	}
	return false
}

// text checks what every text must keep to reach a process: no NUL, valid UTF-8.
func (c *checker) text(path, value string) bool {
	switch {
	case strings.ContainsRune(value, 0):
		c.fail(path, CodeNULByte)
	case !utf8.ValidString(value):
		c.fail(path, CodeTextNotUTF8)
	default:
		return true
	}
	return false
}

// objectName checks the name of a Kubernetes object (DNS-1123 subdomain), at most max bytes.
func (c *checker) objectName(path, value string, most int) {
	switch {
	case len(value) > most:
		c.fail(path, CodeTextTooLong, "length", strconv.Itoa(len(value)), "max", strconv.Itoa(most))
	case len(validation.IsDNS1123Subdomain(value)) > 0:
		c.fail(path, CodeBadObjectName, "value", value)
	}
}

// labelValue checks what becomes the value of a node label.
func (c *checker) labelValue(path, value string) {
	if len(validation.IsValidLabelValue(value)) > 0 {
		c.fail(path, CodeBadLabelValue, "value", value)
	}
}

// maxSpecBytes keeps the spec, which travels as an annotation, below Kubernetes' limit of 256 KiB for all annotations of
// an object, with room for the others.
const maxSpecBytes = 200 << 10

func (c *checker) size() {
	// Writing a large spec takes milliseconds, which matters at every key: only one that may be too large is written.
	most := 4096 + writtenAtMost(c.spec.Args.Text)
	for _, list := range [][]string{c.spec.Command, c.spec.Args.List, c.spec.SecretEnv} {
		for _, w := range list {
			most += wordAtMost(w)
		}
	}
	for k, v := range c.spec.Env {
		most += writtenAtMost(k) + writtenAtMost(v)
	}
	for _, m := range c.spec.Storage {
		most += writtenAtMost(m.Volume) + writtenAtMost(m.Path) + writtenAtMost(m.MountPath)
	}
	most += 1000 * (len(c.spec.Roles) + len(c.spec.FaultTolerance.Rules))
	if most <= maxSpecBytes {
		return
	}
	data, err := Encode(c.spec)
	if err == nil && len(data) > maxSpecBytes {
		c.fail("", CodeSpecTooLarge, "size", strconv.Itoa(len(data)), "max", strconv.Itoa(maxSpecBytes))
	}
}

// writtenAtMost bounds the bytes that Encode makes of a text: a block indents each line, quotes may escape every character.
func writtenAtMost(text string) int {
	const field = 40 // name, indentation, quotes, "readOnly: true"
	if asBlock(text) {
		return field + len(text) + 8*strings.Count(text, "\n")
	}
	return field + lineAtMost(text)
}

// wordAtMost is writtenAtMost for a word of a list, which stands behind "  - ": there may be ten thousands of them.
func wordAtMost(word string) int {
	if asBlock(word) {
		return writtenAtMost(word)
	}
	return len("  - \n") + lineAtMost(word)
}

// lineAtMost bounds the bytes of a text that is no block.
func lineAtMost(text string) int {
	if asPlain(text) {
		return len(text) // quoted in a short list between brackets, which the room for all else covers
	}
	n := len(`""`)
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			n += 2
		case ' ' <= r && r <= '~':
			n++
		default:
			n += len(`\U0010FFFF`)
		}
	}
	return n
}
