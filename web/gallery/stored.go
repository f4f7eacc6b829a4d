package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"slipstick/examples/boards"
	"slipstick/examples/netlists"
	"slipstick/tools"
)

// stored is an example with its result. /spice and /board show it initially.
type stored struct {
	Request json.RawMessage            `json:"request"`
	Result  map[string]json.RawMessage `json:"result"`
}

// storeResults writes the results of the stored examples of /spice and /board, and the Bode plot of
// the home page.
func storeResults(c *tools.Catalog, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	groups, err := netlists.Groups()
	if err != nil {
		return err
	}
	for _, g := range groups {
		for _, n := range g.Netlists {
			if !slices.Contains(storedCircuits, n.Name) {
				continue
			}
			request, err := json.Marshal(map[string]string{"netlist": n.Text})
			if err != nil {
				return err
			}
			result, err := store(c, "spice_simulate", filepath.Join(dir, n.Name+".json"), request)
			if err != nil {
				return fmt.Errorf("%s: %w", n.Name, err)
			}
			if n.Name == frontCircuit {
				if err := storeBode(result, filepath.Join(dir, "bode.svg")); err != nil {
					return err
				}
			}
		}
	}
	all, err := boards.All()
	if err != nil {
		return err
	}
	for _, b := range all {
		if slices.Contains(storedBoards, b.Name) {
			if _, err := store(c, "pcb_layout", filepath.Join(dir, b.Name+".json"),
				b.Request); err != nil {
				return fmt.Errorf("%s: %w", b.Name, err)
			}
		}
	}
	return nil
}

// store runs a tool, writes the request and the result to the file with the given name, and returns
// the result. It removes run times and the engine, which depend on the machine, and files that the
// page does not draw. For the examples on the home page it also writes the picture of the Open
// Graph image.
func store(
	c *tools.Catalog, tool, name string, request json.RawMessage,
) (map[string]json.RawMessage, error) {
	e, err := c.Find(tool)
	if err != nil {
		return nil, err
	}
	raw, err := e.Run(context.Background(), request)
	if err != nil {
		return nil, err
	}
	if front := strings.TrimSuffix(filepath.Base(name), ".json"); front == frontCircuit ||
		front == frontBoard {
		previews := filepath.Join(filepath.Dir(name), "../preview")
		if err := storePreview(e, raw, previews); err != nil {
			return nil, err
		}
	}
	s := stored{Request: request}
	if err := json.Unmarshal(raw, &s.Result); err != nil {
		return nil, err
	}
	delete(s.Result, "runtime_ms")
	delete(s.Result, "engine") // depends on the machine
	if err := edit(s.Result, "statistics", func(statistics map[string]json.RawMessage) {
		for name := range statistics {
			if strings.HasSuffix(name, "_ms") {
				delete(statistics, name)
			}
		}
	}); err != nil {
		return nil, err
	}
	var list []struct{ Name, Role string }
	if s.Result["file_list"] != nil {
		if err := json.Unmarshal(s.Result["file_list"], &list); err != nil {
			return nil, err
		}
	}
	if err := edit(s.Result, "files", func(files map[string]json.RawMessage) {
		for _, f := range list {
			if !strings.HasPrefix(f.Role, "silk_") {
				delete(files, f.Name)
			}
		}
	}); err != nil {
		return nil, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return s.Result, os.WriteFile(name, append(text, '\n'), 0o644)
}

// edit modifies an object in a result if the object exists.
func edit(
	result map[string]json.RawMessage, name string, change func(map[string]json.RawMessage),
) error {
	if result[name] == nil {
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(result[name], &object); err != nil {
		return err
	}
	change(object)
	text, err := json.Marshal(object)
	result[name] = text
	return err
}

// Layout of the Bode plot on the home page in SVG user units, and the limits of its axes in dB and
// degrees.
const (
	bodeWidth, bodeHeight                    = 320, 176
	bodeLeft, bodeRight, bodeTop, bodeBottom = 34, 286, 8, 150
	bodeLowDB, bodeHighDB                    = -80.0, 10.0
	bodeLowDeg, bodeHighDeg                  = -180.0, 22.5 // 45° per 20 dB
)

// storeBode draws magnitude and phase of the node out over frequency. The page's style sheet sets
// the colours.
func storeBode(result map[string]json.RawMessage, name string) error {
	var vectors map[string][]float64
	if err := json.Unmarshal(result["vectors"], &vectors); err != nil {
		return err
	}
	f, mag, phase := vectors["frequency"], vectors["v(out)_mag"], vectors["v(out)_phase_deg"]
	if len(f) < 2 || len(mag) != len(f) || len(phase) != len(f) {
		return fmt.Errorf("%s has no response at the node out", frontCircuit)
	}
	low, high := math.Log10(f[0]), math.Log10(f[len(f)-1])
	x := func(hertz float64) float64 {
		return bodeLeft + (math.Log10(hertz)-low)/(high-low)*(bodeRight-bodeLeft)
	}
	y := func(v, bottom, top float64) float64 {
		return bodeBottom - (v-bottom)/(top-bottom)*(bodeBottom-bodeTop)
	}
	var minor, major, texts, gain, angle strings.Builder
	for e := math.Floor(low); e < high; e++ {
		for m := 2.0; m < 10; m++ {
			if v := m * math.Pow(10, e); v > f[0] && v < f[len(f)-1] {
				fmt.Fprintf(&minor, "M%.1f %dV%d", x(v), bodeTop, bodeBottom)
			}
		}
	}
	for e := math.Ceil(low - 1e-9); e <= high+1e-9; e++ {
		at := x(math.Pow(10, e))
		fmt.Fprintf(&major, "M%.1f %dV%d", at, bodeTop, bodeBottom)
		label := []string{"10", "100", "1 k", "10 k", "100 k", "1 M"}[int(e)-1]
		fmt.Fprintf(&texts, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, at,
			bodeBottom+13,
			label)
	}
	for i := range 5 {
		dB, degrees := float64(-20*i), float64(-45*i)
		at := y(dB, bodeLowDB, bodeHighDB)
		fmt.Fprintf(&major, "M%d %.1fH%d", bodeLeft, at, bodeRight)
		fmt.Fprintf(&texts, `<text x="%d" y="%.1f" text-anchor="end">%g</text>`,
			bodeLeft-4, at+3, dB+0)
		fmt.Fprintf(&texts, `<text x="%d" y="%.1f">%g°</text>`, bodeRight+4, at+3, degrees+0)
	}
	for i, hertz := range f {
		dB := max(bodeLowDB, 20*math.Log10(mag[i]))
		if phase[i] > bodeHighDeg {
			phase[i] -= 360
		}
		fmt.Fprintf(&gain, "%c%.1f %.1f", "ML"[min(i, 1)], x(hertz), y(dB, bodeLowDB, bodeHighDB))
		fmt.Fprintf(&angle, "%c%.1f %.1f", "ML"[min(i, 1)], x(hertz),
			y(phase[i], bodeLowDeg, bodeHighDeg))
	}
	text := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" class="bode" aria-hidden="true">`+
		`<path class="minor" d="%s"/><path class="major" d="%s"/><path class="phase" d="%s"/><path class="gain" d="%s"/>%s`+
		`<text x="%d" y="%d" text-anchor="end">dB</text><text x="%d" y="%d">Hz</text></svg>`+"\n",
		bodeWidth, bodeHeight, minor.String(), major.String(), angle.String(), gain.String(),
		texts.String(), bodeLeft-4, bodeTop+4, bodeRight+14, bodeBottom+13)
	return os.WriteFile(name, []byte(text), 0o644)
}
