package seed

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"muster.dev/muster/cmd/localcluster/manifest"
)

//go:embed objects.yaml
var objectsTemplate string

//go:embed site.yaml
var siteFile string

// StorageClass is the class of the NAS volumes.
const StorageClass = "nas"

// doneSeed is the name under which the seed is noted.
const doneSeed = "seed"

type workspace struct {
	Name, DisplayName, Flavor, CPU, Memory string
	GPUs, RDMA                             int
	Members, Owners                        []string
}

type priority struct {
	Name, About string
	Value       int
}

type volume struct {
	Name, Size, Modes string
	root              string // folder of all volumes
}

func (v volume) dir(workspace string) string { return filepath.Join(v.root, workspace+"-"+v.Name) }

// Path is the folder of a workspace's volume, quoted for YAML.
func (v volume) Path(workspace string) (string, error) { return quote(v.dir(workspace)) }

// quote writes a string in JSON, which is YAML.
func quote(s string) (string, error) {
	text, err := json.Marshal(s)
	return string(text), err
}

func workspaces() []workspace {
	return []workspace{
		{Name: "research", DisplayName: "语言模型研究", Flavor: "h100", CPU: "256", Memory: "4Ti", GPUs: 16, RDMA: 16, Members: []string{"alice"}},
		{Name: "vision", DisplayName: "Vision lab", Flavor: "a100", CPU: "96", Memory: "1Ti", GPUs: 8, RDMA: 4, Members: []string{"bob"}, Owners: []string{"bob"}},
	}
}

func volumes(root string) []volume {
	return []volume{
		{"nas-code", "2Ti", "[ReadWriteMany]", root},
		{"nas-data", "100Ti", "[ReadWriteMany, ReadOnlyMany]", root},
	}
}

// objects fills the template in. volumes is the folder of the NAS volumes.
func objects(volumeRoot string) ([]*unstructured.Unstructured, error) {
	site, err := quote(siteFile)
	if err != nil {
		return nil, err
	}
	t, err := template.New("objects.yaml").Option("missingkey=error").Parse(objectsTemplate)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = t.Execute(&text, map[string]any{
		"Workspaces": workspaces(),
		"Volumes":    volumes(volumeRoot),
		"Priorities": []priority{
			{"muster-normal", "training jobs", 0},
			{"muster-high", "before other training jobs", 1000},
			{"muster-highest", "before all training jobs", 10000},
		},
		"Observers": []string{"bob"},
		"Site":      site,
	})
	if err != nil {
		return nil, err
	}
	return manifest.Parse(text.Bytes())
}

// Apply makes the site in the cluster, unless it has been made before: what its users have changed since stays.
func Apply(ctx context.Context, applier *manifest.Applier, volumeRoot string) error {
	objs, err := objects(volumeRoot)
	if err != nil {
		return fmt.Errorf("the site: %w", err)
	}
	for _, w := range workspaces() {
		for _, v := range volumes(volumeRoot) {
			if err := os.MkdirAll(v.dir(w.Name), 0o700); err != nil {
				return err
			}
		}
	}
	hash, err := manifest.Hash(objs...)
	if err != nil {
		return err
	}
	if done, err := applier.Done(ctx, doneSeed, hash); err != nil || done {
		return err
	}
	// What is referred to first: a claim of a volume that is not there yet waits for the binder's next round, a queue of an
	// unknown flavor admits nothing for a while.
	var first, middle, last []*unstructured.Unstructured
	for _, obj := range objs {
		switch obj.GetKind() {
		case "Namespace", "ResourceFlavor", "PersistentVolume":
			first = append(first, obj)
		case "LocalQueue":
			last = append(last, obj)
		default:
			middle = append(middle, obj)
		}
	}
	for _, step := range [][]*unstructured.Unstructured{first, middle, last} {
		if err := applier.Apply(ctx, step...); err != nil {
			return err
		}
	}
	return applier.MarkDone(ctx, doneSeed, hash)
}

// Workspaces are the namespaces in which users work.
func Workspaces() []string {
	var names []string
	for _, w := range workspaces() {
		names = append(names, w.Name)
	}
	return names
}
