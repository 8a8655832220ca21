package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/cmd/muster/secretenv"
)

// maxSecretFile is the largest file of secret values, in bytes: a Secret holds 1 MiB.
const maxSecretFile = 1 << 20

// secretValues finds the values of a spec's secretEnv: in the file, else in muster's own environment. Every one that is
// missing is told at once; no value is ever shown.
func (a *app) secretValues(f *specFile, file string) (map[string]string, error) {
	fromFile := map[string]string{}
	if file != "" {
		data, err := a.readFile(file, maxSecretFile)
		if err != nil {
			return nil, err
		}
		fromFile, err = secretenv.Parse(data)
		var bad *secretenv.Error
		if errors.As(err, &bad) {
			return nil, a.wrong("secret."+bad.Code, "file", a.fileName(file), "line", bad.Line, "name", bad.Name)
		} else if err != nil {
			return nil, a.fileError(file, err)
		}
	}
	values := map[string]string{}
	var missing []job.Problem
	for i, name := range f.spec.SecretEnv {
		value, found := fromFile[name]
		if !found {
			value = a.getenv(name)
			found = value != ""
		}
		if !found {
			missing = append(missing, job.Problem{Path: fmt.Sprintf("secretEnv[%d]", i), Code: kube.CodeSecretMissing, Args: map[string]string{"name": name}})
			continue
		}
		values[name] = value
	}
	if len(missing) > 0 {
		return nil, a.refuse(f, missing)
	}
	var unused []string
	for name := range fromFile {
		if !slices.Contains(f.spec.SecretEnv, name) {
			unused = append(unused, name)
		}
	}
	if len(unused) > 0 {
		slices.Sort(unused)
		fmt.Fprintln(a.err, a.t("warning", "message", a.t("secret.unused", "file", a.fileName(file), "names", strings.Join(unused, ", "))))
	}
	return values, nil
}
