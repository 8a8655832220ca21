package main

import (
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"muster.dev/muster/backend/kube"
	"muster.dev/muster/ui/i18n"
)

func TestDoctorSaysWhere(t *testing.T) {
	right := func(name, workspace string) kube.Check {
		return kube.Check{Area: "right", Name: name, Grade: map[string]kube.Grade{"allowed": kube.OK, "denied": kube.Warn}[name],
			Args: map[string]string{"verb": "patch", "resource": "secrets", "workspace": workspace}}
	}
	for _, c := range []struct {
		check           kube.Check
		message, remedy string
	}{
		{right("denied", "research"), "patch secrets is not allowed in workspace research", "grant patch on secrets in workspace research"},
		{right("denied", ""), "patch secrets is not allowed in the whole cluster", "grant patch on secrets in the whole cluster"},
		{right("allowed", "research"), "patch secrets is allowed in workspace research", ""},
		{kube.Check{Area: "queue", Name: "kueue", Grade: kube.Warn, Args: map[string]string{"version": "v1beta2", "served": ""}}, "Kueue v1beta2 is not served (served: none): only standalone jobs", "install Kueue"},
		{kube.Check{Area: "engine", Name: "any", Grade: kube.Fail, Args: map[string]string{"message": "EOF", "workspace": "w"}}, "no engine is both served and allowed in workspace w", "grant the right to create jobsets or jobs in w"},
		{kube.Check{Area: "cluster", Name: "reachable", Grade: kube.Fail, Args: map[string]string{"message": "EOF"}}, "EOF", "check network, VPN, proxy and the server's address in the kubeconfig"},
	} {
		for _, lang := range i18n.Languages() {
			a := testApp(lang)
			a.kube = genericclioptions.NewConfigFlags(false)
			got := a.check(c.check)
			if lang == i18n.English && (got.Message != c.message || got.Remedy != c.remedy) {
				t.Errorf("%q, %q; want %q, %q", got.Message, got.Remedy, c.message, c.remedy)
			}
			for _, text := range []string{got.Message, got.Remedy} {
				if strings.Contains(text, "no value") || strings.Contains(text, "cli.") || strings.Contains(text, "  ") || strings.HasSuffix(text, " ") {
					t.Errorf("%s: %q", lang, text)
				}
			}
		}
	}
}
