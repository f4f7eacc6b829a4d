// Package fab describes board manufacturers: their minimum feature sizes, and the BOM and placement
// formats that they accept.
package fab

import (
	"math"
	"strings"
)

// Profile describes a manufacturer.
type Profile struct {
	Name string
	// Minimum sizes [mm] without surcharge for two-layer boards with 1 oz/ft² copper: track width,
	// gap, drill, annular ring, and copper-to-edge distance.
	TrackMM, GapMM, DrillMM, RingMM, EdgeMM float64

	BOM, Placement []Column
	MostRefs       int       // largest number of references per BOM line; 0 means no limit
	RefSeparator   string    // separator of the references of a BOM line
	Sides          [2]string // names of the top and bottom sides in the placement table
	Rotations      []Rotation
	Bottom         BottomAngle
}

// BottomAngle is the convention for the angles of bottom parts in the placement table. The angle θ
// of a part on the board is counter-clockwise as seen from the top, after mirroring in x.
type BottomAngle uint8

// Conventions for the angles of bottom parts.
const (
	AsPlaced BottomAngle = iota // θ
	// AsKiCad is θ + 180°, because KiCad mirrors the parts of the bottom in y.
	AsKiCad
	// FromBottom is -θ: counter-clockwise as seen from the bottom.
	FromBottom
)

// Column is a column of a bill of materials or of a placement table.
type Column struct {
	Heading string
	Field   Field
	// Optional omits the column if no part has a value for it.
	Optional bool
}

// Field is the content of a column.
type Field uint8

// The fields of a bill of materials and of a placement table.
const (
	Value Field = iota
	Refs
	Footprint // footprint name without the library nickname
	Package   // case of the part; always empty, because netlists have no such field
	Quantity
	LCSC
	MPN
	MountType // smt or tht
	X         // position of the part on the board [mm]
	Y
	Side
	Angle // rotation of the part plus the reel rotation of the manufacturer [degrees]
)

// Rotation is the orientation of a package in its reel relative to the KiCad library footprint. It
// applies to footprints whose names begin with Prefix.
type Rotation struct {
	Prefix  string
	Degrees float64 // counter-clockwise, seen from the top
}

// plain returns the columns of the bill of materials for profiles without a specific format.
func plain() []Column {
	return []Column{{"Comment", Value, false}, {"Designator", Refs, false},
		{"Footprint", Footprint, false}, {"Quantity", Quantity, false},
		{"LCSC Part #", LCSC, true}, {"Manufacturer Part Number", MPN, true}}
}

// centroid returns the columns of the placement table for all profiles except pcbway.
func centroid() []Column {
	return []Column{{"Designator", Refs, false}, {"Mid X", X, false}, {"Mid Y", Y, false},
		{"Layer", Side, false}, {"Rotation", Angle, false}}
}

// pcbwayBOM returns the columns that PCBWay's plug-in for KiCad 6 and 7 uploads
// (pcbway/PCBWay-Plug-in-for-Kicad, plugins/process.py, bec98ce), followed by the LCSC part number.
func pcbwayBOM() []Column {
	return []Column{{"Designator", Refs, false}, {"Quantity", Quantity, false},
		{"Value", Value, false}, {"Footprint", Footprint, false}, {"Package", Package, false},
		{"MPN", MPN, false}, {"Mount_Type", MountType, false}, {"LCSC", LCSC, true}}
}

// pcbwayPlacement returns the columns of the position file of PCBWay's plug-in for KiCad 6 and 7.
func pcbwayPlacement() []Column {
	return []Column{{"pos_x", X, false}, {"pos_y", Y, false}, {"rotation", Angle, false},
		{"side", Side, false}, {"designator", Refs, false}, {"mpn", MPN, false},
		{"pack", Package, false}, {"footprint", Footprint, false}, {"value", Value, false},
		{"mount_type", MountType, false}}
}

// Profiles returns all manufacturers; the first is the default of a request.
func Profiles() []Profile {
	lower := [2]string{"top", "bottom"}
	return []Profile{
		{"generic", 0.10, 0.10, 0.20, 0.10, 0.20, plain(), centroid(), 0, ",", lower, nil,
			AsPlaced},
		{"jlcpcb", 0.127, 0.127, 0.30, 0.13, 0.20, plain(), centroid(), 200, ",",
			[2]string{"Top", "Bottom"}, reelRotations(), FromBottom},
		{"pcbway", 0.127, 0.127, 0.30, 0.15, 0.20, pcbwayBOM(), pcbwayPlacement(), 0, ", ",
			lower, nil, AsKiCad},
		{"oshpark", 0.152, 0.152, 0.254, 0.127, 0.381, plain(), centroid(), 0, ",", lower, nil,
			AsPlaced},
	}
}

// reelRotations returns the reel rotations of JLCPCB from a public list (matthewlai/JLCKicadTools,
// cpl_rotations_db.csv, 02f5483). The first matching prefix applies. CP_TANT_A and CP_TANT_B
// correspond to CP_EIA-3216-18 and CP_EIA-3528-21 in that list.
func reelRotations() []Rotation {
	return []Rotation{
		{"R_Array_Convex_", 90}, {"R_Array_Concave_", 90}, {"SOT-223", 180}, {"SOT-23", 180},
		{"TSOT-23", 180}, {"SOT-353", 180}, {"QFN-", 270}, {"LQFP-", 270}, {"TQFP-", 270},
		{"SOP-4_", 0}, {"SOP-18_", 0}, {"SOP-", 270}, {"TSSOP-", 270}, {"DFN-", 270},
		{"SOIC-", 270}, {"VSSOP-8_", 270}, {"VSSOP-10_", 270}, {"HTSSOP-28-1EP_4.4x9.7mm", 270},
		{"VQFN-16", 270}, {"VQFN-20", 270}, {"VQFN-24", 270}, {"VQFN-28", 270}, {"VQFN-40", 270},
		{"PowerPAK_SO-8_Single", 270}, {"CP_EIA-3216-18_", 180}, {"CP_TANT_A", 180},
		{"CP_EIA-3528-21_Kemet-B", 180}, {"CP_EIA-3528-15_AVX-H", 180}, {"CP_TANT_B", 180},
		{"CP_Elec_8x10", 180}, {"CP_Elec_6.3x7.7", 180}, {"CP_Elec_8x6.7", 180},
	}
}

// Find returns the profile with the given name, or the first profile if the name is unknown.
func Find(name string) Profile {
	all := Profiles()
	for _, p := range all {
		if p.Name == name {
			return p
		}
	}
	return all[0]
}

// Rotation returns the angle to add to a footprint's rotation in the placement file [degrees],
// counter-clockwise as seen from the top. A library nickname before the footprint name is ignored.
func (p *Profile) Rotation(footprint string) float64 {
	if _, name, ok := strings.Cut(footprint, ":"); ok {
		footprint = name
	}
	for _, r := range p.Rotations {
		if strings.HasPrefix(footprint, r.Prefix) {
			return r.Degrees
		}
	}
	return 0
}

// Angle returns the angle of a placed part in the placement table [degrees], at least 0 and below
// 360. The parameter rotation is the angle of the part on the board.
func (p *Profile) Angle(footprint string, rotation float64, bottom bool) float64 {
	if bottom {
		switch p.Bottom {
		case AsKiCad:
			rotation += 180
		case FromBottom:
			rotation = -rotation
		}
	}
	angle := math.Mod(rotation+p.Rotation(footprint)+360, 360)
	// Rounding to microdegrees removes the rounding error of the sum.
	return math.Mod(math.Round(angle*1e6)/1e6, 360)
}
