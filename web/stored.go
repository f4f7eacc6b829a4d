package web

import "encoding/json"

// storedResult returns the URL of the stored result of an example, or "". Command gallery writes
// these results.
func (s *Site) storedResult(example string) string {
	return s.assetAt("stored/" + example + ".json")
}

// picture returns the URL of the picture of an example, or "".
func (s *Site) picture(example string) string { return s.assetAt("gallery/" + example + ".svg") }

func (s *Site) assetAt(name string) string {
	if s.assets.files[name] == nil {
		return ""
	}
	return s.static(name)
}

// spiceExample returns the name of the example circuit with the given netlist, or "".
func (s *Site) spiceExample(netlist string) string {
	for _, g := range s.examples {
		for _, n := range g.Netlists {
			if n.Text == netlist {
				return n.Name
			}
		}
	}
	return ""
}

// boardExampleOf returns the name of the example board with the given form values, or "".
func (s *Site) boardExampleOf(v Values) string {
	query := v.Encode()
	for _, x := range s.boards {
		if x.Query == query {
			return x.Name
		}
	}
	return ""
}

// frontChain is the chain of tools on the home page.
var frontChain = []string{"fspl", "link_budget", "snr_margin"}

// frontStep is a step of the chain on the home page with its result.
type frontStep struct {
	Tool, Title string
	Label, Text string // value for the next step, or the final result
}

// front is the chain of tools on the home page with its results. It is empty if a tool fails.
type front struct {
	Steps      []frontStep
	Conclusion *statement // conclusion of the last step
}

// computeFront computes the chain of the home page. Each step uses the values of its first example
// and results of the previous step. The front is empty if a tool is missing or fails.
func (s *Site) computeFront() front {
	var f front
	var before *Tool
	var result map[string]json.RawMessage
	for _, name := range frontChain {
		t := s.tools[name]
		if t == nil {
			return front{}
		}
		input := objectOf(json.RawMessage(t.entry.Examples[0].In))
		if before != nil {
			for _, next := range before.Feeds {
				for _, p := range next.Fields {
					if next.Tool != name || !hasValue(result[p.Out]) {
						continue
					}
					input[p.In] = result[p.Out]
					f.Steps[len(f.Steps)-1].show(s, before, result, p.Out)
				}
			}
		}
		w := s.work(t, valuesOf(input))
		if w == nil {
			return front{}
		}
		result = objectOf(w.Envelope.Result)
		step := frontStep{Tool: name, Title: t.Title}
		step.show(s, t, result, t.primary(result, func(string) bool { return false }))
		f.Steps = append(f.Steps, step)
		f.Conclusion = s.conclude(t, result)
		before = t
	}
	return f
}

// show stores the label and the text of a result in a step.
func (step *frontStep) show(s *Site, t *Tool, result map[string]json.RawMessage, name string) {
	for _, f := range t.Output {
		if f.Name == name {
			step.Label, step.Text = f.Label, brief(f, s.cell(f, result[name]))
		}
	}
	if step.Label == t.Title {
		step.Label = ""
	}
}

func valuesOf(input map[string]json.RawMessage) Values {
	v := Values{}
	raw, _ := json.Marshal(input) // cannot fail: the values are valid JSON
	v.fill("", raw)
	return v
}
