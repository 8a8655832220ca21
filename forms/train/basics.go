package train

import (
	"slices"
	"strconv"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/forms"
)

func (f *Form) basics() []forms.Field {
	notDedicated := func(d *forms.Draft) bool { return !dedicated(d) }
	return []forms.Field{
		{
			ID: "workspace", Kind: forms.Suggest, Label: "form.workspace", Hint: "form.workspace.hint",
			Options: func(*forms.Draft) []forms.Option { return plainOptions(f.context.Snapshot.Workspaces) },
			Default: func(d *forms.Draft) string { return f.context.workspace(d) },
			Notes: func(d *forms.Draft) []forms.Note {
				known, name := f.context.Snapshot.Workspaces, d.Get("workspace")
				if name == "" || len(known) == 0 || slices.Contains(known, name) || stands(f.Verdict.Errors, "workspace") {
					return nil // what is no name at all is an error already
				}
				return []forms.Note{note(forms.Doubtful, "form.workspace.unknown", "name", name)}
			},
		},
		{ID: "displayName", Label: "form.displayName", Hint: "form.displayName.hint", Default: func(*forms.Draft) string { return f.Verdict.Spec.Name }},
		{ID: "name", Label: "form.name", Hint: "form.name.hint", Default: func(*forms.Draft) string { return f.Verdict.Spec.Name }},
		{
			ID: "framework", Kind: forms.Select, Label: "form.framework", Hint: "form.framework.hint",
			Options: func(*forms.Draft) []forms.Option {
				var out []forms.Option
				for _, framework := range job.Frameworks() {
					out = append(out, forms.Option{Value: string(framework), Label: forms.Say("form.framework." + string(framework)),
						Detail: forms.Say("form.framework." + string(framework) + ".detail")})
				}
				return out
			},
		},
		{
			ID: "resource", Kind: forms.Select, Label: "form.resource", Hint: "form.resource.hint",
			Options: options("form.resource.", string(job.Dedicated), string(job.Shared), string(job.Spot)),
		},
		{
			ID: "region", Kind: forms.Suggest, Label: "form.region", Hint: "form.region.hint", Visible: notDedicated,
			Options: func(*forms.Draft) []forms.Option {
				var regions []string
				for _, c := range f.context.Snapshot.Site.Clusters {
					if c.Region != "" && !slices.Contains(regions, c.Region) {
						regions = append(regions, c.Region)
					}
				}
				return plainOptions(regions)
			},
		},
		{
			ID: "zone", Kind: forms.Suggest, Label: "form.zone", Hint: "form.zone.hint", Visible: notDedicated,
			Options: func(d *forms.Draft) []forms.Option {
				var zones []string
				for _, c := range f.context.Snapshot.Site.Clusters {
					if r := d.Get("region"); r == "" || c.Region == r {
						zones = append(zones, c.Zones...)
					}
				}
				slices.Sort(zones)
				return plainOptions(slices.Compact(zones))
			},
		},
		{ID: "network", Label: "form.network", Hint: "form.network.hint", Visible: notDedicated},
		{ID: "preemptible", Kind: forms.Toggle, Label: "form.preemptible", Hint: "form.preemptible.hint", Visible: spot},
	}
}

func plainOptions(values []string) []forms.Option {
	out := make([]forms.Option, len(values))
	for i, v := range values {
		out[i] = forms.Option{Value: v}
	}
	return out
}

func (f *Form) image() []forms.Field {
	return []forms.Field{
		{
			ID: "image", Kind: forms.Suggest, Label: "form.image", Hint: "form.image.hint",
			Options: func(*forms.Draft) []forms.Option {
				var out []forms.Option
				for _, image := range f.context.Snapshot.Site.Images {
					out = append(out, forms.Option{Value: image.Name, Detail: forms.Say("form.image.detail",
						"framework", image.Framework, "cuda", image.CUDA, "python", image.Python, "os", image.OS)})
				}
				return out
			},
		},
		{ID: "imagePullSecret", Label: "form.imagePullSecret", Hint: "form.imagePullSecret.hint"},
		{ID: "command", Label: "form.command", Hint: "form.command.hint"},
		{ID: keyArgsForm, Kind: forms.Select, Label: "form.argsForm", Hint: "form.argsForm.hint", Options: options("form.argsForm.", argsText, argsList)},
		{ID: "args", Kind: forms.Multiline, Label: "form.args", Hint: "form.args.hint", Suffix: ".sh", Notes: f.argsNotes},
		{ID: "env", Kind: forms.Multiline, Label: "form.env", Hint: "form.env.hint", Suffix: ".env"},
		{
			ID: tableSecrets, Kind: forms.Table, Label: "form.secretEnv", Hint: "form.secretEnv.hint",
			AddLabel: "form.secretEnv.add", NewRow: func(*forms.Draft) forms.Row { return forms.Row{"name": ""} },
			Columns: []forms.Column{
				{ID: "name", Label: "form.secretEnv.name", Min: 16, Grow: true},
				{ID: "value", Kind: forms.Secret, Label: "form.secretEnv.value", Min: 12, Grow: true, Default: func(d *forms.Draft, row int) string {
					if getenv := f.context.Getenv; getenv != nil && getenv(d.Get(at(tableSecrets, row, "name"))) != "" {
						return "$" + d.Get(at(tableSecrets, row, "name"))
					}
					return ""
				}},
			},
		},
	}
}

// argsNotes say how the args reach the process.
func (f *Form) argsNotes(d *forms.Draft) []forms.Note {
	s := f.Verdict.Spec
	switch {
	case s.Args.Empty():
		return nil
	case s.Args.List != nil:
		return []forms.Note{note(forms.Info, "form.args.list", "count", strconv.Itoa(len(s.Args.List)))}
	case s.Shell():
		_, args := s.Argv()
		if len(args) > 1 {
			return []forms.Note{note(forms.Info, "form.args.shell", "command", s.Command[0])}
		}
		return nil
	}
	_, args := s.Argv()
	return []forms.Note{note(forms.Info, "form.args.words", "count", strconv.Itoa(len(args)))}
}

func (f *Form) storage() []forms.Field {
	return []forms.Field{
		{ID: keyStorage, Kind: forms.Toggle, Label: "form.storage", Hint: "form.storage.hint"},
		{
			ID: tableStorage, Kind: forms.Table, Label: "form.mounts", Hint: "form.mounts.hint",
			Visible:  func(d *forms.Draft) bool { return on(d, keyStorage) },
			AddLabel: "form.mounts.add", NewRow: func(*forms.Draft) forms.Row { return forms.Row{} },
			Fixed: func(_ *forms.Draft, row int) string {
				if row == 0 {
					return "form.mounts.main"
				}
				return ""
			},
			Notes: f.volumeNotes,
			Columns: []forms.Column{
				{
					ID: "volume", Kind: forms.Suggest, Label: "form.mounts.volume", Hint: "form.mounts.volume.hint", Min: 12, Grow: true,
					Options: func(d *forms.Draft, _ int) []forms.Option {
						var out []forms.Option
						for _, v := range f.context.volumes(d) {
							out = append(out, forms.Option{Value: v.Name, Detail: forms.Say("form.volume.detail", "capacity", v.Capacity, "phase", v.Phase)})
						}
						return out
					},
				},
				{ID: "path", Label: "form.mounts.path", Hint: "form.mounts.path.hint", Min: 10, Grow: true, Default: func(*forms.Draft, int) string { return "/" }},
				{ID: "mountPath", Label: "form.mounts.mountPath", Hint: "form.mounts.mountPath.hint", Min: 12, Grow: true},
				{ID: "readOnly", Kind: forms.Toggle, Label: "form.mounts.readOnly", Hint: "form.mounts.readOnly.hint", Min: 4},
			},
		},
	}
}

func (f *Form) volumeNotes(d *forms.Draft) []forms.Note {
	if f.context.reached() && len(f.context.volumes(d)) == 0 {
		return []forms.Note{note(forms.Doubtful, "form.mounts.none", "workspace", f.context.workspace(d))}
	}
	return nil
}
