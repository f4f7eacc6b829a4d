package cmd

//go:generate go test slipstick/cmd -run TestSettingsPageIsCurrent -update

import (
	"cmp"
	"fmt"
	"strings"
)

// settingsPage returns the content of docs/settings.md.
func settingsPage() string {
	var b strings.Builder
	b.WriteString(`# Settings

Generated from cmd/config.go by ` + "`go generate ./cmd`" + `.

A flag takes precedence over its environment variable, and the variable over the default. An empty
value counts as absent. Lists are separated by commas. A command reads its own settings only. A
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
