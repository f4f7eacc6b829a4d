package geom

import "testing"

// TestStrips verifies that strips cover a polygon: a rectangle is one strip, a triangle has the
// area of its steps, and the number of strips is limited.
func TestStrips(t *testing.T) {
	rectangle := Polygon{{0, 0}, {40, 0}, {40, 20}, {0, 20}}
	triangle := Polygon{{0, 0}, {100, 0}, {0, 100}}
	for _, c := range []struct {
		g            Polygon
		height, most int64
		count        int
		area         int64
	}{
		{rectangle, 5, 100, 1, 800},
		{triangle, 50, 100, 3, 33*100 + 33*67 + 34*34},
		{triangle, 1, 4, 4, 25 * (100 + 75 + 50 + 25)},
	} {
		area := int64(0)
		strips := Strips(c.g, c.height, c.most)
		for _, r := range strips {
			area += r.Width() * r.Height()
		}
		if len(strips) != c.count || area != c.area {
			t.Errorf("%v: %d strips with the area %d, want %d with %d", c.g, len(strips), area,
				c.count, c.area)
		}
	}
}
