package job

// Default is a spec with every default that needs no site: a PyTorch job of one master with one card. Its image is
// empty, so it is not valid yet.
func Default() Spec {
	return Spec{
		APIVersion:         APIVersion,
		Kind:               Kind,
		Resource:           Dedicated,
		Framework:          PyTorch,
		Command:            []string{"bash"},
		Roles:              DefaultRoles(PyTorch),
		Submission:         Submission{Mode: Standalone, Total: 1, Concurrency: 1},
		Priority:           Normal,
		TimeoutMinutes:     43200,
		GracePeriodSeconds: 30,
	}
}

// DefaultRoles are the roles of a spec that names none: one node with one card, called master, or worker in
// TensorFlow, which has no master. The roles of Custom have no names that muster could guess: it has none (nil), and
// a spec that leaves them out is refused.
func DefaultRoles(f Framework) []Role {
	switch f {
	case Custom:
		return nil
	case TensorFlow:
		return []Role{{Name: RoleWorker, Replicas: 1, GPUs: 1}}
	}
	return []Role{{Name: RoleMaster, Replicas: 1, GPUs: 1}}
}

// NewRole is a role before its fields are read; NewRule the same for a fault rule.
func NewRole() Role { return Role{Replicas: 1} }

// NewRule is a rule before its fields are read.
func NewRule() Rule { return Rule{Placement: PlaceAny} }
