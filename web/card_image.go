package web

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	"slipstick/plot"
	"slipstick/web/card"
)

// cardPanels is the maximum number of plot panels in an image. More panels would be illegible.
const cardPanels = 2

// cards maps tools to functions that return their Open Graph images. Each image is drawn at its
// first request.
type cards map[string]func() ([]byte, error)

// newCards prepares the images of all tools.
func (s *Site) newCards() cards {
	c := cards{}
	for name, t := range s.tools {
		c[name] = sync.OnceValues(func() ([]byte, error) { return s.drawCard(t) })
	}
	return c
}

// CardImage returns the Open Graph image of a tool as PNG: the plot, board or drawing of an example
// with its conclusion. It returns nil for an unknown tool.
func (s *Site) CardImage(tool string) ([]byte, error) {
	if draw := s.images[tool]; draw != nil {
		return draw()
	}
	return nil, nil
}

// preview returns the URL of the Open Graph image of a tool.
func preview(tool string) string { return "/preview/" + tool + ".png" }

// drawCard draws the first example whose result has a plot, or else the first example. It does not
// compute results of queued tools; a PNG in static/preview replaces them.
func (s *Site) drawCard(t *Tool) ([]byte, error) {
	c := card.Card{Title: t.Title}
	if f := s.assets.files["preview/"+t.Name+".png"]; f != nil {
		c.Picture, c.Conclusion = f.Body, t.Summary()
	}
	for i, x := range t.Examples {
		w := t.worked[i]()
		if w == nil {
			continue
		}
		figure, hasPlot := plot.ResultFigure("", t.entry.Output, w.raw, nil)
		if i > 0 && !hasPlot {
			continue
		}
		v := Query(x.Query)
		v.moveAliases(t.Input)
		result := objectOf(w.raw)
		c.Example, c.Drawing = x.Title, string(s.drawingOf(t, v, result))
		c.Conclusion = s.headline(t, w.Request, result)
		if hasPlot {
			figure.Panels = varying(figure.Panels)
			figure.Panels = figure.Panels[:min(cardPanels, len(figure.Panels))]
			figure.Scale = plot.PreviewScale
			var b bytes.Buffer
			if err := plot.Write(&b, figure, plot.PNG); err != nil {
				return nil, err
			}
			c.Picture = b.Bytes()
			break
		}
	}
	var b bytes.Buffer
	err := c.Write(&b)
	return b.Bytes(), err
}

// varying returns the panels that have a heat map or a curve that is not constant, or all panels if
// there are none.
func varying(panels []plot.Panel) []plot.Panel {
	constant := func(p plot.Panel) bool {
		return p.Heat == nil && !slices.ContainsFunc(p.Lines, func(l plot.Line) bool {
			return slices.ContainsFunc(l.Y, func(y float64) bool { return y != l.Y[0] })
		})
	}
	if rest := slices.DeleteFunc(slices.Clone(panels), constant); len(rest) > 0 {
		return rest
	}
	return panels
}

// headline returns the conclusion of a result. Without one it returns the primary value with its
// label, or else the summary of the tool.
func (s *Site) headline(t *Tool, input json.RawMessage, result map[string]json.RawMessage) string {
	if said := s.conclude(t, result); said != nil {
		return said.Text
	}
	inputs := objectOf(input)
	name := t.primary(result, func(name string) bool { return inputs[name] != nil })
	for _, f := range t.Output {
		if f.Name == name && (f.Kind == Quantity || f.Kind == Literal) {
			f = f.in(result)
			return f.Label + ": " + brief(f, s.cell(f, result[name]))
		}
	}
	return t.Summary()
}
