package strictyaml

// Problem is one thing wrong with a file. It has the shape of job.Problem, so that a conversion is enough.
type Problem struct {
	Path string // e.g. roles[1].gpus; "" = the whole file
	Code string
	Args map[string]string
}

// The codes of this package, with their arguments.
const (
	BadYAML          = "BadYAML"          // line, message: the parser's own words
	NotUTF8          = "NotUTF8"          // line of the first byte that is not UTF-8
	FileTooLarge     = "FileTooLarge"     // size, max: bytes
	EmptyFile        = "EmptyFile"        // nothing but comments
	SeveralDocuments = "SeveralDocuments" // line where the second one starts
	UnknownField     = "UnknownField"     // field, nearest ("" = none is near), known (the nearest, else all), line
	DuplicateField   = "DuplicateField"   // field, line, first: line of the first one
	WrongKind        = "WrongKind"        // want, got, line; kinds are string, int, bool, list, map, float, null, …
	BadInteger       = "BadInteger"       // value, line: a number that is not plain decimal digits
	OutOfRange       = "OutOfRange"       // value, min, max, line
	MergeKey         = "MergeKey"         // line of a "<<"
	AliasBomb        = "AliasBomb"        // line of the alias that made the file grow too far; path ""
	TooManyProblems  = "TooManyProblems"  // max: the rest is not listed
)

const (
	// MaxBytes is the largest file that is read.
	MaxBytes = 1 << 20
	// maxAliased bounds the nodes visited inside aliases; an honest file repeats a few roles or mounts.
	maxAliased = 10_000
	// maxProblems bounds the report of a file that is wrong all over.
	maxProblems = 500
)
