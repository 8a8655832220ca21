package main

import (
	"slices"
	"strings"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/logs"
)

// checkRole says which roles and indices there are when a log is asked for of one that the job does not have: an empty
// log would not.
func (a *app) checkRole(j job.Status, r logs.Request) error {
	var roles []string
	most := 0
	for _, role := range j.Roles {
		roles = append(roles, role.Name)
		if r.Role == "" || r.Role == role.Name {
			most = max(most, role.Replicas)
		}
	}
	if len(roles) == 0 {
		return nil // nothing is known of them yet
	}
	if r.Role != "" && !slices.Contains(roles, r.Role) {
		return a.wrong("err.noSuchRole", "name", j.Name, "role", r.Role, "roles", strings.Join(roles, ", "))
	}
	if r.Index >= most {
		return a.wrong("err.noSuchIndex", "name", j.Name, "index", r.Index, "last", most-1)
	}
	return nil
}
