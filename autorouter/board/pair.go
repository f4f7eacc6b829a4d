package board

import (
	"regexp"
	"strings"
)

// MaxPairEndGap is the largest distance [nm] between two pads of different parts that form an end
// of a pair. Two series resistors are an example.
const MaxPairEndGap = 4 * Millimetre

// Pair is a differential pair of nets to be routed with coupled tracks.
type Pair struct {
	Positive, Negative int   // indices into Board.Nets
	Width              int64 // track width [nm]; 0 selects the width of the net classes
	Gap                int64 // gap between the two tracks [nm], at least the clearance
}

// pairEndings lists the net name suffixes of differential pairs: positive, then negative.
var pairEndings = [][2]string{{"_P", "_N"}, {"DP", "DM"}, {"DP", "DN"}, {"+", "-"}}

// notDifferential matches the names of nets that occur in pairs but carry no differential signal.
// They are supplies, loads, and the capacitors of charge pumps such as C1+ of MAX232.
var notDifferential = regexp.MustCompile(`BAT|POE|PWR|POWER|SUPPLY|SOLAR|PANEL|CHARGE|MOTOR|COIL|` +
	`HEAT|FAN|LED|V(IN|OUT|CC|DD|SS|DC|BUS|R|REF|S)?[+]$|(^|[^A-Z])C[0-9]?[+]$`)

// Pair returns the differential pair of two nets, given by their indices. It has the smaller pair
// width and the larger pair gap of their net classes.
func (r *Rules) Pair(nets []Net, positive, negative int) Pair {
	p, n := r.Class(&nets[positive]), r.Class(&nets[negative])
	return Pair{Positive: positive, Negative: negative, Width: min(p.PairWidth, n.PairWidth),
		Gap: max(p.PairGap, n.PairGap)}
}

// NamedPairs finds differential pairs by net names: X_P and X_N, XDP and XDM or XDN, X+ and X-.
// Suffixes may be within parentheses, as in KiCad's Net-(J1-D+). Nets for which skip returns true,
// and nets named like supplies, loads such as motors, or charge pumps, are not paired.
func (r *Rules) NamedPairs(nets []Net, skip func(net int) bool) []Pair {
	name := func(i int) (text, close string) {
		text = strings.ToUpper(nets[i].Name)
		if rest, ok := strings.CutSuffix(text, ")"); ok {
			return rest, ")"
		}
		return text, ""
	}
	byName, paired := map[string]int{}, map[int]bool{}
	for i := range nets {
		text, closing := name(i)
		byName[text+closing] = i
	}
	var out []Pair
	for i := range nets {
		text, closing := name(i)
		for _, ends := range pairEndings {
			rest, ok := strings.CutSuffix(text, ends[0])
			k, found := byName[rest+ends[1]+closing]
			if !ok || rest == "" || !found || paired[i] || paired[k] || skip(i) || skip(k) ||
				notDifferential.MatchString(text) {
				continue
			}
			paired[i], paired[k] = true, true
			out = append(out, r.Pair(nets, i, k))
			break
		}
	}
	return out
}
