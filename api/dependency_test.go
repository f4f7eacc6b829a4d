package api

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestDependencies verifies that the metric of an absent or unresponsive dependency is 0.
func TestDependencies(t *testing.T) {
	c := NewDependencyCollector(
		Check{Name: "redis", Ready: func(context.Context) error { return nil }},
		Check{Name: "postgres", Ready: func(context.Context) error {
			return errors.New("refused")
		}},
		Check{Name: "silent", Ready: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}},
	)
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetName() != "slipstick_dependency_up" {
		t.Fatalf("%v, %v", families, err)
	}
	got := map[string]float64{}
	for _, m := range families[0].GetMetric() {
		got[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
	}
	if want := map[string]float64{"redis": 1, "postgres": 0, "silent": 0}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
