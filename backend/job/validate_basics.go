package job

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"

	"muster.dev/muster/backend/strictyaml"
)

const (
	maxDisplayName = 256 // characters
	maxObjectName  = 253 // bytes, of a DNS-1123 subdomain
)

func nearest(name string, known []string) string { return strictyaml.Nearest(name, known) }

func (c *checker) basics() {
	s := c.spec
	if s.APIVersion != APIVersion {
		c.fail("apiVersion", CodeBadAPIVersion, "want", APIVersion, "got", s.APIVersion)
	}
	if s.Kind != Kind {
		c.fail("kind", CodeBadKind, "want", Kind, "got", s.Kind)
	}
	c.name()
	c.displayName()
	if s.Workspace != "" && len(validation.IsDNS1123Label(s.Workspace)) > 0 {
		c.fail("workspace", CodeBadWorkspace, "value", s.Workspace)
	}
	known := oneOf(c, "resource", s.Resource, Dedicated, Shared, Spot) && c.known("resource")
	for _, f := range []struct{ path, value string }{{"region", s.Region}, {"zone", s.Zone}, {"network", s.Network}} {
		switch {
		case f.value == "":
		case known && s.Resource == Dedicated:
			c.fail(f.path, CodeNotForResource, "field", f.path, "resource", string(s.Resource))
		case f.path != "network":
			c.labelValue(f.path, f.value)
		default:
			c.network(f.value)
		}
	}
	if s.Preemptible && known && s.Resource != Spot {
		c.fail("preemptible", CodePreemptibleNotSpot, "resource", string(s.Resource))
	}
	c.labelValue("cluster", s.Cluster)
	c.labelValue("cardType", s.CardType)
	oneOf(c, "framework", s.Framework, Frameworks()...)
	oneOf(c, "priority", s.Priority, Normal, High, Highest)
}

// network is a NetworkAttachmentDefinition, of another namespace as namespace/name.
func (c *checker) network(value string) {
	namespace, name, qualified := strings.Cut(value, "/")
	if !qualified {
		namespace, name = "default", value
	}
	if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		c.fail("network", CodeBadObjectName, "value", value)
	}
}

func (c *checker) name() {
	name := c.spec.Name
	if name == "" {
		c.roleNamesLeaveRoom(shortestName)
		return
	}
	for _, message := range validation.IsDNS1035Label(name) {
		// The length is reported below, with the limit that holds here.
		if len(name) <= validation.DNS1035LabelMaxLength || !strings.HasPrefix(message, "must be no more than") {
			c.fail("name", CodeBadName, "value", name)
			break
		}
	}
	if !c.roleNamesLeaveRoom(1) {
		return
	}
	// What was not read can only make the limit smaller, except a number of nodes, which may be 0.
	counted := c.spec
	counted.Roles = nil
	for i, r := range c.spec.Roles {
		if c.known(at("roles", i, "replicas")) {
			counted.Roles = append(counted.Roles, r)
		}
	}
	limit, longest := counted.nameLimit()
	if len(name) > limit {
		c.fail("name", CodeNameTooLong, "length", strconv.Itoa(len(name)), "max", strconv.Itoa(limit), "name", longest)
	}
}

// roleNamesLeaveRoom reports each role whose own name is so long that no job name of at least shortest fits.
func (c *checker) roleNamesLeaveRoom(shortest int) bool {
	ok := true
	for i, r := range c.spec.Roles {
		room := c.spec.roomBeside(r)
		if r.Replicas < 1 || !c.known(at("roles", i, "replicas")) || room >= shortest || len(validation.IsDNS1123Label(r.Name)) > 0 {
			continue // not a label: reported as such
		}
		ok = false
		c.fail(at("roles", i, "name"), CodeRoleNameTooLong, "length", strconv.Itoa(len(r.Name)), "max", strconv.Itoa(len(r.Name)-shortest+room))
	}
	return ok
}

func (c *checker) displayName() {
	name := c.spec.DisplayName
	if name == "" || !c.text("displayName", name) {
		return
	}
	if n := utf8.RuneCountInString(name); n > maxDisplayName {
		c.fail("displayName", CodeTextTooLong, "length", strconv.Itoa(n), "max", strconv.Itoa(maxDisplayName))
	}
	for i, r := range name {
		if cjkLetterDigit(r) || i > 0 && strings.ContainsRune(".:_-", r) {
			continue
		}
		code := CodeDisplayNameCharacter
		if i == 0 && strings.ContainsRune(".:_-", r) {
			code = CodeDisplayNameStart
		}
		c.fail("displayName", code, "character", visible(r), "position", strconv.Itoa(utf8.RuneCountInString(name[:i])+1))
		return
	}
}

// visible is a character that can be seen as it is, and the code point of one that can't: U+202E.
func visible(r rune) string {
	if r == ' ' || unicode.IsGraphic(r) && !unicode.In(r, unicode.Z, unicode.M) {
		return string(r)
	}
	return fmt.Sprintf("U+%04X", r)
}

// cjkLetterDigit is what a display name may hold beside its punctuation: scripts of Chinese, Japanese and Korean, and the
// letters and digits of ASCII. Letters of other scripts are left out: some run from right to left, some look like others.
func cjkLetterDigit(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	case r == 'ー': // the long vowel of both kana, of no script of its own
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) &&
		(unicode.IsLetter(r) || unicode.IsNumber(r))
}
