package podtemplate

// Codes of what a pod template cannot be made of. The catalogue has a text for each under
// "problem.<Code>".
const (
	QuantityInvalid = "QuantityInvalid" // args value
	CPUMissing      = "CPUMissing"      // cpuExclusive without a number of CPUs: args role
	CPUNotWhole     = "CPUNotWhole"     // cpuExclusive with a fraction of a CPU: args value
	NodeSizeUnknown = "NodeSizeUnknown" // wholeNode of a card type whose nodes' size the site does not say: args role, cardType
	SecretMissing   = "SecretMissing"   // a secretEnv without its value: args name
	SpecTooLarge    = "SpecTooLarge"    // args size, max (bytes)
)
