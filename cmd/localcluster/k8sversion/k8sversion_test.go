package k8sversion

import (
	"os/exec"
	"strings"
	"testing"

	"k8s.io/component-base/version"
)

// The test binary of this package does not link the module k8s.io/kubernetes, and then its build information does not
// name it: the values are checked in the integration test, and here that the variables are Kubernetes' own.
func TestLinkedToKubernetes(t *testing.T) {
	oldVersion, oldMajor, oldMinor := dynamicGitVersion.Load(), gitMajor, gitMinor
	defer func() { gitMajor, gitMinor = oldMajor, oldMinor; dynamicGitVersion.Store(oldVersion) }()
	dynamicGitVersion.Store("v9.8.7")
	gitMajor, gitMinor = "9", "8"
	if got := version.Get(); got.GitVersion != "v9.8.7" || got.Major != "9" || got.Minor != "8" {
		t.Errorf("Kubernetes reports %+v: its variables have other names now", got)
	}
}

func TestModuleIsRequired(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", module).Output()
	if err != nil || !strings.HasPrefix(string(out), module+" v1.") {
		t.Errorf("go list: %q, %v", out, err)
	}
}
