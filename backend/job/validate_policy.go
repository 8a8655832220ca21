package job

import (
	"errors"
	"math"
	"path"
	"strings"
)

const (
	maxTotal         = 1000
	maxRestarts      = 99
	maxQueueName     = 63 // it becomes a label's value
	maxTimeoutMinute = math.MaxInt32 / 60
)

func (c *checker) submission() {
	s := c.spec.Submission
	if !oneOf(c, "submission.mode", s.Mode, Standalone, Queue) || !c.known("submission.mode") {
		return
	}
	if s.Mode == Standalone {
		if s.Queue != "" {
			c.fail("submission.queue", CodeNotForStandalone, "field", "queue", "value", s.Queue)
		}
		if s.Total != 1 {
			c.fail("submission.total", CodeNotForStandalone, "field", "total", "value", itoa(s.Total))
		}
		if s.Concurrency != 1 {
			c.fail("submission.concurrency", CodeNotForStandalone, "field", "concurrency", "value", itoa(s.Concurrency))
		}
		return
	}
	if s.Queue == "" {
		c.fail("submission.queue", CodeQueueRequired)
	} else {
		c.objectName("submission.queue", s.Queue, maxQueueName)
	}
	totalOK := c.between("submission.total", s.Total, 1, maxTotal) && c.known("submission.total")
	switch {
	case s.Concurrency < 1:
		c.between("submission.concurrency", s.Concurrency, 1, maxTotal)
	case totalOK && s.Concurrency > s.Total:
		c.fail("submission.concurrency", CodeConcurrencyOverTotal, "value", itoa(s.Concurrency), "total", itoa(s.Total))
	}
}

func (c *checker) faultTolerance() {
	f := c.spec.FaultTolerance
	c.between("faultTolerance.maxRestarts", f.MaxRestarts, -1, maxRestarts)
	if len(f.Rules) > 0 && f.MaxRestarts == 0 && c.known("faultTolerance.maxRestarts") {
		c.fail("faultTolerance.rules", CodeRulesWithoutRestarts)
	}
	taken := map[int]bool{}
	for i, r := range f.Rules {
		path := func(field string) string { return at("faultTolerance.rules", i, field) }
		codes, err := ParseExitCodes(r.ExitCodes)
		var bad *ExitCodesError
		if errors.As(err, &bad) {
			if bad.Part == "" {
				c.fail(path("exitCodes"), bad.Code)
			} else {
				c.fail(path("exitCodes"), bad.Code, "part", bad.Part)
			}
		}
		fresh := false
		for _, code := range codes.Codes() {
			fresh = fresh || !taken[code]
			taken[code] = true
		}
		if err == nil && !fresh {
			c.warn(path("exitCodes"), CodeRuleShadowed, "codes", codes.String())
		}
		oneOf(c, path("action"), r.Action, RestartJob, RestartPod, Fail)
		if oneOf(c, path("placement"), r.Placement, PlaceAny, PlaceAvoid, PlaceSame) && r.Action == Fail && c.known(path("action")) && r.Placement != PlaceAny {
			c.fail(path("placement"), CodePlacementWithFail, "placement", string(r.Placement))
		}
	}
}

func (c *checker) advanced() {
	s := c.spec
	c.between("timeoutMinutes", s.TimeoutMinutes, 1, maxTimeoutMinute)
	c.between("gracePeriodSeconds", s.GracePeriodSeconds, 0, math.MaxInt32)
	c.sharedMemory()
	c.logDir()
}

func (c *checker) sharedMemory() {
	s := c.spec
	if s.SharedMemory == "" {
		return
	}
	shared, ok := ParseMemory(s.SharedMemory)
	if !ok {
		c.fail("sharedMemory", CodeBadMemory, "value", s.SharedMemory)
		return
	}
	for i, r := range s.Roles {
		memory, ok := ParseMemory(r.Memory)
		if ok && r.Replicas > 0 && !r.WholeNode && shared.Cmp(memory) > 0 && c.known(at("roles", i, "memory"), at("roles", i, "replicas"), at("roles", i, "wholeNode")) {
			c.fail("sharedMemory", CodeSharedMemoryTooLarge, "value", s.SharedMemory, "role", r.Name, "memory", r.Memory)
			return // one role is enough to say it
		}
	}
}

// logDir must lie on a volume that can be written: the nearest mount around it decides.
func (c *checker) logDir() {
	dir := c.spec.TensorBoard.LogDir
	const field = "tensorBoard.logDir"
	if dir == "" || !c.text(field, dir) {
		return
	}
	if !strings.HasPrefix(dir, "/") {
		c.fail(field, CodePathNotAbsolute, "value", dir)
		return
	}
	clean := path.Clean(dir)
	if !c.eachKnown("storage", len(c.spec.Storage), "mountPath") {
		return // the mount that was not read may be the nearest
	}
	nearest, readOnly := "", false
	for i, m := range c.spec.Storage {
		mount, ok := cleanMountPath(m.MountPath)
		if ok && mount != "/" && below(clean, mount) && len(mount) > len(nearest) {
			nearest, readOnly = mount, m.ReadOnly && c.known(at("storage", i, "readOnly"))
		}
	}
	switch {
	case nearest == "":
		c.fail(field, CodeLogDirNotMounted, "value", clean)
	case readOnly:
		c.fail(field, CodeLogDirReadOnly, "value", clean, "mountPath", nearest)
	}
}
