package job

import (
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/distribution/reference"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	maxEnv = 20 // variables, secret ones included
	// maxText is the longest single argument or NAME=value that Linux takes (MAX_ARG_STRLEN, its NUL included).
	maxText = 128<<10 - 1
)

var (
	envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// expansion is what someone writes who expects a shell.
	expansion = regexp.MustCompile("\\$([A-Za-z_][A-Za-z0-9_]*|[{(])|`")
)

func (c *checker) container() {
	s := c.spec
	c.image()
	if s.ImagePullSecret != "" {
		c.objectName("imagePullSecret", s.ImagePullSecret, maxObjectName)
	}
	c.commandLine()
	c.environment()
}

func (c *checker) image() {
	image := c.spec.Image
	switch {
	case image == "":
		c.fail("image", CodeRequired)
		return
	case !c.text("image", image):
		return
	}
	// The grammar that every container runtime reads image names with.
	if _, err := reference.ParseNormalizedNamed(image); err == nil {
		return
	}
	if _, err := reference.ParseNormalizedNamed(strings.ToLower(image)); err == nil {
		c.fail("image", CodeImageUppercase, "value", image)
		return
	}
	c.fail("image", CodeBadImage, "value", image)
}

func (c *checker) commandLine() {
	s := c.spec
	switch {
	case len(s.Command) == 0:
		c.fail("command", CodeCommandEmpty)
	case s.Command[0] == "":
		c.fail("command[0]", CodeCommandFirstEmpty)
	}
	for i, w := range s.Command {
		c.argument(at("command", i, ""), w, 0)
	}
	// The first word decides whether the command is a shell.
	commandKnown := len(s.Command) > 0 && c.known("command[0]")
	for i, w := range s.Args.List {
		c.argument(at("args", i, ""), w, 0)
		if commandKnown && !s.Shell() && expansion.MatchString(w) {
			c.warn(at("args", i, ""), CodeArgsNotExpanded, "text", expansion.FindString(w), "command", s.Command[0])
		}
	}
	if s.Args.Empty() && commandKnown && s.Shell() && len(s.Command) == 1 {
		c.warn("args", CodeArgsEmpty, "command", s.Command[0])
	}
	if s.Args.List != nil || !c.argument("args", s.Args.Text, 0) || !commandKnown || s.Shell() {
		return
	}
	if _, unclosed := splitWords(s.Args.Text); unclosed != 0 {
		c.fail("args", CodeArgsUnclosed, "quote", string(unclosed))
	} else if expansion.MatchString(s.Args.Text) {
		c.warn("args", CodeArgsNotExpanded, "text", expansion.FindString(s.Args.Text), "command", s.Command[0])
	}
}

// argument checks a text that reaches the process in one piece, behind so many bytes.
func (c *checker) argument(path, value string, behind int) bool {
	if !c.text(path, value) {
		return false
	}
	if n := len(value) + behind; n > maxText {
		c.fail(path, CodeTextTooLong, "length", strconv.Itoa(n), "max", strconv.Itoa(maxText))
		return false
	}
	return true
}

func (c *checker) environment() {
	s := c.spec
	system := map[string]bool{}
	framework := s.Framework
	if !c.known("framework") {
		framework = "" // those of every framework
	}
	// A mode or a total that was not read makes no group: the variables of its members are then not looked for.
	for _, name := range SystemVariables(framework, s.Group() && c.known("submission.mode", "submission.total")) {
		system[name] = true
	}
	names := make([]string, 0, len(s.Env))
	for name := range s.Env {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		path := "env." + name
		if c.variable(path, name, system) {
			c.argument(path, s.Env[name], len(name)+1)
		}
	}
	first := map[string]int{}
	for i, name := range s.SecretEnv {
		path := at("secretEnv", i, "")
		if !c.variable(path, name, system) {
			continue
		}
		if j, ok := first[name]; ok {
			c.fail(path, CodeDuplicate, "value", name, "first", at("secretEnv", j, ""))
			continue
		}
		first[name] = i
		if _, ok := s.Env[name]; ok {
			c.fail(path, CodeEnvTwice, "name", name)
		}
	}
	if n := len(s.Env) + len(s.SecretEnv); n > maxEnv {
		path := "env"
		if len(s.Env) == 0 {
			path = "secretEnv"
		}
		c.fail(path, CodeTooManyEnv, "count", strconv.Itoa(n), "max", strconv.Itoa(maxEnv))
	}
}

func (c *checker) variable(path, name string, system map[string]bool) bool {
	switch {
	case !envName.MatchString(name):
		c.fail(path, CodeBadEnvName, "name", name)
	case len(name) > validation.DNS1123SubdomainMaxLength:
		// Secret keys have this limit, and nobody has a longer variable.
		c.fail(path, CodeTextTooLong, "length", strconv.Itoa(len(name)), "max", strconv.Itoa(validation.DNS1123SubdomainMaxLength))
	case system[name]:
		c.fail(path, CodeSystemVariable, "name", name, "framework", string(c.spec.Framework))
	default:
		return true
	}
	return false
}
