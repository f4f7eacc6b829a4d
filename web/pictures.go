package web

import (
	"encoding/json"
	"slices"

	"slipstick/tools/schema"
)

// picture describes a drawing of a result. Of the pictures of a tool, pictures.js draws those whose
// values are in the result.
type picture struct {
	Module string   `json:"module"`          // name of the file, without .js
	Of     []string `json:"of"`              // names of results, of which one must be present
	Min    int      `json:"min,omitempty"`   // minimum number of entries of a list
	X      string   `json:"x,omitempty"`     // of a curve: the column of x
	Sweep  *sweep   `json:"sweep,omitempty"` // of a response: its frequencies
}

// sweep is a logarithmic sweep of an input, centred on the value of a result.
type sweep struct {
	Input   string  `json:"input"`
	Center  string  `json:"center"`  // the result at the centre
	Decades float64 `json:"decades"` // on each side
	Points  int     `json:"points"`
}

// picturesOf returns the pictures of a tool.
func picturesOf(input, output *schema.Node) (list []picture) {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			return output.Field(name) == nil
		})
	}
	if has("bands", "resistance_ohm") {
		list = append(list, picture{Module: "picture_bands", Of: []string{"bands"}})
	}
	if has("t_high_s", "pulse_s") {
		list = append(list, picture{Module: "picture_timing", Of: []string{"t_high_s", "pulse_s"}})
	}
	if input.Field("freq_hz") != nil && has("gain_db_at_freq", "phase_deg_at_freq", "cutoff_hz") {
		over := &sweep{Input: "freq_hz", Center: "cutoff_hz", Decades: 2, Points: 81}
		list = append(list, picture{Module: "picture_bode", Of: []string{"cutoff_hz"}, Sweep: over})
	}
	if has("vectors") {
		list = append(list, picture{Module: "picture_vectors", Of: []string{"vectors"}})
	}
	for _, f := range output.Fields {
		switch {
		case f.Kind == schema.Object && slices.ContainsFunc(f.Fields, isGrid):
			list = append(list, picture{Module: "picture_field", Of: []string{f.Name}})
		case f.Plot != "":
			list = append(list, picture{Module: "picture_curve", Of: []string{f.Name},
				Min: 3, X: f.Plot})
		}
	}
	return list
}

// isGrid reports whether a field is a list of lists, such as the temperatures of a surface.
func isGrid(f *schema.Field) bool { return f.Kind == schema.Array && f.Elem.Kind == schema.Array }

// modulesFor returns the modules that draw a result. The page preloads them.
func modulesFor(list []picture, result map[string]json.RawMessage) (names []string) {
	for _, p := range list {
		isThere := slices.ContainsFunc(p.Of, func(name string) bool {
			raw := string(result[name])
			return raw != "" && raw != "null" && raw != "[]"
		})
		if isThere && !slices.Contains(names, p.Module) {
			names = append(names, p.Module)
		}
	}
	return names
}
