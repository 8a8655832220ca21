package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/cmd/localcluster/control"
	"muster.dev/muster/cmd/localcluster/daemon"
	"muster.dev/muster/cmd/localcluster/instance"
)

type upFlags struct {
	foreground bool
	port       int
	timeout    time.Duration
}

func (f *upFlags) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.port, "port", 0, "port of the API server; 0 takes a free one (default: the one it had, or a free one)")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 3*time.Minute, "how long the start may take")
}

// options are what the daemon runs with.
func (f *upFlags) options(cmd *cobra.Command, dir instance.Dir, log io.Writer) daemon.Options {
	o := daemon.Options{Dir: dir, Timeout: f.timeout, Log: slog.New(slog.NewTextHandler(log, nil))}
	if cmd.Flags().Changed("port") {
		o.Port = &f.port
	}
	return o
}

func newUp(data *string) *cobra.Command {
	var flags upFlags
	cmd := &cobra.Command{Use: "up", Short: "Start the cluster and return when it is ready",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := instance.Open(*data)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if flags.foreground {
				return upForeground(ctx, cmd, dir, flags)
			}
			return upBackground(ctx, cmd, dir, flags)
		}}
	flags.register(cmd)
	cmd.Flags().BoolVar(&flags.foreground, "foreground", false, "stay, and end the cluster on Ctrl-C")
	return cmd
}

// newDaemon is the background process of up.
func newDaemon(data *string) *cobra.Command {
	var flags upFlags
	cmd := &cobra.Command{Use: "__daemon", Hidden: true, RunE: func(cmd *cobra.Command, _ []string) error {
		dir, err := instance.Find(*data)
		if err != nil {
			return err
		}
		// A terminal that closes ends no cluster: the daemon has a session of its own, and SIGHUP is no reason either.
		signal.Ignore(syscall.SIGHUP)
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = daemon.Run(ctx, flags.options(cmd, dir, os.Stderr))
		if errors.Is(err, instance.ErrHeld) {
			return exitCode{err, exitHeld}
		}
		return err
	}}
	flags.register(cmd)
	return cmd
}

func upForeground(ctx context.Context, cmd *cobra.Command, dir instance.Dir, flags upFlags) error {
	log, err := openLog(dir)
	if err != nil {
		return err
	}
	defer log.Close()
	opts := flags.options(cmd, dir, log)
	opts.OnEvent = func(e control.Event) {
		printEvent(cmd.ErrOrStderr(), e)
		if e.Ready {
			printReady(cmd, dir)
			fmt.Fprintln(cmd.ErrOrStderr(), "Ctrl-C ends it.")
		}
	}
	err = daemon.Run(ctx, opts)
	if errors.Is(err, instance.ErrHeld) {
		return errors.New("it runs already; `localcluster status` shows it")
	}
	return err
}

func upBackground(ctx context.Context, cmd *cobra.Command, dir instance.Dir, flags upFlags) error {
	client := control.NewClient(dir.String())
	s, err := client.Status(ctx)
	if err == nil && s.State == control.Stopping {
		fmt.Fprintln(cmd.ErrOrStderr(), "The one before is ending.")
		if err := waitFree(ctx, dir, time.Minute); err != nil {
			return err
		}
	}
	if err == nil && s.State == control.Ready {
		if cmd.Flags().Changed("port") && flags.port != 0 && s.Server != "" && !hasPort(s.Server, flags.port) {
			return fmt.Errorf("it runs already, at %s; `localcluster down` first to give it another port", s.Server)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "It runs already, since %s.\n", s.Since.Format("2006-01-02 15:04:05"))
		printReady(cmd, dir)
		return nil
	}
	ended, err := spawn(cmd, dir, flags)
	if err != nil {
		return err
	}
	var failure string
	err = follow(ctx, client, ended, func(e control.Event) {
		printEvent(cmd.ErrOrStderr(), e)
		failure = e.Error
	})
	switch {
	case failure != "":
		return errors.New(failure)
	case err != nil:
		return fmt.Errorf("%w; its log is %s", err, dir.Log("daemon"))
	}
	printReady(cmd, dir)
	return nil
}

// spawn starts the daemon in the background. The channel tells when it ends.
func spawn(cmd *cobra.Command, dir instance.Dir, flags upFlags) (<-chan error, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := openLog(dir)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := []string{"__daemon", "--data", dir.String(), "--timeout", flags.timeout.String()}
	if cmd.Flags().Changed("port") {
		args = append(args, "--port", strconv.Itoa(flags.port))
	}
	process := exec.Command(program, args...)
	process.Dir, process.Stdout, process.Stderr = dir.String(), log, log
	process.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := process.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	return ended, nil
}

// follow calls back for each event of the start. It waits for the daemon's socket first: this daemon's, or that of
// another `up` which was a moment earlier.
func follow(ctx context.Context, client control.Client, ended <-chan error, each func(control.Event)) error {
	for {
		err := client.Events(ctx, each)
		if err == nil || !errors.Is(err, control.ErrNotRunning) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitHeld {
				return fmt.Errorf("the daemon ended during its start: %v", err)
			}
			ended = nil // the other one's socket will be there
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// openLog opens the daemon's log. The logs of all components grow while the cluster runs, and are set aside here once
// they are large.
func openLog(dir instance.Dir) (*os.File, error) {
	const large = 16 << 20
	for _, name := range []string{"daemon", daemon.APIServer, daemon.Controllers} {
		if info, err := os.Stat(dir.Log(name)); err == nil && info.Size() > large {
			if err := os.Rename(dir.Log(name), dir.Log(name)+".old"); err != nil {
				return nil, err
			}
		}
	}
	return os.OpenFile(dir.Log("daemon"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

func printEvent(w io.Writer, e control.Event) {
	switch {
	case e.Step != "":
		fmt.Fprintf(w, "%6.1f s  %s\n", e.Seconds, e.Step)
	case e.Ready:
		fmt.Fprintf(w, "%6.1f s  ready\n", e.Seconds)
	}
}

func hasPort(server string, port int) bool {
	suffix := ":" + strconv.Itoa(port)
	return len(server) > len(suffix) && server[len(server)-len(suffix):] == suffix
}
