package e2e

import (
	"strings"
	"testing"

	"slipstick/keys/postgres/pgtest"
)

// twoPadDesigns are boards with one net of two pads, 10 mm apart, by format.
var twoPadDesigns = map[string]string{
	"dsn": `(pcb board (resolution mm 1000) (unit mm)
  (structure (layer top (type signal)) (layer bottom (type signal))
    (boundary (rect pcb 0 0 20 10)) (via v) (rule (width 0.25) (clearance 0.2)))
  (placement (component r (place R1 5 5 front 0) (place R2 15 5 front 0)))
  (library (image r (pin p 1 0 0))
    (padstack p (shape (circle top 1))) (padstack v (shape (circle signal 0.6))))
  (network (net A (pins R1-1 R2-1))))`,
	"kicad_pcb": `(kicad_pcb (version 20221018) (generator pcbnew)
  (general (thickness 1.6))
  (layers (0 "F.Cu" signal) (31 "B.Cu" signal) (44 "Edge.Cuts" user))
  (net 0 "") (net 1 "A")
  (footprint "r" (layer "F.Cu") (at 5 5)
    (pad "1" smd rect (at 0 0) (size 1 1) (layers "F.Cu") (net 1 "A")))
  (footprint "r" (layer "F.Cu") (at 15 5)
    (pad "1" smd rect (at 0 0) (size 1 1) (layers "F.Cu") (net 1 "A")))
  (gr_rect (start 0 0) (end 20 10) (layer "Edge.Cuts") (width 0.1)))`,
}

// TestRouteDesigns verifies that a worker of a deployment routes designs of both formats. The tool
// is not in the catalog, so the API and its workers must know it separately.
func TestRouteDesigns(t *testing.T) {
	t.Parallel()
	redis, database := redisServer(t), pgtest.Start(t).Database(t)
	_, base := startAPI(t, redis, database)
	start(t, "worker", "--redis-url", redis, "--log-level", "warn")
	for format, part := range map[string]string{"dsn": "(wire", "kicad_pcb": "(segment"} {
		var result struct {
			Format            string `json:"format"`
			Status            string `json:"status"`
			ConnectionsRouted int    `json:"connections_routed"`
			File              string `json:"file"`
		}
		err := compute(base, "designs/route", map[string]string{"design": twoPadDesigns[format]},
			&result)
		if err != nil || result.Format != format || result.Status != "complete" ||
			result.ConnectionsRouted != 1 || !strings.Contains(result.File, part) {
			t.Errorf("%s: %v %+v", format, err, result)
		}
	}
}
