package main

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// quiet keeps client-go's own log off the terminal: what it has to say of a connection, muster says in its own words,
// and over a screen it would be garbage.
func quiet() { klog.SetLogger(logr.Discard()) }
