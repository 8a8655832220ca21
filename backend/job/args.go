package job

import (
	"encoding/json"
	"fmt"
)

// SetText makes the arguments one text.
func (a *Args) SetText(text string) { *a = Args{Text: text} }

// SetList makes the arguments a list of words, which may be empty.
func (a *Args) SetList(words []string) { *a = Args{List: append([]string{}, words...)} }

// Empty tells whether the command is given nothing.
func (a Args) Empty() bool { return len(a.List) == 0 && (a.List != nil || a.Text == "") }

// MarshalJSON writes a list as an array and a text as a string.
func (a Args) MarshalJSON() ([]byte, error) {
	if a.List != nil {
		return json.Marshal(a.List)
	}
	return json.Marshal(a.Text)
}

// UnmarshalJSON reads a string or an array of strings; null is no arguments.
func (a *Args) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		a.SetText(text)
		return nil
	}
	var words []*string
	if err := json.Unmarshal(data, &words); err != nil {
		return fmt.Errorf("args: neither a string nor a list of strings: %w", err)
	}
	list := make([]string, len(words))
	for i, w := range words {
		if w == nil {
			return fmt.Errorf("args[%d]: null is not a string", i)
		}
		list[i] = *w
	}
	a.SetList(list)
	return nil
}
