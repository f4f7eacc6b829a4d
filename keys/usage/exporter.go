package usage

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"slipstick/keys"
)

// ExporterOptions configures an Exporter. Counters and Keys are required.
type ExporterOptions struct {
	Counters Store
	Keys     keys.Store
	Every    time.Duration    // interval of flushes; default 1 s
	Log      *slog.Logger     // default slog.Default()
	Now      func() time.Time // default time.Now
}

// Time limits of a batch, of a flush, and of the final flush at shutdown.
const (
	batchTimeout     = 5 * time.Second
	flushTimeout     = 20 * time.Second
	lastFlushTimeout = 3 * time.Second
)

// Exporter moves usage records from a counter store to the key store.
//
// Each flush rotates the open records into a batch with a random id and adds the batch to the key
// store. The same transaction stores the id. The flush then acknowledges the batch. After an
// interruption, the next flush of any process continues; the key store adds each batch only once.
// While the key store is unavailable, records remain in the counter store.
type Exporter struct {
	opt     ExporterOptions
	seen    map[string]bool // batches of other processes at the last flush
	failing bool            // the last flush failed

	complete atomic.Int64 // start of the last flush without an error [Unix ns]
}

// NewExporter returns an Exporter that is not yet running.
func NewExporter(o ExporterOptions) *Exporter {
	o.Every = cmp.Or(o.Every, time.Second)
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	e := &Exporter{opt: o}
	e.complete.Store(o.Now().UnixNano())
	return e
}

func lagDesc() *prometheus.Desc {
	return prometheus.NewDesc("slipstick_metering_lag_seconds",
		"Every use older than this is in the store of keys.", nil, nil)
}

// Describe implements prometheus.Collector.
func (e *Exporter) Describe(to chan<- *prometheus.Desc) { to <- lagDesc() }

// Collect implements prometheus.Collector. The lag is the time since the start of the last flush
// that stored all records. It is about Every while all stores are available.
func (e *Exporter) Collect(to chan<- prometheus.Metric) {
	lag := e.opt.Now().Sub(time.Unix(0, e.complete.Load()))
	to <- prometheus.MustNewConstMetric(lagDesc(), prometheus.GaugeValue, max(0, lag.Seconds()))
}

// Run flushes until ctx ends, then flushes once more to leave no records behind at an orderly
// shutdown.
func (e *Exporter) Run(ctx context.Context) {
	tick := time.NewTicker(e.opt.Every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			e.flush(ctx, flushTimeout, false)
		case <-ctx.Done():
			e.flush(ctx, lastFlushTimeout, true)
			return
		}
	}
}

// flush moves the records, even after ctx has ended. Unless all is set, it leaves the batches of
// other processes to them until the next flush.
func (e *Exporter) flush(ctx context.Context, timeout time.Duration, all bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	began := e.opt.Now()
	err := e.move(ctx, all)
	if err == nil {
		e.complete.Store(began.UnixNano())
	}
	if err != nil && !e.failing {
		e.opt.Log.Error("usage cannot be stored; it is kept until it can", "error", err)
	}
	if err == nil && e.failing {
		e.opt.Log.Info("usage is stored again")
	}
	e.failing = err != nil
}

func (e *Exporter) move(ctx context.Context, all bool) error {
	own := NewID()
	if err := e.opt.Counters.Rotate(ctx, own); err != nil {
		return err
	}
	ids, err := e.opt.Counters.Batches(ctx)
	if err != nil {
		return err
	}
	slices.Sort(ids) // random order: no process is always last if a flush ends early
	before := e.seen
	e.seen = map[string]bool{}
	for _, id := range ids {
		if id != own && !all && !before[id] {
			e.seen[id] = true
			continue
		}
		if err := e.store(ctx, id); err != nil {
			e.seen[id] = true
			return err
		}
	}
	return nil
}

func (e *Exporter) store(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	records, err := e.opt.Counters.ReadBatch(ctx, id)
	if err != nil {
		return err
	}
	if len(records) > 0 { // otherwise another process has acknowledged the batch
		if _, err := e.opt.Keys.AddUsage(ctx, id, records); err != nil {
			return err
		}
	}
	return e.opt.Counters.Ack(ctx, id)
}
