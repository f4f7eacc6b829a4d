// Package meter moves what keys used from a ledger's Book to the Store of the keys.
//
// Every second the open uses are sealed under an id that nobody else has, added to the Store in
// one transaction that remembers the id, and dropped from the Book. Whatever stops in between,
// the next round, of this process or of another, does the rest: a batch that is in the Store
// already is not added again. While the Store cannot be reached, uses stay in the Book.
package meter

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"slipstick/keys"
	"slipstick/keys/usage"
)

// Options set up a Mover. Book and Store are needed.
type Options struct {
	Book  usage.Store
	Store keys.Store
	Every time.Duration    // between two rounds; 1 s
	Log   *slog.Logger     // slog.Default()
	Now   func() time.Time // time.Now
}

// Timing: how long one batch may take, and all of them when the service ends.
const (
	batchTimeout = 5 * time.Second
	roundTimeout = 20 * time.Second
	lastRound    = 3 * time.Second
)

// Exporter moves usage.
type Exporter struct {
	opt  Options
	seen map[string]bool // batches of others that were there a round ago
	lame bool            // the last round failed

	complete atomic.Int64 // when the last round began that left nothing behind, Unix ns
}

// New makes a Mover.
func New(o Options) *Exporter {
	if o.Every == 0 {
		o.Every = time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Exporter{opt: o}
	m.complete.Store(o.Now().UnixNano())
	return m
}

var lag = prometheus.NewDesc("slipstick_metering_lag_seconds", "Every use older than this is in the store of keys.", nil, nil)

// Describe implements prometheus.Collector.
func (m *Exporter) Describe(to chan<- *prometheus.Desc) { to <- lag }

// Collect implements prometheus.Collector. The lag is the time since the last round began that
// stored all it found: about the time between two rounds while all is well.
func (m *Exporter) Collect(to chan<- prometheus.Metric) {
	behind := m.opt.Now().Sub(time.Unix(0, m.complete.Load()))
	to <- prometheus.MustNewConstMetric(lag, prometheus.GaugeValue, max(0, behind.Seconds()))
}

// Run moves usage until ctx ends, and then once more, so that a service that ends in order leaves
// nothing behind.
func (m *Exporter) Run(ctx context.Context) {
	tick := time.NewTicker(m.opt.Every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			m.flush(ctx, roundTimeout, false)
		case <-ctx.Done():
			m.flush(ctx, lastRound, true)
			return
		}
	}
}

// flush seals and moves, and is not broken off when the service is asked to end. Batches that
// somebody else sealed are left to them for a round, unless all are to be moved.
func (m *Exporter) flush(ctx context.Context, limit time.Duration, all bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	began := m.opt.Now()
	err := m.move(ctx, all)
	if err == nil {
		m.complete.Store(began.UnixNano())
	}
	if err != nil && !m.lame {
		m.opt.Log.Error("usage waits to be stored", "error", err)
	}
	if err == nil && m.lame {
		m.opt.Log.Info("usage is stored again")
	}
	m.lame = err != nil
}

func (m *Exporter) move(ctx context.Context, all bool) error {
	own := usage.NewID()
	if err := m.opt.Book.Rotate(ctx, own); err != nil {
		return err
	}
	ids, err := m.opt.Book.Batches(ctx)
	if err != nil {
		return err
	}
	slices.Sort(ids) // random ids: no process's batches are always the last
	before := m.seen
	m.seen = map[string]bool{}
	for _, id := range ids {
		if id != own && !all && !before[id] {
			m.seen[id] = true
			continue
		}
		if err := m.store(ctx, id); err != nil {
			m.seen[id] = true
			return err
		}
	}
	return nil
}

func (m *Exporter) store(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	uses, err := m.opt.Book.ReadBatch(ctx, id)
	if err != nil {
		return err
	}
	if len(uses) > 0 { // else somebody dropped it just now
		if _, err := m.opt.Store.AddUsage(ctx, id, uses); err != nil {
			return err
		}
	}
	return m.opt.Book.Ack(ctx, id)
}
