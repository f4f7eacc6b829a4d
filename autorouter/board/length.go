package board

import "slices"

// LengthGroup is a group of nets that are routed with equal lengths.
type LengthGroup struct {
	Nets      []int
	Tolerance int64 // maximum difference between the lengths of two nets [nm]
}

// RoutedLength returns the routed length of a net [nm]. It is the length of all tracks, plus the
// barrel length of each via between the outermost layers with a connected track.
func (b *Board) RoutedLength(net int) float64 {
	var tracks []Track
	sum := 0.0
	for _, t := range b.Tracks {
		if t.Net == net {
			tracks = append(tracks, t)
			sum += Distance(t.A, t.B)
		}
	}
	barrels := int64(0)
	for _, v := range b.Vias {
		if v.Net != net {
			continue
		}
		var met LayerSet
		for _, t := range tracks {
			if min(Distance(t.A, v.At), Distance(t.B, v.At)) < float64(v.Diameter)/2 {
				met |= t.Layer.Bit()
			}
		}
		if met != 0 {
			layers := slices.Collect(met.All())
			barrels += b.Copper().Barrel(layers[0], layers[len(layers)-1])
		}
	}
	return sum + float64(barrels)
}
