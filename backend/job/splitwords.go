package job

// SplitWords splits a text into words as [Spec.Argv] does for a command that is no shell. unclosed is the quote that
// is never closed (' or " or \), 0 when all is well.
func SplitWords(text string) (words []string, unclosed byte) { return splitWords(text) }
