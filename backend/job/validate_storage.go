package job

import (
	"strings"
)

// forbiddenTrees are where a volume would break a container or the system in it.
func forbiddenTrees() []string {
	return []string{"/proc", "/sys", "/dev", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/usr", "/boot", "/run"}
}

func (c *checker) storage() {
	first := map[string]int{}
	for i, m := range c.spec.Storage {
		if m.Volume == "" {
			c.fail(at("storage", i, "volume"), CodeRequired)
		} else {
			c.objectName(at("storage", i, "volume"), m.Volume, maxObjectName)
		}
		if c.text(at("storage", i, "path"), m.Path) {
			if _, ok := cleanSubPath(m.Path); !ok {
				c.fail(at("storage", i, "path"), CodeSubPathEscapes, "value", m.Path)
			}
		}
		clean, ok := c.mountPath(at("storage", i, "mountPath"), m.MountPath)
		if !ok {
			continue
		}
		if j, taken := first[clean]; taken {
			c.fail(at("storage", i, "mountPath"), CodeDuplicate, "value", clean, "first", at("storage", j, "mountPath"))
			continue
		}
		first[clean] = i
	}
}

func (c *checker) mountPath(path, value string) (clean string, ok bool) {
	if value == "" {
		c.fail(path, CodeRequired)
		return "", false
	}
	if !c.text(path, value) {
		return "", false
	}
	clean, absolute := cleanMountPath(value)
	switch {
	case !absolute:
		c.fail(path, CodePathNotAbsolute, "value", value)
	case clean == "/":
		c.fail(path, CodeMountPathRoot)
	case strings.Contains(value, ":"): // refused by the API server
		c.fail(path, CodeMountPathColon, "value", value)
	case len(clean) > 4095:
		c.fail(path, CodeTextTooLong, "length", itoa(len(clean)), "max", "4095")
	default:
		for _, tree := range forbiddenTrees() {
			if below(clean, tree) {
				c.fail(path, CodeMountPathForbidden, "value", clean, "tree", tree)
				return "", false
			}
		}
		return clean, true
	}
	return "", false
}

// below tells whether a clean path is dir or lies in it.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
