package web

import "encoding/json"

// storedResult is the address of the stored result of an example, "" for one without; gallery
// writes them. picture is the address of its picture.
func (s *Site) storedResult(example string) string { return s.assetAt("stored/" + example + ".json") }

func (s *Site) picture(example string) string { return s.assetAt("gallery/" + example + ".svg") }

func (s *Site) assetAt(name string) string {
	if s.assets.files[name] == nil {
		return ""
	}
	return s.static(name)
}

// spiceExample is the name of the example circuit whose text a netlist is, "" for none.
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

// boardExampleOf is the name of the example board that the values of the form are, "" for none.
func (s *Site) boardExampleOf(v Values) string {
	query := v.Encode()
	for _, x := range s.boards {
		if x.Query == query {
			return x.Name
		}
	}
	return ""
}

// frontChain is the chain of the first page.
var frontChain = []string{"fspl", "link_budget", "snr_margin"}

// frontStep is a step of the chain on the first page with its result.
type frontStep struct {
	Tool, Title string
	Label, Text string // of the value that goes on, or of the last result
}

// front is what the first page shows of the service.
type front struct {
	Steps      []frontStep
	Conclusion *statement // of the last step
}

// computeFront runs the chain of the first page: each step has the values of its first example,
// and those that the step before passes on.
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
		result = objectOf(w.Answer.Result)
		step := frontStep{Tool: name, Title: t.Title}
		step.show(s, t, result, t.primary(result, func(string) bool { return false }))
		f.Steps = append(f.Steps, step)
		f.Conclusion = s.conclude(t, result)
		before = t
	}
	return f
}

// show gives a step the value of a result by its name.
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
	raw, _ := json.Marshal(input) // of parts that were parsed
	v.fill("", raw)
	return v
}
