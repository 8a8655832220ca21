package wizard

import (
	"fmt"
	"reflect"

	tea "charm.land/bubbletea/v2"
)

func typeName(v any) string { return fmt.Sprintf("%T", v) }

func asCmds(msg tea.Msg) []tea.Cmd {
	v := reflect.ValueOf(msg)
	out := make([]tea.Cmd, v.Len())
	for i := range out {
		out[i], _ = v.Index(i).Interface().(tea.Cmd)
	}
	return out
}
