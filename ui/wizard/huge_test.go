package wizard

import (
	"strings"
	"testing"
)

// huge is a form into whose fields far too much was pasted.
func huge(b testing.TB, command string) *screen {
	s := open(b, options("en"))
	s.fill()
	s.focus("command")
	s.m.paste(command)
	s.focus("displayName")
	s.m.paste(strings.Repeat("训练", 9000))
	s.focus("image")
	s.m.paste(strings.Repeat("镜像", 9000))
	s.m.check()
	return s
}

// Keys after pastes that are far too long: to another section, and typing elsewhere, with the frame that follows.
func BenchmarkKeysAfterHugePastes(b *testing.B) {
	for name, command := range map[string]string{
		"words": strings.Repeat("python -m training.launch --learning-rate 3e-4 ", 4000), "oneWord": strings.Repeat("x", 100_000), "cjk": strings.Repeat("训", 33_000),
		"quotes": strings.Repeat("'", 99_999),
	} {
		for _, size := range [][2]int{{80, 24}, {200, 50}} {
			for _, key := range []string{"alt+2", "alt+4", "alt+8"} {
				b.Run(name+"/"+key, func(b *testing.B) {
					s := huge(b, command)
					for b.Loop() {
						s.press(key)
						s.frame(size[0], size[1])
					}
				})
			}
			b.Run(name+"/typing", func(b *testing.B) {
				s := huge(b, command)
				s.focus("name")
				for b.Loop() {
					s.press("a")
					s.frame(size[0], size[1])
				}
			})
		}
	}
}
