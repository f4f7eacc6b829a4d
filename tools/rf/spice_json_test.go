package rf

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestResultJSON verifies that AppendJSON yields the bytes of encoding/json without HTML escapes,
// in each format and with several analyses.
func TestResultJSON(t *testing.T) {
	files, err := filepath.Glob("../../spice/testdata/compare/r*.cir")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d netlists, %v", len(files), err)
	}
	netlists := []string{
		"several\nV1 a<b 0 1 AC 1\nR1 a<b \"q\" 1k\nC1 \"q\" 0 1u\n.op\n.ac dec 5 1 1meg\n.tran 1u 1m\n" +
			".step param x 1 2 1\n.measure tran none find v(a<b) when v(\"q\")=9\n.end",
		"above 40,000 values\nV1 a 0 SIN(0 1 1k) AC 1\nR1 a b 1k\nC1 b 0 1u\n.op\n" +
			".tran 1u 10m 0 1u\n.ac dec 500 1 1meg\n.end",
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		netlists = append(netlists, string(text))
	}
	for i, netlist := range netlists {
		for _, format := range []string{"columns", "csv", "binary"} {
			out, err := spiceSimulate(t.Context(),
				spiceSimulateIn{Netlist: netlist, Format: format})
			if err != nil {
				t.Fatalf("netlist %d: %v", i, err)
			}
			type plain spiceSimulateOut
			var text bytes.Buffer
			encoder := json.NewEncoder(&text)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(plain(out)); err != nil {
				t.Fatal(err)
			}
			want := strings.TrimSuffix(text.String(), "\n")
			for cores := 1; cores < 6; cores++ {
				got, err := out.AppendJSON(nil, cores)
				if err != nil || string(got) != want {
					t.Errorf("netlist %d, %s, %d cores: %v, %.200s, want %.200s", i, format, cores,
						err, got, want)
				}
			}
		}
	}
}
