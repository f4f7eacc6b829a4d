package service

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"slipstick/batch"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// Plan validates a new request. It returns *tools.InputError or *tools.NotFoundError.
func (s *Service) Plan(body []byte) (*batch.Plan, error) {
	p, err := s.plan(body)
	if err != nil {
		return nil, err
	}
	most := s.opt.MaxRuns
	if p.Tool.Heavy != nil {
		most = s.opt.MaxQueuedRuns
	}
	if err := checkSize(p); err != nil {
		return nil, err
	}
	if err := p.Limit(most); err != nil {
		return nil, err
	}
	if err := s.checkBytes(p, body); err != nil {
		return nil, err
	}
	return p, p.Validate()
}

// plan parses the request of an accepted batch. It ignores the present limits.
func (s *Service) plan(body []byte) (*batch.Plan, error) {
	r, err := batch.Parse(body)
	if err != nil {
		return nil, err
	}
	return batch.NewPlan(s.opt.Catalog, r)
}

// checkBytes rejects a plan whose rows would not fit even if its caller had no other batch.
func (s *Service) checkBytes(p *batch.Plan, body []byte) error {
	need, most := p.RowBytes()+recordBytes+int64(len(body)), s.store.batchBytes()
	if need <= most {
		return nil
	}
	return tools.Invalid("collect", "the rows need %s, more than the %s that one batch may store; "+
		"collect fewer results or make fewer runs", mebibytes(need), mebibytes(most))
}

// checkSize rejects a plan that raises the size limit of its tool. Only the default limit is
// available to batches.
func checkSize(p *batch.Plan) error {
	limit := p.Tool.SizeLimit
	if limit == nil {
		return nil
	}
	for i, v := range p.Request.Vary {
		if v.Field == "/"+limit.Input {
			return tools.Invalid(fmt.Sprintf("vary[%d].field", i), "%s cannot vary", limit.Input)
		}
	}
	_, err := p.Tool.WithSizeLimit(p.Request.Input, limit.Default)
	for _, input := range p.Request.Inputs {
		if err == nil {
			_, err = p.Tool.WithSizeLimit(input, limit.Default)
		}
	}
	return err
}

// Create creates a batch from a plan and debits its runs. body is the request of the plan. The
// allowance is zero unless the debit was made or rejected. Create returns *keys.InvalidKeyError,
// *keys.LimitError, keys.ErrUnavailable, *worker.BusyError or worker.ErrUnavailable.
func (s *Service) Create(ctx context.Context, caller keys.Caller, p *batch.Plan,
	body []byte) (*Batch, keys.Allowance, error) {
	reservation := &keys.Reservation{}
	if s.opt.Quota != nil {
		var err error
		if reservation, err = s.opt.Quota.Prepare(ctx, caller, p.Runs()); err != nil {
			return nil, keys.Allowance{}, err
		}
	}
	b, err := s.CreateReserved(ctx, reservation, p, body)
	var limit *keys.LimitError
	if err != nil && !errors.As(err, &limit) { // the remaining calls are unknown
		return nil, keys.Allowance{}, err
	}
	if limit != nil && p.Searches() && reservation.Allowance.Remaining > 0 {
		lower := *limit
		lower.Reason += fmt.Sprintf("; a search needs its maximum number of runs, %d, of which "+
			"it refunds the unused ones: lower n", p.Runs())
		err = &lower
	}
	return b, reservation.Allowance, err
}

// CreateReserved is like Create for runs that are already reserved. The debit of the reservation
// must not have been made.
func (s *Service) CreateReserved(ctx context.Context, reservation *keys.Reservation, p *batch.Plan,
	body []byte) (*Batch, error) {
	r := &record{
		ID: newID(), Owner: reservation.QuotaKey, Request: body, Tool: p.Tool.Name,
		Version: p.Tool.Version, Mode: p.Request.Mode, State: Queued, Total: p.Runs(),
		Warnings: p.Warnings(), Debit: reservation.Debit, Group: reservation.Group,
		RowBytes: p.RowBytes(),
	}
	if p.Request.Label != nil {
		r.Label = *p.Request.Label
	}
	most := s.opt.MaxUnfinishedFree
	if reservation.Tier.Paid() || s.opt.Quota == nil {
		most = s.opt.MaxUnfinished
	}
	if r.Debit.Counter != "" {
		r.State = pending
	}
	if err := s.store.create(ctx, r, most); err != nil {
		s.cancelUnknown(r.ID, err)
		return nil, err
	}
	if r.State == pending {
		if err := s.debitAndAccept(ctx, r.ID, reservation); err != nil {
			return nil, err
		}
		r.State = Queued
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	stored, err := s.store.get(ctx, r.ID)
	if err != nil { // the batch is accepted; after an error the client would send it again
		r.Created = s.opt.Now()
		stored = r
	}
	return s.view(stored), nil
}

// newID returns 128 random bits in hexadecimal.
func newID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails: the runtime crashes the program instead
	return hex.EncodeToString(id[:])
}

// debitAndAccept debits the calls of a pending batch and accepts it. If it is unknown after an
// error whether the debit was made, a later pass rejects the batch.
func (s *Service) debitAndAccept(ctx context.Context, id string, r *keys.Reservation) error {
	after := context.WithoutCancel(ctx)
	err := s.opt.Quota.Debit(ctx, id, r)
	var limit *keys.LimitError
	if errors.As(err, &limit) {
		if e := s.store.delete(after, id); e != nil {
			s.opt.Log.Warn("a batch over its caller's limit is not deleted yet", "error", e)
		}
	}
	if err != nil {
		return err
	}
	var busy *worker.BusyError
	switch err = s.store.accept(after, id); {
	case errors.Is(err, errLost): // rejected because the debit took longer than pendingTime
		return fmt.Errorf("%w: the debit took too long", worker.ErrUnavailable)
	case errors.As(err, &busy):
		if e := s.void(after, id); e != nil {
			s.opt.Log.Warn("the calls of a rejected batch are not refunded yet", "error", e)
		}
	}
	s.cancelUnknown(id, err)
	return err
}

// void refunds the calls of a batch that was not accepted, and deletes the batch.
func (s *Service) void(ctx context.Context, id string) error {
	r, err := s.store.stored(ctx, id)
	if errors.Is(err, ErrNotFound) { // another process has already deleted it
		return nil
	}
	if err != nil {
		return err
	}
	if s.opt.Quota != nil {
		if err := s.opt.Quota.Void(ctx, id, r.Debit); err != nil {
			return err
		}
	}
	return s.store.delete(ctx, id)
}

// voidPending rejects the batches of all processes that have been pending for pendingTime, and
// refunds their calls.
func (s *Service) voidPending(ctx context.Context) {
	ids, err := s.store.reject(ctx, pendingTime)
	for _, id := range ids {
		if e := s.void(ctx, id); e != nil {
			err = e
		}
	}
	if err != nil && ctx.Err() == nil {
		s.opt.Log.Warn("the calls of rejected batches are not refunded yet", "error", err)
	}
}

// cancelUnknown records a batch for a later cancellation if Redis was unavailable, because Redis
// may have accepted it.
func (s *Service) cancelUnknown(id string, err error) {
	if !errors.Is(err, worker.ErrUnavailable) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unknown) < maxUnknown {
		s.unknown = append(s.unknown, id)
		return
	}
	s.opt.Log.Error("too many batches wait for Redis: one may run although its caller got an error",
		"batch", id)
}

// cancelAllUnknown cancels the batches whose callers received an error. A batch that cannot be
// cancelled remains for the next call.
func (s *Service) cancelAllUnknown(ctx context.Context) {
	s.mu.Lock()
	ids := s.unknown
	s.unknown = nil
	s.mu.Unlock()
	for _, id := range ids {
		err := s.store.end(ctx, id, "", Cancelled, "", anyRows)
		if errors.Is(err, errLost) { // the batch was not accepted or has ended
			err = nil
		}
		s.cancelUnknown(id, err)
	}
}

// finalizeCalls refunds the calls of runs that did not take place and records the others.
func (s *Service) finalizeCalls(ctx context.Context, r *record) error {
	if s.opt.Quota == nil {
		return nil
	}
	return s.opt.Quota.Finalize(ctx, r.ID, r.Debit, keys.DebitUsage{
		Tool: r.Tool, Computed: r.Done - r.Failed, Invalid: r.Failed - r.Uncharged,
		Compute: r.Compute,
	})
}
