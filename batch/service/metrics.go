package service

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// readTimeout limits the time of the commands of a scrape.
const readTimeout = 2 * time.Second

// metrics holds the metrics of a Service. The zero value records nothing.
type metrics struct {
	rows, chunks, ended *prometheus.CounterVec
}

func newMetrics(s *Service, to prometheus.Registerer) (m metrics, err error) {
	if to == nil {
		return m, nil
	}
	m.rows = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_batch_rows_total",
		Help: "Rows of batches that this process stored: ok, failed.",
	}, []string{"result"})
	m.chunks = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_batch_chunks_total",
		Help: "Chunks of batches by end: done, early (yielded to other jobs), crashed.",
	}, []string{"end"})
	m.ended = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_batches_ended_total", Help: "Batches that this process finalized.",
	}, []string{"state"})
	// A series that begins above 0 hides its first events from rate() and increase() of the alerts.
	m.rows.WithLabelValues("ok")
	m.rows.WithLabelValues("failed")
	for _, end := range []string{"done", "early", "crashed"} {
		m.chunks.WithLabelValues(end)
	}
	for _, state := range []State{Done, Cancelled, Failed} {
		m.ended.WithLabelValues(string(state))
	}
	for _, c := range []prometheus.Collector{m.rows, m.chunks, m.ended, &collector{s}} {
		err = errors.Join(err, to.Register(c))
	}
	return m, err
}

// committed records a chunk whose rows have been stored.
func (m metrics) committed(e chunkResult) {
	if m.rows == nil {
		return
	}
	failed := failedRuns(e.runs)
	m.rows.WithLabelValues("ok").Add(float64(len(e.runs) - failed))
	m.rows.WithLabelValues("failed").Add(float64(failed))
	end := "done"
	switch {
	case e.crashed != "":
		end = "crashed"
	case e.early:
		end = "early"
	}
	m.chunks.WithLabelValues(end).Inc()
}

// finalized records the end of a batch.
func (m metrics) finalized(state State) {
	if m.ended != nil {
		m.ended.WithLabelValues(string(state)).Inc()
	}
}

// collector reads the unfinished batches from Redis at each scrape. One process per deployment is
// sufficient because all processes report the same values.
type collector struct{ service *Service }

// batchDescs returns the descriptors of number, age, bytes and budget in Redis, and of bytes and
// budget in the database, in this order.
func batchDescs() [6]*prometheus.Desc {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return [6]*prometheus.Desc{
		desc("slipstick_batches", "Unfinished batches: queued, running, ending.", "state"),
		desc("slipstick_batch_age_seconds", "Age of the oldest unfinished batch."),
		desc("slipstick_batch_bytes", "Bytes of batches in Redis, decoded or reserved."),
		desc("slipstick_batch_budget_bytes", "Most bytes that stored batches may have in Redis."),
		desc("slipstick_batch_database_bytes", "Bytes of rows of batches in Postgres, decoded."),
		desc("slipstick_batch_database_budget_bytes",
			"Most bytes that rows of batches may have in Postgres."),
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range batchDescs() {
		ch <- d
	}
}

// Collect implements prometheus.Collector. If Redis is unavailable, it sends an invalid metric.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	s, d := c.service, batchDescs()
	ids, err := s.store.unfinished(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(d[0], err)
		return
	}
	states, oldest := map[string]int{string(Queued): 0, string(Running): 0, "ending": 0},
		time.Time{}
	for _, id := range ids {
		r, err := s.store.progress(ctx, id)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			ch <- prometheus.NewInvalidMetric(d[0], err)
			return
		}
		state := string(r.State)
		if r.State.Finished() {
			state = "ending"
		}
		states[state]++
		if oldest.IsZero() || r.Created.Before(oldest) {
			oldest = r.Created
		}
	}
	for state, n := range states {
		ch <- prometheus.MustNewConstMetric(d[0], prometheus.GaugeValue, float64(n), state)
	}
	age := time.Duration(0)
	if !oldest.IsZero() {
		age = max(0, s.opt.Now().Sub(oldest))
	}
	ch <- prometheus.MustNewConstMetric(d[1], prometheus.GaugeValue, age.Seconds())
	for i, place := range []string{"", databasePlace} {
		if n, err := s.store.bytes(ctx, place); err == nil {
			ch <- prometheus.MustNewConstMetric(d[2+2*i], prometheus.GaugeValue, float64(n))
		}
	}
	for i, place := range s.store.stores() {
		ch <- prometheus.MustNewConstMetric(d[3+2*i], prometheus.GaugeValue,
			float64(place.budget().total))
	}
}
