package mcp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"slipstick/internal/rawjson"
	"slipstick/result"
	"slipstick/tools"
	"slipstick/tools/docgen"
	"slipstick/tools/schema"
	"slipstick/worker"
)

// URIs of resources.
const (
	catalogURI  = "slipstick://catalog"
	toolScheme  = "slipstick://tools/"
	jobScheme   = "slipstick://jobs/"
	batchScheme = "slipstick://batches/"
)

// addResources registers the catalog, a page per tool, and the results of jobs and batches.
func (s *Server) addResources() {
	s.engine.AddResource(
		protocol.NewResource(
			catalogURI, "catalog", protocol.WithResourceTitle("Every tool"),
			protocol.WithMIMEType("application/json"),
			protocol.WithResourceDescription(
				"Name, title, category, summary, aliases and chain of every tool, in order",
			),
		),
		func(ctx context.Context,
			r protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
			all := []tools.Listing{}
			for _, e := range s.opt.Catalog.All() {
				all = append(all, e.Listing())
			}
			return jsonContents(r.Params.URI, all)
		})
	s.engine.AddResourceTemplates(
		server.ServerResourceTemplate{
			Template: protocol.NewResourceTemplate(
				toolScheme+"{name}", "tool", protocol.WithTemplateTitle("A tool's page"),
				protocol.WithTemplateMIMEType("text/markdown"),
				protocol.WithTemplateDescription(
					"Method, sources, limits, every field with unit and range, worked examples and chains of one tool",
				),
			),
			Handler: s.readPage,
		},
		server.ServerResourceTemplate{
			Template: protocol.NewResourceTemplate(jobScheme+"{id}{?vectors,from,to,points,whole}",
				"job", protocol.WithTemplateTitle("A job's result"),
				protocol.WithTemplateMIMEType("application/json"),
				protocol.WithTemplateDescription("The result of a call of spice_simulate or pcb_layout, at most 256 kB of it, or the state of the job. "+
					"vectors (names with commas between), from and to (in the unit of the sweep) and points select points of its vectors; whole=true reads all of it")),
			Handler: s.readJob,
		},
		server.ServerResourceTemplate{
			Template: protocol.NewResourceTemplate(
				jobScheme+"{id}/{+path}{?vectors,from,to,points,whole}", "job_part",
				protocol.WithTemplateTitle("A part of a job's result"),
				protocol.WithTemplateDescription("One member of the result by its path: nets, placements, drc, files/board.gtl, vectors/v(out), analyses/0; "+
					"plot.png, top.png and bottom.png are pictures. A part above 256 kB needs whole=true")),
			Handler: s.readJob,
		},
		server.ServerResourceTemplate{
			Template: protocol.NewResourceTemplate(batchScheme+"{id}", "batch",
				protocol.WithTemplateTitle("Rows of a batch"),
				protocol.WithTemplateMIMEType(csvMediaType),
				protocol.WithTemplateDescription("All rows of a batch: index, varied fields, "+
					"collected results, error")),
			Handler: s.readBatch,
		},
		// anyJob matches the URIs of both job templates with any order of parameters. hideAnyJob
		// removes it from listings.
		server.ServerResourceTemplate{
			Template: protocol.NewResourceTemplate(anyJob, "any_job"), Handler: s.readJob,
		})
}

// anyJob is a URI template that matches all jobs and their parts.
const anyJob = jobScheme + "{+part}"

// hideAnyJob removes the template anyJob from a list of templates.
func hideAnyJob(
	_ context.Context, _ any, _ *protocol.ListResourceTemplatesRequest,
	list *protocol.ListResourceTemplatesResult,
) {
	list.ResourceTemplates = slices.DeleteFunc(list.ResourceTemplates,
		func(t protocol.ResourceTemplate) bool { return t.URITemplate.Raw() == anyJob })
}

func jsonContents(uri string, v any) ([]protocol.ResourceContents, error) {
	body, err := rawjson.Marshal(v)
	return []protocol.ResourceContents{
		protocol.TextResourceContents{URI: uri, MIMEType: "application/json", Text: string(body)},
	}, err
}

// resourceNotFound returns an error and sets the error code for a nonexistent resource.
func resourceNotFound(ctx context.Context, message string) error {
	x := callFrom(ctx)
	x.rpcErr = &rpcError{Code: x.notFoundCode(), Message: message}
	return errors.New(message)
}

func (s *Server) readPage(
	ctx context.Context, r protocol.ReadResourceRequest,
) ([]protocol.ResourceContents, error) {
	name, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, toolScheme))
	if err != nil {
		return nil, resourceNotFound(ctx, "the address is not well formed")
	}
	entry, err := s.opt.Catalog.Find(name)
	if err != nil {
		return nil, resourceNotFound(ctx, err.Error())
	}
	return []protocol.ResourceContents{
		protocol.TextResourceContents{
			URI: r.Params.URI, MIMEType: "text/markdown", Text: docgen.Page(s.opt.Catalog, entry),
		},
	}, nil
}

// maxResourceBytes is the maximum size in bytes of the rows of a batch, and of a part that is read
// with whole=true. A response needs several copies of the resource.
const maxResourceBytes = 8_000_000

// jobState is the resource content of a job without a result.
type jobState struct {
	ID       string         `json:"id"`
	Tool     string         `json:"tool"`
	State    worker.State   `json:"state"`
	Progress tools.Progress `json:"progress"`
	Problem  string         `json:"problem,omitempty"`
}

// readJob reads the result of a job or a part of it. The id alone gives access, as in GET
// /api/jobs/{id}: it is a hash of the input and as hard to guess as the input.
func (s *Server) readJob(
	ctx context.Context, r protocol.ReadResourceRequest,
) ([]protocol.ResourceContents, error) {
	address, parameters, _ := strings.Cut(strings.TrimPrefix(r.Params.URI, jobScheme), "?")
	id, path, _ := strings.Cut(address, "/")
	if s.opt.Queue == nil || !isJobID(id) {
		return nil, resourceNotFound(ctx, worker.ErrJobNotFound.Error())
	}
	steps, query, err := result.ReadPart(path, parameters)
	if err != nil {
		return nil, invalidResource(ctx, err)
	}
	x := callFrom(ctx)
	account := ""
	if x.caller.QuotaKey != nil {
		account = x.caller.QuotaKey()
	}
	job, err := s.opt.Queue.Get(ctx, id, account)
	if err != nil {
		return nil, x.jobReadError(ctx, err, worker.ErrUnavailable)
	}
	if job.State != worker.Done {
		return jsonContents(r.Params.URI, stateOf(job))
	}
	raw, release, err := job.Outcome.Read(ctx, x.caller.Reader)
	defer release()
	if err != nil {
		return nil, x.jobReadError(ctx, err, err)
	}
	warnings, err := s.opt.Queue.Warnings(ctx, id, account)
	if err != nil {
		s.opt.Log.Warn("warnings on a request could not be read", "request_id",
			x.caller.RequestID, "job", id, "error", err)
	}
	var output *schema.Node
	title := job.Tool
	if e, err := s.opt.Catalog.FindQueued(job.Tool); err == nil {
		output, title = e.Output, e.Title
	}
	raw = tools.AppendWarnings(raw, warnings)
	if n := len(steps); n > 0 && result.IsPicture(steps[n-1]) {
		select {
		case s.drawing <- struct{}{}: // limits the number of pictures drawn concurrently
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		defer func() { <-s.drawing }()
		png, err := result.Picture(title, output, raw, steps, query)
		if err != nil {
			return nil, x.partError(err)
		}
		return []protocol.ResourceContents{protocol.BlobResourceContents{
			URI: r.Params.URI, MIMEType: pngMediaType, Blob: base64.StdEncoding.EncodeToString(png),
		}}, nil
	}
	part, err := result.Select(output, raw, steps, query, jobScheme+id)
	if err != nil {
		return nil, x.partError(err)
	}
	if len(part) > maxResourceBytes {
		return nil, invalidResource(ctx, fmt.Errorf(
			"this has %.1f MB, and a resource may have %.0f MB: read a part of it, or GET /api/jobs/%s",
			float64(len(part))/1e6, float64(maxResourceBytes)/1e6, id))
	}
	return partContents(r.Params.URI, part), nil
}

// jobReadError returns an error of reading a job and sets the protocol error. shown is the text for
// the client if the job may exist.
func (x *Call) jobReadError(ctx context.Context, err, shown error) error {
	if errors.Is(err, worker.ErrJobNotFound) {
		return resourceNotFound(ctx, err.Error())
	}
	x.rpcErr = &rpcError{
		Code: protocol.INTERNAL_ERROR, Message: shown.Error() + "; try again in a few seconds",
	}
	return err
}

// partContents returns a part of a result as text if it is a string, and as JSON otherwise.
func partContents(uri string, part []byte) []protocol.ResourceContents {
	contents := protocol.TextResourceContents{
		URI: uri, MIMEType: "application/json", Text: string(part),
	}
	if part[0] == '"' {
		contents.MIMEType, contents.Text = "text/plain", rawjson.Unquote(part)
	}
	return []protocol.ResourceContents{contents}
}

// Media types of pictures and batch rows.
const (
	pngMediaType = "image/png"
	csvMediaType = "text/csv"
)

// isJobID reports whether a text is a valid id of a job or batch.
func isJobID(id string) bool { return len(id) == 32 && strings.Trim(id, "0123456789abcdef") == "" }

// stateOf returns the resource content of a job without a result.
func stateOf(job worker.Job) jobState {
	state := jobState{ID: job.ID, Tool: job.Tool, State: job.State, Progress: job.Progress}
	switch {
	case job.State == worker.Rejected:
		state.Problem = (&tools.InputError{Fields: job.Outcome.FieldErrors}).Error()
	case job.State.Finished():
		state.Problem = jobErrorText(job)
	}
	return state
}

// partError sets the protocol error for an error of package result. It returns err.
func (x *Call) partError(err error) error {
	x.rpcErr = &rpcError{Code: protocol.INVALID_PARAMS, Message: err.Error()}
	if errors.Is(err, result.ErrNoPart) {
		x.rpcErr.Code = x.notFoundCode()
	}
	return err
}

// invalidResource returns an error and sets the error code for invalid parameters.
func invalidResource(ctx context.Context, err error) error {
	callFrom(ctx).rpcErr = &rpcError{Code: protocol.INVALID_PARAMS, Message: err.Error()}
	return err
}

// nameCompleter completes the tool name in the URI of a page.
type nameCompleter struct{ catalog *tools.Catalog }

// maxCompletions is the maximum number of completions that the protocol allows.
const maxCompletions = 100

// CompleteResourceArgument returns the tools whose name begins with the typed text, followed by the
// tools whose name contains it, at most maxCompletions.
func (n nameCompleter) CompleteResourceArgument(
	_ context.Context, uri string, argument protocol.CompleteArgument, _ protocol.CompleteContext,
) (*protocol.Completion, error) {
	begins, contains := []string{}, []string{}
	if uri == toolScheme+"{name}" && argument.Name == "name" {
		typed := strings.ToLower(argument.Value)
		for _, e := range n.catalog.All() {
			switch {
			case strings.HasPrefix(e.Name, typed):
				begins = append(begins, e.Name)
			case strings.Contains(e.Name, typed):
				contains = append(contains, e.Name)
			}
		}
	}
	all := append(begins, contains...)
	return &protocol.Completion{
		Values: all[:min(len(all), maxCompletions)], Total: len(all),
		HasMore: len(all) > maxCompletions,
	}, nil
}
