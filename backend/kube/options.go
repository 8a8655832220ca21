package kube

import (
	"context"
	"os"
	"sync"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"muster.dev/muster/backend/site"
)

// Options say which cluster is meant, as whom, and with which site file.
type Options struct {
	// Config gives the kubeconfig to use. It is called again when the file changed, and must then read it anew.
	// genericclioptions.ConfigFlags made without persistence has it: flags.ToRawKubeConfigLoader. When it is nil, the
	// fields up to AsGroups say the same.
	Config func() clientcmd.ClientConfig

	Kubeconfig string // file; "" = $KUBECONFIG, ~/.kube/config, then the pod's own service account
	Context    string
	Namespace  string
	As         string
	AsUID      string
	AsGroups   []string

	// Workspace is the namespace watched at first; "" = the kubeconfig's.
	Workspace string
	// AllWorkspaces watches all that the user may see at first.
	AllWorkspaces bool

	SiteFile  string // path of a site file; "" = the cluster's ConfigMap, then the embedded default
	UserAgent string // "" = muster
	// StdinTaken keeps credential plugins off standard input: the program reads keys from it.
	StdinTaken bool
	// Now is the clock, for tests; nil = time.Now.
	Now func() time.Time
}

// Cluster is one API server as one user. Its methods may be called from any goroutine.
type Cluster struct {
	options Options
	now     func() time.Time
	own     *site.Site    // of the site file
	stall   time.Duration // silence after which a log stream is looked at

	mu     sync.Mutex
	link   *link         // nil while there is no usable kubeconfig
	broken *Error        // why there is none
	files  stamp         // of the files read for link or broken
	scope  string        // workspace watched; "" = all
	scoped bool          // scope was chosen, else the kubeconfig's namespace
	moved  chan struct{} // closed when scope changes
}

// New reads the kubeconfig and the site file. It never uses the network.
//
// When the kubeconfig is missing or broken New returns an [*Error] with a code that begins with Kubeconfig, and a
// Cluster all the same: a screen shows its NoConfig state and goes on by itself once the file is mended; a command
// prints the error. With a bad site file the Cluster is nil.
func New(options Options) (*Cluster, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.UserAgent == "" {
		options.UserAgent = "muster"
	}
	c := &Cluster{
		options: options, now: options.Now, moved: make(chan struct{}), stall: stallFirst,
		scope: options.Workspace, scoped: options.Workspace != "" || options.AllWorkspaces,
	}
	if options.SiteFile != "" {
		data, err := os.ReadFile(options.SiteFile)
		if err != nil {
			return nil, newError(CodeSiteFile, err, "path", options.SiteFile, "message", plain(err))
		}
		read, problems := readSite(data)
		if len(problems) > 0 {
			return nil, siteError(options.SiteFile, problems)
		}
		c.own = read
	}
	c.load()
	if c.broken != nil {
		return c, c.broken
	}
	return c, nil
}

// SetWorkspace changes what is watched: a namespace, or "" for all that the user may see. A running Watch goes on
// with it.
func (c *Cluster) SetWorkspace(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.scoped && c.scope == name {
		return
	}
	c.scope, c.scoped = name, true
	close(c.moved)
	c.moved = make(chan struct{})
}

// Workspace is what is watched; "" = all.
func (c *Cluster) Workspace() string {
	name, _ := c.watched()
	return name
}

// watched is the scope, and a channel that is closed when it changes.
func (c *Cluster) watched() (string, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.scoped && c.link != nil {
		return c.link.namespace, c.moved
	}
	return c.scope, c.moved
}

// Namespace is the kubeconfig's namespace: where a job goes whose spec names no workspace.
func (c *Cluster) Namespace() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == nil {
		return ""
	}
	return c.link.namespace
}

// Context is the name of the kubeconfig context in use.
func (c *Cluster) Context() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == nil {
		return c.options.Context
	}
	return c.link.context
}

// config is the loader of the kubeconfig.
func (o Options) config() clientcmd.ClientConfig {
	if o.Config != nil {
		return o.Config()
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{
		CurrentContext: o.Context,
		Context:        clientcmdapi.Context{Namespace: o.Namespace},
		AuthInfo: clientcmdapi.AuthInfo{
			Impersonate: o.As, ImpersonateUID: o.AsUID, ImpersonateGroups: o.AsGroups,
		},
	})
}

// connected gives the link, after reading the kubeconfig again when its files changed and the last try failed.
func (c *Cluster) connected() (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil && c.files.changed() {
		c.load()
	}
	if c.broken != nil {
		return nil, c.broken
	}
	return c.link, nil
}

// reload reads the kubeconfig again if its files changed since; it tells whether there is a new link.
func (c *Cluster) reload() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.files.changed() {
		return false
	}
	old := c.link
	c.load()
	return c.link != nil && c.link != old
}

// unaryTimeout bounds a call that has one answer. Watches and logs have none: a stream may be silent for hours.
const unaryTimeout = 30 * time.Second

func unary(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, unaryTimeout)
}
