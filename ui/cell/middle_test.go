package cell

import "testing"

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"bert-ft", 7, "bert-ft"},
		{"pytorch-demo-8x2kq", 16, "pytorch-…o-8x2kq"},
		{"abcdef", 5, "ab…ef"},
		{"abcdef", 4, "ab…f"},
		{"abcdef", 2, "a…"},
		{"abcdef", 0, ""},
		{"数据处理任务甲", 7, "数… 甲"},
	} {
		got := Middle(c.s, c.width)
		if got != c.want || Width(got) > max(c.width, 0) {
			t.Errorf("Middle(%q, %d) = %q, want %q", c.s, c.width, got, c.want)
		}
	}
}
