package job

// The codes of problems: the whole list, of the file's form, of the rules and of the site's rules. [Codes] gives their
// arguments; the texts stand in the catalogue under "problem.<Code>".
const (
	// Of the file's form (package strictyaml).
	CodeBadYAML          = "BadYAML"          // the file is not YAML; path ""; message is the parser's own words
	CodeNotUTF8          = "NotUTF8"          // the file is not UTF-8; path ""
	CodeFileTooLarge     = "FileTooLarge"     // bytes; path ""
	CodeEmptyFile        = "EmptyFile"        // nothing but comments; path ""
	CodeSeveralDocuments = "SeveralDocuments" // a file is one document; path ""
	CodeUnknownField     = "UnknownField"     // known is the nearest known field, all when none is near
	CodeDuplicateField   = "DuplicateField"   // first is the line of the first one
	CodeWrongKind        = "WrongKind"        // kinds: string, int, bool, list, map, "string or list", float, null, binary or the user's own tag
	CodeBadInteger       = "BadInteger"       // a number that is not plain decimal digits
	CodeOutOfRange       = "OutOfRange"       // a number beyond 32 bits
	CodeMergeKey         = "MergeKey"         // a << is not followed
	CodeAliasBomb        = "AliasBomb"        // aliases repeat too much; path ""
	CodeTooManyProblems  = "TooManyProblems"  // the rest is not listed; path ""

	// Of any field.
	CodeRequired      = "Required"     // must be given
	CodeUnknownValue  = "UnknownValue" // not one of the known values
	CodeTooSmall      = "TooSmall"
	CodeTooLarge      = "TooLarge"
	CodeTextTooLong   = "TextTooLong" // characters of a display name, bytes of anything else
	CodeNULByte       = "NULByte"     // no process can get a text with a NUL
	CodeTextNotUTF8   = "TextNotUTF8"
	CodeBadObjectName = "BadObjectName" // not a DNS-1123 subdomain
	CodeBadLabelValue = "BadLabelValue" // not usable as a node label's value
	CodeDuplicate     = "Duplicate"     // first is the path of the first one
	CodeSpecTooLarge  = "SpecTooLarge"  // bytes of the written spec; path ""

	// Of basics.
	CodeBadAPIVersion        = "BadAPIVersion"
	CodeBadKind              = "BadKind"
	CodeBadName              = "BadName"              // not an RFC 1035 label
	CodeNameTooLong          = "NameTooLong"          // name is the derived name that would be too long
	CodeBadWorkspace         = "BadWorkspace"         // not a namespace's name
	CodeDisplayNameCharacter = "DisplayNameCharacter" // position counts from 1
	CodeDisplayNameStart     = "DisplayNameStart"
	CodeNotForResource       = "NotForResource" // region, zone, network with Dedicated
	CodePreemptibleNotSpot   = "PreemptibleNotSpot"

	// Of image, command and environment.
	CodeBadImage          = "BadImage" // not an image reference
	CodeImageUppercase    = "ImageUppercase"
	CodeCommandEmpty      = "CommandEmpty"
	CodeCommandFirstEmpty = "CommandFirstEmpty"
	CodeArgsUnclosed      = "ArgsUnclosed"    // quote is ' or " or \
	CodeArgsEmpty         = "ArgsEmpty"       // warning: a shell that is given nothing ends at once
	CodeArgsNotExpanded   = "ArgsNotExpanded" // warning: no shell will expand it
	CodeBadEnvName        = "BadEnvName"
	CodeTooManyEnv        = "TooManyEnv"
	CodeSystemVariable    = "SystemVariable" // muster sets it
	CodeEnvTwice          = "EnvTwice"       // in env and in secretEnv

	// Of storage.
	CodeSubPathEscapes     = "SubPathEscapes" // a .. in the path on the volume
	CodePathNotAbsolute    = "PathNotAbsolute"
	CodeMountPathRoot      = "MountPathRoot"
	CodeMountPathColon     = "MountPathColon"
	CodeMountPathForbidden = "MountPathForbidden"

	// Of roles.
	CodeRolesRequired     = "RolesRequired"
	CodeBadRoleName       = "BadRoleName" // not a DNS-1123 label
	CodeRoleNameTooLong   = "RoleNameTooLong"
	CodeUnknownRole       = "UnknownRole"
	CodeWholeNodeExcludes = "WholeNodeExcludes"
	CodeBadCPU            = "BadCPU"    // not a positive number of CPUs
	CodeBadMemory         = "BadMemory" // not a positive number of bytes; sharedMemory too
	CodeCPUNotWhole       = "CPUNotWhole"
	CodeCPUNotMultiple    = "CPUNotMultiple"
	CodeTooManyPods       = "TooManyPods"
	CodeMasterMissing     = "MasterMissing"
	CodeMasterReplicas    = "MasterReplicas"
	CodeRolesDiffer       = "RolesDiffer" // cards per node, or "node" for a whole node
	CodeChiefReplicas     = "ChiefReplicas"
	CodeNoTrainingRole    = "NoTrainingRole"
	CodeNoRoleWithReplica = "NoRoleWithReplica"
	CodeNoCards           = "NoCards" // warning

	// Of submission, fault tolerance and the advanced fields.
	CodeNotForStandalone     = "NotForStandalone"
	CodeQueueRequired        = "QueueRequired"
	CodeConcurrencyOverTotal = "ConcurrencyOverTotal"
	CodeRulesWithoutRestarts = "RulesWithoutRestarts"
	CodeExitCodesEmpty       = "ExitCodesEmpty"
	CodeExitCodesSyntax      = "ExitCodesSyntax"
	CodeExitCodesRange       = "ExitCodesRange" // outside 1–255
	CodeExitCodesReversed    = "ExitCodesReversed"
	CodePlacementWithFail    = "PlacementWithFail"
	CodeRuleShadowed         = "RuleShadowed" // warning: earlier rules take every code
	CodeSharedMemoryTooLarge = "SharedMemoryTooLarge"
	CodeLogDirNotMounted     = "LogDirNotMounted"
	CodeLogDirReadOnly       = "LogDirReadOnly"

	// Of the site (package site).
	CodeClusterUnknown         = "ClusterUnknown"
	CodeNoClusterForWorkspace  = "NoClusterForWorkspace"
	CodeClusterRequired        = "ClusterRequired" // several, and no default
	CodeClusterNotForWorkspace = "ClusterNotForWorkspace"
	CodeResourceNotServed      = "ResourceNotServed"
	CodeRegionUnknown          = "RegionUnknown"
	CodeZoneUnknown            = "ZoneUnknown"
	CodeCardTypeUnknown        = "CardTypeUnknown"
	CodeCardTypeRequired       = "CardTypeRequired"   // several, and no default
	CodeCardTypeUnverified     = "CardTypeUnverified" // warning: asked for as it is, by the label
	CodeCardsNeverFit          = "CardsNeverFit"      // no node has that many
	CodeCPUNeverFits           = "CPUNeverFits"       // no node has that much
	CodeMemoryNeverFits        = "MemoryNeverFits"    // no node has that much
	CodeCPUFewerThanCards      = "CPUFewerThanCards"  // a whole node for cpuExclusive
	CodeWholeNodeUnknown       = "WholeNodeUnknown"   // warning: the size of a node is not known, so it cannot be rendered
	CodeVolumeUnknown          = "VolumeUnknown"
	CodeVolumeNotInRegion      = "VolumeNotInRegion"
	CodePriorityUnknown        = "PriorityUnknown"
	CodeMountPathOfSSH         = "MountPathOfSSH"
	CodeRDMAUnknown            = "RDMAUnknown" // warning: no RDMA devices are asked for

	// Of the stock (package stock). cards a node; nodes that find room; asked: nodes that are asked for.
	CodeStockLacks = "StockLacks" // a standalone job does not fit now
	CodeStockWait  = "StockWait"  // warning: a queued job does not fit now
	CodeStockNever = "StockNever" // it would not fit if nothing else ran
)

// CodeDoc is one code and the names of the arguments that every problem of it carries. An argument may be empty.
type CodeDoc struct {
	Code string
	Args []string
}

// Codes lists every code.
func Codes() []CodeDoc {
	return []CodeDoc{
		{CodeBadYAML, []string{"line", "message"}},
		{CodeNotUTF8, []string{"line"}},
		{CodeFileTooLarge, []string{"max", "size"}},
		{CodeEmptyFile, nil},
		{CodeSeveralDocuments, []string{"line"}},
		{CodeUnknownField, []string{"field", "known", "line", "nearest"}},
		{CodeDuplicateField, []string{"field", "first", "line"}},
		{CodeWrongKind, []string{"got", "line", "want"}},
		{CodeBadInteger, []string{"line", "value"}},
		{CodeOutOfRange, []string{"line", "max", "min", "value"}},
		{CodeMergeKey, []string{"line"}},
		{CodeAliasBomb, []string{"line"}},
		{CodeTooManyProblems, []string{"max"}},
		{CodeRequired, nil},
		{CodeUnknownValue, []string{"known", "nearest", "value"}},
		{CodeTooSmall, []string{"min", "value"}},
		{CodeTooLarge, []string{"max", "value"}},
		{CodeTextTooLong, []string{"length", "max"}},
		{CodeNULByte, nil},
		{CodeTextNotUTF8, nil},
		{CodeBadObjectName, []string{"value"}},
		{CodeBadLabelValue, []string{"value"}},
		{CodeDuplicate, []string{"first", "value"}},
		{CodeSpecTooLarge, []string{"max", "size"}},
		{CodeBadAPIVersion, []string{"got", "want"}},
		{CodeBadKind, []string{"got", "want"}},
		{CodeBadName, []string{"value"}},
		{CodeNameTooLong, []string{"length", "max", "name"}},
		{CodeBadWorkspace, []string{"value"}},
		{CodeDisplayNameCharacter, []string{"character", "position"}},
		{CodeDisplayNameStart, []string{"character", "position"}},
		{CodeNotForResource, []string{"field", "resource"}},
		{CodePreemptibleNotSpot, []string{"resource"}},
		{CodeBadImage, []string{"value"}},
		{CodeImageUppercase, []string{"value"}},
		{CodeCommandEmpty, nil},
		{CodeCommandFirstEmpty, nil},
		{CodeArgsUnclosed, []string{"quote"}},
		{CodeArgsEmpty, []string{"command"}},
		{CodeArgsNotExpanded, []string{"command", "text"}},
		{CodeBadEnvName, []string{"name"}},
		{CodeTooManyEnv, []string{"count", "max"}},
		{CodeSystemVariable, []string{"framework", "name"}},
		{CodeEnvTwice, []string{"name"}},
		{CodeSubPathEscapes, []string{"value"}},
		{CodePathNotAbsolute, []string{"value"}},
		{CodeMountPathRoot, nil},
		{CodeMountPathColon, []string{"value"}},
		{CodeMountPathForbidden, []string{"tree", "value"}},
		{CodeRolesRequired, []string{"framework"}},
		{CodeBadRoleName, []string{"value"}},
		{CodeRoleNameTooLong, []string{"length", "max"}},
		{CodeUnknownRole, []string{"framework", "known", "nearest", "value"}},
		{CodeWholeNodeExcludes, []string{"field"}},
		{CodeBadCPU, []string{"value"}},
		{CodeBadMemory, []string{"value"}},
		{CodeCPUNotWhole, []string{"value"}},
		{CodeCPUNotMultiple, []string{"cards", "value"}},
		{CodeTooManyPods, []string{"count", "max"}},
		{CodeMasterMissing, []string{"framework"}},
		{CodeMasterReplicas, []string{"framework", "value"}},
		{CodeRolesDiffer, []string{"master", "worker"}},
		{CodeChiefReplicas, []string{"value"}},
		{CodeNoTrainingRole, nil},
		{CodeNoRoleWithReplica, nil},
		{CodeNoCards, []string{"role"}},
		{CodeNotForStandalone, []string{"field", "value"}},
		{CodeQueueRequired, nil},
		{CodeConcurrencyOverTotal, []string{"total", "value"}},
		{CodeRulesWithoutRestarts, nil},
		{CodeExitCodesEmpty, nil},
		{CodeExitCodesSyntax, []string{"part"}},
		{CodeExitCodesRange, []string{"part"}},
		{CodeExitCodesReversed, []string{"part"}},
		{CodePlacementWithFail, []string{"placement"}},
		{CodeRuleShadowed, []string{"codes"}},
		{CodeSharedMemoryTooLarge, []string{"memory", "role", "value"}},
		{CodeLogDirNotMounted, []string{"value"}},
		{CodeLogDirReadOnly, []string{"mountPath", "value"}},
		{CodeClusterUnknown, []string{"known", "nearest", "value"}},
		{CodeNoClusterForWorkspace, []string{"workspace"}},
		{CodeClusterRequired, []string{"known"}},
		{CodeClusterNotForWorkspace, []string{"cluster", "known", "workspace"}},
		{CodeResourceNotServed, []string{"cluster", "resource", "served"}},
		{CodeRegionUnknown, []string{"cluster", "known", "value"}},
		{CodeZoneUnknown, []string{"cluster", "known", "value"}},
		{CodeCardTypeUnknown, []string{"cluster", "known", "nearest", "value"}},
		{CodeCardTypeRequired, []string{"cluster", "known"}},
		{CodeCardTypeUnverified, []string{"cluster", "label", "value"}},
		{CodeCardsNeverFit, []string{"cardType", "cluster", "max", "value"}},
		{CodeCPUNeverFits, []string{"cardType", "cluster", "max", "value"}},
		{CodeMemoryNeverFits, []string{"cardType", "cluster", "max", "value"}},
		{CodeCPUFewerThanCards, []string{"cards", "value"}},
		{CodeWholeNodeUnknown, []string{"cluster", "role"}},
		{CodeVolumeUnknown, []string{"known", "nearest", "value"}},
		{CodeVolumeNotInRegion, []string{"known", "region", "value"}},
		{CodePriorityUnknown, []string{"known", "value"}},
		{CodeMountPathOfSSH, []string{"dir", "value"}},
		{CodeRDMAUnknown, []string{"cluster"}},
		{CodeStockLacks, []string{"asked", "cards", "nodes"}},
		{CodeStockWait, []string{"asked", "cards", "nodes"}},
		{CodeStockNever, []string{"asked", "cards", "nodes"}},
	}
}
