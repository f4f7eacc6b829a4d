package export

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

// vec is a point [mm].
type vec struct{ x, y float64 }

// profileContours reads the contours from the D02 and D01 lines of a Gerber profile.
func profileContours(t *testing.T, text string) [][]vec {
	t.Helper()
	var out [][]vec
	var last vec
	for line := range strings.Lines(text) {
		var x, y, op int
		if n, _ := fmt.Sscanf(line, "X%dY%dD%d*", &x, &y, &op); n != 3 {
			continue
		}
		p := vec{float64(x) / 1e6, float64(y) / 1e6}
		if op == 2 && (len(out) == 0 || p != last) {
			out = append(out, []vec{p})
		} else if op == 1 {
			out[len(out)-1] = append(out[len(out)-1], p)
		}
		last = p
	}
	for _, c := range out {
		if c[0] != c[len(c)-1] {
			t.Errorf("a contour from %v ends at %v", c[0], c[len(c)-1])
		}
	}
	return out
}

// drillHits returns the positions [mm] of all holes of the given diameter [mm] in a drill file.
func drillHits(text string, diameter float64) []vec {
	tool, on := "", false
	var out []vec
	for line := range strings.Lines(text) {
		var n int
		var d float64
		var p vec
		if k, _ := fmt.Sscanf(line, "T%dC%g", &n, &d); k == 2 && d == diameter {
			tool = fmt.Sprintf("T%02d\n", n)
		} else if strings.HasPrefix(line, "T") {
			on = line == tool
		} else if k, _ := fmt.Sscanf(line, "X%gY%g", &p.x, &p.y); k == 2 && on {
			out = append(out, p)
		}
	}
	return out
}

// pieces rasterizes a panel with its slots and with holes of the given radius [mm]. It returns a
// function that gives the number of the connected piece of laminate at a point, or 0 for no
// laminate.
func pieces(contours [][]vec, holes []vec, radius float64) (at func(vec) int) {
	const pitch = 0.05
	lo, hi := contours[0][0], contours[0][2]
	w, h := int((hi.x-lo.x)/pitch), int((hi.y-lo.y)/pitch)
	grid := make([]int, w*h) // piece number of each cell; -1 for unvisited laminate, 0 for none
	for j := range h {
		y := lo.y + (float64(j)+0.5)*pitch
		var xs []float64
		for _, c := range contours {
			for i, a := range c[1:] {
				if b := c[i]; (a.y > y) != (b.y > y) {
					xs = append(xs, a.x+(y-a.y)/(b.y-a.y)*(b.x-a.x))
				}
			}
		}
		slices.Sort(xs)
		for k := 0; k+1 < len(xs); k += 2 { // even-odd rule: the panel without its slots
			for i := range w {
				if x := lo.x + (float64(i)+0.5)*pitch; x > xs[k] && x < xs[k+1] {
					grid[j*w+i] = -1
				}
			}
		}
	}
	for _, p := range holes {
		n := int(radius/pitch) + 1
		ci, cj := int((p.x-lo.x)/pitch), int((p.y-lo.y)/pitch)
		for j := cj - n; j <= cj+n; j++ {
			for i := ci - n; i <= ci+n; i++ {
				x, y := lo.x+(float64(i)+0.5)*pitch, lo.y+(float64(j)+0.5)*pitch
				if math.Hypot(x-p.x, y-p.y) < radius {
					grid[j*w+i] = 0
				}
			}
		}
	}
	count := 0
	for start := range grid {
		if grid[start] >= 0 {
			continue
		}
		count++
		grid[start] = count
		for queue := []int{start}; len(queue) > 0; {
			k := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for _, next := range [4][2]int{{k - 1, k % w}, {k + 1, w - 1 - k%w}, {k - w, k / w},
				{k + w, h - 1 - k/w}} {
				if next[1] > 0 && grid[next[0]] < 0 {
					grid[next[0]] = count
					queue = append(queue, next[0])
				}
			}
		}
	}
	return func(p vec) int {
		return grid[int((p.y-lo.y)/pitch)*w+int((p.x-lo.x)/pitch)]
	}
}

// TestTabs verifies from the files that a panel with tabs is one piece of laminate. If the webs of
// 0.4 mm around the tab holes break, every board is a separate piece. No slot cuts into a board,
// and the tab holes enter it by a third of their diameter.
func TestTabs(t *testing.T) {
	for _, c := range []struct {
		w, h, radius  float64
		columns, rows int
		holes         int // number of tab holes, counted by hand
	}{
		{20, 30, 0, 3, 2, 6 * 4 * 5},
		{40, 15, 0, 1, 3, 3 * 6 * 5},
		{120, 20, 3, 2, 1, 2 * 8 * 5},
		{5, 12, 0, 4, 1, 4 * (2*2 + 2*5)},
		{30, 30, 6, 2, 2, 4 * 4 * 5},
	} {
		name := fmt.Sprintf("%g by %g mm, radius %g mm", c.w, c.h, c.radius)
		b := bench("U1", "A", "N")
		b.Outline = nil
		for i, centre := range []vec{{c.w - c.radius, c.radius}, {c.w - c.radius, c.h - c.radius},
			{c.radius, c.h - c.radius}, {c.radius, c.radius}} {
			for k := range 5 {
				angle := (float64(i) - 1 + float64(k)/4) * math.Pi / 2
				p := at(centre.x+c.radius*math.Cos(angle), centre.y+c.radius*math.Sin(angle))
				if len(b.Outline) == 0 || p != b.Outline[len(b.Outline)-1] {
					b.Outline = append(b.Outline, p)
				}
			}
		}
		files, err := All(t.Context(), b, Options{Formats: []string{"gerber", "drill"},
			Panel: &Panel{Columns: c.columns, Rows: c.rows, Rail: board.MM(5), Tabs: true,
				Corner: board.MM(c.radius)}})
		if err != nil {
			t.Fatal(err)
		}
		text := map[string]string{}
		for _, f := range files {
			text[f.Role] = f.Content
		}
		if _, scored := text["panel_v_scores"]; scored {
			t.Errorf("%s: V-scores", name)
		}
		if want := fmt.Sprintf("%%SRX%dY%dI%.6fJ%.6f*%%", c.columns, c.rows, c.w+1.6,
			c.h+1.6); !strings.Contains(text["panel_copper_top"], want) {
			t.Errorf("%s: no %s", name, want)
		}
		contours := profileContours(t, text["panel_edge_cuts"])
		holes := drillHits(text["panel_drill_nonplated"], 0.6)
		if len(holes) != c.holes {
			t.Errorf("%s: %d holes of tabs, want %d", name, len(holes), c.holes)
		}
		whole, broken := pieces(contours, holes, 0.3), pieces(contours, holes, 0.7)
		frame := vec{-4, -4}
		seen := map[int]bool{broken(frame): true}
		for column := range c.columns {
			for row := range c.rows {
				o := vec{float64(column) * (c.w + 1.6), float64(row) * (c.h + 1.6)}
				middle := vec{o.x + c.w/2, o.y + c.h/2}
				if whole(middle) != whole(frame) {
					t.Errorf("%s: board %d, %d is not held", name, column, row)
				}
				if k := broken(middle); k == 0 || seen[k] {
					t.Errorf("%s: board %d, %d is not separate", name, column, row)
				}
				seen[broken(middle)] = true
				for _, contour := range contours[1:] {
					for _, p := range contour {
						x, y := p.x-o.x, p.y-o.y
						// cut widens the tested area in x and narrows it in y [mm]
						within := func(cut float64) bool {
							const eps = 1e-6
							return x > c.radius-cut+eps && x < c.w-c.radius+cut-eps &&
								y > cut+eps && y < c.h-cut-eps
						}
						if within(0) || within(c.radius) {
							t.Errorf("%s: a slot at %v within board %d, %d", name, p, column, row)
						}
					}
				}
				for _, p := range holes {
					depth := min(p.x-o.x, o.x+c.w-p.x, p.y-o.y, o.y+c.h-p.y) + 0.3
					if depth > 0.2+1e-9 {
						t.Errorf("%s: a hole at %v enters board %d, %d by %g mm", name, p, column,
							row, depth)
					}
				}
			}
		}
	}
}
