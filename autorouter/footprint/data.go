package footprint

// Package dimensions of the library [mm]. Where JEDEC has a standard for a package, the dimensions
// are from that standard. SOIC is MS-012 and MS-013, TSSOP MO-153, MSOP MO-187 and SSOP MO-150.
// Quad flat packs are MS-026, QFN MO-220, SOT-23 TO-236 and MO-178.

// chipFamilies lists the two-terminal parts that exist in each chip size. Pad 1 of a diode is the
// cathode.
var chipFamilies = []struct {
	prefix string
	polar  bool
}{{"R", false}, {"C", false}, {"L", false}, {"D", true}, {"LED", true}, {"F", false}, {"FB", false}}

var chips = []struct {
	size string
	leads
}{
	{"0402", leads{span{.95, 1.05}, span{.15, .35}, span{.45, .55}}},
	{"0603", leads{span{1.5, 1.7}, span{.1, .5}, span{.7, .9}}},
	{"0805", leads{span{1.85, 2.15}, span{.25, .65}, span{1.1, 1.4}}},
	{"1206", leads{span{3.05, 3.35}, span{.25, .75}, span{1.45, 1.75}}},
	{"1210", leads{span{3.05, 3.35}, span{.25, .75}, span{2.35, 2.65}}},
	{"2010", leads{span{4.85, 5.15}, span{.35, .85}, span{2.35, 2.65}}},
	{"2512", leads{span{6.15, 6.45}, span{.35, .85}, span{3.05, 3.35}}},
}

// family is a package type that exists with several pin counts; lengths are in [mm].
type family struct {
	name  string   // name prefix that ends with a dash; the pin count follows
	also  []string // alternative names
	pitch float64
	leads
	sizes []size
}

// size is one member of a family; lengths are in [mm].
type size struct {
	pins        int
	suffix      string  // text that follows the pin count in the name
	bodyW, body float64 // body size along x and y [mm]
	pad         float64 // side length of the square exposed pad [mm]; 0 for a package without one
}

var (
	soic  = leads{span{5.8, 6.2}, span{.4, 1.27}, span{.31, .51}}
	wide  = leads{span{10, 10.65}, span{.4, 1.27}, span{.31, .51}}
	tssop = leads{span{6.2, 6.6}, span{.45, .75}, span{.19, .3}}
	msop  = leads{span{4.75, 5.05}, span{.4, .8}, span{.22, .38}}
	ssop  = leads{span{7.4, 8.2}, span{.55, .95}, span{.22, .38}}
)

// duals lists packages with leads on the left and right sides.
var duals = []family{
	{"SOIC-", []string{"SO-", "SOP-"}, 1.27, soic,
		[]size{{8, "", 3.9, 4.9, 0}, {14, "", 3.9, 8.65, 0}, {16, "", 3.9, 9.9, 0}}},
	{"SOIC-", []string{"SO-", "SOP-"}, 1.27, wide, []size{{16, "W", 7.5, 10.3, 0},
		{20, "W", 7.5, 12.8, 0}, {24, "W", 7.5, 15.4, 0}, {28, "W", 7.5, 17.9, 0}}},
	{"TSSOP-", nil, .65, tssop, []size{{8, "", 4.4, 3, 0}, {14, "", 4.4, 5, 0}, {16, "", 4.4, 5, 0},
		{20, "", 4.4, 6.5, 0}, {24, "", 4.4, 7.8, 0}, {28, "", 4.4, 9.7, 0}}},
	{"MSOP-", nil, .65, msop, []size{{8, "", 3, 3, 0}}},
	{"SSOP-", nil, .65, ssop, []size{{16, "", 5.3, 6.2, 0}, {20, "", 5.3, 7.2, 0},
		{24, "", 5.3, 8.2, 0}, {28, "", 5.3, 10.2, 0}}},
}

var (
	flatFoot   = span{.45, .75}
	coarseLead = span{.3, .45}
	fineLead   = span{.17, .27}
	qfp        = []string{"LQFP-", "QFP-"}
)

// quads lists packages with leads on all four sides.
var quads = []family{
	{"TQFP-", qfp, .8, leads{span{8.75, 9.25}, flatFoot, coarseLead}, []size{{32, "", 7, 7, 0}}},
	{"TQFP-", qfp, .8, leads{span{11.75, 12.25}, flatFoot, coarseLead},
		[]size{{44, "", 10, 10, 0}}},
	{"TQFP-", qfp, .5, leads{span{8.75, 9.25}, flatFoot, fineLead}, []size{{48, "", 7, 7, 0}}},
	{"TQFP-", qfp, .5, leads{span{11.75, 12.25}, flatFoot, fineLead}, []size{{64, "", 10, 10, 0}}},
	{"TQFP-", qfp, .5, leads{span{15.75, 16.25}, flatFoot, fineLead}, []size{{100, "", 14, 14, 0}}},
}

// noLeads lists packages whose terminals end at the body edge. The lead span here is an offset to
// which qfn adds the body size.
var noLeads = family{"QFN-", nil, .5, leads{span{-.1, .1}, span{.3, .5}, span{.18, .30}},
	[]size{{16, "", 3, 3, 1.5}, {20, "", 4, 4, 2.5}, {24, "", 4, 4, 2.5}, {32, "", 5, 5, 3.3},
		{48, "", 7, 7, 5.5}}}

var (
	sot23     = leads{span{2.1, 2.64}, span{.3, .6}, span{.3, .51}}
	sot23long = leads{span{2.6, 3}, span{.3, .6}, span{.3, .5}}
)

// sots lists small transistor packages; body sizes are in [mm]. The fields left and right hold the
// y positions of the leads on each side, in multiples of the 0.95 mm pitch.
var sots = []struct {
	name        string
	left, right []int
	leads
	bodyW, body float64
}{
	{"SOT-23", []int{1, -1}, []int{0}, sot23, 1.3, 2.9},
	{"SOT-23-5", []int{1, 0, -1}, []int{-1, 1}, sot23long, 1.6, 2.9},
	{"SOT-23-6", []int{1, 0, -1}, []int{-1, 0, 1}, sot23long, 1.6, 2.9},
}

// polarPairs lists parts with two lands of size w by h [mm] at x and -x [mm]. Pad 1 is the cathode
// of a diode, or the positive terminal of an electrolytic capacitor.
var polarPairs = []struct {
	name         string
	x, w, h      float64
	bodyW, body  float64
	electrolytic bool
}{
	{"SOD-123", 1.65, .9, 1.2, 2.7, 1.6, false},
	{"SOD-323", 1.05, .6, .55, 1.7, 1.25, false},
	{"SMA", 2, 2.5, 1.8, 4.3, 2.6, false},
	{"SMB", 2.15, 2.5, 2.3, 4.6, 3.95, false},
	{"SMC", 3.4, 2.5, 3.3, 6.9, 6.2, false},
	{"CP_TANT_A", 1.35, 1.5, 1.35, 3.2, 1.6, true},
	{"CP_TANT_B", 1.5, 1.5, 2.35, 3.5, 2.8, true},
}

// dips lists dual in-line packages by pin count and row spacing [mm].
var dips = []struct {
	pins   int
	suffix string
	row    float64
}{
	{6, "", 7.62}, {8, "", 7.62}, {14, "", 7.62}, {16, "", 7.62}, {18, "", 7.62}, {20, "", 7.62},
	{24, "", 7.62}, {28, "", 7.62},
	{24, "W", 15.24}, {28, "W", 15.24}, {40, "", 15.24},
}

// inlines lists parts with three pins in a row along x; lengths are in [mm]. The body extends from
// low to high in y.
var inlines = []struct {
	name               string
	pitch, w, h, drill float64
	bodyW, low, high   float64
}{
	{"TO-92", 1.27, 1.0, 1.5, .7, 4.74, -1.75, 2.48},
	{"TO-92-WIDE", 2.54, 1.5, 1.5, .8, 4.7, -1.75, 2.48},
	{"TO-220", 2.54, 1.9, 2.0, 1.1, 10, -1.5, 3.2},
	{"POT_3296W", 2.54, 1.5, 1.5, .8, 9.5, -2.4, 2.4},
}

// polarity describes the terminals of a two-terminal part: unpolarized, or with a defined pad 1.
type polarity uint8

const (
	unpolar polarity = iota
	diode            // pad 1 is the cathode
	plus             // pad 1 is the positive terminal
)

// wired lists two-lead through-hole parts with pad 1 on the left; lengths are in [mm].
var wired = []struct {
	name              string
	pitch, pad, drill float64
	bodyW, body       float64
	polarity
}{
	{"R_AXIAL", 10.16, 1.6, .8, 6.3, 2.5, unpolar},
	{"R_AXIAL_P7.62", 7.62, 1.6, .8, 3.6, 1.6, unpolar},
	{"D_DO-35", 7.62, 1.6, .8, 4, 2, diode},
	{"D_DO-41", 10.16, 2.2, 1.1, 5.2, 2.7, diode},
	{"C_DISC_P2.50", 2.5, 1.6, .8, 4.3, 2.5, unpolar},
	{"C_DISC_P5.00", 5, 1.6, .8, 5.1, 3.2, unpolar},
	{"CP_RADIAL_D5", 2, 1.6, .8, 5, 5, plus},
	{"CP_RADIAL_D6.3", 2.5, 1.6, .8, 6.3, 6.3, plus},
	{"CP_RADIAL_D8", 3.5, 1.6, .8, 8, 8, plus},
	{"CP_RADIAL_D10", 5, 2.0, 1.0, 10, 10, plus},
	{"LED_3MM", 2.54, 1.8, .9, 3.8, 3.8, diode},
	{"LED_5MM", 2.54, 1.8, .9, 5.8, 5.8, diode},
	{"CRYSTAL_HC49", 4.88, 1.5, .8, 11, 4.7, unpolar},
}

// Limits of the number of rows of a pin header and of the number of poles of a terminal block.
const (
	maxHeader    = 40
	minTerminals = 2
	maxTerminals = 12
)
