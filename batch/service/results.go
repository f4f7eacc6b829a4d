package service

import (
	"context"
	"encoding/json"

	"slipstick/batch"
	"slipstick/tools"
)

// Page contains rows of a batch.
type Page struct {
	Plan *batch.Plan
	Rows batch.Rows
	// Total is the number of runs of the batch.
	Total int
}

// Rows returns at most the given number of rows of a batch, in order, starting at index from. Rows
// stops at the first missing row unless partial is set. A page contains at most about 8 MiB, but
// always one row if there is one.
func (s *Service) Rows(ctx context.Context, id, owner string, from, limit int,
	partial bool) (*Page, error) {
	r, err := s.owned(ctx, id, owner)
	if err != nil {
		return nil, err
	}
	p, err := s.plan(r.Request)
	if err != nil {
		return nil, err
	}
	page := &Page{Plan: p, Rows: batch.Rows{From: from}, Total: s.view(r).RunsTotal}
	return page, s.read(ctx, id, page, limit, pageBytes, partial)
}

// read adds rows to a page until it has limit rows. It stops after the row that reaches maxBytes.
func (s *Service) read(ctx context.Context, id string, page *Page, limit, maxBytes int,
	partial bool) error {
	segments, err := s.store.segments(ctx, id)
	if err != nil {
		return err
	}
	from, next, size := page.Rows.From, 0, 0
	for _, g := range segments {
		if g.from > next && !partial || len(page.Rows.Runs) >= limit || size >= maxBytes {
			break
		}
		if next = g.from + g.count; next <= from {
			continue
		}
		runs, err := s.store.rows(ctx, id, g)
		if err != nil {
			return err
		}
		for i := max(0, from-g.from); i < len(runs) && len(page.Rows.Runs) < limit &&
			size < maxBytes; i++ {
			page.Rows.Runs = append(page.Rows.Runs, runs[i])
			page.Rows.Indexes = append(page.Rows.Indexes, g.from+i)
			size += runs[i].Size()
		}
	}
	return nil
}

// RunInput returns the tool of a batch and the input of one of its runs. It returns ErrNotFound, or
// ErrNoRun if the batch has no such run or a search has not reached it.
func (s *Service) RunInput(ctx context.Context, id, owner string,
	index int) (*tools.Tool, json.RawMessage, error) {
	r, err := s.owned(ctx, id, owner)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.plan(r.Request)
	if err != nil {
		return nil, nil, err
	}
	if !p.Searches() {
		if index < 0 || index >= p.Runs() {
			return nil, nil, ErrNoRun
		}
		return p.Tool, p.Input(index), nil
	}
	page, err := s.Rows(ctx, id, owner, index, 1, true)
	if err != nil {
		return nil, nil, err
	}
	if len(page.Rows.Runs) == 0 || page.Rows.Indexes[0] != index {
		return nil, nil, ErrNoRun
	}
	return p.Tool, p.InputAt(page.Rows.Runs[0].Values), nil
}
