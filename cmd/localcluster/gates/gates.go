// Package gates lets JobSet's and Kueue's operators live in one program.
//
// Both register their feature gates on the API machinery's process-wide gate when their packages are initialised, and
// both have one of the name TLSOptions, each with a version of its own: the second registration would end the program
// before main. This package puts a gate in front that keeps the first registration of a name and drops a later one that
// means the same. It has to be initialised before either operator: Go initialises the packages that are ready in the
// order of their import paths, "muster.dev/…" comes before "sigs.k8s.io/…", and this package imports nothing of theirs.
package gates

import (
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

func init() {
	utilfeature.DefaultMutableFeatureGate = firstWins{utilfeature.DefaultMutableFeatureGate}
}

// firstWins is a gate on which a name may be registered again, as long as both registrations agree on the default.
type firstWins struct {
	featuregate.MutableVersionedFeatureGate
}

// Add registers unversioned specs.
func (g firstWins) Add(specs map[featuregate.Feature]featuregate.FeatureSpec) error {
	fresh := map[featuregate.Feature]featuregate.FeatureSpec{}
	known := g.GetAllVersioned()
	for name, spec := range specs {
		old, taken := known[name]
		if !taken {
			fresh[name] = spec
			continue
		}
		if err := agree(name, old, spec); err != nil {
			return err
		}
	}
	return g.MutableVersionedFeatureGate.Add(fresh)
}

// AddVersioned registers versioned specs.
func (g firstWins) AddVersioned(specs map[featuregate.Feature]featuregate.VersionedSpecs) error {
	fresh := map[featuregate.Feature]featuregate.VersionedSpecs{}
	known := g.GetAllVersioned()
	for name, versions := range specs {
		old, taken := known[name]
		if !taken {
			fresh[name] = versions
			continue
		}
		if len(versions) == 0 {
			return fmt.Errorf("feature gate %s registered with no version", name)
		}
		if err := agree(name, old, versions[len(versions)-1]); err != nil {
			return err
		}
	}
	return g.MutableVersionedFeatureGate.AddVersioned(fresh)
}

// agree says whether a spec means what is registered already. Differing defaults are an error, because one of the two
// owners would run with the other's.
func agree(name featuregate.Feature, old featuregate.VersionedSpecs, spec featuregate.FeatureSpec) error {
	if len(old) == 0 || old[len(old)-1].Default != spec.Default {
		return fmt.Errorf("feature gate %s is registered twice, with different defaults", name)
	}
	return nil
}
