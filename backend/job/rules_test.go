package job_test

import (
	"strconv"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
)

// rule is a spec (over "image: a") and what is wrong with it: lines "path Code", a warning with "?" in front; none for
// a valid neighbour.
type rule struct {
	spec string
	want string
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }

func variables(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("  V" + strconv.Itoa(i) + ": x\n")
	}
	return b.String()
}

func basics() []rule {
	return []rule{
		{"", ""},
		{"apiVersion: muster.dev/v1\nkind: TrainingJob", ""},
		{"apiVersion: muster.dev/v1beta1", "apiVersion BadAPIVersion"},
		{`apiVersion: ""`, "apiVersion BadAPIVersion"},
		{"kind: Job", "kind BadKind"},

		{"name: a", ""},
		{"name: bert-20261201-0930", ""},
		{`name: ""`, ""},
		{"name: 1a", "name BadName"},
		{"name: a-", "name BadName"},
		{"name: A", "name BadName"},
		{"name: a.b", "name BadName"},
		{"name: a_b", "name BadName"},
		{"name: 任务", "name BadName"},
		// master: <name>-master-0-0-abcde ≤ 63
		{"name: " + repeat("a", 46), ""},
		{"name: " + repeat("a", 47), "name NameTooLong"},
		{"name: " + repeat("a", 70), "name NameTooLong"},
		{"name: " + repeat("A", 70), "name BadName\nname NameTooLong"},
		// ps: 50 sets the limit
		{"name: " + repeat("a", 50) + "\nframework: Custom\nroles: [{name: ps}]", ""},
		{"name: " + repeat("a", 51) + "\nframework: Custom\nroles: [{name: ps}]", "name NameTooLong"},
		// the digits of the largest index count
		{"name: " + repeat("a", 46) + "\nroles: [{name: master}, {name: worker, replicas: 10}]", ""},
		{"name: " + repeat("a", 46) + "\nroles: [{name: master}, {name: worker, replicas: 11}]", "name NameTooLong"},
		// and a member's index
		{"name: " + repeat("a", 44) + "\nsubmission: {mode: Queue, queue: q, total: 10}", ""},
		{"name: " + repeat("a", 45) + "\nsubmission: {mode: Queue, queue: q, total: 10}", "name NameTooLong"},
		{"name: " + repeat("a", 44) + "\nsubmission: {mode: Queue, queue: q, total: 11}", "name NameTooLong"},
		{"name: " + repeat("a", 48) + "\nframework: Custom\nroles: [{name: p}]\nsubmission: {mode: Queue, queue: q, total: 10}", ""},
		{"name: " + repeat("a", 49) + "\nframework: Custom\nroles: [{name: p}]\nsubmission: {mode: Queue, queue: q, total: 10}", "name NameTooLong"},
		// a role left out derives nothing
		{"name: " + repeat("a", 50) + "\nframework: Custom\nroles: [{name: ps}, {name: " + repeat("b", 40) + ", replicas: 0}]", ""},

		{"displayName: BERT-预训练", ""},
		{"displayName: 训", ""},
		{"displayName: 9.a:b_c-d", ""},
		{"displayName: トレーニング학습", ""},
		{"displayName: " + repeat("训", 256), ""},
		{"displayName: " + repeat("训", 257), "displayName TextTooLong"},
		{"displayName: -a", "displayName DisplayNameStart"},
		{"displayName: .a", "displayName DisplayNameStart"},
		{"displayName: a b", "displayName DisplayNameCharacter"},
		{"displayName: a/b", "displayName DisplayNameCharacter"},
		{"displayName: a，b", "displayName DisplayNameCharacter"},
		{"displayName: 😀", "displayName DisplayNameCharacter"},
		{"displayName: \"a\\u202eb\"", "displayName DisplayNameCharacter"},
		{"displayName: \"e\\u0301\"", "displayName DisplayNameCharacter"},

		{"workspace: research-1", ""},
		{"workspace: Research", "workspace BadWorkspace"},
		{"workspace: a.b", "workspace BadWorkspace"},
		{"workspace: " + repeat("w", 64), "workspace BadWorkspace"},

		{"resource: Shared\nregion: cn-1\nzone: cn-1a\nnetwork: vpc-1", ""},
		{"resource: Spot\nregion: cn-1\nnetwork: infra/vpc-1", ""},
		{"resource: Dedicated\nregion: cn-1", "region NotForResource"},
		{"zone: a", "zone NotForResource"},
		{"network: n", "network NotForResource"},
		{"resource: Shared\nregion: a b", "region BadLabelValue"},
		{"resource: Shared\nnetwork: A", "network BadObjectName"},
		{"resource: Shared\nnetwork: a/b/c", "network BadObjectName"},
		{"resource: dedicated", "resource UnknownValue"},
		{`resource: ""`, "resource UnknownValue"},
		{"resource: spot\nregion: r\npreemptible: true", "resource UnknownValue"},
		{"resource: Spot\npreemptible: true", ""},
		{"resource: Shared\npreemptible: true", "preemptible PreemptibleNotSpot"},
		{"preemptible: true", "preemptible PreemptibleNotSpot"},
		{"preemptible: false", ""},
		{"cluster: h100-ib", ""},
		{"cluster: a b", "cluster BadLabelValue"},
		{"cardType: NVIDIA-H100-80GB-HBM3", ""},
		{"cardType: H100 80G", "cardType BadLabelValue"},
		{"framework: Pytorch", "framework UnknownValue"},
		{"priority: Highest", ""},
		{"priority: Urgent", "priority UnknownValue"},
	}
}

func container() []rule {
	return []rule{
		{`image: ""`, "image Required"},
		{"image: registry.local/ai/pytorch:25.06-py3", ""},
		{"image: localhost:5000/a/b_c@sha256:" + repeat("a", 64), ""},
		{"image: registry.local:5000/a:b@sha256:" + repeat("0", 64), ""},
		{"image: ubuntu", ""},
		{"image: Ubuntu", "image ImageUppercase"},
		{"image: ubuntu:LATEST", ""},
		{"image: a b", "image BadImage"},
		{"image: 'ubuntu '", "image BadImage"},
		{"image: https://registry.local/a", "image BadImage"},
		{"image: a@sha256:12", "image BadImage"},
		{"image: 'a:'", "image BadImage"},
		{"image: \"a\\0\"", "image NULByte"},
		{"image: " + repeat("a", 300), "image BadImage"},
		{"imagePullSecret: registry-key.1", ""},
		{"imagePullSecret: Key", "imagePullSecret BadObjectName"},
		{"imagePullSecret: " + repeat("k", 254), "imagePullSecret TextTooLong"},

		{"command: [bash]", "?args ArgsEmpty"},
		{"command: [bash, -x]", ""},
		{"command: [/opt/run]", ""},
		{"command: []", "command CommandEmpty"},
		{"command: ['']", "command[0] CommandFirstEmpty"},
		{"command: [a, '']", ""},
		{"command: [a, \"b\\0\"]", "command[1] NULByte"},
		{"args: \"a\\0\"", "args NULByte"},
		{"args: [\"a\\0\"]", "args[0] NULByte"},
		{"args: []", "?args ArgsEmpty"},
		{"args: [-c, 'echo $A']", ""},
		{"command: [python]\nargs: 'train.py \"a'", "args ArgsUnclosed"},
		{"command: [python]\nargs: train.py 'a", "args ArgsUnclosed"},
		{"command: [python]\nargs: 'train.py \\'", "args ArgsUnclosed"},
		{"command: [python]\nargs: [\"train.py 'a\"]", ""},
		{"command: [/bin/sh]\nargs: 'echo \"a'", ""},
		{"command: [python]\nargs: train.py $RANK", "?args ArgsNotExpanded"},
		{"command: [python]\nargs: [train.py, '$(date)']", "?args[1] ArgsNotExpanded"},
		{"command: [python]\nargs: train.py $5 $$", ""},
		{"args: " + repeat("a", 128<<10-1), ""},
		{"args: " + repeat("a", 128<<10), "args TextTooLong"},
		{"command: [a, " + repeat("a", 128<<10) + "]", "command[1] TextTooLong"},
		{"args: [" + repeat("a", 90<<10) + ", " + repeat("b", 90<<10) + "]", ""},
		{"args: [" + repeat("a", 101<<10) + ", " + repeat("b", 101<<10) + "]", `"" SpecTooLarge`},

		{"env: {LR: '3e-4', _x: ''}", ""},
		{"env: {1A: x}", "env.1A BadEnvName"},
		{"env: {A-B: x}", "env.A-B BadEnvName"},
		{"env: {a.b: x}", "env.a.b BadEnvName"},
		{"env: {'': x}", "env. BadEnvName"},
		{"env: {Ä: x}", "env.Ä BadEnvName"},
		{"env: {" + repeat("A", 254) + ": x}", "env." + repeat("A", 254) + " TextTooLong"},
		{"env: {A: \"\\0\"}", "env.A NULByte"},
		{"env: {A: " + repeat("a", 128<<10-3) + "}", ""},
		{"env: {A: " + repeat("a", 128<<10-2) + "}", "env.A TextTooLong"},
		{"env:\n" + variables(20), ""},
		{"env:\n" + variables(21), "env TooManyEnv"},
		{"secretEnv: [A]\nenv:\n" + variables(19), ""},
		{"secretEnv: [A]\nenv:\n" + variables(20), "env TooManyEnv"},
		{"secretEnv: [A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U]", "secretEnv TooManyEnv"},
		{"secretEnv: [WANDB_API_KEY, B]", ""},
		{"secretEnv: [B, A-B]", "secretEnv[1] BadEnvName"},
		{"secretEnv: [B, A, B]", "secretEnv[2] Duplicate"},
		{"env: {B: x}\nsecretEnv: [A, B]", "secretEnv[1] EnvTwice"},

		{"env: {MUSTER_JOB_NAME: x, ECP_JOB_NAME: x, MUSTER_ROLE: x, MUSTER_ROLE_INDEX: x, MUSTER_GPUS_PER_NODE: x}",
			"env.MUSTER_JOB_NAME SystemVariable\nenv.ECP_JOB_NAME SystemVariable\nenv.MUSTER_ROLE SystemVariable\nenv.MUSTER_ROLE_INDEX SystemVariable\nenv.MUSTER_GPUS_PER_NODE SystemVariable"},
		{"env: {RANK: '1', WORLD_SIZE: '1', MASTER_ADDR: x, MASTER_PORT: '1', PET_NNODES: '1', PET_NODE_RANK: '1', PET_NPROC_PER_NODE: '8', PET_MASTER_ADDR: x, PET_MASTER_PORT: '1'}",
			"env.RANK SystemVariable\nenv.WORLD_SIZE SystemVariable\nenv.MASTER_ADDR SystemVariable\nenv.MASTER_PORT SystemVariable\nenv.PET_NNODES SystemVariable\n" +
				"env.PET_NODE_RANK SystemVariable\nenv.PET_NPROC_PER_NODE SystemVariable\nenv.PET_MASTER_ADDR SystemVariable\nenv.PET_MASTER_PORT SystemVariable"},
		{"framework: SenseParrots\nenv: {RANK: '1'}", "env.RANK SystemVariable"},
		{"secretEnv: [RANK]", "secretEnv[0] SystemVariable"},
		{"env: {rank: '1', LOCAL_RANK: '0', TF_CONFIG: x}", ""},
		{"framework: Custom\nroles: [{name: a}]\nenv: {MASTER_ADDR: x, RANK: '1', WORLD_SIZE: '1', TF_CONFIG: x}", ""},
		{"framework: Custom\nroles: [{name: a}]\nenv: {ECP_JOB_NAME: x}", "env.ECP_JOB_NAME SystemVariable"},
		{"framework: TensorFlow\nenv: {TF_CONFIG: x, MASTER_ADDR: y}", "env.TF_CONFIG SystemVariable"},
		{"framework: MPI\nenv: {OMPI_MCA_orte_default_hostfile: x, OMPI_MCA_plm_rsh_args: x, I_MPI_HYDRA_HOST_FILE: x, HYDRA_HOST_FILE: x, OMPI_MCA_btl: x, RANK: x}",
			"env.OMPI_MCA_orte_default_hostfile SystemVariable\nenv.OMPI_MCA_plm_rsh_args SystemVariable\nenv.I_MPI_HYDRA_HOST_FILE SystemVariable\nenv.HYDRA_HOST_FILE SystemVariable"},
		{"env: {NCCL_IB_TIMEOUT: '30', NCCL_DEBUG: INFO}", ""},
		{"env: {MUSTER_GROUP_INDEX: '1'}", ""},
		{"env: {MUSTER_GROUP_INDEX: '1', MUSTER_GROUP_TOTAL: '2'}\nsubmission: {mode: Queue, queue: q, total: 2}", "env.MUSTER_GROUP_INDEX SystemVariable\nenv.MUSTER_GROUP_TOTAL SystemVariable"},
	}
}

func storage() []rule {
	at := func(path string) string { return "storage: [{volume: v, mountPath: '" + path + "'}]" }
	return []rule{
		{"storage: []", ""},
		{at("/workspace"), ""},
		{"storage: [{mountPath: /w}]", "storage[0].volume Required"},
		{"storage: [{volume: v}]", "storage[0].mountPath Required"},
		{"storage: [{}]", "storage[0].volume Required\nstorage[0].mountPath Required"},
		{"storage: [{volume: V_1, mountPath: /w}]", "storage[0].volume BadObjectName"},
		{at("workspace"), "storage[0].mountPath PathNotAbsolute"},
		{at("/"), "storage[0].mountPath MountPathRoot"},
		{at("//"), "storage[0].mountPath MountPathRoot"},
		{at("/a/.."), "storage[0].mountPath MountPathRoot"},
		{at("/a:b"), "storage[0].mountPath MountPathColon"},
		{at("/" + repeat("a", 4095)), "storage[0].mountPath TextTooLong"},
		{at("/proc"), "storage[0].mountPath MountPathForbidden"}, {at("/sys/x"), "storage[0].mountPath MountPathForbidden"},
		{at("/dev/shm"), "storage[0].mountPath MountPathForbidden"}, {at("/dev/shm/x"), "storage[0].mountPath MountPathForbidden"},
		{at("/etc/"), "storage[0].mountPath MountPathForbidden"}, {at("/bin"), "storage[0].mountPath MountPathForbidden"},
		{at("/sbin"), "storage[0].mountPath MountPathForbidden"}, {at("/lib"), "storage[0].mountPath MountPathForbidden"},
		{at("/lib64"), "storage[0].mountPath MountPathForbidden"}, {at("/usr/local/x"), "storage[0].mountPath MountPathForbidden"},
		{at("/boot"), "storage[0].mountPath MountPathForbidden"}, {at("//run//x"), "storage[0].mountPath MountPathForbidden"},
		{at("/w/../etc"), "storage[0].mountPath MountPathForbidden"},
		{at("/library"), ""}, {at("/lib32"), ""}, {at("/devel"), ""}, {at("/runs"), ""}, {at("/home/etc"), ""}, {at("/opt"), ""}, {at("/var/data"), ""},
		{"storage: [{volume: v, mountPath: /a}, {volume: w, mountPath: /a}]", "storage[1].mountPath Duplicate"},
		{"storage: [{volume: v, mountPath: /a}, {volume: w, mountPath: //a/./}]", "storage[1].mountPath Duplicate"},
		{"storage: [{volume: v, mountPath: /a}, {volume: v, mountPath: /a/b, path: x}, {volume: v, mountPath: /ab}]", ""},
		{"storage: [{volume: v, mountPath: /a, path: /}, {volume: v, mountPath: /b, path: /x/y}, {volume: v, mountPath: /c, path: 'a..b/..c'}]", ""},
		{"storage: [{volume: v, mountPath: /a, path: ../x}]", "storage[0].path SubPathEscapes"},
		{"storage: [{volume: v, mountPath: /a, path: a/../b}]", "storage[0].path SubPathEscapes"},
		{"storage: [{volume: v, mountPath: /a, path: ..}]", "storage[0].path SubPathEscapes"},
		{"storage: [{volume: v, mountPath: /a, path: \"a\\0\"}]", "storage[0].path NULByte"},
		{"storage: [{volume: v, mountPath: \"/a\\0\"}]", "storage[0].mountPath NULByte"},

		{"storage: [{volume: v, mountPath: /a}]\ntensorBoard: {logDir: /a/logs}", ""},
		{"storage: [{volume: v, mountPath: /a/}]\ntensorBoard: {logDir: /a}", ""},
		{"storage: [{volume: v, mountPath: /a}]\ntensorBoard: {logDir: /ab}", "tensorBoard.logDir LogDirNotMounted"},
		{"storage: [{volume: v, mountPath: /a}]\ntensorBoard: {logDir: /a/../b}", "tensorBoard.logDir LogDirNotMounted"},
		{"tensorBoard: {logDir: /a}", "tensorBoard.logDir LogDirNotMounted"},
		{"storage: [{volume: v, mountPath: /a}]\ntensorBoard: {logDir: a}", "tensorBoard.logDir PathNotAbsolute"},
		{"storage: [{volume: v, mountPath: /a, readOnly: true}]\ntensorBoard: {logDir: /a/logs}", "tensorBoard.logDir LogDirReadOnly"},
		{"storage: [{volume: v, mountPath: /a, readOnly: true}, {volume: v, mountPath: /a/b}]\ntensorBoard: {logDir: /a/b/c}", ""},
		{"storage: [{volume: v, mountPath: /a}, {volume: v, mountPath: /a/b, readOnly: true}]\ntensorBoard: {logDir: /a/b/c}", "tensorBoard.logDir LogDirReadOnly"},
		{"tensorBoard: {logDir: \"/a\\0\"}", "tensorBoard.logDir NULByte"},
	}
}

func roles() []rule {
	role := func(fields string) string {
		return "framework: Custom\nroles: [{name: a, replicas: 1, " + fields + "}]"
	}
	return []rule{
		{"roles: []", "roles RolesRequired"},
		{"roles:", ""},
		{"framework: Custom", "roles RolesRequired"},
		{"framework: MPI", ""}, {"framework: TensorFlow", ""}, {"framework: SenseParrots", ""},

		{"roles: [{gpus: 1}]", "roles[0].name Required\nroles MasterMissing"},
		{"framework: Custom\nroles: [{name: coordinator}, {name: a-1}, {name: 1b}]", ""},
		{"framework: Custom\nroles: [{name: A}]", "roles[0].name BadRoleName"},
		{"framework: Custom\nroles: [{name: a.b}]", "roles[0].name BadRoleName"},
		{"framework: Custom\nroles: [{name: a}, {name: a}]", "roles[1].name Duplicate"},
		{"framework: Custom\nroles: [{name: " + repeat("a", 32) + "}]", ""},
		{"framework: Custom\nroles: [{name: " + repeat("a", 33) + "}]", "roles[0].name RoleNameTooLong"},
		{"name: x\nframework: Custom\nroles: [{name: " + repeat("a", 51) + "}]", ""},
		{"name: x\nframework: Custom\nroles: [{name: " + repeat("a", 52) + "}]", "roles[0].name RoleNameTooLong"},
		{"name: xy\nframework: Custom\nroles: [{name: " + repeat("a", 51) + "}]", "name NameTooLong"},
		{"roles: [{name: master}, {name: chief}]", "roles[1].name UnknownRole"},
		{"framework: TensorFlow\nroles: [{name: worker, gpus: 1}, {name: master}]", "roles[1].name UnknownRole"},

		{"roles: [{name: master, replicas: -1}]", "roles[0].replicas TooSmall"},
		{"roles: [{name: master}, {name: worker, replicas: -1}]", "roles[1].replicas TooSmall"},
		{role("gpus: -1"), "roles[0].gpus TooSmall"},
		{role("gpus: 1024"), ""},
		{role("gpus: 1025"), "roles[0].gpus TooLarge"},
		{"framework: Custom\nroles: [{name: a, replicas: 10000}]", ""},
		{"framework: Custom\nroles: [{name: a, replicas: 10001}]", "roles[0].replicas TooLarge"},
		{"framework: Custom\nroles: [{name: a, replicas: 9999}, {name: b, replicas: 2}]", "roles TooManyPods"},

		{role("wholeNode: true"), ""},
		{role("wholeNode: true, gpus: 8"), "roles[0].gpus WholeNodeExcludes"},
		{role("wholeNode: true, cpu: '1'"), "roles[0].cpu WholeNodeExcludes"},
		{role("wholeNode: true, memory: 1Gi"), "roles[0].memory WholeNodeExcludes"},
		{role("cpu: 500m, memory: 1.5Gi"), ""},
		{role("cpu: '0.5', memory: '1e9'"), ""},
		{role("cpu: '0'"), "roles[0].cpu BadCPU"}, {role("cpu: '-1'"), "roles[0].cpu BadCPU"}, {role("cpu: 1.0001"), "roles[0].cpu WrongKind"},
		{role("cpu: '0.0001'"), "roles[0].cpu BadCPU"}, {role("cpu: abc"), "roles[0].cpu BadCPU"}, {role("cpu: 1e99"), "roles[0].cpu WrongKind"},
		{role("cpu: '1e99'"), "roles[0].cpu BadCPU"}, {role("cpu: '1e999999999'"), "roles[0].cpu BadCPU"}, {role("cpu: ' 1'"), "roles[0].cpu BadCPU"},
		{role("memory: 0Gi"), "roles[0].memory BadMemory"}, {role("memory: 1gi"), "roles[0].memory BadMemory"}, {role("memory: 1 Gi"), "roles[0].memory BadMemory"},
		{role("memory: 100m"), "roles[0].memory BadMemory"}, {role("memory: -1Gi"), "roles[0].memory BadMemory"}, {role("memory: 99E"), "roles[0].memory BadMemory"},
		{"cpuExclusive: true\n" + role("cpu: '8', gpus: 4"), ""},
		{"cpuExclusive: true\n" + role("cpu: 8000m, gpus: 8"), ""},
		{"cpuExclusive: true\n" + role("cpu: '3'"), ""},
		{"cpuExclusive: true\n" + role("gpus: 3"), ""},
		{"cpuExclusive: true\n" + role("cpu: 7500m, gpus: 1"), "roles[0].cpu CPUNotWhole"},
		{"cpuExclusive: true\n" + role("cpu: '7', gpus: 2"), "roles[0].cpu CPUNotMultiple"},
		{"cpuExclusive: true\n" + role("cpu: '1', gpus: 2"), "roles[0].cpu CPUNotMultiple"},

		// PyTorch and SenseParrots
		{"roles: [{name: master, gpus: 8}, {name: worker, replicas: 3, gpus: 8}]", ""},
		{"roles: [{name: worker, replicas: 3, gpus: 8}, {name: master, gpus: 8}]", ""},
		{"roles: [{name: worker, gpus: 1}]", "roles MasterMissing"},
		{"roles: [{name: master, replicas: 2, gpus: 1}]", "roles[0].replicas MasterReplicas"},
		{"roles: [{name: master, replicas: 0, gpus: 1}]", "roles[0].replicas MasterReplicas"},
		{"framework: SenseParrots\nroles: [{name: worker, replicas: 3}, {name: master, replicas: 2}]", "roles[1].replicas MasterReplicas"},
		{"roles: [{name: master, gpus: 8}, {name: worker, gpus: 4}]", "roles[1].gpus RolesDiffer"},
		{"roles: [{name: worker, gpus: 4}, {name: master, gpus: 8}]", "roles[0].gpus RolesDiffer"},
		{"roles: [{name: master, gpus: 8}, {name: worker}]", "roles[1].gpus RolesDiffer"},
		{"roles: [{name: master}, {name: worker, gpus: 1}]", "roles[1].gpus RolesDiffer"},
		{"framework: SenseParrots\nroles: [{name: master, gpus: 8}, {name: worker, gpus: 4}]", "roles[1].gpus RolesDiffer"},
		{"roles: [{name: master, gpus: 8}, {name: worker, replicas: 0, gpus: 4}]", ""},
		{"roles: [{name: master, wholeNode: true}, {name: worker, replicas: 2, wholeNode: true}]", ""},
		{"roles: [{name: master, wholeNode: true}, {name: worker, gpus: 8}]", "roles[1].gpus RolesDiffer"},
		{"roles: [{name: master, gpus: 8}, {name: worker, wholeNode: true}]", "roles[1].wholeNode RolesDiffer"},
		{"roles: [{name: master, gpus: 8, cpu: '8'}, {name: worker, gpus: 8, cpu: '4'}]", ""},

		// MPI
		{"framework: MPI\nroles: [{name: master}, {name: worker, replicas: 4, gpus: 8}]", ""},
		{"framework: MPI\nroles: [{name: master, gpus: 8}, {name: worker, replicas: 4, gpus: 8}]", ""},
		{"framework: MPI\nroles: [{name: master, gpus: 1}, {name: worker, replicas: 4, gpus: 8}]", "roles[1].gpus RolesDiffer"},
		{"framework: MPI\nroles: [{name: master, gpus: 1}, {name: worker, replicas: 4}]", ""},
		{"framework: MPI\nroles: [{name: master}, {name: worker, wholeNode: true}]", ""},
		{"framework: MPI\nroles: [{name: master, replicas: 2}]", "roles[0].replicas MasterReplicas"},
		{"framework: MPI\nroles: [{name: worker}]", "roles MasterMissing"},

		// TensorFlow
		{"framework: TensorFlow\nroles: [{name: chief, gpus: 1}, {name: worker, replicas: 2, gpus: 2}, {name: ps, replicas: 2}, {name: evaluator}]", ""},
		{"framework: TensorFlow\nroles: [{name: chief, gpus: 1, replicas: 2}]", "roles[0].replicas ChiefReplicas"},
		{"framework: TensorFlow\nroles: [{name: ps, replicas: 2}]", "roles NoTrainingRole"},
		{"framework: TensorFlow\nroles: [{name: ps}, {name: worker, replicas: 0}]", "roles NoTrainingRole"},
		{"framework: TensorFlow\nroles: [{name: evaluator}]", ""},
		{"framework: TensorFlow\nroles: [{name: chief}, {name: worker}]", "?roles[0].gpus NoCards\n?roles[1].gpus NoCards"},
		{"framework: TensorFlow\nroles: [{name: worker, wholeNode: true}, {name: chief, replicas: 0}]", ""},

		// Custom
		{"framework: Custom\nroles: [{name: a, replicas: 0}]", "roles NoRoleWithReplica"},
		{"framework: Custom\nroles: [{name: a, replicas: 0}, {name: b}]", ""},

		{"sharedMemory: 64Gi\n" + role("memory: 64Gi"), ""},
		{"sharedMemory: 65Gi\n" + role("memory: 64Gi"), "sharedMemory SharedMemoryTooLarge"},
		{"sharedMemory: 65Gi\n" + role("gpus: 1"), ""},
		{"sharedMemory: 65Gi\nroles: [{name: master, memory: 66Gi}, {name: worker, memory: 64Gi}]", "sharedMemory SharedMemoryTooLarge"},
		{"sharedMemory: 65Gi\nroles: [{name: master, memory: 66Gi}, {name: worker, memory: 64Gi, replicas: 0}]", ""},
		{"sharedMemory: '0'", "sharedMemory BadMemory"},
		{"sharedMemory: lots", "sharedMemory BadMemory"},
	}
}

func policies() []rule {
	fault := func(rules string) string { return "faultTolerance: {maxRestarts: 3, rules: [" + rules + "]}" }
	const codes = "faultTolerance.rules[0].exitCodes "
	return []rule{
		{"submission: {mode: Standalone, queue: '', total: 1, concurrency: 1}", ""},
		{"submission: {queue: q}", "submission.queue NotForStandalone"},
		{"submission: {total: 2}", "submission.total NotForStandalone"},
		{"submission: {total: 0}", "submission.total NotForStandalone"},
		{"submission: {concurrency: 2}", "submission.concurrency NotForStandalone"},
		{"submission: {mode: queue}", "submission.mode UnknownValue"},
		{"submission: {mode: Queue}", "submission.queue QueueRequired"},
		{"submission: {mode: Queue, queue: Team}", "submission.queue BadObjectName"},
		{"submission: {mode: Queue, queue: " + repeat("q", 64) + "}", "submission.queue TextTooLong"},
		{"submission: {mode: Queue, queue: team-a, total: 1000, concurrency: 1000}", ""},
		{"submission: {mode: Queue, queue: q, total: 0}", "submission.total TooSmall"},
		{"submission: {mode: Queue, queue: q, total: 1001}", "submission.total TooLarge"},
		{"submission: {mode: Queue, queue: q, total: -1, concurrency: 5}", "submission.total TooSmall"},
		{"submission: {mode: Queue, queue: q, total: 4, concurrency: 0}", "submission.concurrency TooSmall"},
		{"submission: {mode: Queue, queue: q, total: 4, concurrency: 5}", "submission.concurrency ConcurrencyOverTotal"},

		{"faultTolerance: {maxRestarts: -1}", ""}, {"faultTolerance: {maxRestarts: 99}", ""},
		{"faultTolerance: {maxRestarts: -2}", "faultTolerance.maxRestarts TooSmall"},
		{"faultTolerance: {maxRestarts: 100}", "faultTolerance.maxRestarts TooLarge"},
		{"faultTolerance: {rules: []}", ""},
		{"faultTolerance: {rules: [{exitCodes: '1', action: RestartJob}]}", "faultTolerance.rules RulesWithoutRestarts"},
		{"faultTolerance: {maxRestarts: -1, rules: [{exitCodes: '1', action: RestartJob}]}", ""},
		{fault("{exitCodes: '199,200-204,230', action: RestartPod, placement: Avoid}, {exitCodes: '1', action: RestartJob, placement: Same}, {exitCodes: '2', action: Fail}"), ""},
		{fault("{exitCodes: ' 199 ，200 - 204 , 230 ', action: RestartPod}"), ""},
		{fault("{exitCodes: '1-255', action: RestartPod}"), ""},
		{fault("{action: RestartPod}"), codes + "ExitCodesEmpty"},
		{fault("{exitCodes: ' ', action: RestartPod}"), codes + "ExitCodesEmpty"},
		{fault("{exitCodes: ',', action: RestartPod}"), codes + "ExitCodesSyntax"},
		{fault("{exitCodes: '1,', action: RestartPod}"), codes + "ExitCodesSyntax"},
		{fault("{exitCodes: '1-', action: RestartPod}"), codes + "ExitCodesSyntax"},
		{fault("{exitCodes: '1-2-3', action: RestartPod}"), codes + "ExitCodesSyntax"},
		{fault("{exitCodes: abc, action: RestartPod}"), codes + "ExitCodesSyntax"},
		{fault("{exitCodes: '-1', action: RestartPod}"), codes + "ExitCodesSyntax"},
		{fault("{exitCodes: '0', action: RestartPod}"), codes + "ExitCodesRange"},
		{fault("{exitCodes: '256', action: RestartPod}"), codes + "ExitCodesRange"},
		{fault("{exitCodes: '200-256', action: RestartPod}"), codes + "ExitCodesRange"},
		{fault("{exitCodes: '99999999999999999999', action: RestartPod}"), codes + "ExitCodesRange"},
		{fault("{exitCodes: '204-200', action: RestartPod}"), codes + "ExitCodesReversed"},
		{fault("{exitCodes: 1, action: RestartPod}"), codes + "WrongKind"},
		{fault("{exitCodes: '1'}"), "faultTolerance.rules[0].action UnknownValue"},
		{fault("{exitCodes: '1', action: restartPod}"), "faultTolerance.rules[0].action UnknownValue"},
		{fault("{exitCodes: '1', action: RestartPod, placement: Never}"), "faultTolerance.rules[0].placement UnknownValue"},
		{fault("{exitCodes: '1', action: Fail, placement: Avoid}"), "faultTolerance.rules[0].placement PlacementWithFail"},
		{fault("{exitCodes: '1', action: Fail, placement: Same}"), "faultTolerance.rules[0].placement PlacementWithFail"},
		{fault("{exitCodes: '1-10', action: Fail}, {exitCodes: '5', action: RestartPod}"), "?faultTolerance.rules[1].exitCodes RuleShadowed"},
		{fault("{exitCodes: '1-5', action: Fail}, {exitCodes: '6-9', action: Fail}, {exitCodes: '4-7', action: RestartPod}"), "?faultTolerance.rules[2].exitCodes RuleShadowed"},
		{fault("{exitCodes: '1-5', action: Fail}, {exitCodes: '5-6', action: RestartPod}"), ""},

		{"timeoutMinutes: 1", ""}, {"timeoutMinutes: 35791394", ""},
		{"timeoutMinutes: 0", "timeoutMinutes TooSmall"}, {"timeoutMinutes: -1", "timeoutMinutes TooSmall"},
		{"timeoutMinutes: 35791395", "timeoutMinutes TooLarge"}, {"timeoutMinutes: 9999999999", "timeoutMinutes OutOfRange"},
		{"gracePeriodSeconds: 0", ""}, {"gracePeriodSeconds: -1", "gracePeriodSeconds TooSmall"},
		{"ssh: true\ncpuExclusive: true", ""},
	}
}

// found writes what a report holds as the tables do. The warning for a bash without arguments is left out where
// the table does not ask for it: almost every snippet has it.
func found(r job.Report, want string) string {
	var out []string
	add := func(mark string, problems []job.Problem) {
		for _, p := range problems {
			if p.Code == job.CodeArgsEmpty && !strings.Contains(want, job.CodeArgsEmpty) {
				continue
			}
			path := p.Path
			if path == "" {
				path = `""`
			}
			out = append(out, mark+path+" "+p.Code)
		}
	}
	add("", r.Errors)
	add("?", r.Warnings)
	return strings.Join(out, "\n")
}

func sameLines(a, b string) bool {
	count := map[string]int{}
	for _, l := range strings.Split(a, "\n") {
		count[l]++
	}
	for _, l := range strings.Split(b, "\n") {
		count[l]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func allRules() []rule {
	var all []rule
	for _, group := range [][]rule{basics(), container(), storage(), roles(), policies()} {
		all = append(all, group...)
	}
	return all
}

func short(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

func TestRules(t *testing.T) {
	for _, r := range allRules() {
		text := r.spec
		if !strings.HasPrefix(text, "image:") {
			text = "image: a\n" + text
		}
		_, report := job.Load([]byte(text))
		checkArgs(t, report)
		if got := found(report, r.want); !sameLines(got, r.want) {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", short(text), short(got), short(r.want))
		}
	}
}

// What Load finds in a file whose form is right, Validate finds in its spec: the form needs nothing else.
func TestLoadIsDecodeAndValidate(t *testing.T) {
	for _, r := range allRules() {
		if len(r.spec) > 10_000 {
			continue // the same rules at a size that costs the race detector seconds
		}
		data := []byte("image: a\n" + strings.TrimPrefix(r.spec, "image: a\n"))
		spec, form := job.Decode(data)
		if !form.OK() {
			continue
		}
		_, loaded := job.Load(data)
		if a, b := found(loaded, job.CodeArgsEmpty), found(job.Validate(spec), job.CodeArgsEmpty); a != b {
			t.Errorf("%s\nLoad:\n%s\nValidate:\n%s", short(r.spec), a, b)
		}
	}
}
