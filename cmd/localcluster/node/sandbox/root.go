package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	securejoin "github.com/cyphar/filepath-securejoin"
	"golang.org/x/sys/unix"
)

// enterRoot builds the container's root and makes it the calling process's.
func enterRoot(spec *Spec) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	root, err := buildRoot(spec)
	if err != nil {
		return err
	}
	old := filepath.Join(root, ".machine")
	if err := os.Mkdir(old, 0o700); err != nil {
		return err
	}
	if err := unix.PivotRoot(root, old); err != nil {
		return fmt.Errorf("entering the root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := unix.Unmount("/.machine", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the machine's root: %w", err)
	}
	if err := os.Remove("/.machine"); err != nil {
		return err
	}
	if spec.ReadOnlyRoot {
		return readOnlyRoot()
	}
	return nil
}

// buildRoot mounts everything below one directory and returns it.
func buildRoot(spec *Spec) (string, error) {
	if err := unix.Mount("tmpfs", spec.Root, "tmpfs", unix.MS_NOSUID, "mode=755"); err != nil {
		return "", fmt.Errorf("mounting the root: %w", err)
	}
	root, layers := filepath.Join(spec.Root, "root"), filepath.Join(spec.Root, "layers")
	for _, d := range []string{root, layers} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return "", err
		}
	}
	// Only a mount point can become a root.
	if err := unix.Mount(root, root, "", unix.MS_BIND, ""); err != nil {
		return "", err
	}
	if err := machineDirs(root, layers); err != nil {
		return "", err
	}
	if err := systemDirs(root); err != nil {
		return "", err
	}
	if err := mountDev(filepath.Join(root, "dev")); err != nil {
		return "", err
	}
	// Before the mounts, whose sources lie outside this root: what is hidden here can still be mounted elsewhere.
	for _, dir := range spec.Hide {
		if err := hide(root, dir); err != nil {
			return "", fmt.Errorf("hiding %s: %w", dir, err)
		}
	}
	mounts := slices.Clone(spec.Mounts)
	slices.SortStableFunc(mounts, func(a, b Mount) int { return depth(a.Target) - depth(b.Target) })
	for _, m := range mounts {
		if err := bindInto(root, m); err != nil {
			return "", fmt.Errorf("mounting %s: %w", m.Target, err)
		}
	}
	return root, nil
}

// hide shows a directory of this machine empty in the root, by whatever path or link it is reached there.
func hide(root, dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	target := filepath.Join(root, real)
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		return nil // below a directory that the root has its own of, as /tmp
	} else if err != nil {
		return err
	}
	return unix.Mount("tmpfs", target, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=555,size=4k")
}

func depth(path string) int { return strings.Count(filepath.Clean(path), "/") }

// ownDirs are made anew in each container.
func ownDirs() []string { return []string{"dev", "proc", "sys", "tmp", "run", "boot", "lost+found"} }

// machineDirs shows the directories of this machine.
func machineDirs(root, layers string) error {
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	for i, e := range entries {
		target := filepath.Join(root, e.Name())
		switch {
		case slices.Contains(ownDirs(), e.Name()):
		case e.Type() == fs.ModeSymlink:
			to, err := os.Readlink("/" + e.Name())
			if err != nil {
				return err
			}
			if err := os.Symlink(to, target); err != nil {
				return err
			}
		case e.IsDir():
			if err := showDir("/"+e.Name(), target, filepath.Join(layers, fmt.Sprint(i))); err != nil {
				return fmt.Errorf("showing /%s: %w", e.Name(), err)
			}
		}
	}
	return nil
}

// showDir shows a directory with a layer over it that takes what is written, else read-only.
func showDir(from, target, layer string) error {
	// An ordinary user's pods are root of their namespace, but not the root whose home this is: they get an empty one.
	if unix.Access(from, unix.R_OK|unix.X_OK) != nil {
		return os.Mkdir(target, 0o700)
	}
	upper, work := filepath.Join(layer, "upper"), filepath.Join(layer, "work")
	for _, d := range []string{target, upper, work} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	if err := sameOwner(from, upper); err != nil {
		return err
	}
	if !strings.ContainsAny(from, `,:\`) {
		options := "lowerdir=" + from + ",upperdir=" + upper + ",workdir=" + work + ",userxattr"
		if err := unix.Mount("overlay", target, "overlay", 0, options); err == nil {
			return nil
		}
	}
	// There are mounts below it, which a user namespace may not uncover and an overlay would.
	if err := unix.Mount(from, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	return readOnly(target, true)
}

// sameOwner gives an overlay's upper directory the mode, and where they exist here the owners, of the lower one: the overlay shows
// the upper one's.
func sameOwner(from, upper string) error {
	var st unix.Stat_t
	if err := unix.Stat(from, &st); err != nil {
		return err
	}
	_ = os.Chown(upper, int(st.Uid), int(st.Gid))
	return unix.Chmod(upper, st.Mode&0o7777)
}

// readOnly makes a mount read-only, with all below it if asked. Only this flag changes: others may be locked.
func readOnly(target string, below bool) error {
	var flags uint
	if below {
		flags = unix.AT_RECURSIVE
	}
	err := unix.MountSetattr(unix.AT_FDCWD, target, flags, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	if err != nil {
		return fmt.Errorf("making it read-only: %w", err)
	}
	return nil
}

// readOnlyRoot closes the root and the overlays; what has a mount of its own, volumes too, stays as it is.
func readOnlyRoot() error {
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	for _, e := range entries {
		var st unix.Statfs_t
		path := "/" + e.Name()
		if e.IsDir() && unix.Statfs(path, &st) == nil && st.Type == unix.OVERLAYFS_SUPER_MAGIC {
			if err := readOnly(path, false); err != nil {
				return err
			}
		}
	}
	return readOnly("/", false)
}

// systemDirs makes /proc, /sys, /tmp, /run, /var/tmp and, where this machine has none, a home for root.
func systemDirs(root string) error {
	const safe = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	for _, m := range []struct {
		kind, dir, options string
		flags              uintptr
	}{
		{"proc", "proc", "", safe},
		{"sysfs", "sys", "", safe | unix.MS_RDONLY},
		{"tmpfs", "tmp", "mode=1777", unix.MS_NOSUID | unix.MS_NODEV},
		{"tmpfs", "run", "mode=755", unix.MS_NOSUID | unix.MS_NODEV},
		{"tmpfs", "var/tmp", "mode=1777", unix.MS_NOSUID | unix.MS_NODEV},
	} {
		dir, err := securejoin.SecureJoin(root, m.dir)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); errors.Is(err, unix.EROFS) || errors.Is(err, fs.ErrPermission) {
			continue // a /var that could only be shown read-only and has no tmp
		} else if err != nil {
			return err
		}
		err = unix.Mount(m.kind, dir, m.kind, m.flags, m.options)
		if err != nil && m.kind == "sysfs" {
			err = unix.Mount("/sys", dir, "", unix.MS_BIND|unix.MS_REC, "")
		}
		if err != nil {
			return fmt.Errorf("mounting /%s: %w", m.dir, err)
		}
	}
	return os.MkdirAll(filepath.Join(root, "root"), 0o700)
}

func mountDev(dev string) error {
	if err := os.Mkdir(dev, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", dev, "tmpfs", unix.MS_NOSUID, "mode=755,size=65536k"); err != nil {
		return fmt.Errorf("mounting /dev: %w", err)
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if err := bindFile("/dev/"+name, filepath.Join(dev, name)); err != nil {
			return fmt.Errorf("/dev/%s: %w", name, err)
		}
	}
	for name, to := range map[string]string{"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0",
		"stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "core": "/proc/kcore"} {
		if err := os.Symlink(to, filepath.Join(dev, name)); err != nil {
			return err
		}
	}
	pts, shm := filepath.Join(dev, "pts"), filepath.Join(dev, "shm")
	for _, d := range []string{pts, shm} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount("devpts", pts, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620"); err != nil {
		return fmt.Errorf("mounting /dev/pts: %w", err)
	}
	if err := unix.Mount("tmpfs", shm, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=1777,size=65536k"); err != nil {
		return fmt.Errorf("mounting /dev/shm: %w", err)
	}
	return nil
}

// bindInto shows a file or directory of this machine at a path of the root. Symbolic links on the way there lead inside the root.
func bindInto(root string, m Mount) error {
	target, err := securejoin.SecureJoin(root, m.Target)
	if err != nil {
		return err
	}
	info, err := os.Stat(m.Source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.Source, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return err
		}
	} else {
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := bindFile(m.Source, target); err != nil {
			return err
		}
	}
	if m.ReadOnly {
		return readOnly(target, true)
	}
	return nil
}

func bindFile(from, target string) error {
	f, err := os.OpenFile(target, os.O_CREATE|os.O_RDONLY, 0o644)
	if err != nil && !errors.Is(err, unix.ENXIO) {
		return err
	}
	if err == nil {
		f.Close()
	}
	return unix.Mount(from, target, "", unix.MS_BIND, "")
}
