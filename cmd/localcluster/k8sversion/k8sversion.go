// Package k8sversion makes the API server report the release that it is built from.
//
// Kubernetes has its version set by linker flags; a program built without them reports v0.0.0-master+$Format:%H$, which
// kubectl and version parsers refuse. The release is known without flags: it stands in the build information, as the
// version of the module k8s.io/kubernetes. So plain `go build`, `go run` and `go test` are right, and go.mod alone says
// which version it is.
package k8sversion

import (
	"runtime/debug"
	"strings"
	"sync/atomic"
	_ "unsafe" // for go:linkname

	_ "k8s.io/component-base/version" // initialised before this package
)

const module = "k8s.io/kubernetes"

// The variables that the linker flags would set, and the one that the first of them is copied to.

//go:linkname dynamicGitVersion k8s.io/component-base/version.dynamicGitVersion
var dynamicGitVersion atomic.Value

//go:linkname gitMajor k8s.io/component-base/version.gitMajor
var gitMajor string

//go:linkname gitMinor k8s.io/component-base/version.gitMinor
var gitMinor string

func init() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, dep := range info.Deps {
		if dep.Path != module {
			continue
		}
		if dep.Replace != nil {
			dep = dep.Replace
		}
		dynamicGitVersion.Store(dep.Version)
		parts := strings.SplitN(strings.TrimPrefix(dep.Version, "v"), ".", 3)
		if len(parts) == 3 {
			gitMajor, gitMinor = parts[0], parts[1]
		}
	}
}
