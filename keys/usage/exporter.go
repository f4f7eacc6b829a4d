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

// ExporterOptions configure an Exporter. Counters and Keys are required.
type ExporterOptions struct {
	Counters Store
	Keys     keys.Store
	Every    time.Duration    // interval of flushes; 1 s
	Log      *slog.Logger     // slog.Default()
	Now      func() time.Time // time.Now
}

// Time limits of one batch, of a flush, and of the last flush at the end of the service.
const (
	batchTimeout     = 5 * time.Second
	flushTimeout     = 20 * time.Second
	lastFlushTimeout = 3 * time.Second
)

// Exporter moves usage records from a counter store to the key store.
//
// Each flush rotates the open records to a batch with a random id, adds the batch to the key store
// in one transaction that records the id, and acknowledges it. After an interruption the next
// flush, of this process or of another, continues: the key store adds each batch once. While the
// key store is unavailable, records remain in the counter store.
type Exporter struct {
	opt     ExporterOptions
	seen    map[string]bool // batches of other processes at the last flush
	failing bool            // the last flush failed

	complete atomic.Int64 // begin of the last flush without an error, Unix ns
}

// NewExporter returns an Exporter that does not run.
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

// Collect implements prometheus.Collector. The lag is the time since the begin of the last flush
// that stored all records: about Every while all stores are available.
func (e *Exporter) Collect(to chan<- prometheus.Metric) {
	lag := e.opt.Now().Sub(time.Unix(0, e.complete.Load()))
	to <- prometheus.MustNewConstMetric(lagDesc(), prometheus.GaugeValue, max(0, lag.Seconds()))
}

// Run flushes until ctx ends, and once more, so that an ordered end leaves no records behind.
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

// flush moves the records, also after the end of ctx. Batches of other processes are left to them
// until the next flush, unless all is set.
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
	slices.Sort(ids) // ids are random, so that no process's batches are always last
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
	if len(records) > 0 { // else another process acknowledged it
		if _, err := e.opt.Keys.AddUsage(ctx, id, records); err != nil {
			return err
		}
	}
	return e.opt.Counters.Ack(ctx, id)
}
