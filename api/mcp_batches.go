package api

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/keys"
	"slipstick/mcp"
)

// agentBatches gives access to the batches of the sender of a message. It implements mcp.Batches.
type agentBatches struct {
	server  *Server
	request *fiber.Ctx
	apiKey  string
	caller  keys.Caller
	owner   string // "" until identify has run
}

// agentBatches returns the batches of the sender of a message, or nil if batches are not supported.
func (s *Server) agentBatches(c *fiber.Ctx, apiKey string) mcp.Batches {
	if s.opt.Batches == nil {
		return nil
	}
	return &agentBatches{server: s, request: c, apiKey: apiKey,
		caller: s.caller(c, apiKey).Caller}
}

// Plan implements mcp.Batches.
func (b *agentBatches) Plan(body []byte) (*batch.Plan, error) {
	return b.server.opt.Batches.Plan(body)
}

// Create implements mcp.Batches. It sets headers and must be called before the response begins.
func (b *agentBatches) Create(ctx context.Context, p *batch.Plan,
	body []byte) (*service.Batch, error) {
	var created *service.Batch
	err := b.server.checkQueuedRate(b.request, b.apiKey)
	if err == nil {
		var allowance keys.Allowance
		created, allowance, err = b.server.opt.Batches.Create(ctx, b.caller, p, body)
		b.server.setAllowanceHeaders(b.request.Context(), dailyPolicy, allowance)
	}
	var limit *keys.LimitError
	if errors.As(err, &limit) { // the response is a result, not a problem
		b.server.metrics.countRejection(err)
		b.server.setRateLimitHeaders(b.request.Context(), limit)
	}
	return created, err
}

// Get implements mcp.Batches.
func (b *agentBatches) Get(ctx context.Context, id string) (*service.Batch, error) {
	if err := b.identify(ctx); err != nil {
		return nil, err
	}
	return b.server.opt.Batches.Get(ctx, id, b.owner)
}

// Cancel implements mcp.Batches.
func (b *agentBatches) Cancel(ctx context.Context, id string) (*service.Batch, error) {
	if err := b.identify(ctx); err != nil {
		return nil, err
	}
	return b.server.opt.Batches.Cancel(ctx, id, b.owner)
}

// Rows implements mcp.Batches.
func (b *agentBatches) Rows(ctx context.Context, id string,
	from, limit int) (*service.Page, error) {
	if err := b.identify(ctx); err != nil {
		return nil, err
	}
	return b.server.opt.Batches.Rows(ctx, id, b.owner, from, limit, false)
}

// identify finds the quota key whose batches the sender may read.
func (b *agentBatches) identify(ctx context.Context) error {
	if b.owner != "" {
		return nil
	}
	pass, err := b.server.opt.Quota.Reserve(ctx, b.caller, 0)
	if err == nil {
		b.owner = pass.QuotaKey
	}
	return err
}
