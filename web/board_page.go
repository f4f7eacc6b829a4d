package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"slipstick/examples/boards"
)

// BoardTool is the name of the tool behind /board.
const BoardTool = "pcb_layout"

// boardRows maps the two lists of the form to their columns. Other fields of parts and nets require
// a JSON request.
var boardRows = map[string][]string{
	"components": {"ref", "footprint", "value", "edge"},
	"nets":       {"name", "pins", "class", "current_a"},
}

// boardOptions are the options of the form in groups.
var boardOptions = []struct {
	title string
	names []string
}{
	{"Board", []string{"width_mm", "height_mm", "corner_radius_mm", "utilization_pct", "layers",
		"allow_bottom"}},
	{"Rules", []string{"fab_profile", "track_width_mm", "clearance_mm", "power_track_width_mm",
		"via_drill_mm", "via_diameter_mm", "edge_clearance_mm", "copper_oz", "temp_rise_c"}},
	{"Ground pour", []string{"ground_net", "pour_layers", "pour_clearance_mm", "thermal_relief"}},
	{"SPICE netlist", []string{"default_package", "source_connector"}},
	{"Effort and files", []string{"effort", "time_limit_s", "seed", "name", "gerber_attributes"}},
}

// sourceField is the form field that selects the source of the circuit: the rows if its value is
// sourceParts, otherwise the netlist text.
const (
	sourceField = "source"
	sourceParts = "parts"
)

// boardForm returns the pcb_layout tool reduced to the fields of the form.
func boardForm(t *Tool) (*Tool, error) {
	byName := map[string]Field{}
	for _, f := range t.Input {
		byName[f.Name] = f
	}
	form := *t
	form.Input = []Field{byName["netlist"], byName["components"], byName["nets"]}
	for i, f := range form.Input[1:] {
		columns := boardRows[f.Name]
		f.Fields = slices.DeleteFunc(slices.Clone(f.Fields),
			func(c Field) bool { return !slices.Contains(columns, c.Name) })
		for k, c := range f.Fields {
			if c.Name == "edge" {
				f.Fields[k].Options = slices.Clone(c.Options)
				f.Fields[k].Options[0].Text = "any"
			}
		}
		f.Note = ""
		f.Required = true // so that an empty form shows one row
		form.Input[i+1] = f
	}
	for _, g := range boardOptions {
		for _, name := range g.names {
			f, ok := byName[name]
			if !ok {
				return nil, fmt.Errorf("web: %s has no field %s", t.Name, name)
			}
			form.Input = append(form.Input, f)
		}
	}
	form.Examples, form.Output, form.Feeds = nil, nil, nil // board.js draws the result
	return &form, nil
}

// boardExample is an example of the board page. Query contains its form values, or the JSON request
// as netlist text if the form cannot represent the request.
type boardExample struct {
	Name, Title, Query string
}

func (s *Site) boardExamples() ([]boardExample, error) {
	all, err := boards.All()
	if err != nil {
		return nil, err
	}
	var list []boardExample
	for _, b := range all {
		v := Values{}
		v.fill("", b.Request)
		if v["netlist"] == "" {
			v[sourceField] = sourceParts
		}
		if body, mistakes := s.BoardBody(v); len(mistakes) > 0 || !sameRequest(body, b.Request) {
			v = Values{"netlist": string(b.Request)}
		}
		list = append(list, boardExample{b.Name, b.Title, v.Encode()})
	}
	return list, nil
}

func sameRequest(body, request json.RawMessage) bool {
	var a, b map[string]any
	if json.Unmarshal(body, &a) != nil || json.Unmarshal(request, &b) != nil {
		return false
	}
	delete(a, "zip")
	return reflect.DeepEqual(a, b)
}

// BoardExample returns an example of the board page as form values.
func (s *Site) BoardExample(name string) (v Values, ok bool) {
	for _, x := range s.boards {
		if x.Name == name {
			return Query(x.Query), true
		}
	}
	return nil, false
}

// BoardBody converts the page's form to the tool's input and requests an archive of the files. A
// netlist text that begins with { is a JSON request. The other form fields override fields of that
// request, except its name.
func (s *Site) BoardBody(v Values) (json.RawMessage, []FieldError) {
	form := maps.Clone(v)
	text := strings.TrimSpace(form["netlist"])
	if form[sourceField] == sourceParts {
		delete(form, "netlist")
	} else {
		maps.DeleteFunc(form, func(path, _ string) bool {
			return strings.HasPrefix(path, "components.") || strings.HasPrefix(path, "nets.")
		})
	}
	request := map[string]json.RawMessage{}
	if form["netlist"] != "" && strings.HasPrefix(text, "{") {
		delete(form, "netlist")
		if err := json.Unmarshal([]byte(text), &request); err != nil {
			return nil, []FieldError{{"netlist", "Netlist", jsonMistake(text, err)}}
		}
	}
	if form["netlist"] != "" && s.isForeign(form["name"], text) {
		delete(form, "name")
	}
	body, mistakes := s.Body(s.board, form)
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	own := request["name"]
	// Unmarshal keeps the other fields of the request.
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, []FieldError{{Detail: err.Error()}}
	}
	if own != nil {
		request["name"] = own // the form may contain the name of the previous board
	}
	request["zip"] = json.RawMessage("true")
	body, _ = json.Marshal(request) // cannot fail: the values are valid JSON
	return body, nil
}

// isForeign reports whether name is the name of an example, but the netlist contains less than half
// of the example's lines. The files of such a circuit do not get the example's name.
func (s *Site) isForeign(name, netlist string) bool {
	example, ok := s.BoardExample(name)
	if !ok {
		return false
	}
	there := map[string]bool{}
	for line := range strings.Lines(netlist) {
		there[strings.TrimSpace(line)] = true
	}
	lines, left := 0, 0
	for line := range strings.Lines(example["netlist"]) {
		if line = strings.TrimSpace(line); line != "" {
			lines++
			if there[line] {
				left++
			}
		}
	}
	return lines == 0 || 2*left < lines
}

func jsonMistake(text string, err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + strings.Count(text[:min(len(text), int(syntax.Offset))], "\n")
		return fmt.Sprintf("is not valid JSON: %v (line %d)", err, line)
	}
	return "is not a request: " + err.Error()
}

// AddBoardRow adds a row to a list of the form, and selects the rows as the source of the circuit.
func (s *Site) AddBoardRow(v Values, name string) {
	v[sourceField] = sourceParts
	v.AddRow(s.board, name)
}

// BoardJob is the state and the outcome of a job, as the board page shows them.
type BoardJob struct {
	ID      string
	Percent int
	Phase   string
	Running bool
	Outcome
}

// boardResult contains the parts of a result that the page shows without JavaScript. With
// JavaScript, board_view.js draws the board.
type boardResult struct {
	Status     string `json:"status"`
	Warnings   []string
	Statistics struct {
		Completion float64 `json:"completion_pct"`
		Vias       int     `json:"via_count"`
		Wire       float64 `json:"wirelength_mm"`
	} `json:"statistics"`
	Board struct {
		Width  float64 `json:"width_mm"`
		Height float64 `json:"height_mm"`
	} `json:"board"`
	Unrouted []struct{ Net, From, To, Reason string } `json:"unrouted"`
	DRC      struct {
		Errors     int `json:"error_count"`
		Warnings   int `json:"warning_count"`
		Violations []struct {
			Rule, Severity, Message string
			X                       float64 `json:"x_mm"`
			Y                       float64 `json:"y_mm"`
		} `json:"violations"`
	} `json:"drc"`
	Files []struct {
		Name, Role string
		Bytes      int
	} `json:"file_list"`
}

// Previews returns the names of the SVG files.
func (b *boardResult) Previews() (names []string) {
	for _, f := range b.Files {
		if strings.HasSuffix(f.Name, ".svg") {
			names = append(names, f.Name)
		}
	}
	return names
}

type boardOptionGroup struct {
	Title    string
	Controls []control
	Changed  bool
}

type boardPage struct {
	Examples    []boardExample
	Parts       bool
	Netlist     control
	Lists       []control
	Options     []boardOptionGroup
	FieldErrors []FieldError
	Job         *BoardJob
	Board       *boardResult
	Picture     string // URL of the picture of the example in the form; "" for none
}

// Board returns the board page with the given values or, without values, with its first example.
// job may be nil.
func (s *Site) Board(r Request, v Values, mistakes []FieldError, job *BoardJob) ([]byte, error) {
	if len(v) == 0 && job == nil && len(s.boards) > 0 {
		v = Query(s.boards[0].Query)
	}
	page := boardPage{
		Examples: s.boards, Parts: v[sourceField] == sourceParts, FieldErrors: mistakes, Job: job,
	}
	data := map[string]any{"tool": s.board, "job": ""}
	if example := s.boardExampleOf(v); job == nil && example != "" {
		page.Picture, data["stored"] = s.picture(example), s.storedResult(example)
	}
	if job != nil {
		data["job"] = job.ID
		for _, f := range job.FieldErrors {
			page.FieldErrors = append(page.FieldErrors,
				s.boardMistake(pathOf(f), detailOf(f), page.Parts, v["netlist"]))
		}
		if job.Result != nil {
			page.Board = &boardResult{}
			if err := json.Unmarshal(job.Result, page.Board); err != nil {
				return nil, fmt.Errorf("web: a board: %w", err)
			}
		}
	}
	controls := map[string]control{}
	for _, c := range s.controls("", s.board.Input, v, page.FieldErrors) {
		controls[c.Name] = c
	}
	page.Netlist = controls["netlist"]
	page.Lists = []control{controls["components"], controls["nets"]}
	for _, g := range boardOptions {
		group := boardOptionGroup{Title: g.title}
		for _, name := range g.names {
			c := controls[name]
			group.Changed = group.Changed || c.Text != "" && name != "name" || c.Error != ""
			group.Controls = append(group.Controls, c)
		}
		page.Options = append(page.Options, group)
	}
	return s.render("board", layout{
		Request: r, Title: "Board router", Module: "board", Style: "board", Data: data, Page: page,
		Preview:     preview(s.board.Name),
		Description: "Netlist to a placed, routed and checked board of two or four layers, with Gerber and drill files",
	})
}

// boardMistake converts an error of the tool to an error of its field in the form. If the form has
// no such field, the error is of the netlist text.
func (s *Site) boardMistake(path, detail string, parts bool, text string) FieldError {
	head, _, _ := strings.Cut(path, ".")
	known := slices.ContainsFunc(s.board.Input, func(f Field) bool { return f.Name == head })
	inText := !parts && strings.HasPrefix(strings.TrimSpace(text), "{")
	if !known || inText && (head == "components" || head == "nets") {
		return FieldError{"netlist", "Netlist", path + " " + detail}
	}
	return FieldError{path, head, detail}
}

// BoardFile returns a file of a finished board by name. The name "zip" selects an archive of all
// files; stem is then its file name without extension. BoardFile returns an error for an unknown
// name.
func BoardFile(result json.RawMessage, name string) (content []byte, stem string, err error) {
	var board struct {
		Files map[string]string `json:"files"`
		Zip   []byte            `json:"zip_base64"` // json decodes the base64 text
	}
	if err := json.Unmarshal(result, &board); err != nil {
		return nil, "", err
	}
	if name == "zip" && len(board.Zip) > 0 {
		stem = "board"
		for file := range board.Files {
			if s, ok := strings.CutSuffix(file, ".gtl"); ok {
				stem = s
			}
		}
		return board.Zip, stem, nil
	}
	text, ok := board.Files[name]
	if !ok {
		return nil, "", errNoFile
	}
	return []byte(text), "", nil
}

var errNoFile = errors.New("there is no such file")
