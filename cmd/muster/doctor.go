package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
)

// check is what doctor says of one thing that it looked at.
type check struct {
	Area    string `json:"area"`
	Name    string `json:"name"`
	Result  string `json:"result"` // ok, warn, fail: without it no job can run
	Message string `json:"message"`
	Mender  string `json:"mender,omitempty"` // who can mend it: user, workspace (its owner), administrator
	Remedy  string `json:"remedy,omitempty"` // what would do
}

func newDoctor(a *app) *cobra.Command {
	var format string
	c := a.command("doctor", "doctor", a.noArgs, func(c *cobra.Command, _ []string) error {
		if _, err := a.siteFile(); err != nil {
			return err
		}
		cluster, err := kube.New(a.options())
		if cluster == nil {
			return err // what is wrong with a kubeconfig is a finding, and comes below
		}
		ctx, cancel, err := a.limited(c.Context())
		if err != nil {
			return err
		}
		defer cancel()
		found := cluster.Doctor(ctx)
		if err := c.Context().Err(); err != nil {
			return err
		}
		if err := a.writeChecks(found, format); err != nil {
			return err
		}
		if slices.ContainsFunc(found, func(c kube.Check) bool { return c.Grade == kube.Fail }) {
			return &exit{status: exitFailed}
		}
		return nil
	})
	a.outputFlag(c, &format, asJSON, asYAML)
	return c
}

func (a *app) writeChecks(found []kube.Check, format string) error {
	if format != asTable {
		checks := make([]check, len(found))
		for i, f := range found {
			checks[i] = a.check(f)
		}
		return a.object(format, items(checks))
	}
	var rows [][]string
	allowed := 0
	for _, f := range found {
		if f.Area == "right" && f.Grade == kube.OK {
			allowed++ // two dozen lines that say nothing
			continue
		}
		c := a.check(f)
		rows = append(rows, a.checkRow(c))
	}
	if allowed > 0 {
		rows = append(rows, a.checkRow(check{Area: "right", Result: string(kube.OK), Message: a.t("doctor.rights", "count", allowed)}))
	}
	return a.table([]string{"area", "result", "message", "mender", "remedy"}, rows)
}

func (a *app) checkRow(c check) []string {
	area, result, mender := c.Area, c.Result, c.Mender
	if a.outTTY { // a pipe has the codes to look for
		area, result = a.t("doctor.area."+area), a.t("doctor.grade."+result)
	}
	if mender != "" {
		mender = a.t("doctor.mender." + mender)
	}
	return []string{area, result, c.Message, mender, c.Remedy}
}

// check puts a finding into words. The texts stand under doctor.<area>.<name>: as it is when it is ok, with .lacks and
// .remedy behind it when it is not; an answer of the cluster has its own text.
func (a *app) check(f kube.Check) check {
	c := check{Area: f.Area, Name: f.Name, Result: string(f.Grade), Mender: string(f.Mender)}
	key := fmt.Sprintf("doctor.%s.%s", f.Area, f.Name)
	with := a.checkArgs(f)
	if f.Grade == kube.OK {
		if f.Args["user"] == "" && f.Area == "user" {
			key = "doctor.user.unnamed"
		}
		c.Message = a.t(key, with)
		return c
	}
	switch code := f.Args["code"]; {
	case code != "":
		if code == kube.CodeDenied {
			with["message"] = "" // the server's sentence for the same
		}
		c.Message = a.problem(job.Problem{Code: code, Args: with})
	case a.text.Has("cli." + key + ".lacks"):
		c.Message = a.t(key+".lacks", with)
	default:
		c.Message = f.Args["message"]
	}
	c.Remedy = a.t(key+".remedy", with)
	return c
}

// checkArgs are a finding's arguments as the texts take them: also where a right holds, in words, and what stands for a
// list that is empty.
func (a *app) checkArgs(f kube.Check) map[string]string {
	with := map[string]string{"workspace": *a.kube.Namespace}
	if with["workspace"] == "" {
		with["workspace"] = a.kubeconfigWorkspace()
	}
	maps.Copy(with, f.Args)
	with["where"] = a.t("doctor.where.cluster")
	if with["workspace"] != "" {
		with["where"] = a.t("doctor.where.workspace", "workspace", with["workspace"])
	}
	if served, listed := with["served"]; listed && served == "" {
		with["served"] = a.t("doctor.none")
	}
	return with
}
