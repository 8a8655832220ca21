package main

import (
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// kubeconfig reads the files and the flags anew each time. The flags' own loader falls back to http://localhost:8080
// where there is no kubeconfig; here that is an error, which says so.
func (f *flags) kubeconfig() clientcmd.ClientConfig {
	k := f.kube
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = *k.KubeConfig
	extra := map[string][]string{}
	for _, pair := range *k.ImpersonateUserExtra {
		if name, value, ok := strings.Cut(pair, "="); ok {
			extra[name] = append(extra[name], value)
		}
	}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{
		CurrentContext: *k.Context,
		Context:        clientcmdapi.Context{Cluster: *k.ClusterName, AuthInfo: *k.AuthInfoName, Namespace: *k.Namespace},
		AuthInfo: clientcmdapi.AuthInfo{
			ClientCertificate: *k.CertFile, ClientKey: *k.KeyFile,
			Impersonate: *k.Impersonate, ImpersonateUID: *k.ImpersonateUID, ImpersonateGroups: *k.ImpersonateGroup, ImpersonateUserExtra: extra,
		},
		ClusterInfo: clientcmdapi.Cluster{
			Server: *k.APIServer, TLSServerName: *k.TLSServerName, CertificateAuthority: *k.CAFile,
			InsecureSkipTLSVerify: *k.Insecure, DisableCompression: *k.DisableCompression,
		},
	})
}
