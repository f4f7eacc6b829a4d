package cmd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// setting defines a field of Config: its names, default and parser.
type setting struct {
	flag     string   // without dashes
	env      string   // environment variable; default SLIPSTICK_ and the flag in upper case
	initial  string   // default, as a user would write it; "" for none
	computed string   // description of a default that depends on the machine
	commands []string // commands that have this setting
	doc      string
	value    value
}

// asFlag returns the flag of a setting. The flag accepts any text, so that readConfig checks values
// from all sources and reports them with the same message.
func (s *setting) asFlag() cli.Flag {
	usage := s.doc
	if s.value.allowed != "" { // the word in backquotes is the placeholder
		usage += " (" + strings.Replace(
			s.value.allowed,
			s.value.kind,
			"`"+s.value.kind+"`",
			1,
		) + ")"
	}
	if s.value.list {
		return &cli.StringSliceFlag{
			Name:    s.flag,
			Usage:   usage,
			Sources: cli.EnvVars(s.variable()),
			Local:   true,
		}
	}
	return &cli.StringFlag{
		Name: s.flag, Usage: usage, Sources: cli.EnvVars(s.variable()), Local: true,
		Value: s.initial, DefaultText: cmp.Or(s.computed, s.initial),
	}
}

// settingFlags returns the flags of a command's settings.
func settingFlags(command string) (flags []cli.Flag) {
	for _, s := range new(Config).settings() {
		if slices.Contains(s.commands, command) {
			flags = append(flags, s.asFlag())
		}
	}
	return flags
}

// readConfig reads the settings of a command from flags, environment and defaults, in this order.
// An empty value counts as absent. An error names the setting, the value and the valid values.
func readConfig(cmd *cli.Command, command string) (*Config, error) {
	c := &Config{}
	for _, s := range c.settings() {
		if !slices.Contains(s.commands, command) {
			continue
		}
		texts := []string{cmp.Or(cmd.String(s.flag), s.initial)} // a secret may begin with a space
		if s.value.list {
			texts = trimmed(cmd.StringSlice(s.flag))
		}
		for _, t := range texts {
			if t == "" {
				continue
			}
			if err := s.value.set(t); err != nil {
				return nil, usageErrorf("--%s or %s must be %s, got %q",
					s.flag, s.variable(), s.value.allowed, t)
			}
		}
	}
	return c, nil
}

// trimmed removes the spaces around the entries of a list.
func trimmed(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.TrimSpace(s)
	}
	return out
}
