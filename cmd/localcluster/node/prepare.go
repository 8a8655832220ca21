package node

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
	"muster.dev/muster/cmd/localcluster/node/podenv"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
	"muster.dev/muster/cmd/localcluster/node/volume"
)

// prepare makes the container's command ready to run, waiting for what is missing; false when it was asked to end before.
func (c *container) prepare(ctx context.Context) (sandbox.Spec, bool) {
	delay := backoff{first: c.pod.delays.retry, last: c.pod.delays.retryMax}
	pull := backoff{first: c.pod.delays.restart, last: c.pod.delays.restartMax}
	for {
		spec := c.spec()
		if err := imageTrouble(spec.Image); err != nil {
			if !c.waitForImage(ctx, spec.Image, err, pull.next()) {
				return sandbox.Spec{}, false
			}
			continue
		}
		pull.reset()
		command, err := c.commandOf(ctx, spec)
		if err == nil {
			c.pod.event(c.pod.current(), corev1.EventTypeNormal, "Pulled", fmt.Sprintf("Container image %q already present on machine", spec.Image))
			return command, true
		}
		if ctx.Err() != nil {
			return sandbox.Spec{}, false
		}
		c.waitingFor("CreateContainerConfigError", err.Error())
		c.pod.event(c.pod.current(), corev1.EventTypeWarning, "Failed", "Error: "+err.Error())
		if !sleep(ctx, delay.next()) {
			return sandbox.Spec{}, false
		}
	}
}

// errInvalidImage is an image name that cannot be read.
var errInvalidImage = errors.New("InvalidImageName")

// imageTrouble says why an image cannot be had.
func imageTrouble(image string) error {
	name, err := reference.ParseDockerRef(image)
	if err != nil {
		return fmt.Errorf("%w: couldn't parse image name %q: %w", errInvalidImage, image, err)
	}
	if reference.Domain(name) == MissingHost {
		return fmt.Errorf("failed to pull and unpack image %q: failed to resolve reference %q: %s: not found", name, name, name)
	}
	return nil
}

// waitForImage goes through the states of an image that cannot be pulled.
func (c *container) waitForImage(ctx context.Context, image string, trouble error, delay time.Duration) bool {
	spec := c.pod.current()
	if errors.Is(trouble, errInvalidImage) {
		c.waitingFor("InvalidImageName", trouble.Error())
		c.pod.event(spec, corev1.EventTypeWarning, "InspectFailed", trouble.Error())
		return sleep(ctx, delay)
	}
	c.pod.event(spec, corev1.EventTypeNormal, "Pulling", fmt.Sprintf("Pulling image %q", image))
	c.pod.event(spec, corev1.EventTypeWarning, "Failed", fmt.Sprintf("Failed to pull image %q: %v", image, trouble))
	c.pod.event(spec, corev1.EventTypeWarning, "Failed", "Error: ErrImagePull")
	c.waitingFor("ErrImagePull", trouble.Error())
	if !sleep(ctx, delay/4) {
		return false
	}
	c.pod.event(spec, corev1.EventTypeNormal, "BackOff", fmt.Sprintf("Back-off pulling image %q", image))
	c.pod.event(spec, corev1.EventTypeWarning, "Failed", "Error: ImagePullBackOff")
	c.waitingFor("ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q: ErrImagePull: %v", image, trouble))
	return sleep(ctx, delay-delay/4)
}

// commandOf makes the command of the container's next run.
func (c *container) commandOf(ctx context.Context, spec *corev1.Container) (sandbox.Spec, error) {
	pod := c.pod.current()
	c.pod.mu.Lock()
	ip, volumes := c.pod.ip, c.pod.volumes
	c.pod.mu.Unlock()
	user, err := userOf(pod, spec)
	if err != nil {
		return sandbox.Spec{}, err
	}
	capabilities, err := capabilitiesOf(spec.SecurityContext)
	if err != nil {
		return sandbox.Spec{}, err
	}
	env := podenv.Env{"PATH": c.pod.path, "HOME": "/root", "HOSTNAME": podHostname(pod)}
	if user != nil && user.UID != 0 {
		env["HOME"] = "/"
	}
	if spec.TTY {
		env["TERM"] = "xterm"
	}
	own, err := podenv.Of(ctx, c.pod.objects, pod, spec, c.pod.place(pod, ip))
	if err != nil {
		return sandbox.Spec{}, err
	}
	// The command's $(NAME) means the container's own variables, not those that an image would bring.
	args := own.ExpandAll(slices.Concat(spec.Command, spec.Args))
	if len(args) == 0 {
		return sandbox.Spec{}, errors.New("no command specified: a local cluster's nodes do not know the image's own")
	}
	for name, value := range own {
		env[name] = value
	}
	mounts, err := volume.Mounts(spec, volumes, own)
	if err != nil {
		return sandbox.Spec{}, err
	}
	for _, file := range []string{"hosts", "hostname", "resolv.conf"} {
		target := "/etc/" + file
		if !slices.ContainsFunc(mounts, func(m sandbox.Mount) bool { return filepath.Clean(m.Target) == target }) {
			mounts = append(mounts, sandbox.Mount{Source: filepath.Join(c.pod.dir, file), Target: target})
		}
	}
	command := sandbox.Spec{Container: c.name, Args: args, Env: env.List(), Dir: spec.WorkingDir, Root: filepath.Join(c.pod.dir, "root"),
		Mounts: mounts, Hide: c.pod.hide, User: user, Capabilities: capabilities}
	if s := spec.SecurityContext; s != nil && s.ReadOnlyRootFilesystem != nil {
		command.ReadOnlyRoot = *s.ReadOnlyRootFilesystem
	}
	return command, nil
}

// userOf is who runs the container; nil is root.
func userOf(pod *corev1.Pod, c *corev1.Container) (*sandbox.User, error) {
	var uid, gid *int64
	var nonRoot *bool
	var groups []uint32
	if s := pod.Spec.SecurityContext; s != nil {
		uid, gid, nonRoot = s.RunAsUser, s.RunAsGroup, s.RunAsNonRoot
		for _, g := range s.SupplementalGroups {
			groups = append(groups, uint32(g))
		}
		if s.FSGroup != nil {
			groups = append(groups, uint32(*s.FSGroup))
		}
	}
	if s := c.SecurityContext; s != nil {
		if s.RunAsUser != nil {
			uid = s.RunAsUser
		}
		if s.RunAsGroup != nil {
			gid = s.RunAsGroup
		}
		if s.RunAsNonRoot != nil {
			nonRoot = s.RunAsNonRoot
		}
	}
	if nonRoot != nil && *nonRoot && (uid == nil || *uid == 0) {
		return nil, errors.New("container has runAsNonRoot and image will run as root")
	}
	if (uid == nil || *uid == 0) && (gid == nil || *gid == 0) {
		return nil, nil // groups mean nothing to root
	}
	user := &sandbox.User{Groups: groups}
	if uid != nil {
		user.UID = uint32(*uid)
	}
	if gid != nil {
		user.GID = uint32(*gid)
	}
	return user, nil
}

// errUncovers refuses what no real node would: there a privileged container owns the machine, here it would own the cluster.
var errUncovers = errors.New("a local cluster's nodes run no privileged containers and give no SYS_ADMIN: " +
	"they could uncover the cluster's keys, which lie on this machine; take securityContext.privileged and SYS_ADMIN or ALL off")

// capabilitiesOf are what root of the container may do.
func capabilitiesOf(s *corev1.SecurityContext) ([]string, error) {
	if s != nil && s.Privileged != nil && *s.Privileged {
		return nil, errUncovers
	}
	keep := sandbox.DefaultCapabilities()
	if s == nil || s.Capabilities == nil {
		return keep, nil
	}
	for _, drop := range s.Capabilities.Drop {
		name := capability(drop)
		keep = slices.DeleteFunc(keep, func(k string) bool { return name == "ALL" || k == name })
	}
	for _, add := range s.Capabilities.Add {
		name := capability(add)
		if name == "ALL" || name == "SYS_ADMIN" {
			return nil, errUncovers
		}
		keep = append(keep, name)
	}
	return keep, nil
}

func capability(c corev1.Capability) string {
	return strings.TrimPrefix(strings.ToUpper(string(c)), "CAP_")
}
