package words

import (
	"regexp"
	"strings"
	"time"

	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
)

// Connection says in a few words whether the data are current, and the style to say it in: "live, 2 s", "stale 42 s:
// connection refused, retrying".
func Connection(env nav.Env, c snapshot.Connection) (string, themes.Style) {
	t, now := env.Texts, env.Now()
	switch c.State {
	case snapshot.Live:
		return t.T("conn.live", "age", Rough(t, now.Sub(c.Fresh))), env.Styles.Success
	case snapshot.Stale:
		if c.Fresh.IsZero() {
			return t.T("conn.unreached", "age", Rough(t, now.Sub(c.Since)), "error", cause(t, c)), env.Styles.Error
		}
		return t.T("conn.stale", "age", Rough(t, now.Sub(c.Fresh)), "error", cause(t, c)), env.Styles.Error
	case snapshot.Unauthorized:
		return t.T("conn.unauthorized"), env.Styles.Error
	case snapshot.NoConfig:
		return t.T("conn.noConfig"), env.Styles.Error
	}
	if c.Error != "" { // the first answer never came
		return t.T("conn.unreached", "age", Rough(t, now.Sub(c.Since)), "error", cause(t, c)), env.Styles.Error
	}
	if !c.Since.IsZero() && now.Sub(c.Since) >= 2*time.Second {
		return t.T("conn.connectingFor", "age", Rough(t, now.Sub(c.Since))), env.Styles.Warning
	}
	return t.T("conn.connecting"), env.Styles.Dim
}

// ConnectionHelp says what is the matter with the connection and what would do, in whole sentences; nil when there
// is nothing the matter.
func ConnectionHelp(t *i18n.Texts, c snapshot.Connection) []string {
	key := ""
	switch c.State {
	case snapshot.Stale:
		key = "connHelp.stale"
		if c.Fresh.IsZero() {
			key = "connHelp.unreached"
		}
		if silent(c) {
			return []string{t.T("connHelp.silent")}
		}
	case snapshot.Unauthorized:
		key = "connHelp.unauthorized"
	case snapshot.NoConfig:
		key = "connHelp.noConfig"
	default:
		if c.Error == "" {
			return nil
		}
		key = "connHelp.unreached"
		if silent(c) {
			return []string{t.T("connHelp.silent")}
		}
	}
	if p := c.Problem; p != nil && (c.State == snapshot.NoConfig || p.Code == mistrusted) && t.Has("problem."+p.Code) {
		return []string{withoutURL(t.Problem(*p))} // which of several things it is, and what would do
	}
	lines := []string{t.T(key)}
	if c.Error != "" {
		lines = append(lines, withoutURL(safetext.Clean(c.Error)))
	}
	return lines
}

// mistrusted is the code of a server that is reached and not trusted: going on trying does not help.
const mistrusted = "Certificate"

// unanswered is the code of a server that did not answer in time.
const unanswered = "TimedOut"

// request is how errors of net/http begin: Get "https://…?…": .
var request = regexp.MustCompile(`(?:Get|Post|Put|Patch|Delete|Head) "https?://[^"]*": `)

// withoutURL drops the request from an error: it is long and tells nothing that the address at the end of the error does
// not.
func withoutURL(err string) string { return request.ReplaceAllString(err, "") }

// silent is true for a server to which a connection may stand, and which does not answer in time.
func silent(c snapshot.Connection) bool { return c.Problem != nil && c.Problem.Code == unanswered }

// cause says in a few words why there is no connection. Between the end of a connection and the first new try that
// fails there is no error yet.
func cause(t *i18n.Texts, c snapshot.Connection) string {
	switch {
	case silent(c):
		return t.T("conn.silent")
	case c.Problem != nil && c.Problem.Code == mistrusted:
		return t.T("conn.mistrusted")
	case strings.TrimSpace(c.Error) == "":
		return t.T("conn.lost")
	}
	return short(c.Error)
}

// short is the end of a Go error chain, where the cause stands: "connection refused".
func short(err string) string {
	err = safetext.Clean(err)
	if i := strings.LastIndex(err, ": "); i >= 0 && i+2 < len(err) {
		err = err[i+2:]
	}
	return err
}

// Where is workspace @ context · user.
func Where(t *i18n.Texts, f snapshot.Facts) string {
	workspace := Workspace(t, f.Workspace)
	if f.Context != "" {
		workspace = t.T("where", "workspace", workspace, "context", f.Context)
	}
	if f.User != "" {
		workspace += " · " + safetext.Clean(f.User)
	}
	return workspace
}

// Workspace is the name of a workspace; "" is all of them.
func Workspace(t *i18n.Texts, name string) string {
	if name == "" {
		return t.T("workspace.all")
	}
	return safetext.Clean(name)
}
