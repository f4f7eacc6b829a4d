package pcb

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/fabrication"
)

// mutable is a board without a pour, where every via and every track is the only connection between
// two points.
const mutable = `{"pour_layers":[],"width_mm":30,"height_mm":24,
	"components":[{"ref":"U1","footprint":"SOIC-8"},{"ref":"J1","footprint":"PinHeader_1x04"},{"ref":"J2","footprint":"PinHeader_1x04"}],
	"placements":[{"ref":"U1","x_mm":15,"y_mm":12},{"ref":"J1","x_mm":4,"y_mm":12},{"ref":"J2","x_mm":26,"y_mm":12}],
	"nets":[{"name":"A","pins":["J1.1","U1.7"]},{"name":"B","pins":["J1.2","U1.8"]},{"name":"C","pins":["J1.3","U1.5"]},{"name":"D","pins":["J1.4","U1.6"]},
		{"name":"E","pins":["J2.1","U1.2"]},{"name":"F","pins":["J2.2","U1.1"]},{"name":"G","pins":["J2.3","U1.4"]},{"name":"H","pins":["J2.4","U1.3"]}]}`

// TestMutations changes the files of a valid board one position at a time, as a faulty fab or
// program would. The verification must fail each time.
func TestMutations(t *testing.T) {
	out := layout(t, []byte(mutable))
	limits := limitsOf(out)
	prove := func(files map[string]string) ([]fabrication.Finding, error) {
		b, err := fabrication.Read(files)
		if err != nil {
			return nil, err
		}
		p, err := b.Verify(limits)
		if err != nil {
			return nil, err
		}
		return p.Findings, nil
	}
	if f, err := prove(out.Files); err != nil || len(f) > 0 {
		t.Fatalf("the board as it is: %v, %v", f, err)
	}
	if len(out.Vias) == 0 || len(out.Tracks) < 10 {
		t.Fatalf("%d vias and %d tracks are too few to show anything", len(out.Vias),
			len(out.Tracks))
	}
	// mustFail applies edits, each of which must change its file.
	mustFail := func(what string, kinds string, edit map[string]func(string) string) {
		t.Helper()
		files := map[string]string{}
		for name, text := range out.Files {
			files[name] = text
			for suffix, change := range edit {
				if strings.HasSuffix(name, suffix) {
					if files[name] = change(text); files[name] == text {
						t.Fatalf("%s: %s is not changed", what, name)
					}
				}
			}
		}
		found, err := prove(files)
		if err != nil {
			t.Errorf("%s: not judged: %v", what, err)
			return
		}
		for _, f := range found {
			if strings.Contains(kinds, f.Kind) {
				return
			}
		}
		t.Errorf("%s is not found; only %v", what, found)
	}
	without := func(line string) func(string) string {
		return func(s string) string { return strings.Replace(s, line+"\n", "", 1) }
	}
	place := func(x, y float64) string { return fmt.Sprintf("X%dY%d", board.MM(x), board.MM(y)) }

	for i, v := range out.Vias {
		flash := without(place(v.X, v.Y) + "D03*")
		drill := without(fmt.Sprintf("X%.6fY%.6f", v.X, v.Y))
		record := func(s string) string {
			at := fmt.Sprintf("X%+07dY%+07d", board.MM(v.X)/1000, board.MM(v.Y)/1000)
			return regexp.MustCompile(`(?m)^317.{17}VIA.*`+regexp.QuoteMeta(
				at)+`.*\n`).ReplaceAllString(s, "")
		}
		mustFail(fmt.Sprintf("via %d removed from every file", i), "open",
			map[string]func(string) string{".gtl": flash, ".gbl": flash, "-PTH.drl": drill,
				".ipc": record})
		mustFail(fmt.Sprintf("via %d not drilled", i), "open",
			map[string]func(string) string{"-PTH.drl": drill})
		mustFail(fmt.Sprintf("via %d drilled 0.4 mm beside its pad", i), "ring hole open",
			map[string]func(string) string{
				"-PTH.drl": func(s string) string {
					return strings.Replace(s, fmt.Sprintf("X%.6fY%.6f", v.X, v.Y),
						fmt.Sprintf("X%.6fY%.6f", v.X+.4, v.Y), 1)
				}})
	}
	for i, v := range out.Vias {
		mustFail(fmt.Sprintf("via %d without its tracks on the bottom", i), "via",
			map[string]func(string) string{".gbl": func(s string) string {
				for _, track := range out.Tracks {
					from, to := place(track.X1, track.Y1), place(track.X2, track.Y2)
					if at := place(v.X, v.Y); track.Layer == "bottom" && (from == at || to == at) {
						s = strings.Replace(s, from+"D02*\n"+to+"D01*\n", "", 1)
					}
				}
				return s
			}})
	}
	removed := 0
	for i, track := range out.Tracks {
		suffix := map[string]string{"top": ".gtl", "bottom": ".gbl"}[track.Layer]
		from, to := place(track.X1, track.Y1)+"D02*\n", place(track.X2, track.Y2)+"D01*\n"
		if math.Hypot(track.X2-track.X1, track.Y2-track.Y1) < 2.6 {
			continue // a track within a pad may connect nothing
		}
		removed++
		mustFail(fmt.Sprintf("track %d removed", i), "open",
			map[string]func(string) string{suffix: without(strings.TrimSuffix(from+to, "\n"))})
		mustFail(fmt.Sprintf("track %d shifted", i), "open short clearance edge label floating",
			map[string]func(string) string{suffix: func(s string) string {
				const dx, dy = 1.3, 2.1
				return strings.Replace(s, from+to,
					place(track.X1+dx, track.Y1+dy)+"D02*\n"+place(track.X2+dx,
						track.Y2+dy)+"D01*\n", 1)
			}})
	}
	if removed < 8 {
		t.Errorf("only %d tracks were long enough to remove", removed)
	}
	for i, track := range out.Tracks[1:] {
		other := out.Tracks[i]
		if other.Net == track.Net || other.Layer != track.Layer {
			continue
		}
		suffix := map[string]string{"top": ".gtl", "bottom": ".gbl"}[track.Layer]
		bridge := "D10*\n" + place(track.X1, track.Y1) + "D02*\n" + place(other.X1, other.Y1) +
			"D01*\nM02*"
		mustFail(fmt.Sprintf("copper from net %s to net %s", track.Net, other.Net), "short",
			map[string]func(string) string{suffix: func(s string) string {
				return strings.Replace(s, "M02*", bridge, 1)
			}})
	}
	swap := func(old, wanted string) func(string) string {
		return func(s string) string {
			return strings.ReplaceAll(s, "317"+old+"   ", "317"+wanted+"   ")
		}
	}
	pad := func(s string) string { return fmt.Sprintf("%-14s", s) }
	mustFail("two nets under one name", "open",
		map[string]func(string) string{".ipc": swap(pad("A"), pad("B"))})
	mustFail("a header that belongs to another net", "short",
		map[string]func(string) string{".ipc": func(s string) string {
			return regexp.MustCompile(`(?m)^317A {13}   J1    -1`).ReplaceAllString(s,
				"317"+pad("C")+"   J1    -1")
		}})
	mustFail("a pad under the mask", "mask",
		map[string]func(string) string{".gts": func(s string) string {
			return regexp.MustCompile(`(?m)^X\d+Y\d+D03\*\n`).ReplaceAllStringFunc(s,
				func(line string) string {
					if strings.HasPrefix(line, place(4, 12)[:4]) {
						return ""
					}
					return line
				})
		}})
	mustFail("wider tracks", "clearance short",
		map[string]func(string) string{".gtl": func(s string) string {
			return strings.ReplaceAll(s, "C,0.250000*", "C,0.900000*")
		}})
	mustFail("a profile cut through the copper", "edge",
		map[string]func(string) string{".gko": func(s string) string {
			return strings.ReplaceAll(s, "X30000000", "X26000000")
		}})
}

// TestGeneratedCopper verifies boards of random netlists, some parts turned or on the bottom side.
func TestGeneratedCopper(t *testing.T) {
	for seed := range 5 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			verifyCopper(t, layout(t, []byte(randomBoard(seed))))
		})
	}
}

// randomBoard connects pins of ICs and headers at random, with a generator that is the same on
// every platform.
func randomBoard(seed int) string {
	state := uint32(seed*2654435761 + 12345)
	next := func(n int) int {
		state = state*1664525 + 1013904223
		return int(state>>16) % n
	}
	kinds := []struct {
		prefix, footprint string
		pins              int
	}{{"R", "R_0805", 2}, {"C", "C_0603", 2}, {"U", "SOIC-8", 8}, {"D", "LED_0805", 2},
		{"Q", "SOT-23", 3}, {"J", "PinHeader_1x03", 3}, {"U", "TSSOP-16", 16}, {"X", "TO-220", 3}}
	var parts, pins, places []string
	for i := range 8 + 3*seed {
		k := kinds[next(len(kinds))]
		ref := fmt.Sprintf("%s%d", k.prefix, i+1)
		parts = append(parts, fmt.Sprintf(`{"ref":%q,"footprint":%q}`, ref, k.footprint))
		for p := range k.pins {
			pins = append(pins, fmt.Sprintf("%s.%d", ref, p+1))
		}
	}
	if seed%2 == 1 { // angles that are not multiples of 90°, and a part on the bottom
		places = append(places, `{"ref":"T1","x_mm":8,"y_mm":8,"rotation_deg":30}`,
			`{"ref":"T2","x_mm":24,"y_mm":9,"rotation_deg":117,"side":"bottom"}`)
		parts = append(parts, `{"ref":"T1","footprint":"SOIC-8"}`,
			`{"ref":"T2","footprint":"SOIC-8"}`)
		pins = append(pins, "T1.1", "T1.4", "T1.8", "T2.1", "T2.4", "T2.8")
	}
	for i := len(pins) - 1; i > 0; i-- {
		k := next(i + 1)
		pins[i], pins[k] = pins[k], pins[i]
	}
	var nets []string
	for len(pins) > 1 {
		n := min(len(pins), 2+next(3))
		name := fmt.Sprintf("N%d", len(nets))
		if len(nets) == 0 {
			name, n = "GND", min(len(pins), 8)
		}
		nets = append(nets, fmt.Sprintf(`{"name":%q,"pins":["%s"]}`, name,
			strings.Join(pins[:n], `","`)))
		pins = pins[n:]
	}
	size := ""
	if places != nil {
		size = `"width_mm":70,"height_mm":60,`
	}
	return fmt.Sprintf(`{%s"seed":%d,"time_limit_s":60,"utilization_pct":30,"components":[%s],"placements":[%s],"nets":[%s]}`, size, seed, strings.Join(parts, ","), strings.Join(places, ","), strings.Join(nets, ","))
}
