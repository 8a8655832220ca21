// Package train is the form of the create page: its sections and fields, and the way from a draft to a spec and back.
// It knows what the cluster has (a snapshot), so that fields can offer it and say what lacks. No terminal code.
package train

// Fields of the draft that are not paths of the spec.
const (
	keyStorage   = "form.storage"  // on: the mounts count
	keyArgsForm  = "form.argsForm" // argsText or argsList
	keyNodes     = "form.nodes"    // N nodes: one master and N-1 workers
	keyStamp     = "form.stamp"    // when the draft was begun, RFC 3339: part of the generated name
	keySeed      = "form.seed"     // decides the generated name's random part, so that a retry has the same name
	stashedRoles = "form.roles."   // + framework: roles typed for a framework that is not chosen now
)

// How args are written.
const (
	argsText = "text"
	argsList = "list"
)

// The tables.
const (
	tableStorage = "storage"
	tableRoles   = "roles"
	tableSecrets = "secretEnv"
	tableRules   = "faultTolerance.rules"
)

// The codes of problems that only a form has; their texts stand in the catalogue as all others'.
const (
	CodeNotNumber     = "FormNotNumber"     // value
	CodeNumberTooLong = "FormNumberTooLong" // value: beyond 32 bits
	CodeEnvLine       = "FormEnvLine"       // line, text: no NAME=
	CodeEnvTwice      = "FormEnvTwice"      // name, line
	CodeEnvUnclosed   = "FormEnvUnclosed"   // name, mark: NAME<<MARK without the line MARK
	CodeSecretNoValue = "FormSecretNoValue" // name
	CodeNoWorkspace   = "FormNoWorkspace"
	CodeNoVolume      = "FormNoVolume"     // storage is on, and no volume is chosen
	CodeMayNotCreate  = "FormMayNotCreate" // resources, workspace: a warning, the user may create no job there
)
