package cmd

//go:generate go test slipstick/cmd -run TestSettingsPageIsCurrent -update

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"slipstick/tools"
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

// value parses the text of a setting into its field.
type value struct {
	kind    string // placeholder in the help, such as integer
	allowed string // valid values in words; "" for any text
	list    bool   // several values, separated by commas
	set     func(text string) error
}

// anyText returns a value that accepts any text.
func anyText(p *string) value {
	return value{kind: "string", set: func(s string) error { *p = s; return nil }}
}

// list returns a value that accepts a list of arbitrary texts.
func list(p *[]string) value {
	return parsedList(p, "string", "", func(s string) (string, error) { return s, nil })
}

// choice returns a value that accepts one of the given words.
func choice(p *string, words ...string) value {
	return parsed(p, "string", strings.Join(words, " or "), func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", fmt.Errorf("unknown word %q", s)
		}
		return s, nil
	})
}

// integer returns a value that accepts integers in Go notation, down to the given minimum.
func integer(p *int, minimum int) value {
	return atLeast(p, "an integer", minimum, parseInteger)
}

func parseInteger(s string) (int, error) {
	n, err := strconv.ParseInt(s, 0, strconv.IntSize)
	return int(n), err
}

// countUpTo returns a value that accepts integers in Go notation from 1 to the given maximum.
func countUpTo(p *int, maximum int) value {
	return within(p, "an integer", 1, maximum, parseInteger)
}

// numberUpTo returns a value that accepts numbers in the given range.
func numberUpTo(p *float64, minimum, maximum float64) value {
	return within(p, "a number", minimum, maximum,
		func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
}

// duration returns a value that accepts durations down to the given minimum, in the notation of
// time.ParseDuration.
func duration(p *time.Duration, minimum time.Duration) value {
	return atLeast(p, "a duration", minimum, time.ParseDuration)
}

// durationUpTo is the variant of duration for a range.
func durationUpTo(p *time.Duration, minimum, maximum time.Duration) value {
	return within(p, "a duration", minimum, maximum, time.ParseDuration)
}

// within returns a value that accepts the given range. kind is the type with its article.
func within[T cmp.Ordered](p *T, kind string, minimum, maximum T, parse func(string) (T, error),
) value {
	_, word, _ := strings.Cut(kind, " ")
	return parsed(p, word, fmt.Sprintf("%s from %v to %v", kind, minimum, maximum),
		func(s string) (T, error) {
			x, err := parse(s)
			if err == nil && !(x >= minimum && x <= maximum) { // false for NaN too
				err = strconv.ErrRange
			}
			return x, err
		})
}

func atLeast[T cmp.Ordered](p *T, kind string, minimum T, parse func(string) (T, error)) value {
	_, word, _ := strings.Cut(kind, " ")
	return parsed(
		p,
		word,
		fmt.Sprintf("%s of at least %v", kind, minimum),
		func(s string) (T, error) {
			x, err := parse(s)
			if err == nil && x < minimum {
				err = fmt.Errorf("below %v", minimum)
			}
			return x, err
		},
	)
}

// parsed returns a value that parse converts. allowed describes the valid texts.
func parsed[T any](p *T, kind, allowed string, parse func(string) (T, error)) value {
	return value{kind: kind, allowed: allowed, set: func(s string) error {
		x, err := parse(s)
		if err == nil {
			*p = x
		}
		return err
	}}
}

// parsedList is the variant of parsed for several values.
func parsedList[T any](p *[]T, kind, allowed string, parse func(string) (T, error)) value {
	return value{kind: kind, allowed: allowed, list: true, set: func(s string) error {
		x, err := parse(s)
		if err == nil {
			*p = append(*p, x)
		}
		return err
	}}
}

// variable returns the environment variable of a setting.
func (s *setting) variable() string {
	if s.env != "" {
		return s.env
	}
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
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

// variablePrefix is the prefix of the environment variables of settings.
const variablePrefix = "SLIPSTICK_"

// otherVariables are the variables that have variablePrefix but are no settings of this program,
// without the prefix: those of the compose file, the clients and the tests, and those that
// Kubernetes sets for services.
var otherVariables = regexp.MustCompile(
	`^(DOMAIN|LOAD_BALANCERS|REQUIRE_INTEGRATION|TAG|URL)$|` +
		`(^|_)(SERVICE_(HOST|PORT)|PORT$|PORT_\d+_(TCP|UDP))`)

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
		if !ours || slices.Contains(known, word) || otherVariables.MatchString(word) {
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

// trimmed removes the spaces around the entries of a list.
func trimmed(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.TrimSpace(s)
	}
	return out
}

// settingsPage returns the content of docs/settings.md.
func settingsPage() string {
	var b strings.Builder
	b.WriteString(`# Settings

Generated from cmd/config.go by ` + "`go generate ./cmd`" + `.

A flag takes precedence over its environment variable, and the variable over the default. An empty
value counts as absent. Lists are separated by commas. A command reads its own settings only, and a
value out of range ends it with exit code 2 and a message that names setting, value and valid
values. Give secrets by environment: other users of a machine see command lines.

| flag | environment variable | default | value | commands | |
|---|---|---|---|---|---|
`)
	for _, s := range new(Config).settings() {
		initial := cmp.Or(s.computed, "`"+s.initial+"`")
		if s.initial == "" {
			initial = ""
		}
		kind := cmp.Or(s.value.allowed, s.value.kind)
		if s.value.list {
			kind += "; a list"
		}
		fmt.Fprintf(&b, "| `--%s` | `%s` | %s | %s | %s | %s |\n",
			s.flag, s.variable(), initial, kind, strings.Join(s.commands, ", "), s.doc)
	}
	b.WriteString(`
Traces are sent when the standard variables OTEL_EXPORTER_OTLP_ENDPOINT or
OTEL_EXPORTER_OTLP_TRACES_ENDPOINT name a collector. Postgres settings that the URL leaves out come
from libpq's variables, such as PGPASSWORD and PGSSLROOTCERT.
`)
	return b.String()
}
