package api

import (
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"
)

// maxCorrected is the maximum size in bytes of a corrected body in a problem.
const maxCorrected = 16 << 10

// withCorrected adds a corrected version of an invalid body to its problem. Values of the wrong
// type, such as the text "4.7k", become JSON numbers, which REST accepts.
func (s *Server) withCorrected(ctx *fasthttp.RequestCtx, p *problemError) *problemError {
	name, ok := strings.CutPrefix(string(ctx.Path()), string(apiPath)+"/")
	if p.name != invalidInput.name || !ok || !bytes.Equal(ctx.Method(), []byte("POST")) {
		return p
	}
	tool, err := s.opt.Catalog.Find(name)
	if err != nil {
		return p
	}
	i, ok := tool.Interpret(ctx.Request.Body())
	if !ok || len(i.Input) > maxCorrected {
		return p
	}
	with := *p
	with.corrected, with.changes = i.Input, i.Notes
	return &with
}
