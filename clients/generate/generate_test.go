package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestGeneratedIsCurrent verifies that the generated files are up to date with the OpenAPI
// document.
func TestGeneratedIsCurrent(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("clients/%s is not current; run make clients", name)
		}
	}
}

// TestComments verifies that the comments of the Go client have at most 100 columns at a tab width
// of 4.
func TestComments(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	number, comments := 0, 0
	for line := range strings.Lines(string(files["go/types.gen.go"])) {
		number++
		line = strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")
		if !strings.Contains(line, "//") {
			continue
		}
		comments++
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("line %d has %d columns: %s", number, n, line)
		}
	}
	if comments < 1000 {
		t.Errorf("only %d comments", comments)
	}
}

// TestManifests verifies that each published package has the project's licence and the version of
// the API.
func TestManifests(t *testing.T) {
	d, err := readDocument()
	if err != nil {
		t.Fatal(err)
	}
	license, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for name, version := range map[string]string{
		"typescript/package.json": `"version": "` + d.version + `"`,
		"python/pyproject.toml":   `version = "` + d.version + `"`,
	} {
		manifest, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || !bytes.Contains(manifest, []byte(version)) {
			t.Errorf("%s does not have the version %s (%v)", name, d.version, err)
		}
		own, err := os.ReadFile(filepath.Join("..", filepath.Dir(name), "LICENSE"))
		if err != nil || !bytes.Equal(own, license) {
			t.Errorf("the licence beside %s differs (%v)", name, err)
		}
	}
}

// TestShapes verifies the types in each language for the possible forms of schemas.
func TestShapes(t *testing.T) {
	text := &schema{Type: kinds{"string"}}
	number := &schema{Type: kinds{"number"}}
	null := &schema{Type: kinds{"null"}}
	d := &document{schemas: map[string]*schema{
		"point": {Type: kinds{"object"}, Properties: map[string]*schema{"x": number}},
		"texts": {Type: kinds{"array"}, Items: text},
	}}
	for _, c := range []struct {
		s    *schema
		want []string // Go, TypeScript, Python
	}{
		{number, []string{"float64", "number", "float"}},
		{&schema{OneOf: []*schema{number, null}}, []string{"*float64", "number | null",
			"float | None"}},
		{&schema{OneOf: []*schema{number, text, null}}, []string{"any", "number | string | null",
			"float | str | None"}},
		{&schema{Type: kinds{"number", "null"}}, []string{"*float64", "number | null",
			"float | None"}},
		{&schema{Type: kinds{"string"}, Enum: []string{"a", "b"}}, []string{"string", `"a" | "b"`,
			`Literal["a", "b"]`}},
		{&schema{Ref: "#/components/schemas/point"}, []string{"Point", "Point", "Point"}},
		{&schema{Ref: "#/components/schemas/texts"}, []string{"[]string", "Array<string>",
			"Sequence[str]"}},
		{&schema{OneOf: []*schema{{Ref: "#/components/schemas/point"}, null}},
			[]string{"*Point", "Point | null", "Point | None"}},
		{&schema{Type: kinds{"object"}, Values: values{number}},
			[]string{"map[string]float64", "Record<string, number>", "Mapping[str, float]"}},
		{&schema{Type: kinds{"string"}, Format: "date-time"},
			[]string{"time.Time", "string", "str"}},
		{&schema{}, []string{"json.RawMessage", "unknown", "Any"}},
	} {
		got := []string{d.goType(c.s, false), d.typeScriptType(c.s), d.pythonType(c.s)}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
	}
}
