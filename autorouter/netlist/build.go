package netlist

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/internal/text"
)

// Limits of a netlist.
const (
	MaxComponents = 150
	MaxNets       = 500
	MaxPads       = 2000
	MaxNetName    = 64
	maxValue      = 128 // maximum length of a value [characters]; longer values are truncated
	// maxLines is the maximum total of lines, letters and openings in the imported footprints of
	// all components. The sides of cut-outs are lines too.
	maxLines = 50_000
)

// Options holds the fields of a request that configure the parsing of its netlist. The comments
// name the request fields.
type Options struct {
	Library         *footprint.Library // footprint library; nil selects the standard library
	Overrides       map[string]string  // footprint_overrides: footprint name by reference
	DefaultPackage  string             // 0402, 0603, 0805, 1206 or tht; "" selects 0805
	SourceConnector string             // header, terminal or none; "" selects header
	CopperOz        float64            // copper weight for current_a [oz/ft²]; 0 selects 1
	TempRiseC       float64            // allowed temperature rise for current_a [K]; 0 selects 10
	NoAutoPower     bool               // whether supply names do not select class power
	Classes         []ClassNets        // net_classes: the classes with their nets
}

// draft is a parsed netlist before its validation.
type draft struct {
	form     string // request path of the components: "components" or "netlist"
	title    string
	parts    []part
	nets     []net
	warnings []string
	renamed  map[string]string // board.Netlist.Renamed
}

type part struct {
	ref, footprint, value string
	pins                  map[string]string
	edge                  string
	dnp                   bool
	noBOM, noPlacement    bool
	lcsc, mpn             string
	path                  string // path of the component in the request
	line                  int
}

// field returns the request path of one field of the part. For a part from a netlist text this is
// the path of the text.
func (p *part) field(name string) string {
	if p.line > 0 {
		return p.path
	}
	return p.path + "." + name
}

type net struct {
	name, class string
	code        string   // number of the net in a KiCad netlist
	current     *float64 // current [A]; nil if not given
	pins        []pin
	path        string
	line        int
}

func (n *net) field(name string) string {
	if n.line > 0 {
		return n.path
	}
	return n.path + "." + name
}

type pin struct {
	ref, pad string
	path     string
	line     int
}

// maxRef is the maximum length of a reference designator.
const maxRef = 16

var refPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,15}$`)

// edges maps the values of a component's field edge to board edges. An empty field selects the edge
// of the footprint.
var edges = map[string]board.Edge{"none": board.NoEdge, "any": board.AnyEdge,
	"left": board.LeftEdge, "right": board.RightEdge, "top": board.TopEdge,
	"bottom": board.BottomEdge}

// builder converts a draft to a netlist.
type builder struct {
	errorList
	draft
	opt       Options
	out       *board.Netlist
	overrides map[string]override // footprint overrides by upper-case reference designator
	byRef     map[string]int      // index in out.Components by upper-case reference designator
	named     []map[string]string // pad number by upper-case pin name, for each component
	made      map[string]*board.Footprint
	notes     []*footprintNote // in the order of the parts
}

// footprintNote is a note that one or more footprints have.
type footprintNote struct {
	text       string
	footprints []*notedFootprint
}

// notedFootprint is a footprint with a note.
type notedFootprint struct {
	name string
	refs []string // reference designators of its parts
}

// note records that the footprint of a part has a note.
func (b *builder) note(sentence, name, ref string) {
	i := slices.IndexFunc(b.notes, func(n *footprintNote) bool { return n.text == sentence })
	if i < 0 {
		i = len(b.notes)
		b.notes = append(b.notes, &footprintNote{text: sentence})
	}
	n := b.notes[i]
	for _, f := range n.footprints {
		if f.name == name {
			f.refs = append(f.refs, ref)
			return
		}
	}
	n.footprints = append(n.footprints, &notedFootprint{name: name, refs: []string{ref}})
}

// warning returns the warning for a note: "footprint of C1, C2, "C_0603", of R1, "R_0603": text".
func (n *footprintNote) warning() string {
	var list []string
	for _, f := range n.footprints {
		list = append(list, fmt.Sprintf("of %s, %s", strings.Join(f.refs, ", "),
			text.Quote(f.name)))
	}
	return fmt.Sprintf("footprint %s: %s", strings.Join(list, ", "), n.text)
}

func (d *draft) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

func (d draft) build(opt Options) (*board.Netlist, error) {
	b := &builder{draft: d, opt: opt, overrides: opt.overrides(), byRef: map[string]int{},
		made: map[string]*board.Footprint{},
		out:  &board.Netlist{Title: sanitize(d.title), Warnings: d.warnings, Renamed: d.renamed}}
	if err := d.checkSize(); err != nil {
		return nil, err
	}
	b.checkOverrides()
	for i := range b.parts {
		b.addPart(&b.parts[i])
	}
	for _, note := range b.notes {
		b.warn("%s", note.warning())
	}
	b.checkPads()
	b.addNets()
	b.applyClasses()
	if err := b.err(); err != nil {
		return nil, err
	}
	if unused := opt.Library.Unused(b.out.Components); len(unused) > 0 {
		b.warn("no component has these footprints of the request, which are not on the board: %s",
			abbreviatedList(unused))
	}
	return b.out, nil
}

// checkSize checks the numbers of parts and nets.
func (d *draft) checkSize() error {
	switch {
	case len(d.parts) == 0:
		return singleError(d.form, 0, "the netlist has no part that could be placed")
	case len(d.parts) > MaxComponents:
		return singleError(d.form, 0, "there are more than %d components", MaxComponents)
	case len(d.nets) > MaxNets:
		return singleError(d.netForm(), 0, "there are more than %d nets", MaxNets)
	}
	return nil
}

// netForm returns the request path of the nets: "nets" or "netlist".
func (d *draft) netForm() string {
	if d.form == "components" {
		return "nets"
	}
	return d.form
}

func (b *builder) warn(format string, args ...any) {
	b.out.Warnings = append(b.out.Warnings, fmt.Sprintf(format, args...))
}

// override is a footprint that the request assigns to a reference designator, with its request
// path.
type override struct{ footprint, path string }

// overrides returns the overrides of the request by upper-case reference designator. If a
// designator occurs in several spellings, the first one in lexical order applies.
func (o *Options) overrides() map[string]override {
	out := map[string]override{}
	for _, k := range slices.Sorted(maps.Keys(o.Overrides)) {
		path := "footprint_overrides"
		if badName(k) == "" {
			path += "." + k
		}
		if id := strings.ToUpper(k); out[id].path == "" {
			out[id] = override{o.Overrides[k], path}
		}
	}
	return out
}

func (b *builder) checkOverrides() {
	refs := map[string]bool{}
	for _, p := range b.parts {
		refs[strings.ToUpper(p.ref)] = true
	}
	for _, k := range slices.Sorted(maps.Keys(b.opt.Overrides)) {
		id := strings.ToUpper(k)
		if ref, ok := b.renamed[id]; ok {
			if now := strings.ToUpper(ref); b.overrides[now].path == "" {
				b.overrides[now] = b.overrides[id]
			}
		} else if !refs[id] {
			b.add(b.overrides[id].path, 0, "there is no component %s", text.Quote(k))
		}
	}
}

// addPart adds the component of a part, even if the part is invalid, because errors of nets may
// refer to it.
func (b *builder) addPart(p *part) {
	c := board.Component{Ref: p.ref, Value: sanitize(p.value), DNP: p.dnp, NoBOM: p.noBOM,
		NoPlacement: p.noPlacement, LCSC: sanitize(p.lcsc), MPN: sanitize(p.mpn)}
	if !refPattern.MatchString(p.ref) {
		b.add(p.field("ref"), p.line,
			"reference %s must be a letter and up to 15 letters, digits or underscores",
			text.Quote(p.ref))
	}
	id := strings.ToUpper(p.ref)
	if old, taken := b.byRef[id]; taken {
		b.add(p.field("ref"), p.line, "reference %s is used twice, before by %s", text.Quote(p.ref),
			where(b.parts[old].path, b.parts[old].line))
	} else {
		b.byRef[id] = len(b.out.Components)
	}
	name, path, line := p.footprint, p.field("footprint"), p.line
	if o, ok := b.overrides[id]; ok {
		name, path, line = o.footprint, o.path, 0
	}
	switch f, err := b.footprint(p.ref, name); {
	case name == "":
		detail := text.Quote(p.ref) + " has no footprint"
		if b.form == "netlist" {
			detail += "; footprint_overrides can give one"
		}
		b.add(path, line, "%s", detail)
	case err != nil:
		if specErr, ok := errors.AsType[*footprint.SpecError](err); ok {
			b.add(specErr.Path, 0, "%s: %s", text.Quote(p.ref), specErr.Detail)
			break
		}
		b.add(path, line, "%s: %v", text.Quote(p.ref), err)
	default:
		c.Footprint, c.Edge = f, f.Edge
		if f.HasAntenna() {
			c.Edge = board.AnyEdge
		}
		c.NoBOM, c.NoPlacement = c.NoBOM || f.NoBOM, c.NoPlacement || f.NoPlacement
		if f.Note != "" {
			b.note(f.Note, name, p.ref)
		}
		if files := excludingFiles(f); files != "" && len(f.Pads) > 1 {
			b.note("its attributes exclude the part from "+files, name, p.ref)
		}
	}
	if p.edge != "" {
		e, ok := edges[p.edge]
		if !ok {
			b.add(p.field("edge"), p.line, "edge %s must be none, any, left, right, top or bottom",
				text.Quote(p.edge))
		}
		c.Edge = e
	}
	named := map[string]string{}
	for _, pinName := range slices.Sorted(maps.Keys(p.pins)) {
		if id := strings.ToUpper(pinName); named[id] == "" {
			named[id] = p.pins[pinName]
		}
		if reason := badName(pinName); reason != "" {
			b.add(p.field("pins"), p.line, "%s: pin name %s %s", p.ref, text.Quote(pinName), reason)
		} else if c.Footprint != nil && padOf(c.Footprint, p.pins[pinName]) == "" {
			b.add(p.field("pins."+pinName), p.line, "%s",
				noPad(p.ref, p.pins[pinName], c.Footprint))
		}
	}
	b.named = append(b.named, named)
	b.out.Components = append(b.out.Components, c)
}

// excludingFiles names the files from which the attributes of a footprint exclude its part.
func excludingFiles(f *board.Footprint) string {
	switch {
	case f.NoBOM && f.NoPlacement:
		return "the BOM and the placement file"
	case f.NoBOM:
		return "the BOM"
	case f.NoPlacement:
		return "the placement file"
	}
	return ""
}

// where returns the position of an item in the request for use in a message: its line, or its path
// if line is 0.
func where(path string, line int) string {
	if line > 0 {
		return fmt.Sprintf("line %d", line)
	}
	return path
}

// bareSize matches a chip size without a family, for example 0805.
var bareSize = regexp.MustCompile(`^(0402|0603|0805|1206|1210|2010|2512)$`)

// familyName adds the family of the reference designator to a bare chip size. For example, D1 in
// 0805 has a cathode and C1 does not. For other designators it returns the name unchanged.
func familyName(ref, name string) string {
	if !bareSize.MatchString(name) {
		return name
	}
	switch letters := strings.ToUpper(strings.TrimRight(ref, "0123456789")); letters {
	case "R", "C", "L", "D", "LED", "F", "FB":
		return letters + "_" + name
	}
	return name
}

// footprint returns the footprint of a part with the given reference designator and footprint name.
// Parts with equal names share one footprint.
func (b *builder) footprint(ref, name string) (*board.Footprint, error) {
	if err := b.opt.Library.ReadError(name); err != nil {
		return nil, err
	}
	if b.opt.Library.Own(name) == nil {
		name = familyName(ref, name)
	}
	if f := b.made[name]; f != nil {
		return f, nil
	}
	f, err := b.opt.Library.Find(name)
	if err == nil {
		b.made[name] = f
	}
	return f, err
}

func (b *builder) checkPads() {
	pads, lines := 0, 0
	for _, c := range b.out.Components {
		if c.Footprint == nil {
			continue
		}
		pads += len(c.Footprint.Pads)
		if d := c.Footprint.Drawing; d != nil {
			lines += len(d.Graphics) + len(d.Apertures)
			for _, t := range d.Texts {
				lines += len(t.Text)
			}
			for _, g := range d.Cutouts {
				lines += len(g)
			}
		}
	}
	if lines > maxLines {
		b.add(b.form, 0, "the imported footprints have %d lines, letters and openings; at most %d are drawn",
			lines, maxLines)
	}
	if pads > MaxPads {
		b.add(b.form, 0, "the components have %d pads; at most %d are routed", pads, MaxPads)
	}
}

// unconnected is the start of KiCad's name for the net of an intentionally unconnected pin.
const unconnected = "unconnected-("

func (b *builder) addNets() {
	byName, folded := map[string]int{}, map[string]string{}
	taken := map[board.PinRef]int{}
	var single []string
	for i := range b.nets {
		n := &b.nets[i]
		if reason := badName(n.name); reason != "" {
			b.add(n.field("name"), n.line, "net name %s %s", text.Quote(n.name), reason)
		}
		if old, dup := byName[n.name]; dup {
			b.add(n.field("name"), n.line, "net %s is there twice, before at %s",
				text.Quote(n.name), where(b.nets[old].path, b.nets[old].line))
		} else if other, alike := folded[strings.ToUpper(n.name)]; alike {
			b.warn("nets %s and %s differ only in case", other, n.name)
		}
		byName[n.name], folded[strings.ToUpper(n.name)] = i, n.name
		made := board.Net{Name: n.name, Class: n.class}
		names := map[[2]string]bool{}
		for j := range n.pins {
			if len(b.list) == maxErrors {
				return
			}
			p := &n.pins[j]
			name := [2]string{strings.ToUpper(p.ref), strings.ToUpper(p.pad)}
			repeated := names[name]
			names[name] = true
			if ref, ok := b.pin(n, p, i, repeated, taken); ok {
				made.Pins = append(made.Pins, ref)
			}
		}
		switch {
		case len(n.pins) == 0:
			b.add(n.field("pins"), n.line, "net %s has no pins", text.Quote(n.name))
		case len(made.Pins) == 1 && !strings.HasPrefix(n.name, unconnected):
			single = append(single, n.name)
		}
		if n.current != nil {
			made.Width, made.Current = b.width(n), *n.current
		}
		b.out.Nets = append(b.out.Nets, made)
	}
	b.joinTouching(taken)
	b.warnTies(taken)
	b.warnQuantities()
	switch len(single) {
	case 0:
	case 1:
		b.warn("net %s has only one pin", single[0])
	default:
		b.warn("%d nets have only one pin: %s", len(single), abbreviatedList(single))
	}
	if len(b.nets) == 0 {
		b.warn("the netlist has no nets; nothing will be routed")
	} else {
		b.warnHalfConnected(taken)
	}
}

// warnHalfConnected names the open pads of parts with two pads of which only one is on a net. The
// map taken holds the connected pins.
func (b *builder) warnHalfConnected(taken map[board.PinRef]int) {
	var open []string
	for i := range b.out.Components {
		c := &b.out.Components[i]
		if c.Footprint == nil {
			continue
		}
		var numbers []string
		for _, p := range c.Footprint.Pads {
			if p.Number != "" && !slices.Contains(numbers, p.Number) {
				numbers = append(numbers, p.Number)
			}
		}
		free := slices.DeleteFunc(slices.Clone(numbers), func(number string) bool {
			_, netted := taken[board.PinRef{Component: i, Pad: number}]
			return netted
		})
		if len(numbers) == 2 && len(free) == 1 {
			open = append(open, c.Ref+"."+free[0])
		}
	}
	switch len(open) {
	case 0:
	case 1:
		b.warn("pad %s is on no net, and its part has only one other pad", open[0])
	default:
		b.warn("%d pads are on no net, and their parts have only one other pad: %s", len(open),
			abbreviatedList(open))
	}
}

// warnQuantities names the resistors and capacitors whose value is another quantity.
func (b *builder) warnQuantities() {
	for i := range b.out.Components {
		c := &b.out.Components[i]
		if q := c.OtherQuantity(); q != "" {
			b.warn("the value of %s, %s, is of the quantity %s; its reference names another part",
				c.Ref, text.Quote(c.Value), q)
		}
	}
}

// warnTies names the nets that the copper of net ties joins, with the parts. The map taken holds
// the net index of each connected pin.
func (b *builder) warnTies(taken map[board.PinRef]int) {
	var joined [][2]int
	refs := map[[2]int][]string{}
	for i := range b.out.Components {
		c := &b.out.Components[i]
		if c.Footprint == nil {
			continue
		}
		for _, pair := range c.Footprint.Ties {
			m, netted := taken[board.PinRef{Component: i, Pad: pair[0]}]
			n, alsoNetted := taken[board.PinRef{Component: i, Pad: pair[1]}]
			if !netted || !alsoNetted || m == n {
				continue
			}
			nets := [2]int{min(m, n), max(m, n)}
			if refs[nets] == nil {
				joined = append(joined, nets)
			}
			if !slices.Contains(refs[nets], c.Ref) {
				refs[nets] = append(refs[nets], c.Ref)
			}
		}
	}
	for _, nets := range joined {
		b.warn("the copper of %s joins the nets %s and %s; a manufacturer that compares the copper "+
			"with the netlist sees one net", strings.Join(refs[nets], ", "), b.nets[nets[0]].name,
			b.nets[nets[1]].name)
	}
}

// joinTouching checks pads with overlapping or touching copper. If two such pads are on two nets,
// it reports a short circuit. If only one of them has a net, the other gets that net. The map taken
// holds the net index of each connected pin.
func (b *builder) joinTouching(taken map[board.PinRef]int) {
	for i := range b.out.Components {
		c := &b.out.Components[i]
		if c.Footprint == nil || len(b.list) > 0 {
			continue
		}
		pairs := c.Footprint.Touching
		for changed := true; changed; {
			changed = false
			for _, pair := range pairs {
				open, other := board.PinRef{Component: i, Pad: pair[0]},
					board.PinRef{Component: i, Pad: pair[1]}
				m, netted := taken[open]
				n, alsoNetted := taken[other]
				switch {
				case netted && alsoNetted && m != n:
					b.add(b.parts[i].field("footprint"), b.parts[i].line,
						"pads %s and %s of %s overlap or touch and are on two nets, %s and %s",
						pair[0], pair[1], c.Ref, text.Quote(b.nets[m].name),
						text.Quote(b.nets[n].name))
					return
				case netted && !alsoNetted:
					open, other, n = other, open, m
					fallthrough
				case alsoNetted && !netted:
					taken[open], changed = n, true
					b.out.Nets[n].Pins = append(b.out.Nets[n].Pins, open)
					b.warn("pad %s of %s overlaps or touches pad %s and gets its net %s", open.Pad,
						c.Ref, other.Pad, b.nets[n].name)
				}
			}
		}
	}
}

// pin resolves pin p of net n with index i. The map taken holds the net index of each pin that
// already has a net, and repeated states whether the net lists the same name twice. The bool is
// false if the pin is invalid, or if a net has it already.
func (b *builder) pin(n *net, p *pin, i int, repeated bool, taken map[board.PinRef]int) (
	board.PinRef, bool) {
	c, known := b.byRef[strings.ToUpper(p.ref)]
	if !known {
		b.add(p.path, p.line, "net %s: there is no component %s", text.Quote(n.name),
			text.Quote(p.ref))
		return board.PinRef{}, false
	}
	f := b.out.Components[c].Footprint
	if f == nil {
		return board.PinRef{}, false // addPart has reported the error
	}
	number := b.resolve(c, p.pad)
	if number == "" {
		detail := noPad(p.ref, p.pad, f)
		if b.form == "components" && !strings.ContainsAny(p.pad[:min(1, len(p.pad))], "0123456789") {
			detail += "; components[].pins gives names to pads"
		}
		b.add(p.path, p.line, "net %s: %s", text.Quote(n.name), detail)
		return board.PinRef{}, false
	}
	ref := board.PinRef{Component: c, Pad: number}
	if old, used := taken[ref]; used {
		pinName := b.out.Components[c].Ref + "." + number
		switch {
		case old == i && !repeated: // another name of the pad, such as A12 of B1 in USB-C
		case old == i:
			b.add(p.path, p.line, "pin %s is twice in net %s", pinName, text.Quote(n.name))
		default:
			b.add(p.path, p.line, "pin %s is on two nets, %s and %s", pinName,
				text.Quote(b.nets[old].name), text.Quote(n.name))
		}
		return board.PinRef{}, false
	}
	taken[ref] = i
	return ref, true
}

// resolve returns the pad number for a pin name or number of component c, or "" if there is none.
// The pin names of the component take precedence over those of its footprint.
func (b *builder) resolve(c int, name string) string {
	p, f := &b.parts[c], b.out.Components[c].Footprint
	if pad, ok := p.pins[name]; ok {
		return padOf(f, pad)
	}
	if number := padOf(f, name); number != "" {
		return number
	}
	return padOf(f, b.named[c][strings.ToUpper(name)])
}

// padOf returns the number of the pad with the given number or pin name, or "" if there is none. An
// exact match takes precedence over a match that ignores case.
func padOf(f *board.Footprint, name string) string {
	if name == "" {
		return ""
	}
	found := ""
	for _, p := range f.Pads {
		if p.Number == name {
			return name
		}
		if found == "" && strings.EqualFold(p.Number, name) {
			found = p.Number
		}
	}
	if found != "" {
		return found
	}
	if number, ok := f.Aliases[name]; ok {
		return number
	}
	return f.Aliases[strings.ToUpper(name)]
}

// noPad returns the message for an unknown pad of a component. The message lists the existing pads.
func noPad(ref, pad string, f *board.Footprint) string {
	var have []string
	seen := map[string]bool{"": true}
	for _, p := range f.Pads {
		if !seen[p.Number] {
			seen[p.Number] = true
			have = append(have, p.Number)
		}
	}
	list := strings.Join(have, " ")
	if len(have) > 12 {
		list = strings.Join(have[:6], " ") + " ... " + have[len(have)-1]
	}
	return fmt.Sprintf("%s (%s) has no pad %s; it has %s", ref, f.Name, text.Quote(pad), list)
}

// badName returns the reason why a name is not valid in files for other programs, or "" for a valid
// name.
func badName(name string) string {
	if name == "" {
		return "is empty"
	}
	if len(name) > MaxNetName {
		return fmt.Sprintf("has %d characters; at most %d are allowed", len(name), MaxNetName)
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c > '~' || c == ',' {
			return "must be printable ASCII without spaces and commas"
		}
	}
	return ""
}

// sanitize makes free text safe for output. It replaces control characters by spaces and invalid
// UTF-8 by question marks, trims white space, and truncates the text to maxValue characters.
func sanitize(s string) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	if runes := []rune(s); len(runes) > maxValue {
		s = string(runes[:maxValue])
	}
	return s
}
