package job

import (
	"regexp"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantityForm bounds what is given to the parser: its arithmetic is exact, so a large exponent would cost minutes.
var quantityForm = regexp.MustCompile(`^[0-9]{1,20}(\.[0-9]{1,10})?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]{1,2})?$`)

// ParseCPU reads a positive quantity of CPUs, at the finest 1m. ok is false for anything else.
func ParseCPU(text string) (q resource.Quantity, ok bool) {
	q, ok = parseQuantity(text)
	// MilliValue rounds up and wraps beyond its range: compare what it makes with what was written.
	ok = ok && q.CmpInt64(1<<31) < 0 && q.Cmp(*resource.NewMilliQuantity(q.MilliValue(), resource.DecimalSI)) == 0
	return q, ok
}

// ParseMemory reads a positive quantity of whole bytes. ok is false for anything else.
func ParseMemory(text string) (q resource.Quantity, ok bool) {
	q, ok = parseQuantity(text)
	ok = ok && q.CmpInt64(1<<62) < 0 && q.CmpInt64(q.Value()) == 0
	return q, ok
}

func parseQuantity(text string) (resource.Quantity, bool) {
	if !quantityForm.MatchString(text) {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(text)
	return q, err == nil && q.Sign() > 0
}
