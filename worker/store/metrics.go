package store

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics holds the metrics of a Store. The zero value records nothing.
type metrics struct {
	evictions  *prometheus.CounterVec
	writable   prometheus.Gauge
	failures   prometheus.Counter
	readLimits *prometheus.CounterVec
}

func newMetrics(to prometheus.Registerer, reads *ReadLimiter) (m metrics, err error) {
	if to == nil {
		return m, nil
	}
	m.evictions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_result_evictions_total",
		Help: "Results evicted before their expiry: total (the budget), caller (the budget of their " +
			"caller), delivered (too large for their caller, after delivery), memory (Redis refused a write).",
	}, []string{"reason"})
	for _, reason := range []DropReason{DroppedForRoom, DroppedForCaller, DroppedRead,
		DroppedForMemory} {
		// Otherwise rate() would miss the first evictions of a process.
		m.evictions.WithLabelValues(string(reason))
	}
	m.writable = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "slipstick_redis_writable",
		Help: "Whether the last test write to Redis succeeded: 1, else 0.",
	})
	m.failures = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "slipstick_redis_write_failures_total",
		Help: "Test writes that Redis refused or did not answer.",
	})
	// Client and Server in one process share these metrics.
	err = errors.Join(reuse(to, &m.evictions), reuse(to, &m.writable), reuse(to, &m.failures))
	if reads == nil || err != nil {
		return m, err
	}
	m.readLimits = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_result_read_refusals_total",
		Help: "Reads of large results rejected because too many bytes were being read, " +
			"by the bound: address or total.",
	}, []string{"bound"})
	held := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "slipstick_result_read_bytes",
		Help: "Bytes of large results held while they are read.",
	}, func() float64 { return float64(reads.Held()) })
	return m, errors.Join(to.Register(m.readLimits), to.Register(held))
}

// reuse registers the collector c. If an equal collector is already registered, reuse replaces c
// with that collector.
func reuse[T prometheus.Collector](to prometheus.Registerer, c *T) error {
	err := to.Register(*c)
	var there prometheus.AlreadyRegisteredError
	if errors.As(err, &there) {
		if same, ok := there.ExistingCollector.(T); ok {
			*c, err = same, nil
		}
	}
	return err
}

func (m metrics) refusedRead(ofReader bool) {
	if m.readLimits == nil {
		return
	}
	bound := "total"
	if ofReader {
		bound = "address"
	}
	m.readLimits.WithLabelValues(bound).Inc()
}

func (m metrics) evicted(reason DropReason) {
	if m.evictions != nil {
		m.evictions.WithLabelValues(string(reason)).Inc()
	}
}

// probed records the result of a test write.
func (m metrics) probed(err error) {
	if m.writable == nil {
		return
	}
	if err == nil {
		m.writable.Set(1)
		return
	}
	m.writable.Set(0)
	m.failures.Inc()
}
