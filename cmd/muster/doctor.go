package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/snapshot"
)

// The results of a check.
const (
	checkOK   = "ok"
	checkWarn = "warn"
	checkFail = "fail" // without it no job can run
)

// check is what doctor found out about one area.
type check struct {
	Area    string `json:"area"`
	Result  string `json:"result"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"` // what would do, and who can do it
}

func newDoctor(a *app) *cobra.Command {
	var format string
	c := a.command("doctor", "doctor", a.noArgs, func(c *cobra.Command, _ []string) error {
		cluster, err := a.connect()
		var checks []check
		if err == nil {
			var view snapshot.Snapshot
			if view, err = a.view(c.Context(), cluster); err == nil {
				checks = a.examine(view)
			}
		}
		if c.Context().Err() != nil {
			return err
		}
		if err != nil {
			checks = []check{a.unreachable(err)}
		}
		if err := a.writeChecks(checks, format); err != nil {
			return err
		}
		if slices.ContainsFunc(checks, func(c check) bool { return c.Result == checkFail }) {
			return &exit{status: exitFailed}
		}
		return nil
	})
	a.outputFlag(c, &format, asJSON, asYAML)
	return c
}

func (a *app) writeChecks(checks []check, format string) error {
	if format != asTable {
		return a.object(format, items(checks))
	}
	var rows [][]string
	for _, c := range checks {
		result := c.Result
		if a.outTTY {
			result = a.t("doctor." + c.Result)
		}
		rows = append(rows, []string{c.Area, result, c.Message, c.Remedy})
	}
	return a.table([]string{"area", "result", "message", "remedy"}, rows)
}

// finding makes a check; its texts stand under doctor.<area>.<key> and, where it is not ok, doctor.<area>.<key>.remedy.
func (a *app) finding(result, area, key string, args ...any) check {
	c := check{Area: area, Result: result, Message: a.t("doctor."+area+"."+key, args...)}
	if result != checkOK {
		c.Remedy = a.t("doctor."+area+"."+key+".remedy", args...)
	}
	return c
}

func (a *app) unreachable(err error) check {
	_, text := a.explain(err)
	return check{Area: "cluster", Result: checkFail, Message: strings.TrimSpace(text), Remedy: a.t("doctor.cluster.unreachable.remedy")}
}

// examine judges one view of a cluster. Nothing is tried out: what is said is what discovery, access reviews and the
// lists themselves answered.
func (a *app) examine(view snapshot.Snapshot) []check {
	facts := view.Facts
	checks := []check{
		a.finding(checkOK, "cluster", "reached", "context", facts.Context, "server", facts.Server),
		a.finding(checkOK, "user", "known", "user", cmp.Or(facts.User, a.t("unknown")), "workspace", facts.Workspace),
	}
	checks = append(checks, a.rights(facts)...)
	if len(facts.Engines) == 0 {
		checks = append(checks, a.finding(checkFail, "engines", "none", "workspace", facts.Workspace))
	} else {
		checks = append(checks, a.finding(checkOK, "engines", "some", "engines", strings.Join(facts.Engines, ", ")))
	}
	checks = append(checks, a.queueChecks(view), a.cardCheck(view), a.siteCheck(facts))
	for _, p := range facts.Problems {
		checks = append(checks, check{Area: "site", Result: checkWarn, Message: a.problem(p), Remedy: a.t("doctor.site.problem.remedy")})
	}
	if len(view.Volumes) == 0 {
		checks = append(checks, a.finding(checkWarn, "volumes", "none", "workspace", facts.Workspace))
	} else {
		checks = append(checks, a.finding(checkOK, "volumes", "some", "count", len(view.Volumes)))
	}
	return checks
}

// rights lists what the user may not do. Without seeing jobs nothing goes; the rest only makes something unknown.
func (a *app) rights(facts snapshot.Facts) []check {
	if len(facts.Denied) == 0 {
		return []check{a.finding(checkOK, "rights", "all")}
	}
	needed := missingRights(facts)
	var checks []check
	for _, denied := range facts.Denied {
		result, key := checkWarn, "optional"
		if slices.Contains(needed, denied) {
			result, key = checkFail, "needed"
		}
		checks = append(checks, a.finding(result, "rights", key, "right", denied))
	}
	return checks
}

func (a *app) queueChecks(view snapshot.Snapshot) check {
	switch {
	case !view.Facts.Kueue:
		return a.finding(checkWarn, "queues", "noKueue")
	case len(view.Queues) == 0:
		return a.finding(checkWarn, "queues", "none", "workspace", view.Facts.Workspace)
	}
	var broken []string
	for _, q := range view.Queues {
		if !q.Active {
			broken = append(broken, q.Name)
		}
	}
	if len(broken) > 0 {
		return a.finding(checkWarn, "queues", "inactive", "queues", strings.Join(broken, ", "))
	}
	return a.finding(checkOK, "queues", "some", "count", len(view.Queues))
}

func (a *app) cardCheck(view snapshot.Snapshot) check {
	total := 0
	for _, s := range view.Stock {
		if !s.Known {
			return a.finding(checkWarn, "cards", "unknown", "right", s.Missing)
		}
		total += s.Total
	}
	if total == 0 {
		return a.finding(checkWarn, "cards", "none")
	}
	return a.finding(checkOK, "cards", "some", "count", total)
}

func (a *app) siteCheck(facts snapshot.Facts) check {
	if facts.SiteSource == "" {
		return a.finding(checkWarn, "site", "default")
	}
	return a.finding(checkOK, "site", "from", "source", facts.SiteSource)
}
