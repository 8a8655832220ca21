package podtemplate

// Codes of what a pod template cannot be made of, beside those of package job that it shares. The catalogue has a
// text for each under "problem.<Code>".
const (
	CPUMissing         = "CPUMissing"         // cpuExclusive, and neither the spec nor the site says how many CPUs: args role
	SecretValueMissing = "SecretValueMissing" // a secretEnv without its value: args name
)
