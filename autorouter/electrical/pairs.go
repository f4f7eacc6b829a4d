package electrical

import (
	"context"
	"fmt"
	"math"
	"regexp"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// Pair holds the measurements of a differential pair of nets.
type Pair struct {
	Positive, Negative int // indices into Board.Nets
	// Mismatch is the difference between the lengths of the two nets from end to end [nm]. If their
	// tracks connect no two ends, it is that of all their tracks.
	Mismatch int64
	// Coupled is the fraction of the track length that is coupled to the other net, 0 to 1.
	Coupled float64
	Length  int64 // routed length of the longer net [nm]
}

// Limits for the measurement of pairs.
const (
	// maxMismatch is the largest length mismatch without a warning [nm]: 150 mil (Intel, High Speed
	// USB Platform Design Guidelines 1.0, section 3.4).
	maxMismatch = 3810 * board.Micrometre
	// minPairLength is the smallest length at which an uncoupled pair causes a warning [nm].
	minPairLength = 10 * board.Millimetre
	coupledGap    = 1 * board.Millimetre   // largest edge-to-edge gap between coupled tracks [nm]
	coupledStep   = 100 * board.Micrometre // sampling step along a track [nm]
)

// Pairs returns the length mismatch and the coupled fraction of each differential pair of a board.
// It returns the error of the context if that ends first.
func Pairs(ctx context.Context, b *board.Board) ([]Pair, error) {
	tracks := make([][]board.Track, len(b.Nets))
	for _, t := range b.Tracks {
		tracks[t.Net] = append(tracks[t.Net], t)
	}
	var out []Pair
	for _, pair := range b.Rules.Pairs {
		p := Pair{Positive: pair.Positive, Negative: pair.Negative}
		positive, negative := tracks[p.Positive], tracks[p.Negative]
		gap := max(coupledGap, pair.Gap+coupledStep)
		long, beside, err := coupledLength(ctx, positive, negative, gap)
		if err != nil {
			return nil, err
		}
		more, besideMore, err := coupledLength(ctx, negative, positive, gap)
		if err != nil {
			return nil, err
		}
		total, other := b.RoutedLength(p.Positive), b.RoutedLength(p.Negative)
		p.Length = int64(math.Round(max(total, other)))
		ends, ok, err := endToEnd(ctx, b, pair)
		if err != nil {
			return nil, err
		}
		if ok {
			total, other = ends[0], ends[1]
		}
		p.Mismatch = int64(math.Round(math.Abs(total - other)))
		if long+more > 0 {
			p.Coupled = (beside + besideMore) / (long + more)
		}
		out = append(out, p)
	}
	return out, nil
}

// coupledLength returns the total length of tracks [nm] and the part of this length within an
// edge-to-edge gap [nm] of other tracks. The error is that of the context.
func coupledLength(ctx context.Context, tracks, others []board.Track, gap int64) (all,
	beside float64, err error) {
	copper := make([]geom.Boxed, len(others))
	for i, o := range others {
		copper[i] = geom.Segment(o.A, o.B, o.Width).Boxed()
	}
	index := geom.NewShapeIndex(len(others), func(i int) *geom.Boxed { return &copper[i] })
	for _, t := range tracks {
		if ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		l := board.Distance(t.A, t.B)
		n := int(l/float64(coupledStep)) + 1
		all += l
		s := newSamples(t, n, n, 0.5)
		reach := float64(gap + t.Width/2)
		own := geom.Segment(t.A, t.B, t.Width).Boxed()
		index.Near(&own, float64(gap), func(k int) {
			o := others[k]
			if o.Layer != t.Layer {
				return
			}
			s.mark(copper[k].Box.Grown(reach+1), func(at geom.Vec) bool {
				return geom.PointSegment(at, geom.VecOf(o.A), geom.VecOf(o.B)) <
					float64(gap+(t.Width+o.Width)/2)
			})
		})
		beside += l * s.share()
	}
	return all, beside, nil
}

// usbName matches the name of a data net of USB.
var usbName = regexp.MustCompile(`(?i)usb|(^|[^a-z0-9])d[+\-pmn]$`)

// PairWarnings returns a warning for each pair whose length mismatch exceeds the limit of
// high-speed USB; it names the limit for pairs of USB alone. It also warns of each pair longer than
// minPairLength that is coupled along less than half of its length.
func PairWarnings(b *board.Board, pairs []Pair) []string {
	var out []string
	for _, p := range pairs {
		names := fmt.Sprintf("%s and %s", b.Nets[p.Positive].Name, b.Nets[p.Negative].Name)
		if p.Mismatch > maxMismatch {
			limit := "check the limit of its interface"
			if usbName.MatchString(b.Nets[p.Positive].Name) {
				limit = fmt.Sprintf("high-speed USB allows %g mm", board.ToMM(maxMismatch))
			}
			out = append(out, fmt.Sprintf("the tracks of the pair %s differ by %.4g mm in length; %s",
				names, board.ToMM(p.Mismatch), limit))
		}
		if p.Length > minPairLength && p.Coupled < 0.5 {
			out = append(out, fmt.Sprintf("the tracks of the pair %s run side by side on %.0f %% of their length: their pads are far apart, or no path for both was free",
				names, 100*p.Coupled))
		}
	}
	return out
}
