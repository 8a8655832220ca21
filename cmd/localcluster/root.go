package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"muster.dev/muster/cmd/localcluster/control"
	"muster.dev/muster/cmd/localcluster/daemon"
	"muster.dev/muster/cmd/localcluster/instance"
)

// Exit statuses. 0 is done, 1 is failed.
const (
	exitUsage = 2
	exitHeld  = 3 // of the daemon: another one holds the data directory
)

// exitCode is an error with an exit status of its own.
type exitCode struct {
	error
	code int
}

func (e exitCode) Unwrap() error { return e.error }

const about = `A real Kubernetes on this machine, for trial and tests: etcd, kube-apiserver, controllers, kube-scheduler,
JobSet and Kueue, on loopback, without root and without containers. Its nodes are
imagined, its pods are processes of this machine: their commands run, images are not pulled.`

func newRoot() *cobra.Command {
	var data string
	root := &cobra.Command{Use: "localcluster", Short: "A real Kubernetes on this machine", Long: about,
		SilenceUsage: true, SilenceErrors: true, CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true}}
	root.PersistentFlags().StringVar(&data, "data", "", "data directory; clusters on different ones run side by side (default $XDG_DATA_HOME/muster/localcluster)")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return exitCode{err, exitUsage} })
	root.AddCommand(newUp(&data), newDown(&data), newStatus(&data), newKubeconfig(&data), newAPIServer(&data), newDaemon(&data), newComponent(&data))
	for _, c := range root.Commands() {
		if c.Args == nil {
			c.Args = cobra.NoArgs
		}
		args := c.Args
		c.Args = func(cmd *cobra.Command, got []string) error {
			if err := args(cmd, got); err != nil {
				return exitCode{err, exitUsage}
			}
			return nil
		}
	}
	return root
}

// newComponent is what the daemon starts its children with.
func newComponent(data *string) *cobra.Command {
	var port int
	cmd := &cobra.Command{Use: daemon.ComponentCommand + " NAME", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := instance.Find(*data)
			if err != nil {
				return err
			}
			return daemon.RunComponent(args[0], dir, port)
		}}
	cmd.Flags().IntVar(&port, "port", 0, "of the API server")
	return cmd
}

// newAPIServer ends and starts the API server alone, to see what its clients make of that.
func newAPIServer(data *string) *cobra.Command {
	cmd := &cobra.Command{Use: "apiserver", Short: "End and start the API server alone, under the clients' hands",
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			return exitCode{errors.New("say stop, start or restart"), exitUsage}
		}}
	stop := func(cmd *cobra.Command, c control.Client) error {
		grace, err := cmd.Flags().GetDuration("grace")
		if err != nil {
			return err
		}
		return c.StopAPIServer(cmd.Context(), grace)
	}
	start := func(cmd *cobra.Command, c control.Client) error { return c.StartAPIServer(cmd.Context()) }
	add := func(use, short, done string, does ...func(*cobra.Command, control.Client) error) *cobra.Command {
		sub := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := instance.Find(*data)
			if err != nil {
				return err
			}
			for _, do := range does {
				if err := do(cmd, control.NewClient(dir.String())); err != nil {
					return err
				}
			}
			fmt.Fprintln(cmd.ErrOrStderr(), done)
			return nil
		}}
		if strings.Contains(use, "st") && use != "start" {
			sub.Flags().Duration("grace", 0, "time to end by itself after a SIGTERM; 0 kills it")
		}
		cmd.AddCommand(sub)
		return sub
	}
	add("stop", "Kill the API server; it stays away until it is started", "The API server is gone.", stop)
	add("start", "Start the API server on its data and port", "The API server is ready.", start)
	add("restart", "Kill the API server and start it again", "The API server is ready again.", stop, start)
	return cmd
}
