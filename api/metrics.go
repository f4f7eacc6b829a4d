package api

import (
	"bytes"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"slipstick/keys"
)

// metrics holds the HTTP metrics. Package call holds the metrics of the tools.
type metrics struct {
	requests   *prometheus.CounterVec
	rejections *prometheus.CounterVec
}

// newMetrics returns the metrics and registers them unless the registerer is nil.
func newMetrics(to prometheus.Registerer) (m metrics, err error) {
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_http_requests_total",
		Help: "Requests by route and status. Tools share one route; slipstick_tool_seconds tells them apart.",
	}, []string{"route", "status"})
	m.rejections = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "slipstick_limit_refusals_total", Help: "Requests rejected by a limit, by its policy.",
	}, []string{"policy"})
	if to == nil {
		return m, nil
	}
	return m, errors.Join(to.Register(m.requests), to.Register(m.rejections))
}

// countRejection counts a rejection by a limit. It ignores other errors.
func (m metrics) countRejection(err error) {
	var limit *keys.LimitError
	if errors.As(err, &limit) {
		m.rejections.WithLabelValues(limit.Policy).Inc()
	}
}

// routes are the first path segments that have a metric label of their own. A fixed list keeps
// requests from creating new series.
var routes = [][]byte{
	[]byte("mcp"), []byte("ui"), []byte("t"), []byte("static"), []byte("healthz"), []byte("readyz"),
	[]byte("problems"), []byte("jobs"),
}

func routeOf(path []byte) string {
	first, rest, deeper := bytes.Cut(bytes.TrimPrefix(path, []byte("/")), []byte("/"))
	switch {
	case len(first) == 0:
		return "/"
	case string(first) == "api" && !deeper:
		return "/api"
	case string(first) == "api":
		second, _, _ := bytes.Cut(rest, []byte("/"))
		for _, name := range reserved {
			if string(second) == name {
				return "/api/" + name
			}
		}
		return "/api/{tool}"
	}
	for _, r := range routes {
		if bytes.Equal(first, r) {
			return "/" + string(r)
		}
	}
	return "other"
}
