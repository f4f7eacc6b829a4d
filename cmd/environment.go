package cmd

import (
	"regexp"
	"slices"
	"strings"

	"slipstick/tools"
)

// variable returns the environment variable of a setting.
func (s *setting) variable() string {
	if s.env != "" {
		return s.env
	}
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
}

// variablePrefix is the prefix of the environment variables of settings.
const variablePrefix = "SLIPSTICK_"

// composeVariables returns the variables that only the compose files read, without variablePrefix.
func composeVariables() []string {
	return []string{"DOMAIN", "LOAD_BALANCERS", "PORT", "TAG",
		"WORKERS", "WORKER_CPUS", "WORKER_MEMORY"}
}

// otherVariables are the variables of the clients and the tests, and the variables that Kubernetes
// sets for services, without variablePrefix. None is a setting of this program.
var otherVariables = regexp.MustCompile(
	`^(REQUIRE_INTEGRATION|URL)$|(^|_)(SERVICE_(HOST|PORT)|PORT$|PORT_\d+_(TCP|UDP))`)

// unknownVariables returns the variables of an environment that look like settings but that no
// command has, each with a suggestion of a similar name.
func unknownVariables(environ []string) (unknown []string) {
	var known []string
	for _, s := range new(Config).settings() {
		known = append(known, strings.TrimPrefix(s.variable(), variablePrefix))
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		word, ours := strings.CutPrefix(name, variablePrefix)
		if !ours || slices.Contains(known, word) || slices.Contains(composeVariables(), word) ||
			otherVariables.MatchString(word) {
			continue
		}
		near := tools.Nearest(word, known, 1)
		for i := range near {
			near[i] = variablePrefix + near[i]
		}
		unknown = append(unknown, name+didYouMean(near))
	}
	return unknown
}
