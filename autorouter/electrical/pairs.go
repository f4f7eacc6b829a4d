package electrical

import (
	"fmt"
	"math"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// Pair is a differential pair of nets.
type Pair struct {
	Positive, Negative int     // nets
	Mismatch           int64   // difference of the lengths of their tracks [nm]
	Coupled            float64 // share of the tracks that runs beside the other net, 0 to 1
}

// Limits of a pair.
const (
	// 150 mil: Intel, High Speed USB Platform Design Guidelines 1.0, section 3.4
	maxMismatch = 3810 * board.Micrometre
	coupledGap  = 1 * board.Millimetre   // between the edges of tracks that run side by side
	coupledStep = 100 * board.Micrometre // along a track
)

// Pairs returns the differential pairs of a board by the names of their nets: X_P and X_N, XD+ and
// XD-, XDP and XDM, X+ and X-. Supplies are no pairs.
func Pairs(b *board.Board) []Pair {
	byName := map[string]int{}
	for i := range b.Nets {
		byName[strings.ToUpper(b.Nets[i].Name)] = i
	}
	tracks := make([][]board.Track, len(b.Nets))
	for _, t := range b.Tracks {
		tracks[t.Net] = append(tracks[t.Net], t)
	}
	var out []Pair
	for i := range b.Nets {
		name := strings.ToUpper(b.Nets[i].Name)
		for _, ends := range [][2]string{{"_P", "_N"}, {"DP", "DM"}, {"+", "-"}} {
			rest, ok := strings.CutSuffix(name, ends[0])
			k, found := byName[rest+ends[1]]
			if !ok || rest == "" || !found || isPower(b, i) || isPower(b, k) {
				continue
			}
			p := Pair{Positive: i, Negative: k}
			long, beside := 0.0, 0.0
			for _, on := range [2][2]int{{i, k}, {k, i}} {
				length, coupled := coupledLength(tracks[on[0]], tracks[on[1]])
				long, beside = long+length, beside+coupled
			}
			p.Mismatch = int64(math.Round(math.Abs(length(tracks[i]) - length(tracks[k]))))
			if long > 0 {
				p.Coupled = beside / long
			}
			out = append(out, p)
			break
		}
	}
	return out
}

// isPower reports whether a net is of class power.
func isPower(b *board.Board, net int) bool {
	return len(b.Rules.Classes) > 1 && b.Nets[net].Class == b.Rules.Classes[1].Name
}

func length(tracks []board.Track) float64 {
	sum := 0.0
	for _, t := range tracks {
		sum += board.Distance(t.A, t.B)
	}
	return sum
}

// coupledLength returns the length of tracks, and the part of it that runs beside others [nm].
func coupledLength(tracks, others []board.Track) (all, beside float64) {
	for _, t := range tracks {
		l := board.Distance(t.A, t.B)
		n := int(l/float64(coupledStep)) + 1
		all += l
		for k := range n {
			at := geom.Lerp(geom.VecOf(t.A), geom.VecOf(t.B), (float64(k)+0.5)/float64(n))
			for _, o := range others {
				if o.Layer == t.Layer && geom.PointSegment(at, geom.VecOf(o.A), geom.VecOf(o.B)) <
					float64(coupledGap+(t.Width+o.Width)/2) {
					beside += l / float64(n)
					break
				}
			}
		}
	}
	return all, beside
}

// PairWarnings returns a warning for each pair whose length mismatch exceeds the limit of
// high-speed USB.
func PairWarnings(b *board.Board, pairs []Pair) []string {
	var out []string
	for _, p := range pairs {
		if p.Mismatch > maxMismatch {
			out = append(out, fmt.Sprintf("the tracks of the pair %s and %s differ by %.4g mm in length; high-speed USB allows %g mm",
				b.Nets[p.Positive].Name, b.Nets[p.Negative].Name, board.ToMM(p.Mismatch),
				board.ToMM(maxMismatch)))
		}
	}
	return out
}
