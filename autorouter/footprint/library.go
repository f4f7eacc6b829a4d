package footprint

import (
	"fmt"
	"strconv"

	"slipstick/autorouter/board"
)

// entry describes one land pattern of the library by its names and its constructor.
type entry struct {
	name  string
	also  []string // alternative names; matching ignores case, hyphens and underscores
	pitch float64  // pad pitch [mm]; 0 disables the check of the pitch suffix _P
	make  func() *board.Footprint
}

// entries returns all land patterns in the order of data.go.
func entries() []entry {
	var out []entry
	for _, f := range chipFamilies {
		for _, c := range chips {
			name, d, g, p := f.prefix+"_"+c.size, c.leads, chipGoals, unpolar
			if c.size == "0402" {
				g = smallChipGoals
			}
			if f.polar {
				p = diode
			}
			e := entry{name: name, make: func() *board.Footprint { return chip(name, d, g, p) }}
			if f.prefix == "R" {
				e.also = []string{c.size}
			}
			out = append(out, e)
		}
	}
	out = append(out, packages()...)
	out = append(out, smallSurface()...)
	out = append(out, connectors()...)
	return append(out, wiredParts()...)
}

// packages returns the entries of the integrated circuit packages.
func packages() []entry {
	var out []entry
	add := func(f family, s size, build func(name string) *board.Footprint) {
		member := strconv.Itoa(s.pins) + s.suffix
		e := entry{name: f.name + member, pitch: f.pitch}
		for _, a := range f.also {
			e.also = append(e.also, a+member)
		}
		e.make = func() *board.Footprint { return build(e.name) }
		out = append(out, e)
	}
	for _, f := range duals {
		for _, s := range f.sizes {
			add(f, s, func(name string) *board.Footprint { return dual(name, s, f.pitch, f.leads) })
		}
	}
	for _, f := range quads {
		for _, s := range f.sizes {
			add(f, s, func(name string) *board.Footprint {
				return quad(name, s, f.pitch, pattern(f.leads, gullGoalsAt(f.pitch)))
			})
		}
	}
	for _, s := range noLeads.sizes {
		add(noLeads, s, func(name string) *board.Footprint {
			return qfn(name, s, noLeads.pitch, noLeads.leads)
		})
	}
	return out
}

// smallSurface returns the entries of the surface-mount transistors, crystals, diodes and tantalum
// capacitors.
func smallSurface() []entry {
	var out []entry
	for _, s := range sots {
		e := entry{name: s.name, make: func() *board.Footprint {
			return sot(s.name, s.left, s.right, s.leads, s.bodyW, s.body)
		}}
		if s.name == "SOT-23" {
			e.also = []string{"SOT-23-3"}
		}
		out = append(out, e)
	}
	out = append(out,
		entry{name: "SOT-223", also: []string{"SOT-223-3"}, make: sot223},
		entry{name: "TO-252", also: []string{"DPAK", "TO-252-2", "TO-252-3"}, make: dpak},
		entry{name: "CRYSTAL_3225", make: crystal3225})
	for _, p := range polarPairs {
		ends := diode
		if p.electrolytic {
			ends = plus
		}
		out = append(out, entry{name: p.name, also: []string{"D_" + p.name},
			make: func() *board.Footprint {
				return pair(p.name, p.x, p.w, p.h, p.bodyW, p.body, ends)
			}})
	}
	return out
}

func connectors() []entry {
	var out []entry
	for columns := 1; columns <= 2; columns++ {
		for rows := 1; rows <= maxHeader; rows++ {
			e := entry{name: fmt.Sprintf("PinHeader_%dx%02d", columns, rows), pitch: inch,
				make: func() *board.Footprint { return header(columns, rows) }}
			// Row and column counts may be written with or without a leading zero.
			for _, count := range []string{fmt.Sprintf("%dx%02d", columns, rows),
				fmt.Sprintf("%dx%d", columns, rows), fmt.Sprintf("%02dx%02d", columns, rows)} {
				for _, prefix := range []string{"PinHeader_", "HDR-", "CONN_", ""} {
					e.also = append(e.also, prefix+count)
				}
			}
			out = append(out, e)
		}
	}
	for n := minTerminals; n <= maxTerminals; n++ {
		out = append(out, entry{name: fmt.Sprintf("TerminalBlock_1x%02d", n),
			also: []string{fmt.Sprintf("TerminalBlock_1x%d", n)}, pitch: 5.08,
			make: func() *board.Footprint { return terminalBlock(n) }})
	}
	return append(out,
		entry{name: "SW_TACT_6MM", make: tactile},
		entry{name: "USB_MICRO_B", make: usbMicroB},
		entry{name: "USB_C_16P", make: usbC},
		entry{name: "BARREL_JACK", make: barrelJack})
}

// wiredParts returns the entries of the through-hole parts.
func wiredParts() []entry {
	var out []entry
	for _, d := range dips {
		name := fmt.Sprintf("DIP-%d%s", d.pins, d.suffix)
		out = append(out, entry{name: name, pitch: inch, make: func() *board.Footprint {
			return dip(name, d.pins, d.row)
		}})
	}
	for _, p := range inlines {
		out = append(out, entry{name: p.name, also: []string{p.name + "-3"}, pitch: p.pitch,
			make: func() *board.Footprint {
				return inline(p.name, p.pitch, p.w, p.h, p.drill,
					sides(-p.bodyW/2, p.low, p.bodyW/2, p.high))
			}})
	}
	for _, w := range wired {
		out = append(out, entry{name: w.name, also: wiredAliases[w.name], pitch: w.pitch,
			make: func() *board.Footprint {
				return twoWire(w.name, w.pitch, w.pad, w.drill, w.bodyW, w.body, w.polarity)
			}})
	}
	return out
}

// wiredAliases lists alternative names of the parts in wired, by their name.
var wiredAliases = map[string][]string{
	"R_AXIAL":      {"R_AXIAL_P10.16"},
	"D_DO-35":      {"DO-35"},
	"D_DO-41":      {"DO-41"},
	"C_DISC_P2.50": {"C_DISC_P2.5"},
	"C_DISC_P5.00": {"C_DISC_P5", "C_DISC_P5.0"},
	"CP_RADIAL_D5": {"CP_RADIAL_D5.0"},
	"CP_RADIAL_D8": {"CP_RADIAL_D8.0"},
	// KiCad writes 10.0.
	"CP_RADIAL_D10": {"CP_RADIAL_D10.0"},
	"CRYSTAL_HC49":  {"CRYSTAL_HC49-U", "CRYSTAL_HC49-4H", "HC49"},
}
