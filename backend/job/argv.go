package job

import (
	"path"
	"regexp"
)

// commandOption matches a shell's options that end in taking the next word as the script: -c, -lc, -ec.
var commandOption = regexp.MustCompile(`^-[A-Za-z]*c$`)

// Shell tells whether the command is a shell, by the base name of its first word.
func (s Spec) Shell() bool {
	if len(s.Command) == 0 {
		return false
	}
	switch path.Base(s.Command[0]) {
	case "bash", "sh", "zsh", "dash", "ash", "ksh":
		return true
	}
	return false
}

// Argv is what a container executes (DESIGN.md section 3, "args"), for the pod's command and args. Every word is
// literal: a renderer must escape what Kubernetes would expand. The spec must be valid: of a text whose quotes are
// not closed, which [Validate] refuses, the last word is what was read of it.
func (s Spec) Argv() (command, args []string) {
	command = append([]string(nil), s.Command...)
	switch {
	case s.Args.List != nil:
		return command, append([]string(nil), s.Args.List...)
	case s.Args.Text == "":
		return command, nil
	case !s.Shell():
		args, _ = splitWords(s.Args.Text)
		return command, args
	case commandOption.MatchString(command[len(command)-1]):
		return command, []string{s.Args.Text}
	}
	return command, []string{"-c", s.Args.Text}
}
