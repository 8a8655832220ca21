package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/cmd/localcluster/control"
	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/seed"
)

func newStatus(data *string) *cobra.Command {
	var output string
	cmd := &cobra.Command{Use: "status", Short: "Show what runs; exit status 1 unless it is ready",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "" && output != "json" {
				return exitCode{fmt.Errorf("unknown output %q, there is json", output), exitUsage}
			}
			dir, err := instance.Find(*data)
			if err != nil {
				return err
			}
			s, err := control.NewClient(dir.String()).Status(cmd.Context())
			if errors.Is(err, control.ErrNotRunning) {
				return fmt.Errorf("no cluster runs on %s", dir)
			} else if err != nil {
				return err
			}
			if output == "json" {
				text := json.NewEncoder(cmd.OutOrStdout())
				text.SetIndent("", "  ")
				err = text.Encode(s)
			} else {
				err = printStatus(cmd.OutOrStdout(), s)
			}
			if err == nil && s.State != control.Ready {
				err = fmt.Errorf("it is %s", s.State)
			}
			return err
		}}
	cmd.Flags().StringVarP(&output, "output", "o", "", "json")
	return cmd
}

func printStatus(out io.Writer, s control.Status) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "State\t%s\nServer\t%s\nData\t%s\nRunning for\t%s\n", s.State, s.Server, s.Data, time.Since(s.Since).Round(time.Second))
	fmt.Fprintf(w, "Daemon\tpid %d\n", s.PID)
	for _, c := range s.Components {
		state := fmt.Sprintf("pid %d", c.PID)
		if c.PID == 0 {
			state = "not running: " + c.LastEnd
		}
		if c.Restarts > 0 {
			state += fmt.Sprintf(", restarted %d times", c.Restarts)
		}
		fmt.Fprintf(w, "%s\t%s\n", c.Name, state)
	}
	return w.Flush()
}

func newKubeconfig(data *string) *cobra.Command {
	cmd := &cobra.Command{Use: "kubeconfig [USER]", Short: "Print the path of a user's kubeconfig",
		Args: cobra.MaximumNArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := instance.Find(*data)
			if err != nil {
				return err
			}
			user := seed.Users()[0].Name
			if len(args) > 0 {
				user = args[0]
			}
			path := dir.Kubeconfig(user)
			if !isUser(user) {
				return exitCode{fmt.Errorf("there is no user %q; there are %s", user, userNames()), exitUsage}
			}
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("%w; `localcluster up` writes it", err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), path)
			return nil
		}}
	cmd.Long = "Print the path of a user's kubeconfig, by default the administrator's. The users:\n"
	for _, u := range seed.Users() {
		cmd.Long += fmt.Sprintf("\n  %-8s%s", u.Name, u.About)
	}
	return cmd
}

func isUser(name string) bool {
	for _, u := range seed.Users() {
		if u.Name == name {
			return true
		}
	}
	return false
}

func userNames() string {
	names := ""
	for i, u := range seed.Users() {
		if i > 0 {
			names += ", "
		}
		names += u.Name
	}
	return names
}

// printReady says what to do with a cluster that is ready: the kubeconfigs go to stdout, a line each.
func printReady(cmd *cobra.Command, dir instance.Dir) {
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, u := range seed.Users() {
		fmt.Fprintf(out, "%s\t%s\t%s\n", u.Name, dir.Kubeconfig(u.Name), u.About)
	}
	if out.Flush() != nil {
		return // nobody reads
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "\nNext:  muster --kubeconfig %s\n", dir.Kubeconfig("alice"))
}
