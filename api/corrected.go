package api

import (
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"
)

// maxCorrected is the largest corrected body, in bytes, that a problem repeats.
const maxCorrected = 16 << 10

// withCorrected adds, to the failure of a computation with an invalid body, the body as it was
// probably meant: its fields are JSON numbers, so a text such as "4.7k" is not read, but shown as
// the number that it stands for.
func (s *Server) withCorrected(ctx *fasthttp.RequestCtx, f *problemError) *problemError {
	name, ok := strings.CutPrefix(string(ctx.Path()), string(apiPath)+"/")
	if f.name != invalidInput.name || !ok || !bytes.Equal(ctx.Method(), []byte("POST")) {
		return f
	}
	tool, err := s.opt.Catalog.Find(name)
	if err != nil {
		return f
	}
	i, ok := tool.Interpret(ctx.Request.Body())
	if !ok || len(i.Input) > maxCorrected {
		return f
	}
	with := *f
	with.corrected = i.Input
	return &with
}
