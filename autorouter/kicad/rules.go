package kicad

import (
	"encoding/json"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// KiCad's default values [mm] of the net class Default and of the board rules. Source: KiCad 6 to
// 9, netclass.cpp and include/board_design_settings.h.
const (
	defaultTrackMM     = 0.25
	defaultClearanceMM = 0.2
	defaultViaMM       = 0.8
	defaultViaDrillMM  = 0.4
	edgeClearanceMM    = 0.5
	holeClearanceMM    = 0.25
	holeToHoleMM       = 0.25
	neckLengthMM       = 3.0 // the default of package autorouter; KiCad has no such rule
)

// maxRuleMM is the largest accepted width or clearance [mm].
const maxRuleMM = 100.0

// project is the content of a project file; lengths are in [mm].
type project struct {
	Board struct {
		DesignSettings struct {
			Rules map[string]any `json:"rules"`
		} `json:"design_settings"`
	} `json:"board"`
	NetSettings struct {
		Classes     []projectClass             `json:"classes"`
		Patterns    []projectPattern           `json:"netclass_patterns"`
		Assignments map[string]json.RawMessage `json:"netclass_assignments"`
	} `json:"net_settings"`
}

type projectClass struct {
	Name        string   `json:"name"`
	Clearance   *float64 `json:"clearance"`
	TrackWidth  *float64 `json:"track_width"`
	ViaDiameter *float64 `json:"via_diameter"`
	ViaDrill    *float64 `json:"via_drill"`
	PairWidth   *float64 `json:"diff_pair_width"`
	PairGap     *float64 `json:"diff_pair_gap"`
	Priority    *int     `json:"priority"`
	Nets        []string `json:"nets"`
}

type projectPattern struct {
	Class   string `json:"netclass"`
	Pattern string `json:"pattern"`
}

// readProject parses the text of a project file. It returns nil for a blank text. The error is an
// *Error.
func readProject(file string) (*project, error) {
	if strings.TrimSpace(file) == "" {
		return nil, nil
	}
	if len(file) > maxProjectBytes {
		return nil, bad(nil, "project file: it has %d bytes; at most %d are read", len(file),
			maxProjectBytes)
	}
	p := &project{}
	if err := json.Unmarshal([]byte(file), p); err != nil {
		return nil, bad(nil, "project file: %v", err)
	}
	if n := len(p.NetSettings.Classes); n > maxClasses {
		return nil, bad(nil, "project file: it has %d net classes; at most %d are read",
			n, maxClasses)
	}
	if n := len(p.NetSettings.Patterns); n > maxPatterns {
		return nil, bad(nil, "project file: it has %d patterns of nets; at most %d are read",
			n, maxPatterns)
	}
	return p, nil
}

// rule returns a board rule of the project [nm]. ok is false if the project does not define the
// rule.
func (p *project) rule(name string) (nm int64, ok bool, err error) {
	if p == nil {
		return 0, false, nil
	}
	v, ok := p.Board.DesignSettings.Rules[name].(float64)
	if !ok {
		return 0, false, nil
	}
	if !(v >= 0 && v <= maxRuleMM) {
		return 0, false, bad(nil, "project file: rule %s is %g mm; 0 to %g are valid", name,
			v, maxRuleMM)
	}
	return int64(math.Round(v * 1e6)), true, nil
}

// netClass is a net class of the board file or the project file. A length of 0 selects that of the
// class Default.
type netClass struct {
	name     string
	nm       [6]int64 // lengths [nm] in the order of classFields
	priority int
	nets     []string
}

// classFields lists the fields of (net_class ...) in the order of netClass.nm.
var classFields = [6]string{"trace_width", "clearance", "via_dia", "via_drill",
	"diff_pair_width", "diff_pair_gap"}

// classes returns the net classes of the project file, or else those of the board file, which KiCad
// 5 and earlier write.
func (d *Design) classes() ([]netClass, error) {
	var out []netClass
	if d.project != nil && len(d.project.NetSettings.Classes) > 0 {
		for i, c := range d.project.NetSettings.Classes {
			one := netClass{name: c.Name, priority: i, nets: c.Nets}
			if c.Priority != nil {
				one.priority = *c.Priority
			}
			for k, v := range []*float64{
				c.TrackWidth, c.Clearance, c.ViaDiameter, c.ViaDrill, c.PairWidth, c.PairGap,
			} {
				if v == nil {
					continue
				}
				if !(*v >= 0 && *v <= maxRuleMM) {
					return nil,
						bad(nil, "project file: net class %s: %s is %g mm; 0 to %g are valid",
							text.Word(c.Name), classFields[k], *v, maxRuleMM)
				}
				one.nm[k] = int64(math.Round(*v * 1e6))
			}
			out = append(out, one)
		}
		return out, nil
	}
	for i, n := range d.root.Each("net_class") {
		if i == maxClasses {
			return nil, bad(n, "the board has more than %d net classes", maxClasses)
		}
		one := netClass{name: n.At(1), priority: i}
		for k, field := range classFields {
			var err error
			if one.nm[k], err = footprint.ReadLength(n, field); err != nil {
				return nil, asError(err)
			}
		}
		for _, a := range n.Each("add_net") {
			one.nets = append(one.nets, a.At(1))
		}
		out = append(out, one)
	}
	return out, nil
}

// isDefault reports whether a class applies to nets without an assigned class.
func (c *netClass) isDefault() bool { return strings.EqualFold(c.name, "default") }

// setRules sets the net classes and the board rules of the board and assigns the classes to nets.
func (b *builder) setRules(o Options) error {
	d := b.design
	classes, err := d.classes()
	if err != nil {
		return err
	}
	gap, _, err := d.boardRule("min_clearance", "")
	if err != nil {
		return err
	}
	width, _, err := d.boardRule("min_track_width", "trace_min")
	if err != nil {
		return err
	}
	base := b.defaultClass(classes, width)
	for _, c := range append([]netClass{{name: "default"}, {name: "power"}}, classes...) {
		if c.isDefault() {
			c.name = "default"
			c.nm = base
		}
		c.nm = filled(c.nm, base)
		if err := b.addClass(&c, width, gap); err != nil {
			return err
		}
	}
	r := &b.Rules
	r.NeckWidth, r.NeckLength = r.Classes[0].TrackWidth, board.MM(neckLengthMM)
	for _, c := range r.Classes {
		r.NeckWidth = min(r.NeckWidth, c.TrackWidth)
	}
	r.MinTrack, r.MinGap, r.GroundNet = r.NeckWidth, gap, board.NoNet
	if err := b.setDistances(o, gap); err != nil {
		return err
	}
	return b.assignClasses(classes)
}

// defaultClass returns the dimensions of the net class Default. width is the minimum track width
// [nm].
func (b *builder) defaultClass(classes []netClass, width int64) [6]int64 {
	base := [6]int64{
		board.MM(defaultTrackMM), board.MM(defaultClearanceMM),
		board.MM(defaultViaMM), board.MM(defaultViaDrillMM),
	}
	found := false
	for _, c := range classes {
		if !c.isDefault() {
			continue
		}
		found = true
		// Manufacturers have one minimum for widths and clearances.
		if c.nm[1] == 0 && width >= board.MM(leastTrackMM) {
			base[1] = min(base[1], width)
			b.warn("net class Default has no clearance: %g mm is used", board.ToMM(base[1]))
		}
		base = filled(c.nm, base)
	}
	if !found {
		b.warn("no net class Default is given: tracks of %g mm, clearance %g mm, vias %g/%g mm are used",
			defaultTrackMM, defaultClearanceMM, defaultViaMM, defaultViaDrillMM)
	}
	return base
}

// addClass adds a net class to the board, or replaces the class of the same name. Tracks have at
// least the given width and gap [nm].
func (b *builder) addClass(n *netClass, width, gap int64) error {
	v := n.nm
	if v[3] >= v[2] {
		from := ""
		if b.design.project != nil {
			from = "project file: "
		}
		return bad(nil, "%snet class %s: the via of %g mm has a drill of %g mm",
			from, text.Word(n.name), board.ToMM(v[2]), board.ToMM(v[3]))
	}
	c := board.Class{
		Name: n.name, TrackWidth: max(v[0], width), Clearance: max(v[1], gap),
		ViaDiameter: v[2], ViaDrill: v[3], PairGap: v[5],
	}
	if v[4] > 0 {
		c.PairWidth = max(v[4], width)
	}
	r := &b.Rules
	for i := range r.Classes {
		if r.Classes[i].Name == c.Name {
			r.Classes[i] = c
			return nil
		}
	}
	r.Classes = append(r.Classes, c)
	return nil
}

// setDistances sets the clearances of copper to the board edge and to holes, and between holes. The
// clearance to the edge is at least gap [nm], unless the options give another one.
func (b *builder) setDistances(o Options, gap int64) error {
	r := &b.Rules
	for _, rule := range []struct {
		to        *int64
		name      string
		defaultMM float64
	}{
		{&r.EdgeClearance, "min_copper_edge_clearance", edgeClearanceMM},
		{&r.HoleClearance, "min_hole_clearance", holeClearanceMM},
		{&r.HoleToHole, "min_hole_to_hole", holeToHoleMM},
	} {
		v, ok, err := b.design.boardRule(rule.name, "")
		if err != nil {
			return err
		}
		if *rule.to = v; !ok {
			*rule.to = board.MM(rule.defaultMM)
		}
	}
	r.EdgeClearance = max(r.EdgeClearance, gap)
	if o.EdgeClearanceMM > 0 {
		r.EdgeClearance = board.MM(o.EdgeClearanceMM)
	}
	return nil
}

// filled replaces each zero in v by the corresponding value of base.
func filled(v, base [6]int64) [6]int64 {
	for i := range v {
		if v[i] == 0 {
			v[i] = base[i]
		}
	}
	return v
}

// boardRule returns the project rule with the given name [nm], or else the KiCad 5 rule with the
// name setup in (setup ...). An empty setup means that KiCad 5 lacks the rule. ok is false if
// neither file defines it.
func (d *Design) boardRule(name, setup string) (nm int64, ok bool, err error) {
	if nm, ok, err = d.project.rule(name); ok || err != nil || setup == "" {
		return nm, ok, err
	}
	list := d.root.First("setup")
	if list == nil || list.First(setup) == nil {
		return 0, false, nil
	}
	nm, err = footprint.ReadLength(list, setup)
	return nm, err == nil, asError(err)
}

// maxMatching limits the product of the total length of net names and the total length of patterns
// [bytes²]. 2000 net names and 200 patterns of 20 bytes each give 160 million.
const maxMatching = 1 << 28

// assignClasses sets the class of each net by assignment or by a matching pattern. Among several
// classes, the class with the lowest priority number applies, as in KiCad 9.
func (b *builder) assignClasses(classes []netClass) error {
	byName := map[string]*netClass{}
	of := map[string][]string{}
	for i := range classes {
		c := &classes[i]
		byName[c.name] = c
		for _, n := range c.nets {
			of[n] = append(of[n], c.name)
		}
	}
	var patterns []projectPattern
	if p := b.design.project; p != nil {
		patterns = p.NetSettings.Patterns
		for n, raw := range p.NetSettings.Assignments {
			var one string
			var several []string
			if json.Unmarshal(raw, &one) == nil && one != "" {
				several = []string{one}
			} else if json.Unmarshal(raw, &several) != nil {
				continue
			}
			of[n] = append(of[n], several...)
		}
	}
	letters := 0
	for i := range b.Nets {
		letters += len(b.Nets[i].Name) + 1
	}
	match := make([]func(string) bool, len(patterns))
	cost := 0
	for i, p := range patterns {
		if cost += letters * (len(p.Pattern) + 1); cost > maxMatching {
			return bad(nil,
				"project file: %d patterns of net classes for %d nets take too long to compare",
				len(patterns), len(b.Nets))
		}
		match[i] = matcher(p.Pattern)
	}
	for i := range b.Nets {
		n := &b.Nets[i]
		names := slices.Clone(of[n.Name])
		for k, p := range patterns {
			if match[k](n.Name) {
				names = append(names, p.Class)
			}
		}
		var best *netClass
		for _, name := range names {
			c := byName[name]
			if c == nil || c.isDefault() {
				continue
			}
			if best == nil || c.priority < best.priority {
				best = c
			}
		}
		if best != nil {
			n.Class = best.name
		}
	}
	return nil
}

// matcher returns a function that reports whether a net name matches a pattern. The pattern is a
// name, a name with the wildcards * and ?, or a regular expression.
func matcher(pattern string) func(string) bool {
	escaped := strings.NewReplacer("/", "\x01", "[", `\[`, `\`, `\\`).Replace(pattern)
	whole, err := regexp.Compile("^(?:" + pattern + ")$")
	return func(name string) bool {
		if ok, _ := path.Match(escaped, strings.ReplaceAll(name, "/", "\x01")); ok {
			return true
		}
		return name == pattern || err == nil && whole.MatchString(name)
	}
}

// lengthOf is like footprint.ReadLength but returns an *Error.
func lengthOf(n *sexpr.Node, head string) (int64, error) {
	v, err := footprint.ReadLength(n, head)
	return v, asError(err)
}
