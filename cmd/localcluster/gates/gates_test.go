package gates

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-base/featuregate"
)

func TestSameGateTwice(t *testing.T) {
	versioned := func(on bool) map[featuregate.Feature]featuregate.VersionedSpecs {
		return map[featuregate.Feature]featuregate.VersionedSpecs{
			"TLS":   {{Version: version.MustParse("0.16"), Default: on, PreRelease: featuregate.Beta}},
			"Other": {{Version: version.MustParse("0.16"), Default: true, PreRelease: featuregate.Beta}},
		}
	}
	plain := map[featuregate.Feature]featuregate.FeatureSpec{"TLS": {Default: true, PreRelease: featuregate.Beta}}

	g := firstWins{featuregate.NewFeatureGate()}
	if err := g.Add(plain); err != nil {
		t.Fatal(err)
	}
	if err := g.AddVersioned(versioned(true)); err != nil {
		t.Fatalf("an agreeing second registration is refused: %v", err)
	}
	if !g.Enabled("TLS") || !g.Enabled("Other") {
		t.Error("a gate of one of the two registrations is missing")
	}
	if err := g.AddVersioned(versioned(false)); err == nil {
		t.Error("a second registration with another default is accepted")
	}
	if err := g.Add(map[featuregate.Feature]featuregate.FeatureSpec{"TLS": {Default: false}}); err == nil {
		t.Error("a second plain registration with another default is accepted")
	}
}
