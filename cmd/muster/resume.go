package main

import (
	"github.com/spf13/cobra"

	"muster.dev/muster/backend/snapshot"
)

func newResume(a *app) *cobra.Command { return newVerb(a, snapshot.Resume) }
