package site

import (
	"regexp"
	"strings"
)

var (
	cardMaker  = regexp.MustCompile(`^(?i:NVIDIA|TESLA|GEFORCE|AMD|INSTINCT|QUADRO)$`)
	cardBuild  = regexp.MustCompile(`^(?i:SXM[0-9]*|PCIE|NVL[0-9]*|HBM[0-9]+[a-z]?|OAM)$`)
	cardMemory = regexp.MustCompile(`^([0-9]+)(?i:GB)$`)
)

// ShortCardName is what people call a GPU of this product label: its maker, its socket and its kind of memory left out,
// e.g. H100-80G for NVIDIA-H100-80GB-HBM3. A product of nothing else stays as it is.
func ShortCardName(product string) string {
	var parts []string
	leading := true
	for part := range strings.SplitSeq(product, "-") {
		switch {
		case part == "" || leading && cardMaker.MatchString(part) || cardBuild.MatchString(part):
			continue
		case cardMemory.MatchString(part):
			part = cardMemory.ReplaceAllString(part, "${1}G")
		}
		leading = false
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return product
	}
	return strings.Join(parts, "-")
}
