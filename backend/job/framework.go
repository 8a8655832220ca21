package job

// The names of roles that frameworks know.
const (
	RoleMaster    = "master"
	RoleWorker    = "worker"
	RoleChief     = "chief"
	RolePS        = "ps"
	RoleEvaluator = "evaluator"
)

// Frameworks lists every framework in the order of DESIGN.md section 3.
func Frameworks() []Framework {
	return []Framework{PyTorch, MPI, TensorFlow, SenseParrots, Custom}
}

// RoleNames lists the roles that a framework knows, in the order in which they are shown and, where it matters,
// ranked. nil: any names (Custom).
func (f Framework) RoleNames() []string {
	switch f {
	case PyTorch, SenseParrots, MPI:
		return []string{RoleMaster, RoleWorker}
	case TensorFlow:
		return []string{RoleChief, RoleWorker, RolePS, RoleEvaluator}
	}
	return nil
}

// HasMaster tells whether the framework has exactly one master.
func (f Framework) HasMaster() bool { return f == PyTorch || f == SenseParrots || f == MPI }

// HasCards tells whether the role's nodes have cards at all; how many a whole node has only the site knows.
func (r Role) HasCards() bool { return r.GPUs > 0 || r.WholeNode }

// Group tells whether the spec makes more than one job.
func (s Spec) Group() bool { return s.Submission.Mode == Queue && s.Submission.Total > 1 }

// SSHOn tells whether the nodes get passwordless SSH: asked for, or needed by MPI.
func (s Spec) SSHOn() bool { return s.SSH || s.Framework == MPI }

// SystemVariables lists the variables that muster sets for a framework, and for the members of a group; a user may
// not set them (DESIGN.md section 5). The NCCL_ defaults are not among them: they give way to the user's.
func SystemVariables(f Framework, group bool) []string {
	names := []string{"MUSTER_JOB_NAME", "ECP_JOB_NAME", "MUSTER_ROLE", "MUSTER_ROLE_INDEX", "MUSTER_GPUS_PER_NODE"}
	if group {
		names = append(names, "MUSTER_GROUP_INDEX", "MUSTER_GROUP_TOTAL")
	}
	switch f {
	case PyTorch, SenseParrots:
		names = append(names, "MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK",
			"PET_NNODES", "PET_NODE_RANK", "PET_NPROC_PER_NODE", "PET_MASTER_ADDR", "PET_MASTER_PORT")
	case TensorFlow:
		names = append(names, "TF_CONFIG")
	case MPI:
		// The names that Open MPI, Intel MPI and MPICH's Hydra read their hostfile and ssh options from.
		names = append(names, "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_args",
			"I_MPI_HYDRA_HOST_FILE", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS",
			"HYDRA_HOST_FILE", "HYDRA_LAUNCH_EXTRA_ARGS")
	}
	return names
}
