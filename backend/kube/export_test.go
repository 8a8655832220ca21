package kube

import "sigs.k8s.io/controller-runtime/pkg/client"

// Client is the link's own, for tests that change the cluster behind muster's back.
func (c *Cluster) Client() client.Client { return c.link.client }
