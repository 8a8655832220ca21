package kube

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/submit"
)

// submitted is a job with a Secret on its way to a cluster.
func submitted(t *testing.T, l *link, engine, value string) *submission {
	t.Helper()
	typed := job.Default()
	typed.Name, typed.Workspace, typed.Image = "j", "research", "registry.local/x:1"
	typed.SecretEnv = []string{"TOKEN"}
	typed.Roles = []job.Role{{Name: "master", Replicas: 1}, {Name: "worker", Replicas: 2}}
	s := &submission{link: l, typed: typed, site: site.Default(), secrets: map[string]string{"TOKEN": value}}
	s.spec = site.Resolve(s.site, typed)
	out, problems := s.render(engine)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s.out = out
	return s
}

// TestJobWithoutTheRightToReadSecrets: who may create Secrets and not read them gets a whole job all the same.
func TestJobWithoutTheRightToReadSecrets(t *testing.T) {
	for name, c := range map[string]struct {
		forbidden []string
		owned     bool
	}{
		"may patch":              {[]string{"get secrets"}, true},
		"may delete":             {[]string{"get secrets", "patch secrets"}, true},
		"may create and no more": {[]string{"get secrets", "patch secrets", "delete secrets", "update secrets"}, false},
	} {
		for _, engine := range []string{render.JobSet, render.BatchJob} {
			t.Run(name+" on "+engine, func(t *testing.T) {
				all := world(t)
				l := limited(all, c.forbidden...)
				result, err := submitted(t, l, engine, "first").create(t.Context(), false)
				if err != nil {
					t.Fatal(err)
				}
				if got := hasCode(result.Warnings, CodeSecretNotOwned); got == c.owned {
					t.Errorf("owned %v, warnings %v", c.owned, result.Warnings)
				}
				var secret corev1.Secret
				key := client.ObjectKey{Namespace: "research", Name: "j-env"}
				if err := all.Get(t.Context(), key, &secret); err != nil || (len(secret.OwnerReferences) == 1) != c.owned {
					t.Errorf("%v, owners %v", err, secret.OwnerReferences)
				}
				var jobs batchv1.JobList
				if err := all.List(t.Context(), &jobs); err != nil || engine == render.BatchJob && len(jobs.Items) != 3 {
					t.Errorf("%v, %d Jobs", err, len(jobs.Items))
				}

				again, err := submitted(t, l, engine, "first").create(t.Context(), false)
				if err != nil || !again.Existed {
					t.Errorf("again: %+v, %v", again, err)
				}
			})
		}
	}
}

func hasCode(problems []job.Problem, code string) bool {
	return slices.ContainsFunc(problems, func(p job.Problem) bool { return p.Code == code })
}

// TestSecretOfAJobThatIsThere keeps its values, and who submits others is told which, without the values.
func TestSecretOfAJobThatIsThere(t *testing.T) {
	all := world(t)
	key := client.ObjectKey{Namespace: "research", Name: "j-env"}
	submitIt := func(value string, forbidden ...string) submit.Result {
		t.Helper()
		result, err := submitted(t, limited(all, forbidden...), render.JobSet, value).create(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	if result := submitIt("hunter-one"); hasCode(result.Warnings, CodeSecretKept) {
		t.Errorf("a new job: %v", result.Warnings)
	}
	if result := submitIt("hunter-one"); !result.Existed || hasCode(result.Warnings, CodeSecretKept) {
		t.Errorf("the same value: %v", result.Warnings)
	}
	for _, forbidden := range []string{"", "create secrets"} {
		result := submitIt("hunter-two", forbidden)
		want := problem("secretEnv", CodeSecretKept, "name", "j", "workspace", "research", "variables", "TOKEN")
		if !slices.ContainsFunc(result.Warnings, func(p job.Problem) bool { return reflect.DeepEqual(p, want) }) {
			t.Errorf("another value: %v", result.Warnings)
		}
		if strings.Contains(fmt.Sprint(result), "hunter") {
			t.Errorf("a value is shown: %v", result)
		}
	}
	if result := submitIt("hunter-two", "get secrets", "create secrets"); len(result.Warnings) > 0 {
		t.Errorf("what nobody may read is not known: %v", result.Warnings)
	}
	var secret corev1.Secret
	if err := all.Get(t.Context(), key, &secret); err != nil || string(secret.Data["TOKEN"]) != "hunter-one" {
		t.Errorf("%v, the value changed under a job that runs", err)
	}
	if err := all.Delete(t.Context(), &secret); err != nil {
		t.Fatal(err)
	}
	submitIt("hunter-three") // broken off between
	if err := all.Get(t.Context(), key, &secret); err != nil || string(secret.Data["TOKEN"]) != "hunter-three" || len(secret.OwnerReferences) != 1 {
		t.Errorf("%v, owners %v", err, secret.OwnerReferences)
	}
}

// TestForeignSecretIsLeftAlone: neither taken nor made the job's, whether it may be read or not.
func TestForeignSecretIsLeftAlone(t *testing.T) {
	for _, forbidden := range []string{"", "get secrets"} {
		all := world(t)
		if _, err := submitted(t, limited(all), render.JobSet, "x").create(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "j-env"}}
		if err := all.Delete(t.Context(), foreign.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		if err := all.Create(t.Context(), foreign); err != nil {
			t.Fatal(err)
		}
		_, err := submitted(t, limited(all, forbidden), render.JobSet, "x").create(t.Context(), false)
		var refused *submit.Refused
		if !errors.As(err, &refused) || !hasCode(refused.Problems, CodeSecretTaken) {
			t.Errorf("%q: %v", forbidden, err)
		}
		var found corev1.Secret
		if err := all.Get(t.Context(), client.ObjectKeyFromObject(foreign), &found); err != nil || len(found.OwnerReferences) > 0 {
			t.Errorf("%q: %v, owners %v", forbidden, err, found.OwnerReferences)
		}
	}
}

// TestServiceOfTheName: JobSet takes any Service of its name as its own.
func TestServiceOfTheName(t *testing.T) {
	service := func(owner ...metav1.OwnerReference) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "j", OwnerReferences: owner}}
	}
	yes := true
	for name, c := range map[string]struct {
		service   *corev1.Service
		forbidden string
		taken     bool
	}{
		"foreign":                {service(), "", true},
		"of another JobSet":      {service(metav1.OwnerReference{Kind: "JobSet", Name: "k", UID: "k", Controller: &yes}), "", true},
		"of an older of its own": {service(metav1.OwnerReference{Kind: "JobSet", Name: "j", UID: "older", Controller: &yes}), "", false},
		"not to be seen":         {service(), "get services", false},
	} {
		t.Run(name, func(t *testing.T) {
			all := world(t, c.service)
			_, err := submitted(t, limited(all, c.forbidden), render.JobSet, "x").create(t.Context(), false)
			var refused *submit.Refused
			if errors.As(err, &refused) && hasCode(refused.Problems, CodeNameTaken) != c.taken || err == nil && c.taken {
				t.Errorf("%v, taken %v", err, c.taken)
			}
			var made jobset.JobSetList
			if err := all.List(t.Context(), &made); err != nil || (len(made.Items) == 0) != c.taken {
				t.Errorf("%v, %d JobSets", err, len(made.Items))
			}
		})
	}
}
