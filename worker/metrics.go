package worker

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"slipstick/worker/store"
)

// clientMetrics holds the metrics of a Client. The zero value records nothing.
type clientMetrics struct {
	submissions *prometheus.CounterVec
}

func newClientMetrics(to prometheus.Registerer) (m clientMetrics, err error) {
	if to == nil {
		return m, nil
	}
	m.submissions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_job_submissions_total",
		Help: "Calls of queued tools by outcome: cache (of this process), stored (finished earlier), " +
			"joined (an equal job in flight), queued (a new job), turned away.",
	}, []string{"tool", "how"})
	return m, to.Register(m.submissions)
}

func (m clientMetrics) submitted(tool, how string) {
	if m.submissions != nil {
		m.submissions.WithLabelValues(tool, how).Inc()
	}
}

// serverMetrics holds the metrics of a Server. The zero value records nothing.
type serverMetrics struct {
	seconds, waited *prometheus.HistogramVec
	crashes         *prometheus.CounterVec
}

// runBuckets are the upper bounds of histogram buckets in seconds, from 1 ms to 24 s.
var runBuckets = prometheus.ExponentialBuckets(0.001, 2.5, 12)

func newServerMetrics(s *Server, to prometheus.Registerer) (m serverMetrics, err error) {
	if to == nil {
		return m, nil
	}
	m.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "slipstick_job_seconds", Buckets: runBuckets,
		Help: "Time from a job's begin to its end, crashed runs included.",
	}, []string{"tool", "state"})
	m.waited = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "slipstick_job_wait_seconds", Buckets: runBuckets,
		Help: "Time of a job in the queue before it begins.",
	}, []string{"pool", "class"})
	m.crashes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_job_crashes_total",
		Help: "Runs that ended their process: panics, exhausted memory, kills.",
	}, []string{"tool"})
	for _, e := range s.opt.Catalog.All() {
		if e.Heavy != nil {
			// Otherwise increase() would miss the first crash in a process.
			m.crashes.WithLabelValues(e.Name)
		}
	}
	slots := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "slipstick_worker_slots", Help: "Jobs this worker can run at once.",
	}, func() float64 { return float64(cap(s.slots)) })
	busy := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "slipstick_worker_slots_busy", Help: "Jobs this worker is running.",
	}, func() float64 { return float64(len(s.slots)) })
	for _, c := range []prometheus.Collector{m.seconds, m.waited, m.crashes, slots, busy} {
		err = errors.Join(err, to.Register(c))
	}
	return m, err
}

func (m serverMetrics) begun(r *run, now time.Time) {
	if m.waited != nil {
		m.waited.WithLabelValues(r.Pool, string(r.Priority)).Observe(max(0,
			now.Sub(r.Moved).Seconds()))
	}
}

func (m serverMetrics) ended(tool string, state State, took time.Duration) {
	if m.seconds != nil {
		m.seconds.WithLabelValues(tool, string(state)).Observe(took.Seconds())
	}
}

func (m serverMetrics) crashed(tool string) {
	if m.crashes != nil {
		m.crashes.WithLabelValues(tool).Inc()
	}
}

// QueueCollector reads the state of the queues from Redis at each scrape. One process per
// deployment is sufficient because all processes report the same values.
type QueueCollector struct {
	client *Client
	pools  []string
}

// NewQueueCollector returns a collector for the queue metrics of the given pools.
func NewQueueCollector(client *Client, pools []string) *QueueCollector {
	return &QueueCollector{client, pools}
}

// queueDescs returns the descriptors of depth, age and slots, in this order.
func queueDescs() [3]*prometheus.Desc {
	labels := []string{"pool", "class"}
	return [3]*prometheus.Desc{
		prometheus.NewDesc("slipstick_queue_depth", "Jobs that are not begun.", labels, nil),
		prometheus.NewDesc("slipstick_queue_age_seconds", "Age of the oldest waiting job.",
			labels, nil),
		prometheus.NewDesc("slipstick_pool_slots", "Slots of the living workers of a pool.",
			labels[:1],
			nil),
	}
}

// Describe implements prometheus.Collector.
func (q *QueueCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range queueDescs() {
		ch <- d
	}
	s := storeDescs()
	for _, d := range []*prometheus.Desc{
		s.bytes, s.results, s.budget, s.inputs, s.inputBudget, s.used, s.most,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector. If Redis cannot be read, it sends an invalid metric.
func (q *QueueCollector) Collect(ch chan<- prometheus.Metric) {
	q.collectStore(ch)
	descs := queueDescs()
	depth, age, slots := descs[0], descs[1], descs[2]
	for _, pool := range q.pools {
		st, err := q.client.Pool(context.Background(), pool)
		if err != nil {
			ch <- prometheus.NewInvalidMetric(depth, err)
			return
		}
		ch <- prometheus.MustNewConstMetric(slots, prometheus.GaugeValue, float64(st.Slots), pool)
		for class, n := range st.Waiting {
			ch <- prometheus.MustNewConstMetric(depth, prometheus.GaugeValue, float64(n), pool,
				string(class))
			since, err := q.client.store.OldestPending(context.Background(),
				store.QueueName(pool, class))
			if err != nil {
				ch <- prometheus.NewInvalidMetric(age, err)
				continue
			}
			waited := time.Duration(0)
			if !since.IsZero() {
				waited = max(0, q.client.opt.Now().Sub(since))
			}
			ch <- prometheus.MustNewConstMetric(age, prometheus.GaugeValue, waited.Seconds(),
				pool, string(class))
		}
	}
}

// collectStore collects the stored bytes of results and inputs, and the memory of Redis.
func (q *QueueCollector) collectStore(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	d := storeDescs()
	gauge := func(desc *prometheus.Desc, value int64) {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value))
	}
	s := q.client.store
	st, err := s.ResultTotals(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(d.bytes, err)
		return
	}
	gauge(d.bytes, st.Bytes)
	gauge(d.results, st.Results)
	gauge(d.budget, st.Budgets.Results)
	inputs, err := s.InputBytes(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(d.inputs, err)
		return
	}
	gauge(d.inputs, inputs)
	gauge(d.inputBudget, st.Budgets.Inputs)
	if m, err := s.Memory(ctx); err == nil { // an embedded Redis reports no memory
		gauge(d.used, m.Used)
		gauge(d.most, m.Max)
	}
}

type storeDesc struct{ bytes, results, budget, inputs, inputBudget, used, most *prometheus.Desc }

func storeDescs() storeDesc {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, nil, nil)
	}
	return storeDesc{
		bytes:   desc("slipstick_result_bytes", "Bytes of stored results in Redis."),
		results: desc("slipstick_results", "Stored results in Redis."),
		budget:  desc("slipstick_result_budget_bytes", "Most bytes that stored results may have."),
		inputs: desc("slipstick_queue_input_bytes",
			"Bytes of inputs of unfinished jobs in Redis; inputs up to 2 KiB are not counted."),
		inputBudget: desc("slipstick_queue_input_budget_bytes",
			"Most bytes that inputs of unfinished jobs may have."),
		used: desc("slipstick_redis_memory_used_bytes", "Memory that Redis uses."),
		most: desc("slipstick_redis_memory_max_bytes",
			"Memory that Redis may use (maxmemory); 0: no bound."),
	}
}
