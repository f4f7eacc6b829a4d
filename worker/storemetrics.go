package worker

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// storeMetrics measures the looking after Redis, in Client and Server alike. The zero value
// measures nothing.
type storeMetrics struct {
	evictions *prometheus.CounterVec
	writable  prometheus.Gauge
	failures  prometheus.Counter
}

func newStoreMetrics(to prometheus.Registerer) (m storeMetrics, err error) {
	m.evictions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_result_evictions_total",
		Help: "Results dropped before their time: total (the budget), caller (the budget of their caller), delivered (too large for their caller, after delivery), memory (Redis refused a write).",
	}, []string{"reason"})
	m.writable = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "slipstick_redis_writable", Help: "Whether the last test write to Redis succeeded: 1, else 0.",
	})
	m.failures = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "slipstick_redis_write_failures_total", Help: "Test writes that Redis refused or did not answer.",
	})
	// A process that is caller and worker has these twice: both sides count in the first.
	return m, errors.Join(reuse(to, &m.evictions), reuse(to, &m.writable), reuse(to, &m.failures))
}

// reuse registers a collector, or takes the equal one that is registered.
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

// registerAll registers collectors.
func registerAll(to prometheus.Registerer, all ...prometheus.Collector) (err error) {
	for _, c := range all {
		err = errors.Join(err, to.Register(c))
	}
	return err
}

func (m storeMetrics) evicted(reason DropReason) {
	if m.evictions != nil {
		m.evictions.WithLabelValues(string(reason)).Inc()
	}
}

// probed notes a test write.
func (m storeMetrics) probed(err error) {
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

// collectStore reads the accounts and Redis' memory.
func (q *QueueCollector) collectStore(ch chan<- prometheus.Metric) {
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	d := storeDescs()
	gauge := func(desc *prometheus.Desc, value int64) {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value))
	}
	s := q.client.store
	st, err := s.state(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(d.bytes, err)
		return
	}
	gauge(d.bytes, st.Bytes)
	gauge(d.results, st.Results)
	gauge(d.budget, st.Budgets.Results)
	inputs, err := s.inputBytes(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(d.inputs, err)
		return
	}
	gauge(d.inputs, inputs)
	gauge(d.inputBudget, st.Budgets.Inputs)
	if m, err := s.learnMemory(ctx); err == nil { // an embedded Redis has none to tell
		gauge(d.used, m.used)
		gauge(d.most, m.most)
	}
}

type storeDesc struct{ bytes, results, budget, inputs, inputBudget, used, most *prometheus.Desc }

func storeDescs() storeDesc {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	return storeDesc{
		bytes:       desc("slipstick_result_bytes", "Bytes of stored results in Redis."),
		results:     desc("slipstick_results", "Stored results in Redis."),
		budget:      desc("slipstick_result_budget_bytes", "Most bytes that stored results may have."),
		inputs:      desc("slipstick_queue_input_bytes", "Bytes of inputs of unfinished jobs in Redis; inputs up to 2 KiB are not counted."),
		inputBudget: desc("slipstick_queue_input_budget_bytes", "Most bytes that inputs of unfinished jobs may have."),
		used:        desc("slipstick_redis_memory_used_bytes", "Memory that Redis uses."),
		most:        desc("slipstick_redis_memory_max_bytes", "Memory that Redis may use (maxmemory); 0: no bound."),
	}
}
