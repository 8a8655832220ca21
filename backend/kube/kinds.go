package kube

import (
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	visibility "sigs.k8s.io/kueue/apis/visibility/v1beta2"
)

// groups are the API groups of the kinds that muster reads or makes.
var groups = [...]func(*runtime.Scheme) error{
	corev1.AddToScheme, batchv1.AddToScheme, appsv1.AddToScheme, eventsv1.AddToScheme, schedulingv1.AddToScheme,
	networkingv1.AddToScheme, rbacv1.AddToScheme, authorizationv1.AddToScheme, authenticationv1.AddToScheme,
	jobset.AddToScheme, kueue.AddToScheme, visibility.AddToScheme,
}

// clusterScoped names the kinds among them that stand in no namespace.
var clusterScoped = map[string]bool{
	"Node": true, "Namespace": true, "PersistentVolume": true, "PriorityClass": true, "ClusterRole": true,
	"ClusterRoleBinding": true, "SelfSubjectAccessReview": true, "SelfSubjectRulesReview": true,
	"SubjectAccessReview": true, "SelfSubjectReview": true, "TokenReview": true, "ClusterQueue": true,
	"ResourceFlavor": true, "WorkloadPriorityClass": true, "AdmissionCheck": true, "Cohort": true, "Topology": true,
	"MultiKueueConfig": true, "MultiKueueCluster": true, "ProvisioningRequestConfig": true, "IngressClass": true,
}

// kind is one kind of object that a view follows.
type kind struct {
	resource string // plural, with its group unless core: as rights and errors name it
	object   func() client.Object
	list     func() client.ObjectList
	trim     func(client.Object)
}

func kindOf[O any, L any, PO interface {
	*O
	client.Object
}, PL interface {
	*L
	client.ObjectList
}](resource string, trim func(PO)) *kind {
	return &kind{
		resource: resource,
		object:   func() client.Object { return PO(new(O)) },
		list:     func() client.ObjectList { return PL(new(L)) },
		trim: func(o client.Object) {
			o.SetManagedFields(nil)
			if trim != nil {
				trim(o.(PO))
			}
		},
	}
}
