package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/cmd/localcluster/control"
	"muster.dev/muster/cmd/localcluster/instance"
)

// How long a daemon may take to end, before it is killed and after.
const (
	endPatience  = 60 * time.Second
	killPatience = 20 * time.Second
)

func newDown(data *string) *cobra.Command {
	var purge bool
	cmd := &cobra.Command{Use: "down", Short: "End the cluster and every process of its pods",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := instance.Find(*data)
			if err != nil {
				return err
			}
			if !dir.Exists() {
				fmt.Fprintf(cmd.ErrOrStderr(), "There is no cluster at %s.\n", dir)
				return nil
			}
			if err := down(cmd, dir); err != nil {
				return err
			}
			if !purge {
				return nil
			}
			lock, err := dir.Acquire(cmd.Context())
			if err != nil {
				return err
			}
			if err := errors.Join(dir.Purge(), lock.Release()); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "Deleted %s.\n", dir)
			return nil
		}}
	cmd.Flags().BoolVar(&purge, "purge", false, "delete the data directory too, with volumes and kubeconfigs")
	return cmd
}

func down(cmd *cobra.Command, dir instance.Dir) error {
	pid, err := dir.Holder()
	if err != nil {
		return err
	}
	if pid == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "It does not run.")
		return nil
	}
	begin := time.Now()
	if err := control.NewClient(dir.String()).Shutdown(cmd.Context()); err != nil && !errors.Is(err, control.ErrNotRunning) {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), endPatience)
	err = dir.WaitFree(ctx)
	cancel()
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "Process %d does not end, it is killed.\n", pid)
		// The pid is the lock's holder's, so that it belongs to no other program.
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), killPatience)
		defer cancel()
		if err := dir.WaitFree(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Ended in %.1f s.\n", time.Since(begin).Seconds())
	return nil
}
