package train

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/forms"
)

// New returns a draft with the defaults of a new job. seed makes its generated name differ from that of others.
func New(id string, now time.Time, seed uint64) *forms.Draft {
	spec := job.Default()
	d := FromSpec(spec, id, now, seed)
	d.Set(keyStorage, forms.On)
	d.AddRow(tableStorage, 0, forms.Row{"mountPath": "/workspace"})
	return d
}

// FromSpec makes a draft of a spec. Every field of it comes back from [ToSpec] as it was, but for what makes no
// difference: fields that another field rules out and that are empty.
func FromSpec(s job.Spec, id string, now time.Time, seed uint64) *forms.Draft {
	d := forms.NewDraft(id, now)
	for path, text := range map[string]string{
		"name": s.Name, "displayName": s.DisplayName, "workspace": s.Workspace,
		"region": s.Region, "zone": s.Zone, "network": s.Network, "cluster": s.Cluster,
		"resource": string(s.Resource), "preemptible": toggle(s.Preemptible), "framework": string(s.Framework),
		"image": s.Image, "imagePullSecret": s.ImagePullSecret, "command": joinWords(s.Command, " "),
		"env": formatEnv(s.Env), "cardType": s.CardType,
		"submission.mode": string(s.Submission.Mode), "submission.queue": s.Submission.Queue,
		"submission.total":       unless(s.Submission.Total, 1),
		"submission.concurrency": unless(s.Submission.Concurrency, 1),
		"priority":               string(s.Priority), "faultTolerance.maxRestarts": unless(s.FaultTolerance.MaxRestarts, 0),
		"timeoutMinutes": unless(s.TimeoutMinutes, defaults().TimeoutMinutes), "gracePeriodSeconds": unless(s.GracePeriodSeconds, defaults().GracePeriodSeconds),
		"sharedMemory": s.SharedMemory, "cpuExclusive": toggle(s.CPUExclusive), "ssh": toggle(s.SSH),
		"tensorBoard.logDir": s.TensorBoard.LogDir,
		keyStorage:           toggle(len(s.Storage) > 0),
		keyStamp:             now.Format(time.RFC3339), keySeed: strconv.FormatUint(seed, 10),
	} {
		if text != "" {
			d.Set(path, text)
		}
	}
	if s.Args.List != nil {
		d.Set(keyArgsForm, argsList)
		d.Set("args", joinWords(s.Args.List, "\n"))
	} else {
		d.Set(keyArgsForm, argsText)
		d.Set("args", s.Args.Text)
	}
	for i, name := range s.SecretEnv {
		d.AddRow(tableSecrets, i, forms.Row{"name": name})
	}
	for i, m := range s.Storage {
		d.AddRow(tableStorage, i, forms.Row{"volume": m.Volume, "path": m.Path, "mountPath": m.MountPath, "readOnly": toggle(m.ReadOnly)})
	}
	for i, r := range s.FaultTolerance.Rules {
		d.AddRow(tableRules, i, forms.Row{"exitCodes": r.ExitCodes, "action": string(r.Action), "placement": string(r.Placement)})
	}
	d.SetTable(tableRoles, withKnownRoles(s.Framework, roleRows(s.Roles)))
	syncNodes(d)
	return d
}

func defaults() job.Spec { return job.Default() }

func toggle(on bool) string {
	if on {
		return forms.On
	}
	return ""
}

func unless(n, standard int) string {
	if n == standard {
		return ""
	}
	return strconv.Itoa(n)
}

func roleRows(roles []job.Role) []forms.Row {
	rows := make([]forms.Row, 0, len(roles))
	for _, r := range roles {
		row := forms.Row{"name": r.Name, "replicas": strconv.Itoa(r.Replicas), "gpus": strconv.Itoa(r.GPUs),
			"wholeNode": toggle(r.WholeNode), "cpu": r.CPU, "memory": r.Memory}
		if r.WholeNode && r.GPUs == 0 {
			row["gpus"] = ""
		}
		rows = append(rows, row)
	}
	return rows
}

// withKnownRoles adds the roles that a framework knows and that are not there, with no replicas: such a role is left
// out of the job, and shows what could be had.
func withKnownRoles(f job.Framework, rows []forms.Row) []forms.Row {
	for _, name := range f.RoleNames() {
		found := false
		for _, row := range rows {
			found = found || row["name"] == name
		}
		if !found {
			row := forms.Row{"name": name, "replicas": "0", "gpus": "0"}
			if len(rows) > 0 && name != job.RolePS && name != job.RoleEvaluator {
				row["gpus"] = rows[0]["gpus"]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// ToSpec reads a draft. What can't be read is a problem at its field's path, and has its default in the spec. Only
// what the form shows is read: what another field rules out stays in the draft. A name that is not typed stays empty
// here; see [GeneratedName].
func ToSpec(d *forms.Draft) (job.Spec, []job.Problem) {
	r := reader{draft: d}
	s := job.Default()
	s.Name, s.DisplayName, s.Workspace = d.Get("name"), d.Get("displayName"), d.Get("workspace")
	s.Resource = job.ResourceKind(d.Get("resource"))
	if !dedicated(d) {
		s.Region, s.Zone, s.Network = d.Get("region"), d.Get("zone"), d.Get("network")
	}
	s.Preemptible = spot(d) && on(d, "preemptible")
	s.Framework = job.Framework(d.Get("framework"))
	s.Cluster, s.CardType = d.Get("cluster"), d.Get("cardType")
	s.Image, s.ImagePullSecret = d.Get("image"), d.Get("imagePullSecret")
	s.Command = r.words("command")
	if d.Get(keyArgsForm) == argsList {
		s.Args.SetList(r.words("args"))
	} else {
		s.Args.SetText(d.Get("args"))
	}
	env, problems := parseEnv(d.Get("env"))
	r.problems = append(r.problems, problems...)
	if len(env) > 0 {
		s.Env = env
	}
	for i := range d.Tables[tableSecrets] {
		s.SecretEnv = append(s.SecretEnv, d.Get(at(tableSecrets, i, "name")))
	}
	if on(d, keyStorage) {
		for _, row := range d.Tables[tableStorage] {
			s.Storage = append(s.Storage, job.Mount{Volume: row["volume"], Path: row["path"], MountPath: row["mountPath"], ReadOnly: row["readOnly"] == forms.On})
		}
	}
	s.Roles = r.roles()
	s.Submission.Mode = job.Mode(d.Get("submission.mode"))
	if queued(d) {
		s.Submission.Queue = d.Get("submission.queue")
		s.Submission.Total = r.number("submission.total", 1)
		s.Submission.Concurrency = r.number("submission.concurrency", 1)
	}
	s.Priority = job.Priority(d.Get("priority"))
	s.FaultTolerance.MaxRestarts = r.number("faultTolerance.maxRestarts", 0)
	for _, row := range d.Tables[tableRules] {
		s.FaultTolerance.Rules = append(s.FaultTolerance.Rules, rule(row))
	}
	s.TimeoutMinutes = r.number("timeoutMinutes", s.TimeoutMinutes)
	s.GracePeriodSeconds = r.number("gracePeriodSeconds", s.GracePeriodSeconds)
	s.SharedMemory = d.Get("sharedMemory")
	s.CPUExclusive, s.SSH = on(d, "cpuExclusive"), on(d, "ssh")
	s.TensorBoard.LogDir = d.Get("tensorBoard.logDir")
	if hasNodes(d) {
		r.nodes()
	}
	return job.Canonical(s), r.problems
}

func rule(row forms.Row) job.Rule {
	out := job.Rule{ExitCodes: row["exitCodes"], Action: job.Action(row["action"]), Placement: job.Placement(row["placement"])}
	if out.Placement == "" || out.Action == job.Fail {
		out.Placement = job.PlaceAny
	}
	return out
}

type reader struct {
	draft    *forms.Draft
	problems []job.Problem
}

func (r *reader) number(path string, standard int) int {
	text := r.draft.Get(path)
	n, ok := number(text, standard)
	if !ok {
		code := CodeNotNumber
		if digits(text) {
			code = CodeNumberTooLong
		}
		r.problems = append(r.problems, problem(path, code, "value", short(text)))
		return standard
	}
	return n
}

// given is number for a field that stands for nothing when it is empty.
func (r *reader) given(path string, standard int) int {
	if strings.TrimSpace(r.draft.Get(path)) == "" {
		r.problems = append(r.problems, job.Problem{Path: path, Code: job.CodeRequired})
		return standard
	}
	return r.number(path, standard)
}

// nodes judges the quick field: the job has what the roles say, so nonsense in it would pass for nothing.
func (r *reader) nodes() {
	if n := r.given(keyNodes, 1); n < 1 {
		r.problems = append(r.problems, problem(keyNodes, job.CodeTooSmall, "value", strconv.Itoa(n), "min", "1"))
	}
}

func (r *reader) words(path string) []string {
	words, problems := splitField(r.draft.Get(path), path)
	r.problems = append(r.problems, problems...)
	return words
}

func (r *reader) roles() []job.Role {
	var roles []job.Role
	for i, row := range r.draft.Tables[tableRoles] {
		role := job.Role{Name: row["name"], Replicas: r.given(at(tableRoles, i, "replicas"), 1), WholeNode: row["wholeNode"] == forms.On}
		if !role.WholeNode {
			role.GPUs = r.number(at(tableRoles, i, "gpus"), 0)
			role.CPU, role.Memory = row["cpu"], row["memory"]
		}
		roles = append(roles, role)
	}
	return roles
}

func at(table string, row int, column string) string {
	return forms.Cell{Field: table, Row: row, Column: column}.Path()
}

func on(d *forms.Draft, path string) bool { return d.Get(path) == forms.On }
func dedicated(d *forms.Draft) bool {
	return d.Get("resource") == string(job.Dedicated) || d.Get("resource") == ""
}
func spot(d *forms.Draft) bool                { return d.Get("resource") == string(job.Spot) }
func queued(d *forms.Draft) bool              { return d.Get("submission.mode") == string(job.Queue) }
func framework(d *forms.Draft) job.Framework  { return job.Framework(d.Get("framework")) }
func hasNodes(d *forms.Draft) bool            { return framework(d).HasMaster() }
func is(d *forms.Draft, f job.Framework) bool { return framework(d) == f }

// GeneratedName is the name that the job gets when none is typed. It stays the same for a draft as long as the display
// name and the framework do: whoever submits again after an answer that was lost meets the job that is already there.
func GeneratedName(d *forms.Draft, s job.Spec) string {
	stamp, err := time.Parse(time.RFC3339, d.Get(keyStamp))
	if err != nil {
		stamp = d.Created
	}
	seed, _ := strconv.ParseUint(d.Get(keySeed), 10, 64) // a draft that lost it has the seed 0
	s.Name = ""
	return job.GenerateName(s, stamp, rand.New(rand.NewPCG(seed, 0x6d7573746572)).IntN) //nolint:gosec // a name, not a secret
}

// Changed keeps the draft's fields in step after one was changed; before is what it was.
func Changed(d *forms.Draft, path, before string) {
	c := forms.ParsePath(path)
	switch {
	case path == "framework":
		changeFramework(d, job.Framework(before), framework(d))
	case path == keyNodes:
		if n, ok := number(d.Get(keyNodes), 0); ok && n >= 1 && hasNodes(d) {
			setWorkers(d, n-1)
		}
	case c.Field == tableRoles && (c.Column == "replicas" || c.Row < 0):
		syncNodes(d)
	case c.Field == tableRoles && (c.Column == "gpus" || c.Column == "wholeNode") && c.Row == 0 && (hasNodes(d) && !is(d, job.MPI)):
		followMaster(d, c.Column, before)
	}
}

// changeFramework keeps the roles that were typed for the old framework, and brings back what was typed for the new.
func changeFramework(d *forms.Draft, old, now job.Framework) {
	if old == now {
		return
	}
	rows := d.Tables[tableRoles]
	d.SetTable(stashedRoles+string(old), rows)
	kept := d.Tables[stashedRoles+string(now)]
	switch {
	case len(kept) > 0:
	case old.HasMaster() && now.HasMaster():
		kept = d.Clone().Tables[tableRoles]
	default:
		kept = roleRows(job.DefaultRoles(now))
		if len(kept) == 0 {
			kept = []forms.Row{{"name": job.RoleWorker, "replicas": "1", "gpus": "1"}}
		}
		if len(rows) > 0 { // the cards are likely to be meant still
			kept[0]["gpus"], kept[0]["wholeNode"] = rows[0]["gpus"], rows[0]["wholeNode"]
		}
	}
	d.SetTable(tableRoles, withKnownRoles(now, kept))
	syncNodes(d)
}

func setWorkers(d *forms.Draft, n int) {
	for i, row := range d.Tables[tableRoles] {
		if row["name"] == job.RoleWorker {
			d.Set(at(tableRoles, i, "replicas"), strconv.Itoa(n))
		}
	}
}

// syncNodes writes the number of nodes into the quick field.
func syncNodes(d *forms.Draft) {
	if !hasNodes(d) {
		return
	}
	sum := 0
	for _, row := range d.Tables[tableRoles] {
		n, ok := number(row["replicas"], -1)
		if !ok || n < 0 || n > 1_000_000 {
			return
		}
		sum += n
	}
	d.Set(keyNodes, strconv.Itoa(sum))
}

// followMaster changes the workers' cards with the master's while they are the same: PyTorch wants them so.
func followMaster(d *forms.Draft, column, before string) {
	for i, row := range d.Tables[tableRoles] {
		if i > 0 && row["name"] == job.RoleWorker && row[column] == before {
			d.Set(at(tableRoles, i, column), d.Get(at(tableRoles, 0, column)))
		}
	}
}

// SecretValues are the values of the secret variables: typed, or else those of muster's own environment.
func SecretValues(d *forms.Draft, getenv func(string) string) map[string]string {
	var values map[string]string
	for i, row := range d.Tables[tableSecrets] {
		value := d.Secret(at(tableSecrets, i, "value"))
		if value == "" {
			value = getenv(row["name"])
		}
		if value != "" && row["name"] != "" {
			if values == nil {
				values = map[string]string{}
			}
			values[row["name"]] = value
		}
	}
	return values
}
