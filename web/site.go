package web

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"slipstick/examples/netlists"
	"slipstick/tools"
	"slipstick/tools/quantity"
)

// Site renders the pages. Create it with New. It is safe for concurrent use.
type Site struct {
	catalog   *tools.Catalog
	version   string
	policy    string
	embedded  string // policy of embedded pages
	units     *quantity.Table
	assets    *assets
	templates map[string]*template.Template
	tools     map[string]*Tool
	cards     []Card
	sections  []tools.Category
	examples  []netlists.Group
	board     *Tool // pcb_layout with the fields of the /board form
	boards    []boardExample
	front     func() front
	images    cards
}

// pages are the templates that are rendered inside the layout.
var pages = []string{"catalog", "tool", "chain", "notebook", "keys", "docs", "mcp", "about", "job",
	"spice", "board", "problem"}

// indentation matches the space before an element, an action or an attribute at the start of a
// template's line. New removes it, which saves 40 bytes per page, compressed.
var indentation = regexp.MustCompile(`\n\s+(<|\{\{|[a-z-]+=")`)

// New parses templates, loads static files and describes every tool of the catalog.
func New(c *tools.Catalog, version string) (*Site, error) {
	s := &Site{
		catalog: c, version: version, templates: map[string]*template.Template{},
		tools: map[string]*Tool{},
	}
	var err error
	if s.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	s.policy, s.embedded = s.assets.policy("'none'"), s.assets.policy("*")
	if s.units, err = quantity.New(); err != nil {
		return nil, err
	}
	if s.examples, err = netlists.Groups(); err != nil {
		return nil, err
	}
	functions := template.FuncMap{
		"static": s.static, "module": module, "style": s.assets.style, "theme": s.assets.theme,
		"bode": func() template.HTML {
			return template.HTML(s.assets.files["stored/bode.svg"].Body)
		},
		"query": url.QueryEscape, "unit": quantity.UnitText,
		"words": func(name string) string { return strings.ReplaceAll(name, "_", " ") },
		"sentence": func(text string) string {
			if strings.HasSuffix(text, "?") {
				return text
			}
			return text + "."
		},
	}
	for _, name := range pages {
		t := template.New("page").Funcs(functions)
		for _, file := range []string{"layout", "fields", name} {
			text, err := embedded.ReadFile("templates/" + file + ".html")
			if err == nil {
				_, err = t.New(file).Parse(indentation.ReplaceAllString(string(text), "\n$1"))
			}
			if err != nil {
				return nil, fmt.Errorf("web: %w", err)
			}
		}
		s.templates[name] = t.Lookup("layout")
	}
	drawings := drawingsByTool()
	for _, e := range c.All() {
		t := newTool(c, e)
		t.drawing = drawings[e.Name]
		t.worked = s.workedExamples(t)
		s.tools[e.Name] = t
	}
	if t := s.tools[BoardTool]; t != nil {
		if s.board, err = boardForm(t); err != nil {
			return nil, err
		}
		if s.boards, err = s.boardExamples(); err != nil {
			return nil, err
		}
	}
	s.sections = sectionsOf(c)
	for _, e := range c.All() {
		s.cards = append(s.cards, newCard(s.tools[e.Name], s.exampleNames(e.Name)))
	}
	s.front = sync.OnceValue(s.computeFront)
	s.images = s.newCards()
	return s, nil
}

// exampleNames returns the names of a tool's example circuits or boards as search terms.
func (s *Site) exampleNames(tool string) (names []string) {
	switch tool {
	case SpiceTool:
		for _, g := range s.examples {
			for _, n := range g.Netlists {
				names = append(names, strings.ReplaceAll(n.Name, "_", " "))
			}
		}
	case BoardTool:
		for _, x := range s.boards {
			names = append(names, x.Title)
		}
	}
	return names
}

// Policy returns the Content-Security-Policy of a page. Any site may frame an embedded page,
// because such a page has no account, cookie or key, and a click in it only computes. No site may
// frame other pages.
func (s *Site) Policy(r Request) string {
	if r.Embed {
		return s.embedded
	}
	return s.policy
}

// Request contains the parts of a request that pages need.
type Request struct {
	Token string // token for the endpoints without quota
	Base  string // scheme and host of this service
	Embed bool   // render only form and result, for a frame on another site
}

// layout contains the values for layout.html.
type layout struct {
	Request
	Title       string
	Description string
	Module      string   // module of the page
	Soon        []string // modules that the page imports for its first result
	Preload     []string // files of all modules and their imports, except the module of the page
	Style       string   // kind of page, which selects the style sheet
	Preview     string   // URL of the Open Graph image; "" for none
	Data        any      // for the page's module, as JSON
	Page        any      // for the page's template
	Version     string
	Search      string
	Categories  []tools.Category
}

func (s *Site) render(page string, l layout) ([]byte, error) {
	l.Version, l.Categories = s.version, s.sections
	for _, name := range append([]string{l.Module}, l.Soon...) {
		for _, file := range s.assets.imports[module(name)] {
			if file != module(l.Module) && !slices.Contains(l.Preload, file) {
				l.Preload = append(l.Preload, file)
			}
		}
	}
	var b bytes.Buffer
	if err := s.templates[page].Execute(&b, l); err != nil {
		return nil, fmt.Errorf("web: the page %s: %w", page, err)
	}
	return b.Bytes(), nil
}

// Catalog returns the page that lists all tools, those of a category, or those found by a search.
func (s *Site) Catalog(r Request, category, search string) ([]byte, error) {
	view := catalogPage{Search: search, Only: category}
	if category == "" && search == "" {
		view.Circuit, view.Board, view.BoardPicture = frontCircuit, frontBoard,
			s.picture(frontBoard)
		view.Front = s.front()
	}
	title := fmt.Sprintf("%d engineering calculators", len(s.cards))
	for _, c := range s.sections {
		if category != "" && c.Name != category {
			continue
		}
		if c.Name == category {
			title = c.Title
		}
		view.Groups = append(view.Groups, group1{c.Name, c.Title, s.cardsOf(c.Name)})
	}
	if search != "" {
		view.Hits = s.Search(search)
		title = "Search: " + search
	}
	return s.render(
		"catalog",
		layout{
			Request: r, Title: title, Module: "catalog", Style: "catalog", Page: view,
			Search:      search,
			Description: "Calculators for radio, mesh networks, home labs, power, circuit boards and everyday mathematics",
		},
	)
}

// HasCategory reports whether a category exists.
func (s *Site) HasCategory(name string) bool {
	for _, c := range s.catalog.Categories {
		if c.Name == name {
			return true
		}
	}
	return false
}

// simplePages are the pages that need no values.
var simplePages = map[string]struct{ title, module, description string }{
	"chain": {"Chain", "chain", "Calculations that pass their results on"},
	"notebook": {"Notebook", "notebook",
		"Pinned results with notes, as a report for paper or a link"},
	"keys": {"API keys", "keys", "A free key for the API, and its limits"},
	"docs": {"API", "docs",
		"The HTTP interface: endpoints, errors, limits, and a place to try it"},
	"mcp":   {"MCP setup", "mcp", "Settings for clients of the Model Context Protocol"},
	"about": {"About", "shell", "Sources, precision and limits"},
}

// Simple returns the page with the given name: chain, notebook, keys, docs, mcp or about.
func (s *Site) Simple(r Request, name string) ([]byte, error) {
	p := simplePages[name]
	l := layout{
		Request: r, Title: p.title, Module: p.module, Description: p.description,
		Page: s.catalog.Categories,
	}
	l.Style = "reference"
	switch name {
	case "chain":
		l.Style = "chain"
		l.Data = map[string]any{"tools": s.chainTools(), "examples": chainExamples}
	case "notebook":
		l.Style = "notebook"
	case "docs":
		l.Page = s.reference(s.catalog.Categories)
	case "about":
		l.Page = s.reference(s.sections)
	}
	return s.render(name, l)
}

// Job returns the page of a job.
func (s *Site) Job(r Request, id string) ([]byte, error) {
	return s.render(
		"job",
		layout{
			Request: r, Title: "Job", Module: "job_page", Style: "tool", Page: id,
			Data: map[string]string{"id": id},
		},
	)
}

// Problem returns the page that shows a problem and its remedy. nearest lists the names of tools
// that the page suggests.
func (s *Site) Problem(r Request, title, detail string, nearest []string) ([]byte, error) {
	return s.render(
		"problem",
		layout{
			Request: r, Title: title, Module: "shell",
			Page: map[string]any{"Detail": detail, "Nearest": nearest},
		},
	)
}
