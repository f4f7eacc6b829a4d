package export

import (
	"strings"

	"slipstick/autorouter/board"
)

// font holds the glyphs of reference designators and of drawn texts on a grid 4 wide and 6 high.
// Each word is a polyline, and each pair of digits is a point.
var font = map[rune]string{
	'A': "0004264440 0242", 'B': "00063645443303 334241300010", 'C': "4130100105163645",
	'D': "00062644422000",
	'E': "40000646 0333", 'F': "000646 0333", 'G': "451605011030414323", 'H': "0006 4046 0343",
	'I': "1030 2026 1636",
	'J': "0110304146", 'K': "0006 4603 0340", 'L': "060040", 'M': "0006234640", 'N': "00064046",
	'O': "100105163645413010",
	'P': "00063645443303", 'Q': "100105163645413010 2240", 'R': "00063645443303 2340",
	'S': "0110304142330304051636 3645",
	'T': "0646 2620", 'U': "060110304146", 'V': "062046", 'W': "0610233046", 'X': "0046 0640",
	'Y': "062346 2320", 'Z': "06460040",
	'0': "100105163645413010 0145", '1': "152620 1030", '2': "05163645440040",
	'3': "0516364544334241301001 1333",
	'4': "3036 360242", '5': "460603334241301001", '6': "4536160501103041423303", '7': "064610",
	'8': "100102133344453616050413 3342413010", '9': "0110304145361605041343", '_': "0040",
	'+': "0343 2125", '-': "0343", '.': "2021", '/': "0046",
}

const advance = 5 // distance between the left sides of adjacent glyphs [grid steps]

func textWidth(s string, height int64) int64 { return int64(advance*len(s)-1) * height / 6 }

// textStrokes returns the strokes of a word of the given height [nm], centred on the origin and
// reading from left to right.
func textStrokes(s string, height int64) []board.Polygon {
	var out []board.Polygon
	left := -textWidth(s, height) / 2
	for i, r := range strings.ToUpper(s) {
		for _, line := range strings.Fields(font[r]) {
			var g board.Polygon
			for k := 0; k+1 < len(line); k += 2 {
				g = append(g, board.Point{X: left + (int64(line[k]-'0')+int64(advance*i))*height/6,
					Y: int64(line[k+1]-'0')*height/6 - height/2})
			}
			out = append(out, g)
		}
	}
	return out
}
