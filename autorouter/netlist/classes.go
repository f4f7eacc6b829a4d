package netlist

import (
	"fmt"
	"math"
	"regexp"

	"slipstick/autorouter/board"
	"slipstick/internal/text"
)

// ClassNets is one entry of net_classes with the names of its nets.
type ClassNets struct {
	Name string
	Nets []string
}

// Predefined net classes.
const (
	DefaultClass = "default"
	PowerClass   = "power"
)

// powerNames matches the names of supply nets, ignoring case. KiCad prefixes a local name with its
// sheet, as in /VCC; AutoPower removes the prefix.
var powerNames = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^A?GND$`),
	regexp.MustCompile(`(?i)^VSS$`),
	regexp.MustCompile(`(?i)^(VCC|VDD|VIN|VBAT).*$`),
	regexp.MustCompile(`(?i)^(VBUS|VOUT)$`),
	regexp.MustCompile(`(?i)^[+-]\d+(\.\d+)?V?$`), // +5, -12V, +3.3V
	regexp.MustCompile(`(?i)^[+-]?\d+V\d*$`),      // 3V3, +3V3, 5V
}

// AutoPower reports whether a net name is that of a supply or a ground.
func AutoPower(name string) bool {
	if len(name) > 1 && name[0] == '/' {
		name = name[1:]
	}
	for _, p := range powerNames {
		if p.MatchString(name) {
			return true
		}
	}
	return false
}

// Constants of IPC-2221A, section 6.2, for external conductors: I = k·ΔT^0.44·A^0.725 with I in
// amperes, ΔT in kelvins and A in square mils.
const (
	ipcExternal     = 0.048
	ipcRiseExponent = 0.44
	ipcAreaExponent = 0.725

	mil         = 25.4e3 // length of 1 mil [nm]
	ounceCopper = 35e3   // thickness of copper with a weight of 1 oz/ft² [nm]
)

// TrackWidth returns the track width [nm] required for a current [A], a copper weight [oz/ft²] and
// a temperature rise [K]. The width is rounded up to a multiple of 1 µm.
func TrackWidth(currentA, copperOz, riseC float64) int64 {
	area := math.Pow(currentA/(ipcExternal*math.Pow(riseC, ipcRiseExponent)), 1/ipcAreaExponent)
	width := area * mil * mil / (copperOz * ounceCopper)
	return int64(math.Ceil(width/float64(board.Micrometre)-1e-6)) * board.Micrometre
}

// MaxTrack is the largest track width [mm]. A larger current needs a zone or thicker copper.
const MaxTrack = 5.0

// width returns the track width [nm] required by the current of a net, limited to MaxTrack. It
// returns 0 if the current is invalid.
func (b *builder) width(n *net) int64 {
	oz, rise := b.opt.CopperOz, b.opt.TempRiseC
	if oz == 0 {
		oz = 1
	}
	if rise == 0 {
		rise = 10
	}
	a := *n.current
	if math.IsNaN(a) || a <= 0 || a > 1000 {
		b.add(n.field("current_a"), n.line,
			"net %s: the current must be above 0 and at most 1000 A, not %g", text.Quote(n.name), a)
		return 0
	}
	w := TrackWidth(a, oz, rise)
	if limit := board.MM(MaxTrack); w > limit {
		b.warn("net %s: %g A needs %.4g mm of copper; its tracks get %g mm", n.name, a,
			board.ToMM(w), MaxTrack)
		return limit
	}
	return w
}

// applyClasses assigns a class to every net. It is the declared class, the class that lists the
// net, the class power for a supply name, or else the class default.
func (b *builder) applyClasses() {
	known := map[string]bool{DefaultClass: true, PowerClass: true}
	seen := map[string]bool{}
	byName := map[string]*board.Net{}
	for i := range b.out.Nets {
		byName[b.out.Nets[i].Name] = &b.out.Nets[i]
	}
	for i, c := range b.opt.Classes {
		path := fmt.Sprintf("net_classes[%d]", i)
		if reason := badName(c.Name); reason != "" {
			b.add(path+".name", 0, "class name %s %s", text.Quote(c.Name), reason)
		} else if seen[c.Name] {
			b.add(path+".name", 0, "class %s is there twice", text.Quote(c.Name))
		}
		known[c.Name], seen[c.Name] = true, true
		for j, name := range c.Nets {
			at := fmt.Sprintf("%s.nets[%d]", path, j)
			switch n := byName[name]; {
			case n == nil:
				b.add(at, 0, "class %s: there is no net %s", text.Quote(c.Name), text.Quote(name))
			case n.Class != "" && n.Class != c.Name:
				b.add(at, 0, "net %s is in two classes, %s and %s", text.Quote(name),
					text.Quote(n.Class), text.Quote(c.Name))
			default:
				n.Class = c.Name
			}
		}
	}
	for i := range b.out.Nets {
		n := &b.out.Nets[i]
		named := !b.opt.NoAutoPower && AutoPower(n.Name)
		n.Supply = named || n.Class == PowerClass
		switch {
		case n.Class == "" && named:
			n.Class = PowerClass
		case n.Class == "":
			n.Class = DefaultClass
		case !known[n.Class]:
			b.add(b.nets[i].field("class"), b.nets[i].line,
				"net %s: class %s is neither default nor power nor in net_classes",
				text.Quote(n.Name), text.Quote(n.Class))
		}
	}
}
