package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/cmd/localcluster/control"
	"muster.dev/muster/cmd/localcluster/instance"
)

// patience is how long a cluster may take to end, before it is killed and after.
type patience struct{ end, kill time.Duration }

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
			if err := down(cmd.Context(), cmd.ErrOrStderr(), dir, patience{end: 60 * time.Second, kill: 20 * time.Second}); err != nil {
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

func down(ctx context.Context, out io.Writer, dir instance.Dir, wait patience) error {
	free, err := dir.Free()
	if err != nil {
		return err
	}
	if free {
		fmt.Fprintln(out, "It does not run.")
		return nil
	}
	begin := time.Now()
	// Without a daemon there may be components of one that was killed. They end by themselves.
	if err := control.NewClient(dir.String()).Shutdown(ctx); err != nil && !errors.Is(err, control.ErrNotRunning) {
		return err
	}
	if err := waitFree(ctx, dir, wait.end); err != nil {
		if ctx.Err() != nil {
			return err
		}
		// Only now: the pids of a minute ago may be other programs' by now.
		holders, err := dir.Holders()
		if err != nil {
			return err
		}
		for _, p := range holders {
			fmt.Fprintf(out, "%s does not end, it is killed.\n", p)
			if err := dir.Kill(p); err != nil {
				return err
			}
		}
		if err := waitFree(ctx, dir, wait.kill); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "Ended in %.1f s.\n", time.Since(begin).Seconds())
	return nil
}

func waitFree(ctx context.Context, dir instance.Dir, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return dir.WaitFree(ctx)
}
