package main

import (
	"github.com/spf13/cobra"

	"muster.dev/muster/backend/snapshot"
)

func newDelete(a *app) *cobra.Command { return newVerb(a, snapshot.Delete) }
