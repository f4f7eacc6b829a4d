package worker

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// clientMetrics is what a calling process measures. The zero value measures nothing.
type clientMetrics struct {
	submissions *prometheus.CounterVec
	readLimits  *prometheus.CounterVec
	store       storeMetrics
}

func newClientMetrics(c *Client, to prometheus.Registerer) (m clientMetrics, err error) {
	if to == nil {
		return m, nil
	}
	m.submissions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_job_submissions_total",
		Help: "Heavy calls by how they were met: cache (remembered here), stored (finished earlier), joined (an equal job in flight), queued (a new job), turned away.",
	}, []string{"tool", "how"})
	m.readLimits = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_result_read_refusals_total",
		Help: "Readings of large results refused because too many bytes were being read, by the bound: address or total.",
	}, []string{"bound"})
	held := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "slipstick_result_read_bytes", Help: "Bytes of large results held while they are read.",
	}, func() float64 { return float64(c.opt.Reads.Held()) })
	if m.store, err = newStoreMetrics(to); err != nil {
		return m, err
	}
	return m, registerAll(to, m.submissions, m.readLimits, held)
}

func (m clientMetrics) refusedRead(ofReader bool) {
	if m.readLimits == nil {
		return
	}
	bound := "total"
	if ofReader {
		bound = "address"
	}
	m.readLimits.WithLabelValues(bound).Inc()
}

func (m clientMetrics) submitted(tool, how string) {
	if m.submissions != nil {
		m.submissions.WithLabelValues(tool, how).Inc()
	}
}

// serverMetrics is what a worker measures. The zero value measures nothing.
type serverMetrics struct {
	seconds, waited *prometheus.HistogramVec
	crashes         *prometheus.CounterVec
	store           storeMetrics
}

// runBuckets spread from a small simulation to the longest job [s].
var runBuckets = prometheus.ExponentialBuckets(0.001, 2.5, 12)

func newServerMetrics(s *Server, to prometheus.Registerer) (m serverMetrics, err error) {
	if to == nil {
		return m, nil
	}
	m.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "slipstick_job_seconds", Help: "Time from a job's begin to its end, crashed runs included.", Buckets: runBuckets,
	}, []string{"tool", "state"})
	m.waited = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "slipstick_job_wait_seconds", Help: "Time a job stood in the queue before it was begun.", Buckets: runBuckets,
	}, []string{"pool", "class"})
	m.crashes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_job_crashes_total", Help: "Runs that ended their process: panics, exhausted memory, kills.",
	}, []string{"tool"})
	slots := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "slipstick_worker_slots", Help: "Jobs this worker can run at once.",
	}, func() float64 { return float64(cap(s.slots)) })
	busy := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "slipstick_worker_slots_busy", Help: "Jobs this worker is running.",
	}, func() float64 { return float64(len(s.slots)) })
	for _, c := range []prometheus.Collector{m.seconds, m.waited, m.crashes, slots, busy} {
		err = errors.Join(err, to.Register(c))
	}
	if err == nil {
		m.store, err = newStoreMetrics(to)
	}
	return m, err
}

func (m serverMetrics) begun(r *run, now time.Time) {
	if m.waited != nil {
		m.waited.WithLabelValues(r.pool, r.fields["class"]).Observe(max(0, now.Sub(r.stamp("moved")).Seconds()))
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

// QueueCollector reads the state of the queues from Redis whenever metrics are asked for. One
// process of a deployment is enough; several report the same numbers.
type QueueCollector struct {
	client *Client
	pools  []string
}

// NewQueueCollector makes the collector for the pools given.
func NewQueueCollector(client *Client, pools []string) *QueueCollector {
	return &QueueCollector{client, pools}
}

// queueDescs describes depth, age and slots, in this order.
func queueDescs() [3]*prometheus.Desc {
	return [3]*prometheus.Desc{
		prometheus.NewDesc("slipstick_queue_depth", "Jobs waiting to be begun.", []string{"pool", "class"}, nil),
		prometheus.NewDesc("slipstick_queue_age_seconds", "How long the oldest waiting job has waited.", []string{"pool", "class"}, nil),
		prometheus.NewDesc("slipstick_pool_slots", "Jobs that the living workers of a pool can run at once.", []string{"pool"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (q *QueueCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range queueDescs() {
		ch <- d
	}
	s := storeDescs()
	for _, d := range []*prometheus.Desc{s.bytes, s.results, s.budget, s.inputs, s.inputBudget, s.used, s.most} {
		ch <- d
	}
}

// Collect implements prometheus.Collector. What cannot be read is left out.
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
			ch <- prometheus.MustNewConstMetric(depth, prometheus.GaugeValue, float64(n), pool, string(class))
			since, err := q.client.queues.oldest(context.Background(), queueName(pool, class))
			if err != nil {
				ch <- prometheus.NewInvalidMetric(age, err)
				continue
			}
			waited := time.Duration(0)
			if !since.IsZero() {
				waited = max(0, q.client.opt.Now().Sub(since))
			}
			ch <- prometheus.MustNewConstMetric(age, prometheus.GaugeValue, waited.Seconds(), pool, string(class))
		}
	}
}
