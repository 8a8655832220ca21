package train

import (
	"muster.dev/muster/backend/job"
	"muster.dev/muster/forms"
)

// Example is a command line for a framework, to look at and to fill in only on asking.
type Example struct {
	Framework job.Framework
	Command   string
	Args      string
}

// Examples are those of the frameworks that have one. They use what muster puts into every container.
func Examples() []Example {
	return []Example{
		{job.PyTorch, "bash", `cd /workspace
torchrun --nnodes=$WORLD_SIZE --node_rank=$RANK \
  --nproc_per_node=$MUSTER_GPUS_PER_NODE \
  --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT \
  train.py --epochs 10
`},
		{job.MPI, "bash", `cd /workspace
# hosts and slots come from the hostfile that muster writes
mpirun --allow-run-as-root -x NCCL_DEBUG=INFO -x LD_LIBRARY_PATH \
  python train.py
`},
		{job.TensorFlow, "bash", `cd /workspace
# TF_CONFIG names every task of the cluster and this one
python train.py --model_dir=/workspace/model
`},
	}
}

// FillIn takes an example over into a draft.
func FillIn(d *forms.Draft, e Example) {
	before := d.Get("framework")
	d.Set("framework", string(e.Framework))
	Changed(d, "framework", before)
	d.Set("command", e.Command)
	d.Set(keyArgsForm, argsText)
	d.Set("args", e.Args)
}
