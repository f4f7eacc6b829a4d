package batch

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slipstick/plot"
)

// pictures is the flag -pictures, which names a folder for the pictures.
var pictures = flag.String("pictures", "", "folder to write the pictures of TestFigures to")

// TestFigures verifies that each mode's picture is well-formed, below 60 kB as PNG, and names axes
// and limits.
func TestFigures(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		want    []string
	}{
		"curve":     {`{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": 100, "points": 30, "scale": "log"}]}`, []string{"Distance [km]", "Free-space path loss [dB]"}},
		"map":       {`{"tool": "fspl", "vary": [{"field": "/dist_km", "from": 1, "to": 100, "points": 30}, {"field": "/freq_mhz", "from": 900, "to": 2000, "points": 20}]}`, []string{"Distance [km]", "Frequency [MHz]"}},
		"family":    {`{"tool": "lora_range_estimate", "vary": [{"field": "/terrain", "values": ["open", "urban"]}, {"field": "/tx_dbm", "from": 14, "to": 30, "points": 5}]}`, []string{"open", "urban", "[dBm]"}},
		"histogram": {`{"tool": "fspl", "mode": "sobol", "n": 2000, "input": {"freq_mhz": 915, "dist_km": 5}, "collect": ["fspl_db"], "limits": {"fspl_db": {"max": 106.3}}, "vary": [{"field": "/dist_km", "tolerance_pct": 20, "distribution": "normal"}]}`, []string{"Runs", "max 106.3"}},
		"solve":     {`{"tool": "fspl", "mode": "solve", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": 100}], "target": {"name": "fspl_db", "value": 120}}`, []string{"target 120"}},
		"minimize":  {`{"tool": "fspl", "mode": "minimize", "n": 200, "objective": "fspl_db", "vary": [{"field": "/dist_km", "from": 1, "to": 100}, {"field": "/freq_mhz", "from": 1, "to": 100}]}`, []string{"best"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, runs := execute(t, c.request)
			f := p.Figure(runs, "")
			var svg, bits bytes.Buffer
			if err := plot.Write(&svg, f, plot.SVG); err != nil {
				t.Fatal(err)
			}
			d := xml.NewDecoder(bytes.NewReader(svg.Bytes()))
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
			for _, want := range c.want {
				if !strings.Contains(svg.String(), want) {
					t.Errorf("the picture does not show %q", want)
				}
			}
			if err := plot.Write(&bits, f, plot.PNG); err != nil {
				t.Fatal(err)
			}
			if bits.Len() > 60_000 {
				t.Errorf("%d bytes of PNG", bits.Len())
			}
			if *pictures != "" {
				if err := os.WriteFile(filepath.Join(*pictures, name+".png"), bits.Bytes(),
					0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := png.Decode(&bits); err != nil {
				t.Error(err)
			}
		})
	}
	for scale, log := range map[string]bool{"": true, `, "scale": "lin"`: false,
		`, "scale": "log"`: true} {
		p, runs := execute(t, `{"tool": "link_budget", "mode": "solve",
			"input": {"tx_dbm": 20, "freq_mhz": 915, "rx_sensitivity_dbm": -130},
			"vary": [{"field": "/dist_km", "from": 1, "to": 5000`+scale+`}],
			"target": {"name": "margin_db", "value": 10}}`)
		panel := p.Figure(runs, "").Panels[0]
		if n := len(panel.Marks); panel.X.Log != log || n != 2 ||
			panel.Marks[n-1].Name != "root 427.7" || !panel.Marks[n-1].Vertical {
			t.Errorf("%s: logarithmic %t, %+v", scale, panel.X.Log, panel.Marks)
		}
	}
	p := newPlan(t, `{"tool": "fspl", "vary": [{"field": "/dist_km", "values": [-1]}]}`)
	runs, err := p.Execute(t.Context(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := plot.Write(io.Discard, p.Figure(runs, ""), plot.SVG); !errors.Is(err, plot.ErrEmpty) {
		t.Error(fmt.Sprint(err))
	}
}
