package operators

import (
	"encoding/base64"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"muster.dev/muster/cmd/localcluster/instance"
)

func TestInstallationCallsThisMachine(t *testing.T) {
	ports := instance.Ports{APIServer: 1, JobSetWebhook: 20001, KueueWebhook: 20002, Visibility: 20003}
	in, err := newInstallation(ports, []byte("authority"))
	if err != nil {
		t.Fatal(err)
	}
	bundle := base64.StdEncoding.EncodeToString([]byte("authority"))
	kinds := map[string]int{}
	urls := map[string]int{}
	for _, obj := range append(in.definitions, in.entrances...) {
		kinds[obj.GetKind()]++
		text, err := obj.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"webhook-service"`) || strings.Contains(string(text), `-webhook-service"`) {
			t.Errorf("%s %s calls a service that is not there", obj.GetKind(), obj.GetName())
		}
		switch obj.GetKind() {
		case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
			hooks, _, _ := unstructured.NestedSlice(obj.Object, "webhooks")
			if len(hooks) == 0 {
				t.Errorf("%s %s has no webhooks", obj.GetKind(), obj.GetName())
			}
			for _, h := range hooks {
				client := h.(map[string]any)["clientConfig"].(map[string]any)
				if client["caBundle"] != bundle {
					t.Errorf("%s: authority %v", obj.GetName(), client["caBundle"])
				}
				urls[strings.Join(strings.SplitAfterN(client["url"].(string), "/", 4)[:3], "")]++
			}
		case "APIService":
			port, _, _ := unstructured.NestedInt64(obj.Object, "spec", "service", "port")
			_, insecure, _ := unstructured.NestedBool(obj.Object, "spec", "insecureSkipTLSVerify")
			if port != 20003 || insecure {
				t.Errorf("%s: port %d, insecure %v", obj.GetName(), port, insecure)
			}
		}
	}
	for _, kind := range []string{"Deployment", "Secret", "Service"} {
		if kinds[kind] > 0 {
			t.Errorf("%d %ss", kinds[kind], kind)
		}
	}
	if kinds["CustomResourceDefinition"] < 12 || kinds["APIService"] != 2 {
		t.Errorf("kinds: %v", kinds)
	}
	if len(urls) != 2 || urls["https://127.0.0.1:20001/"] != 4 || urls["https://127.0.0.1:20002/"] < 8 {
		t.Errorf("webhooks: %v", urls)
	}

	moved := ports
	moved.KueueWebhook++
	other, err := newInstallation(moved, []byte("authority"))
	if err != nil || other.hash == in.hash {
		t.Errorf("another port has the same hash (%v): the webhooks would stay at the old one", err)
	}
	again, err := newInstallation(ports, []byte("authority"))
	if err != nil || again.hash != in.hash {
		t.Errorf("the hash of the same installation differs: %v", err)
	}
}
