package job

import "strings"

// splitWords splits a text into words as a POSIX shell does (Shell Command Language, 2.2 Quoting and 2.3 Token
// Recognition), with no expansion: $, `, * and ~ are ordinary characters, and so are the operators | & ; < > ( ),
// because there is no shell that would act on them. A # at the start of a word begins a comment. The second
// result is the kind of quote that is never closed: ' or " or \ (a backslash as the last character), 0 when all is
// well; the words then end with what was read of the last one.
func splitWords(text string) (words []string, unclosed byte) {
	var word strings.Builder
	inWord := false
	end := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\n':
			end()
		case '#':
			if !inWord {
				if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
					i += n
				} else {
					i = len(text)
				}
				continue
			}
			word.WriteByte(c)
		case '\\':
			if i+1 == len(text) {
				inWord, unclosed = true, '\\'
				end()
				return words, unclosed
			}
			i++
			if text[i] != '\n' { // a backslash before a line's end joins the lines, even within a word
				inWord = true
				word.WriteByte(text[i])
			}
		case '\'':
			inWord = true
			n := strings.IndexByte(text[i+1:], '\'')
			if n < 0 {
				word.WriteString(text[i+1:])
				end()
				return words, '\''
			}
			word.WriteString(text[i+1 : i+1+n])
			i += n + 1
		case '"':
			inWord = true
			n, closed := doubleQuoted(text[i+1:], &word)
			if !closed {
				end()
				return words, '"'
			}
			i += n
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	end()
	return words, 0
}

// doubleQuoted writes what stands up to the closing quote and returns the length read, quote included. A
// backslash keeps its meaning only before $ ` " \ and a line's end.
func doubleQuoted(text string, word *strings.Builder) (n int, closed bool) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '"' {
			return i + 1, true
		}
		if c == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			i++
			if text[i] != '\n' {
				word.WriteByte(text[i])
			}
			continue
		}
		word.WriteByte(c)
	}
	return len(text), false
}
