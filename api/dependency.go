package api

import (
	"context"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// DependencyCollector runs the readiness checks of a process at each scrape. An alert can therefore
// name the unavailable dependency.
type DependencyCollector struct{ checks []Check }

// NewDependencyCollector returns a collector that runs the checks. The metric label is the name of
// the check.
func NewDependencyCollector(checks ...Check) *DependencyCollector {
	return &DependencyCollector{checks}
}

var dependencyUp = prometheus.NewDesc("slipstick_dependency_up",
	"Whether this process reaches what it needs: 1 it responds, 0 it does not within 2 s.",
	[]string{"dependency"}, nil)

// Describe implements prometheus.Collector.
func (d *DependencyCollector) Describe(ch chan<- *prometheus.Desc) { ch <- dependencyUp }

// Collect implements prometheus.Collector. The checks run concurrently.
func (d *DependencyCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	var all sync.WaitGroup
	for _, k := range d.checks {
		all.Go(func() {
			up := 1.0
			if k.Ready(ctx) != nil {
				up = 0
			}
			ch <- prometheus.MustNewConstMetric(dependencyUp, prometheus.GaugeValue, up, k.Name)
		})
	}
	all.Wait()
}
