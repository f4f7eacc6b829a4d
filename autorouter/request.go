package autorouter

// Request is what a board is made from. Its tags say units, ranges and defaults, as package
// tools/schema reads them; lengths are in millimetres in the frame of the board.
type Request struct {
	Netlist            *string           `json:"netlist" maxLength:"1000000" doc:"SPICE netlist or KiCad netlist export; or give components and nets"`
	NetlistFormat      string            `json:"netlist_format" enum:"auto,spice,kicad" default:"auto" doc:"How to read netlist; auto takes a text that begins with ( for KiCad"`
	Components         []Component       `json:"components" maxItems:"150" default:"[]" doc:"Parts, with nets instead of netlist"`
	Nets               []Net             `json:"nets" maxItems:"500" default:"[]" doc:"Which pins are joined"`
	FootprintOverrides map[string]string `json:"footprint_overrides" default:"{}" doc:"Reference to footprint, instead of the netlist's"`
	CustomFootprints   []CustomFootprint `json:"custom_footprints" maxItems:"50" default:"[]" doc:"Footprints of your own, found by name before the library"`
	SourceConnector    string            `json:"source_connector" enum:"header,terminal,none" default:"header" doc:"SPICE: what a V or I source becomes"`
	DefaultPackage     string            `json:"default_package" enum:"0402,0603,0805,1206,tht" default:"0805" doc:"SPICE: size of R, C and L"`

	Name           string         `json:"name" pattern:"^[A-Za-z0-9_-]{1,32}$" default:"board" doc:"Stem of the file names"`
	WidthMM        *float64       `json:"width_mm" unit:"mm" min:"5" max:"400" doc:"Board width; with height_mm, else the size is found"`
	HeightMM       *float64       `json:"height_mm" unit:"mm" min:"5" max:"400" doc:"Board height; with width_mm"`
	Outline        []XY           `json:"outline" maxItems:"64" default:"[]" doc:"Simple polygon of 3 to 64 points instead of width and height; shifted so that its bounding box starts at 0,0"`
	CornerRadiusMM float64        `json:"corner_radius_mm" unit:"mm" min:"0" max:"20" default:"0" doc:"Rounded corners of a rectangle"`
	UtilizationPct float64        `json:"utilization_pct" unit:"%" min:"10" max:"85" default:"45" doc:"Courtyard area over board area wanted when the size is found"`
	MountingHoles  []MountingHole `json:"mounting_holes" maxItems:"64" default:"[]" doc:"Holes without plating"`
	Keepouts       []Keepout      `json:"keepouts" maxItems:"64" default:"[]" doc:"Rectangles something must stay out of"`
	Placements     []Placement    `json:"placements" maxItems:"150" default:"[]" doc:"Where parts stand, fixed or as a start; those of a response may be sent back"`
	AllowBottom    bool           `json:"allow_bottom" default:"false" doc:"Surface parts of two pads may go to the bottom side"`

	TrackWidthMM      *float64   `json:"track_width_mm" unit:"mm" gt:"0" max:"5" doc:"Track width of class default; 0.25"`
	ClearanceMM       *float64   `json:"clearance_mm" unit:"mm" gt:"0" max:"5" doc:"Clearance of class default; 0.20"`
	ViaDrillMM        *float64   `json:"via_drill_mm" unit:"mm" gt:"0" max:"5" doc:"Via drill; 0.30"`
	ViaDiameterMM     *float64   `json:"via_diameter_mm" unit:"mm" gt:"0" max:"8" doc:"Via pad; 0.60"`
	EdgeClearanceMM   *float64   `json:"edge_clearance_mm" unit:"mm" gt:"0" max:"10" doc:"Copper to board edge; 0.40"`
	HoleClearanceMM   float64    `json:"hole_clearance_mm" unit:"mm" gt:"0" max:"5" default:"0.25" doc:"Any hole wall to foreign copper"`
	HoleToHoleMM      float64    `json:"hole_to_hole_mm" unit:"mm" gt:"0" max:"5" default:"0.3" doc:"Hole wall to hole wall"`
	MaskExpansionMM   float64    `json:"mask_expansion_mm" unit:"mm" min:"0" max:"1" default:"0.05" doc:"Mask opening grows by this"`
	MaskWebMM         float64    `json:"mask_web_mm" unit:"mm" min:"0" max:"1" default:"0.1" doc:"Narrower webs of mask are merged"`
	NetClasses        []NetClass `json:"net_classes" maxItems:"32" default:"[]" doc:"Classes of nets with widths and clearances of their own; default and power are predefined"`
	AutoPower         bool       `json:"auto_power" default:"true" doc:"Nets with the name of a supply join class power"`
	PowerTrackWidthMM *float64   `json:"power_track_width_mm" unit:"mm" gt:"0" max:"5" doc:"Track width of class power; 0.50"`
	NeckLengthMM      float64    `json:"neck_length_mm" unit:"mm" min:"0" max:"50" default:"3" doc:"How far from a pad a wide track may be as narrow as track_width_mm"`
	CopperOz          float64    `json:"copper_oz" unit:"oz/ft²" min:"0.5" max:"4" default:"1" doc:"Copper weight, for current_a"`
	TempRiseC         float64    `json:"temp_rise_c" unit:"K" min:"1" max:"100" default:"10" doc:"Temperature rise allowed, for current_a"`
	GroundNet         *string    `json:"ground_net" maxLength:"64" doc:"Net that is poured; GND if there is one"`
	PourLayers        []string   `json:"pour_layers" enum:"top,bottom" maxItems:"2" default:"[\"bottom\"]" doc:"Layers the ground net is poured on; empty for no pour"`
	PourClearanceMM   float64    `json:"pour_clearance_mm" unit:"mm" gt:"0" max:"5" default:"0.25" doc:"Pour to foreign copper"`
	ThermalRelief     bool       `json:"thermal_relief" default:"true" doc:"Pads of the ground net are joined by spokes"`
	ThermalGapMM      float64    `json:"thermal_gap_mm" unit:"mm" gt:"0" max:"5" default:"0.3" doc:"Gap around a pad with thermal relief"`
	ThermalSpokeMM    float64    `json:"thermal_spoke_mm" unit:"mm" gt:"0" max:"5" default:"0.4" doc:"Width of a thermal spoke"`
	FabProfile        string     `json:"fab_profile" enum:"generic,jlcpcb,pcbway,oshpark" default:"generic" doc:"Whose minimums hold"`

	Effort           string   `json:"effort" enum:"fast,normal,high" default:"normal" doc:"Iteration budget"`
	TimeLimitS       float64  `json:"time_limit_s" unit:"s" min:"1" max:"60" default:"20" doc:"Stops after about this much processor time on a typical core, counted by the work done, and returns the best board so far"`
	Seed             int      `json:"seed" unit:"1" min:"0" max:"2147483647" default:"1" doc:"Same request and seed give the same bytes"`
	Exports          []string `json:"exports" enum:"gerber,drill,ipc356,bom,cpl,kicad,svg" maxItems:"7" default:"[\"gerber\",\"drill\",\"ipc356\",\"bom\",\"cpl\",\"kicad\",\"svg\"]" doc:"Which files to make"`
	GerberAttributes string   `json:"gerber_attributes" enum:"commands,comments" default:"commands" doc:"How Gerber files carry their X2 attributes: as commands, or as comments for viewers and fabs that reject commands they do not know"`
	Zip              bool     `json:"zip" default:"false" doc:"Add zip_base64 with the same files"`
}

// Component is a part of a structured netlist.
type Component struct {
	Ref       string            `json:"ref" minLength:"1" maxLength:"16" doc:"Reference, a letter first, unique ignoring case"`
	Footprint string            `json:"footprint" minLength:"1" maxLength:"128" doc:"Name in the library or in custom_footprints; KiCad's names of the same parts are understood, with the library's nickname or without"`
	Value     string            `json:"value" maxLength:"64" default:"" doc:"Value, for legend and BOM"`
	Pins      map[string]string `json:"pins" default:"{}" doc:"Pin name to pad number, so that nets may say U1.VCC"`
	Edge      *string           `json:"edge" enum:"none,any,left,right,top,bottom" doc:"Board edge the part belongs to; connectors take any by themselves"`
	DNP       bool              `json:"dnp" default:"false" doc:"Not populated: neither in BOM nor in placement"`
}

// Net is a net of a structured netlist.
type Net struct {
	Name     string   `json:"name" minLength:"1" maxLength:"64" doc:"1 to 64 printable ASCII characters without spaces or commas"`
	Pins     []string `json:"pins" maxItems:"2000" maxLength:"64" doc:"REF.PAD or REF.NAME"`
	Class    string   `json:"class" maxLength:"64" default:"" doc:"Net class"`
	CurrentA *float64 `json:"current_a" unit:"A" gt:"0" max:"100" doc:"Current, for the track width by IPC-2221 external"`
}

// XY is a point.
type XY struct {
	X float64 `json:"x_mm" unit:"mm" min:"-1000" max:"1000" doc:"To the right"`
	Y float64 `json:"y_mm" unit:"mm" min:"-1000" max:"1000" doc:"Upwards"`
}

// MountingHole is a hole without plating.
type MountingHole struct {
	XY
	DiameterMM float64 `json:"diameter_mm" unit:"mm" gt:"0" max:"50" default:"3.2" doc:"Diameter"`
	KeepoutMM  float64 `json:"keepout_mm" unit:"mm" min:"0" max:"50" default:"1" doc:"No copper and no parts within this of the wall"`
}

// Keepout is a rectangle something must stay out of.
type Keepout struct {
	XY
	WidthMM    float64  `json:"width_mm" unit:"mm" gt:"0" max:"400" doc:"To the right of x_mm"`
	HeightMM   float64  `json:"height_mm" unit:"mm" gt:"0" max:"400" doc:"Above y_mm"`
	Layers     []string `json:"layers" enum:"top,bottom" maxItems:"2" default:"[\"top\",\"bottom\"]" doc:"Layers it holds on"`
	Tracks     bool     `json:"tracks" default:"true" doc:"Keeps tracks out"`
	Vias       bool     `json:"vias" default:"true" doc:"Keeps vias out"`
	Copper     bool     `json:"copper" default:"true" doc:"Keeps the pour out"`
	Components bool     `json:"components" default:"true" doc:"Keeps parts out"`
}

// Placement is where a part is to stand.
type Placement struct {
	Ref string `json:"ref" minLength:"1" maxLength:"16" doc:"Which part"`
	XY
	RotationDeg float64 `json:"rotation_deg" unit:"°" min:"-360" max:"360" default:"0" doc:"Counter-clockwise seen from the top"`
	Side        string  `json:"side" enum:"top,bottom" default:"top" doc:"Side"`
	Fixed       bool    `json:"fixed" default:"true" doc:"False makes it only a start"`
}

// NetClass is a class of nets.
type NetClass struct {
	Name          string   `json:"name" minLength:"1" maxLength:"64" doc:"Name; default and power change the predefined ones"`
	TrackWidthMM  *float64 `json:"track_width_mm" unit:"mm" gt:"0" max:"5" doc:"Track width; that of the request when absent"`
	ClearanceMM   *float64 `json:"clearance_mm" unit:"mm" gt:"0" max:"5" doc:"Clearance; that of the request when absent"`
	ViaDrillMM    *float64 `json:"via_drill_mm" unit:"mm" gt:"0" max:"5" doc:"Via drill; that of the request when absent"`
	ViaDiameterMM *float64 `json:"via_diameter_mm" unit:"mm" gt:"0" max:"8" doc:"Via pad; that of the request when absent"`
	Nets          []string `json:"nets" maxItems:"500" maxLength:"64" default:"[]" doc:"Its members"`
}

// CustomFootprint is a footprint drawn in the request.
type CustomFootprint struct {
	Name   string      `json:"name" minLength:"1" maxLength:"128" doc:"What components call it"`
	Pads   []CustomPad `json:"pads" minItems:"1" maxItems:"500" doc:"Its pads"`
	BodyMM []float64   `json:"body_mm" unit:"mm" gt:"0" max:"400" maxItems:"2" default:"[]" doc:"Width and height of the package; the box of the pads when empty"`
}

// CustomPad is a pad of a CustomFootprint.
type CustomPad struct {
	Pad string `json:"pad" maxLength:"16" default:"" doc:"Number; empty for a hole without copper"`
	XY
	WidthMM     float64   `json:"width_mm" unit:"mm" gt:"0" max:"100" doc:"Width before rotation"`
	HeightMM    float64   `json:"height_mm" unit:"mm" gt:"0" max:"100" doc:"Height before rotation"`
	Shape       string    `json:"shape" enum:"rect,roundrect,circle,oval" default:"roundrect" doc:"Form"`
	DrillMM     float64   `json:"drill_mm" unit:"mm" min:"0" max:"50" default:"0" doc:"Drill, 0 for a surface land"`
	SlotMM      []float64 `json:"slot_mm" unit:"mm" gt:"0" max:"50" maxItems:"2" default:"[]" doc:"Width and height of a slot instead of a drill"`
	RotationDeg float64   `json:"rotation_deg" unit:"°" min:"-360" max:"360" default:"0" doc:"Counter-clockwise"`
}
