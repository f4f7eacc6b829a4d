package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// document is a response that is constant while the process runs.
type document struct {
	body []byte
	gzip []byte // gzip; nil when not worth it
	etag string
	link string // for the header Link (RFC 8288)
}

// documents are the constant responses of a Server.
type documents struct {
	list       *document
	byCategory map[string]*document
	byTool     map[string]*document
	openAPI    *document
}

// serviceDesc links to the OpenAPI document (RFC 8631).
const serviceDesc = `</api/docs>; rel="service-desc"; type="application/json"`

func newDocument(v any) (*document, error) {
	body, err := marshal(v)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	// Weak, because it identifies the compressed and the plain copy.
	d := &document{body: body, etag: `W/"` + hex.EncodeToString(sum[:8]) + `"`, link: serviceDesc}
	if len(body) > 1400 { // fits one packet anyway
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = z.Write(body)
		_ = z.Close()
		d.gzip = b.Bytes()
	}
	return d, nil
}

// buildDocuments encodes every document once.
func (s *Server) buildDocuments() (d documents, err error) {
	d.byCategory, d.byTool = map[string]*document{}, map[string]*document{}
	listings := []tools.Listing{}
	perCategory := map[string][]tools.Listing{}
	for _, c := range s.opt.Catalog.Categories {
		perCategory[c.Name] = []tools.Listing{}
	}
	for _, e := range s.opt.Catalog.All() {
		listings = append(listings, e.Listing())
		perCategory[e.Category] = append(perCategory[e.Category], e.Listing())
		if d.byTool[e.Name], err = newDocument(s.opt.Catalog.Metadata(e)); err != nil {
			return d, fmt.Errorf("api: describing %s: %w", e.Name, err)
		}
		d.byTool[e.Name].link += `, </t/` + e.Name + `>; rel="help"; type="text/html"`
	}
	for name, list := range perCategory {
		if d.byCategory[name], err = newDocument(list); err != nil {
			return d, err
		}
	}
	if d.list, err = newDocument(listings); err != nil {
		return d, err
	}
	if d.openAPI, err = newDocument(openAPI(s.opt.Catalog)); err != nil {
		return d, fmt.Errorf("api: writing the OpenAPI document: %w", err)
	}
	return d, nil
}

// send writes the document, or 304 if the client has it.
func (d *document) send(c *fiber.Ctx) error {
	c.Set(fiber.HeaderETag, d.etag)
	c.Set(fiber.HeaderLink, d.link)
	c.Set(fiber.HeaderCacheControl, "public, max-age=300")
	if d.gzip != nil {
		c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	}
	if d.matches(c.Get(fiber.HeaderIfNoneMatch)) {
		c.Status(fiber.StatusNotModified)
		return nil
	}
	c.Response().Header.SetContentTypeBytes(jsonMediaType)
	if d.gzip != nil && c.Request().Header.HasAcceptEncoding("gzip") && !strings.Contains(c.Get(fiber.HeaderAcceptEncoding), "gzip;q=0") {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		c.Response().SetBodyRaw(d.gzip)
		return nil
	}
	c.Response().SetBodyRaw(d.body)
	return nil
}

func (d *document) matches(ifNoneMatch string) bool {
	for tag := range strings.SplitSeq(ifNoneMatch, ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" || tag != "" && strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(d.etag, "W/") {
			return true
		}
	}
	return false
}

// list handles GET /api, with ?category= for one category.
func (s *Server) list(c *fiber.Ctx) error {
	name := c.Query("category")
	if name == "" {
		return s.documents.list.send(c)
	}
	d := s.documents.byCategory[name]
	if d == nil {
		known := slices.Sorted(maps.Keys(s.documents.byCategory))
		f := newProblem(badRequest, "category: must be one of %s", strings.Join(known, ", "))
		f.fieldErrors = []schema.FieldError{{Path: "category", Detail: "must be one of " + strings.Join(known, ", ")}}
		return f
	}
	return d.send(c)
}

// metadata handles GET /api/{tool}.
func (s *Server) metadata(c *fiber.Ctx) error {
	tool, err := s.opt.Catalog.Find(c.Params("tool"))
	if err != nil {
		return err
	}
	return s.documents.byTool[tool.Name].send(c)
}

// docs handles GET /api/docs, the OpenAPI document.
func (s *Server) docs(c *fiber.Ctx) error { return s.documents.openAPI.send(c) }
