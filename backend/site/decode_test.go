package site_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"muster.dev/muster/backend/site"
)

func TestDecodeReportsEverything(t *testing.T) {
	_, report := site.Decode([]byte(`apiVersion: muster.dev/v0
kind: Site
defaultCluster: c
clusters:
  - name: a
    workspace: [x]
    workspaces: [X]
    resources: [Free]
    rdma: {resource: rdma/hca}
    defaultCard: H200
    cardTypes:
      - {name: H100, perNode: -1, cpuPerCard: 8, memoryPerCard: 1gi}
  - name: a
  - {name: "b c", nodeSelector: {"k/": "v v"}}
defaults: {cpu: "0", sshDir: ssh}
priorities:
  - {level: High, right: {verb: use}}
  - {level: High}
  - {level: Top}
volumes: [{name: n}, {name: n}, {claim: C}]
images: [{name: "A b"}, {name: a, source: private}]
`))
	want := []string{
		"error apiVersion BadAPIVersion got=muster.dev/v0 want=muster.dev/v1",
		"error clusters[0].cardTypes[0].cpuPerCard WrongKind got=int line=12 want=string",
		"error clusters[0].cardTypes[0].memoryPerCard BadMemory value=1gi",
		"error clusters[0].cardTypes[0].perNode TooSmall min=0 value=-1",
		"error clusters[0].defaultCard UnknownValue known=H100 nearest=H100 value=H200",
		"error clusters[0].rdma.perCard TooSmall min=1 value=0",
		"error clusters[0].resources[0] UnknownValue known=Dedicated, Shared, Spot nearest= value=Free",
		"error clusters[0].workspace UnknownField field=workspace known=workspaces line=6 nearest=workspaces",
		"error clusters[0].workspaces[0] BadWorkspace value=X",
		"error clusters[1].name Duplicate first=clusters[0].name value=a",
		"error clusters[2].name BadLabelValue value=b c",
		"error clusters[2].nodeSelector.k/ BadLabelValue value=v v",
		"error clusters[2].nodeSelector.k/ BadObjectName value=k/",
		"error defaultCluster UnknownValue known=a, a, b c nearest= value=c",
		"error defaults.cpu BadCPU value=0",
		"error defaults.sshDir PathNotAbsolute value=ssh",
		"error images[0].name BadImage value=A b",
		"error images[1].source UnknownValue known=official, dev nearest= value=private",
		"error priorities[0].right.resource Required",
		"error priorities[1].level Duplicate first=priorities[0].level value=High",
		"error priorities[2].level UnknownValue known=Normal, High, Highest nearest= value=Top",
		"error volumes[1].name Duplicate first=volumes[0].name value=n",
		"error volumes[2].claim BadObjectName value=C",
		"error volumes[2].name Required",
	}
	if diff := cmp.Diff(want, lines(report)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDecodeForm(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "error  EmptyFile",
		"a: [":              "error  BadYAML line=1 message=did not find expected node content",
		"[]":                "error  WrongKind got=list line=1 want=map",
		"kind: Site\n---\n": "error  SeveralDocuments line=2",
		"kind: TrainingJob": "error kind BadKind got=TrainingJob want=Site",
	} {
		_, report := site.Decode([]byte(text))
		if diff := cmp.Diff([]string{want}, lines(report)); diff != "" {
			t.Errorf("%q: -want +got\n%s", text, diff)
		}
	}
}

// A file that names one thing keeps every other default.
func TestDecodeKeepsDefaults(t *testing.T) {
	s, report := site.Decode([]byte("defaultCluster: x\n"))
	if !report.OK() {
		t.Fatal(report.Errors)
	}
	want := site.Default()
	want.DefaultCluster = "x"
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
