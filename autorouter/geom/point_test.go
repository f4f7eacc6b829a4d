package geom

import "testing"

func TestArea(t *testing.T) {
	// far is a distance from the origin [nm] at which float64 products lose the last digits.
	const far = 400e6
	for _, c := range []struct {
		name string
		g    Polygon
		want float64
	}{
		{"none", nil, 0},
		{"a line", Polygon{{0, 0}, {5, 5}}, 0},
		{"3, 4, 5", Polygon{{0, 0}, {3, 0}, {0, 4}}, 6},
		{"clockwise", Polygon{{0, 0}, {0, 4}, {3, 0}}, -6},
		{"an L: 4 by 3 less 2 by 1", Polygon{{0, 0}, {4, 0}, {4, 2}, {2, 2}, {2, 3}, {0, 3}}, 10},
		{"one square nanometre far away", Polygon{{far, far}, {far + 1, far}, {far + 1, far + 1},
			{far, far + 1}}, 1},
	} {
		if got := c.g.Area(); got != c.want {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}
