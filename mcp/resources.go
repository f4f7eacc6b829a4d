package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"slipstick/tools"
	"slipstick/tools/docgen"
	"slipstick/worker"
)

// URIs of resources.
const (
	catalogURI = "slipstick://catalog"
	toolScheme = "slipstick://tools/"
	jobScheme  = "slipstick://jobs/"
)

// addResources registers the catalog, a page per tool, and the results of jobs.
func (s *Server) addResources() {
	s.engine.AddResource(
		protocol.NewResource(catalogURI, "catalog", protocol.WithResourceTitle("Every tool"), protocol.WithMIMEType("application/json"),
			protocol.WithResourceDescription("Name, title, category, summary, aliases and chain of every tool, in order")),
		func(ctx context.Context, r protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
			all := []tools.Listing{}
			for _, e := range s.opt.Catalog.All() {
				all = append(all, e.Listing())
			}
			return jsonContents(r.Params.URI, all)
		})
	s.engine.AddResourceTemplates(
		server.ServerResourceTemplate{
			Template: protocol.NewResourceTemplate(toolScheme+"{name}", "tool", protocol.WithTemplateTitle("A tool's page"), protocol.WithTemplateMIMEType("text/markdown"),
				protocol.WithTemplateDescription("Method, sources, limits, every field with unit and range, worked examples and chains of one tool")),
			Handler: s.readPage,
		},
		server.ServerResourceTemplate{
			Template: protocol.NewResourceTemplate(jobScheme+"{id}", "job", protocol.WithTemplateTitle("A job's result"), protocol.WithTemplateMIMEType("application/json"),
				protocol.WithTemplateDescription("The whole result of a call of spice_simulate or pcb_layout, or where the job stands")),
			Handler: s.readJob,
		},
		server.ServerResourceTemplate{
			Template: protocol.NewResourceTemplate(jobScheme+"{id}/{+path}", "job_part", protocol.WithTemplateTitle("A part of a job's result"),
				protocol.WithTemplateDescription("One member of the result by its path: files/board.gtl, vectors/v(out), tracks/0")),
			Handler: s.readJob,
		})
}

func jsonContents(uri string, v any) ([]protocol.ResourceContents, error) {
	body, err := marshal(v)
	return []protocol.ResourceContents{protocol.TextResourceContents{URI: uri, MIMEType: "application/json", Text: string(body)}}, err
}

// resourceNotFound returns an error with the code for a resource that does not exist.
func resourceNotFound(ctx context.Context, message string) error {
	callFrom(ctx).rpcErr = &rpcError{codeNotFound, message}
	return errors.New(message)
}

func (s *Server) readPage(ctx context.Context, r protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
	name, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, toolScheme))
	if err != nil {
		return nil, resourceNotFound(ctx, "the address is not well formed")
	}
	entry, err := s.opt.Catalog.Find(name)
	if err != nil {
		return nil, resourceNotFound(ctx, err.Error())
	}
	return []protocol.ResourceContents{protocol.TextResourceContents{URI: r.Params.URI, MIMEType: "text/markdown", Text: docgen.Page(s.opt.Catalog, entry)}}, nil
}

// maxResourceBytes is the largest resource that is read as a whole. A response needs several copies
// of it.
const maxResourceBytes = 8_000_000

// jobState is the content of a job resource without a result.
type jobState struct {
	ID       string         `json:"id"`
	Tool     string         `json:"tool"`
	State    worker.State   `json:"state"`
	Progress tools.Progress `json:"progress"`
	Problem  string         `json:"problem,omitempty"`
}

// readJob reads the result of a job or a part of it. The id alone gives access, as in GET
// /api/jobs/{id}: it is a hash of the input and as unguessable as the input.
func (s *Server) readJob(ctx context.Context, r protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
	id, path, _ := strings.Cut(strings.TrimPrefix(r.Params.URI, jobScheme), "/")
	if s.opt.Queue == nil || len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		return nil, resourceNotFound(ctx, worker.ErrJobNotFound.Error())
	}
	account := ""
	if f := callFrom(ctx).caller.QuotaKey; f != nil {
		account = f()
	}
	job, err := s.opt.Queue.Get(ctx, id, account)
	if errors.Is(err, worker.ErrJobNotFound) {
		return nil, resourceNotFound(ctx, err.Error())
	}
	if err != nil {
		callFrom(ctx).rpcErr = &rpcError{protocol.INTERNAL_ERROR, worker.ErrUnavailable.Error() + "; try again in a few seconds"}
		return nil, err
	}
	if job.State != worker.Done {
		state := jobState{ID: job.ID, Tool: job.Tool, State: job.State, Progress: job.Progress}
		switch {
		case job.State == worker.Rejected:
			state.Problem = (&tools.InputError{Fields: job.Outcome.FieldErrors}).Error()
		case job.State.Finished():
			state.Problem = jobErrorText(job)
		}
		return jsonContents(r.Params.URI, state)
	}
	raw, release, err := job.Outcome.Read(ctx, callFrom(ctx).caller.Reader)
	defer release()
	if errors.Is(err, worker.ErrJobNotFound) {
		return nil, resourceNotFound(ctx, err.Error())
	}
	if err != nil {
		callFrom(ctx).rpcErr = &rpcError{protocol.INTERNAL_ERROR, err.Error() + "; try again in a few seconds"}
		return nil, err
	}
	warnings, err := s.opt.Queue.Warnings(ctx, id, account)
	if err != nil {
		s.opt.Log.Warn("warnings on a request could not be read", "request_id", callFrom(ctx).caller.RequestID, "job", id, "error", err)
	}
	raw = tools.AppendWarnings(raw, warnings)
	for path != "" {
		var step string
		step, path, _ = strings.Cut(path, "/")
		if step, err = url.PathUnescape(step); err == nil {
			raw = selectPart(raw, step)
		}
		if err != nil || raw == nil {
			return nil, resourceNotFound(ctx, "the result has no part of that name: "+truncate(step, 64))
		}
	}
	if len(raw) > maxResourceBytes {
		return nil, resourceNotFound(ctx, fmt.Sprintf("this has %.1f MB, and a resource may have %.0f MB: read a part of it, such as a member by its path, or GET /api/jobs/%s",
			float64(len(raw))/1e6, float64(maxResourceBytes)/1e6, id))
	}
	contents := protocol.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json", Text: string(raw)}
	if raw[0] == '"' {
		contents.MIMEType, contents.Text = "text/plain", unquoted(raw)
	}
	return []protocol.ResourceContents{contents}, nil
}

// selectPart returns a member of an object or an entry of a list, or nil.
func selectPart(raw json.RawMessage, step string) (found json.RawMessage) {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '{':
		members(raw, func(name, value []byte) {
			if string(name) == step {
				found = value
			}
		})
	case '[':
		if i, err := strconv.Atoi(step); err == nil && i >= 0 {
			if items := elements(raw); i < len(items) {
				found = items[i]
			}
		}
	}
	return found
}

// nameCompleter completes the name in the address of a page.
type nameCompleter struct{ catalog *tools.Catalog }

// maxCompletions is the limit of the protocol.
const maxCompletions = 100

// CompleteResourceArgument returns the tools whose name begins with, or contains, the
// typed text, in this order.
func (n nameCompleter) CompleteResourceArgument(_ context.Context, uri string, argument protocol.CompleteArgument, _ protocol.CompleteContext) (*protocol.Completion, error) {
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
	return &protocol.Completion{Values: all[:min(len(all), maxCompletions)], Total: len(all), HasMore: len(all) > maxCompletions}, nil
}
