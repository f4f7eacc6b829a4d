package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"slipstick/internal/rawjson"
	"slipstick/tools"
	"slipstick/tools/catalog"
	"slipstick/worker"
)

// bothCatalogs runs f with the real catalog and with the test catalog, which has a queued tool.
func bothCatalogs(t *testing.T, f func(*testing.T, *tools.Catalog)) {
	real, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("real", func(t *testing.T) { f(t, real) })
	t.Run("test", func(t *testing.T) { f(t, testCatalog(t)) })
}

func document31(t *testing.T, c *tools.Catalog) (raw []byte, doc map[string]any) {
	t.Helper()
	raw, err := json.MarshalIndent(openAPI(c), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return raw, parse(t, raw).(map[string]any)
}

func parse(t *testing.T, raw []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestOpenAPILint checks the document with Redocly's linter, the npm package @redocly/cli.
func TestOpenAPILint(t *testing.T) {
	linter := os.Getenv("SLIPSTICK_REDOCLY")
	if linter == "" {
		var err error
		if linter, err = exec.LookPath("redocly"); err != nil {
			t.Skip("SKIPPED: no linter. npm install @redocly/cli and set SLIPSTICK_REDOCLY to its bin/redocly")
		}
	}
	bothCatalogs(t, func(t *testing.T, c *tools.Catalog) {
		raw, _ := document31(t, c)
		path := filepath.Join(t.TempDir(), "openapi.json")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), linter, "lint", "--format=stylish", path)
		cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off",
			"REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
	})
}

// maxDocumentBytes bounds the document, because some generators and editors fail on larger ones.
const maxDocumentBytes = 400_000

// TestOpenAPIForGenerators verifies that the document has only forms that client generators for
// OpenAPI 3.0 and 3.1 both support. Each schema has one type, null is an alternative, objects are
// named and numbers are doubles. The test rejects exclusive bounds, defaults and ranges of status
// codes.
func TestOpenAPIForGenerators(t *testing.T) {
	bothCatalogs(t, func(t *testing.T, c *tools.Catalog) {
		raw, err := rawjson.Marshal(openAPI(c))
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) >= maxDocumentBytes {
			t.Errorf("%d bytes", len(raw))
		}
		doc := parse(t, raw).(map[string]any)
		for path, methods := range doc["paths"].(map[string]any) {
			for method, op := range methods.(map[string]any) {
				for status := range op.(map[string]any)["responses"].(map[string]any) {
					if strings.Contains(status, "X") {
						t.Errorf("%s %s: status %s", method, path, status)
					}
				}
			}
		}
		for name, s := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
			checkForGenerators(t, name, s.(map[string]any), true)
		}
	})
}

// TestOpenAPIBatchRequest verifies that the document describes the fields of a batch request as
// docs/batches.md does, among them the sources of values of a varied field.
func TestOpenAPIBatchRequest(t *testing.T) {
	_, doc := document31(t, testCatalog(t))
	all := doc["components"].(map[string]any)["schemas"].(map[string]any)
	for name, fields := range map[string]string{
		"BatchRequest": "tool input vary mode inputs n seed collect limits target objective label dry_run",
		"BatchRequest_vary": "field values from to points scale distribution mean sigma min mode max " +
			"median sigma_ln tolerance_pct truncate_sigma",
		"BatchRequest_limits_value": "min max",
		"BatchRequest_target":       "name value",
	} {
		s, _ := all[name].(map[string]any)
		properties, _ := s["properties"].(map[string]any)
		if len(properties) != len(strings.Fields(fields)) {
			t.Errorf("%s: %v", name, s)
		}
		for _, field := range strings.Fields(fields) {
			if properties[field] == nil {
				t.Errorf("%s has no %s", name, field)
			}
		}
	}
}

// TestOpenAPIFiles verifies that the description of a response names the media types other than
// JSON, and that its content has only JSON.
func TestOpenAPIFiles(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := rawjson.Marshal(openAPI(c))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Description string
				Content     map[string]any
			}
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, e := range c.All() {
		result := doc.Paths["/api/"+e.Name]["post"].Responses["200"]
		if _, ok := result.Content["application/json"]; !ok || len(result.Content) != 1 {
			t.Errorf("%s: %v", e.Name, result.Content)
		}
		for _, f := range e.Files {
			files++
			if !strings.Contains(result.Description, f.MediaType) {
				t.Errorf("%s: no %s in %q", e.Name, f.MediaType, result.Description)
			}
		}
	}
	if files == 0 {
		t.Error("no tool has files")
	}
}

func checkForGenerators(t *testing.T, at string, s map[string]any, named bool) {
	t.Helper()
	for _, key := range []string{"default", "exclusiveMinimum", "exclusiveMaximum", "examples",
		"anyOf", "nullable"} {
		if _, ok := s[key]; ok {
			t.Errorf("%s: key %s", at, key)
		}
	}
	if kind, ok := s["type"].([]any); ok {
		t.Errorf("%s: types %v", at, kind)
	}
	if s["type"] == "number" && s["format"] != "double" {
		t.Errorf("%s: a number without a format", at)
	}
	members, object := s["properties"].(map[string]any)
	if object && !named {
		t.Errorf("%s: an object without a name", at)
	}
	for name, m := range members {
		checkForGenerators(t, at+"."+name, m.(map[string]any), false)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := s[key].(map[string]any); ok {
			checkForGenerators(t, at+"[]", inner, false)
		}
	}
	for _, key := range []string{"oneOf", "allOf"} {
		forms, _ := s[key].([]any)
		for _, form := range forms {
			checkForGenerators(t, at, form.(map[string]any), key == "allOf")
		}
	}
}

func TestOpenAPIShape(t *testing.T) { bothCatalogs(t, checkShape) }

func checkShape(t *testing.T, c *tools.Catalog) {
	_, doc := document31(t, c)
	if doc["openapi"] != "3.1.0" || doc["info"].(map[string]any)["version"] != "1.0.0" {
		t.Errorf("%v %v", doc["openapi"], doc["info"])
	}
	paths := doc["paths"].(map[string]any)
	for _, e := range c.All() {
		p, _ := paths["/api/"+e.Name].(map[string]any)
		if p["post"] == nil {
			t.Errorf("%s: %v", e.Name, p)
			continue
		}
		responses := p["post"].(map[string]any)["responses"].(map[string]any)
		if _, has := responses["202"]; has != (e.Heavy != nil) {
			t.Errorf("%s: 202 %t, heavy %t", e.Name, has, e.Heavy != nil)
		}
		for _, status := range []string{"200", "400", "429", "default"} {
			if responses[status] == nil {
				t.Errorf("%s: no response %s", e.Name, status)
			}
		}
	}
	ids := map[string]bool{}
	for path, methods := range paths {
		for method, op := range methods.(map[string]any) {
			id := op.(map[string]any)["operationId"].(string)
			if ids[id] {
				t.Errorf("%s %s: operationId %s again", method, path, id)
			}
			ids[id] = true
		}
	}
	// The document is the same at every start, because its ETag must not change.
	if a, b := mustMarshal(t, openAPI(c)), mustMarshal(t, openAPI(c)); !bytes.Equal(a, b) {
		t.Error("two documents differ")
	}
}

func mustMarshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := rawjson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type checker struct {
	t *testing.T
	c *jsonschema.Compiler
}

func newChecker(t *testing.T, doc any) checker {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return checker{t, c}
}

func (k checker) check(what, pointer string, value any) {
	k.t.Helper()
	s, err := k.c.Compile("openapi.json#" + pointer)
	if err != nil {
		k.t.Errorf("%s: %v", what, err)
		return
	}
	if err := s.Validate(value); err != nil {
		k.t.Errorf("%s: %v", what, err)
	}
}

// TestOpenAPIExamples verifies that every schema compiles and every example is valid for its
// schema.
func TestOpenAPIExamples(t *testing.T) { bothCatalogs(t, checkExamples) }

func checkExamples(t *testing.T, c *tools.Catalog) {
	_, doc := document31(t, c)
	k := newChecker(t, doc)
	count := 0
	for name := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
		if _, err := k.c.Compile("openapi.json#/components/schemas/" + name); err != nil {
			t.Error(err)
		}
	}
	var walk func(pointer string, v any)
	walk = func(pointer string, v any) {
		switch v := v.(type) {
		case []any:
			for i, x := range v {
				walk(fmt.Sprintf("%s/%d", pointer, i), x)
			}
		case map[string]any:
			if v["schema"] != nil {
				if x, ok := v["example"]; ok {
					count++
					k.check(pointer, pointer+"/schema", x)
				}
				if all, ok := v["examples"].(map[string]any); ok {
					for name, x := range all {
						count++
						k.check(pointer+" "+name, pointer+"/schema", x.(map[string]any)["value"])
					}
				}
			}
			for key, x := range v {
				if key != "examples" && key != "example" {
					walk(pointer+"/"+strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"),
						"/", "~1"), x)
				}
			}
		}
	}
	walk("", doc)
	if least := len(c.All()) - 2 + len(problemExamples()); count < least {
		t.Errorf("%d examples, at least %d are expected", count, least)
	}
}

// TestResponsesAreAsDescribed validates real responses against the schemas of the document.
func TestResponsesAreAsDescribed(t *testing.T) {
	q := newFakeQueue()
	s := start(t, Options{Queue: q})
	k := newChecker(t, parse(t, s.documents.openAPI.body))
	check := func(name string, r *reply) {
		t.Helper()
		k.check(name, "/components/schemas/"+name, parse(t, []byte(r.body)))
	}
	check("fspl_response", s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`))
	check("Metadata", s.call(t, "GET", "/api/fspl", ""))
	check("Problem", s.post(t, "/api/fspl", `{}`))
	check("Problem", s.post(t, "/api/broken", `{"numbers":[1]}`))
	check("Health", s.call(t, "GET", "/healthz", ""))
	check("Readiness", s.call(t, "GET", "/readyz", ""))
	job := func() *reply { return s.call(t, "GET", "/api/jobs/"+testJob, "") }
	check("Job", job())
	q.set(worker.Done, doneOutcome)
	check("Job", job())
	check("slow_sum_response", s.post(t, "/api/slow_sum", `{"numbers":[1]}`))
	q.set(worker.Failed, worker.Outcome{Failure: "it crashed"})
	check("Job", job())
	for _, e := range parse(t, []byte(s.call(t, "GET", "/api", "").body)).([]any) {
		k.check("listing", "/components/schemas/Listing", e)
	}
}
