package i18n

import (
	"strings"

	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/safetext"
)

// mention is how many cells of a value a sentence about it repeats: it stands in full where it was typed.
const mention = 60

// whole are the arguments that are no values, but what a problem is there to tell.
func whole(name string) bool {
	switch name {
	case "message", "problem", "path", "known":
		return true
	}
	return false
}

// mentioned cuts the values of a problem that are too long for a sentence.
func mentioned(args map[string]string) map[string]string {
	var cut map[string]string
	for name, value := range args {
		if len(value) <= mention || whole(name) {
			continue
		}
		if cut == nil {
			cut = make(map[string]string, len(args))
			for name, value := range args {
				cut[name] = value
			}
		}
		const enough = 16 * mention // bytes; a value may be of any length
		if len(value) > enough {
			value = strings.ToValidUTF8(value[:enough], "") + cell.Ellipsis
		}
		cut[name] = cell.Truncate(safetext.Clean(value), mention)
	}
	if cut == nil {
		return args
	}
	return cut
}
