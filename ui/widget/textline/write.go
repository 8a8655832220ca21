package textline

import (
	"strings"

	"muster.dev/muster/themes"
)

// Write draws spans in one style, and in another those that stand for characters that are not shown as they are.
func Write(b *strings.Builder, spans []Span, plain, odd themes.Style) {
	for _, span := range spans {
		if span.Plain {
			b.WriteString(plain.Render(span.Text))
		} else {
			b.WriteString(odd.Render(span.Text))
		}
	}
}
