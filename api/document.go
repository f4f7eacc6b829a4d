package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"

	"slipstick/internal/rawjson"
	"slipstick/tools"
)

// documents holds the constant responses of a Server.
type documents struct {
	list       *document
	byCategory map[string]*document
	byTool     map[string]*document
	openAPI    *document
}

// serviceDesc links to the OpenAPI document (RFC 8631).
const serviceDesc = `</api/docs>; rel="service-desc"; type="application/json"`

// documentCaching is the Cache-Control of documents.
const documentCaching = "public, max-age=300"

// buildDocuments encodes the constant documents.
func (s *Server) buildDocuments() (d documents, err error) {
	compressors := newCompressors(gzip.BestCompression)
	encode := func(v any) (*document, error) {
		body, err := rawjson.Marshal(v)
		if err != nil {
			return nil, err
		}
		d := compressors.newDocument(body, string(jsonMediaType))
		d.link = serviceDesc
		return d, nil
	}
	d.byCategory, d.byTool = map[string]*document{}, map[string]*document{}
	all := []tools.Listing{}
	listings := map[string][]tools.Listing{}
	for _, c := range s.opt.Catalog.Categories {
		listings[c.Name] = []tools.Listing{}
	}
	for _, e := range s.opt.Catalog.All() {
		all = append(all, e.Listing())
		listings[e.Category] = append(listings[e.Category], e.Listing())
		if d.byTool[e.Name], err = encode(s.opt.Catalog.Metadata(e)); err != nil {
			return d, fmt.Errorf("api: describing %s: %w", e.Name, err)
		}
		d.byTool[e.Name].link += `, </t/` + e.Name + `>; rel="help"; type="text/html"`
	}
	for name, list := range listings {
		if d.byCategory[name], err = encode(list); err != nil {
			return d, err
		}
	}
	if d.list, err = encode(all); err != nil {
		return d, err
	}
	if d.openAPI, err = encode(openAPI(s.opt.Catalog)); err != nil {
		return d, fmt.Errorf("api: writing the OpenAPI document: %w", err)
	}
	return d, nil
}

// list handles GET /api: it lists all tools or, with ?category=, the tools of one category.
func (s *Server) list(c *fiber.Ctx) error {
	name := c.Query("category")
	if name == "" {
		return s.documents.list.send(c, documentCaching)
	}
	d := s.documents.byCategory[name]
	if d == nil {
		known := slices.Sorted(maps.Keys(s.documents.byCategory))
		return invalidQuery("category", "must be one of "+strings.Join(known, ", "))
	}
	return d.send(c, documentCaching)
}

// metadata handles GET /api/{tool}.
func (s *Server) metadata(c *fiber.Ctx) error {
	tool, err := s.opt.Catalog.Find(c.Params("tool"))
	if err != nil {
		return err
	}
	return s.documents.byTool[tool.Name].send(c, documentCaching)
}

// docs handles GET /api/docs: it returns the OpenAPI document.
func (s *Server) docs(c *fiber.Ctx) error { return s.documents.openAPI.send(c, documentCaching) }
