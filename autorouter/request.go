package autorouter

// Request describes the board to make. Package tools/schema reads the field tags for units, ranges
// and defaults. Positions are in board coordinates.
type Request struct {
	Netlist            *string           `json:"netlist" maxLength:"1000000" label:"Netlist" doc:"SPICE netlist or KiCad netlist export; alternative to components and nets"`
	NetlistFormat      string            `json:"netlist_format" enum:"auto,spice,kicad" default:"auto" label:"Netlist format" doc:"Format of the netlist; auto reads a text that begins with ( as KiCad"`
	Components         []Component       `json:"components" maxItems:"150" default:"[]" label:"Components" doc:"Components, with nets in place of netlist"`
	Nets               []Net             `json:"nets" maxItems:"500" default:"[]" label:"Nets" doc:"Nets with their pins"`
	FootprintOverrides map[string]string `json:"footprint_overrides" default:"{}" label:"Footprint overrides" doc:"Reference to footprint, in place of the netlist's"`
	CustomFootprints   []CustomFootprint `json:"custom_footprints" maxItems:"50" default:"[]" label:"Custom footprints" doc:"Custom footprints, searched by name before the library"`
	Footprints         map[string]string `json:"footprints" default:"{}" label:"KiCad footprints" doc:"Name to the text of a .kicad_mod file, searched by name before the library"`
	SourceConnector    string            `json:"source_connector" enum:"header,terminal,none" default:"header" label:"Source connector" doc:"SPICE: connector that replaces a V or I source"`
	DefaultPackage     string            `json:"default_package" enum:"0402,0603,0805,1206,tht" default:"0805" label:"Default package" doc:"SPICE: package of R, C and L"`

	Name           string         `json:"name" pattern:"^[A-Za-z0-9_-]{1,32}$" default:"board" label:"Board name" doc:"Board name; the file names begin with it"`
	WidthMM        *float64       `json:"width_mm" unit:"mm" min:"5" max:"400" label:"Board width" doc:"Board width, with height_mm; default: by utilization_pct"`
	HeightMM       *float64       `json:"height_mm" unit:"mm" min:"5" max:"400" label:"Board height" doc:"Board height, with width_mm"`
	Outline        []XY           `json:"outline" maxItems:"64" default:"[]" label:"Outline" doc:"Simple polygon of 3 to 64 points instead of width and height; shifted so that its bounding box starts at 0,0"`
	CornerRadiusMM float64        `json:"corner_radius_mm" unit:"mm" min:"0" max:"20" default:"0" label:"Corner radius" doc:"Corner radius of a rectangle"`
	UtilizationPct float64        `json:"utilization_pct" unit:"%" min:"10" max:"85" default:"45" label:"Target utilization" doc:"Courtyard area divided by board area, for the automatic board size"`
	MountingHoles  []MountingHole `json:"mounting_holes" maxItems:"64" default:"[]" label:"Mounting holes" doc:"Non-plated holes"`
	Keepouts       []Keepout      `json:"keepouts" maxItems:"64" default:"[]" label:"Keepouts" doc:"Rectangular keepout areas"`
	Placements     []Placement    `json:"placements" maxItems:"150" default:"[]" label:"Placements" doc:"Positions of components, fixed or initial; those of a response can be sent back"`
	Panel          *Panel         `json:"panel" label:"Panel" doc:"Adds the files of a panel: an array of the board with V-scores or tabs, rails, fiducials and tooling holes"`
	AllowBottom    bool           `json:"allow_bottom" default:"false" label:"Allow bottom side" doc:"SMD parts of two pads may be placed on the bottom side"`

	Layers int               `json:"layers" unit:"1" min:"2" max:"4" default:"2" label:"Copper layers" doc:"Number of copper layers: 2 or 4"`
	Planes map[string]string `json:"planes" default:"{}" label:"Planes" doc:"Net of each inner layer (in1, in2); empty for tracks. Default: ground, and the supply with the most pins"`

	TrackWidthMM      *float64           `json:"track_width_mm" unit:"mm" gt:"0" max:"5" label:"Track width" doc:"Track width of class default; default: 0.25"`
	ClearanceMM       *float64           `json:"clearance_mm" unit:"mm" gt:"0" max:"5" label:"Clearance" doc:"Clearance of class default; default: 0.20"`
	ViaDrillMM        *float64           `json:"via_drill_mm" unit:"mm" gt:"0" max:"5" label:"Via drill" doc:"Via drill; default: 0.30"`
	ViaDiameterMM     *float64           `json:"via_diameter_mm" unit:"mm" gt:"0" max:"8" label:"Via diameter" doc:"Via pad diameter; default: 0.60"`
	EdgeClearanceMM   *float64           `json:"edge_clearance_mm" unit:"mm" gt:"0" max:"10" label:"Edge clearance" doc:"Clearance from copper to board edge; default: 0.40"`
	HoleClearanceMM   float64            `json:"hole_clearance_mm" unit:"mm" gt:"0" max:"5" default:"0.25" label:"Hole clearance" doc:"Clearance from a hole wall to copper of other nets"`
	HoleToHoleMM      float64            `json:"hole_to_hole_mm" unit:"mm" gt:"0" max:"5" default:"0.3" label:"Hole-to-hole distance" doc:"Distance between hole walls"`
	MaskExpansionMM   float64            `json:"mask_expansion_mm" unit:"mm" min:"0" max:"1" default:"0.05" label:"Solder mask expansion" doc:"Expansion of the mask openings"`
	MaskWebMM         float64            `json:"mask_web_mm" unit:"mm" min:"0" max:"1" default:"0.1" label:"Solder mask minimum web" doc:"Minimum width of a mask web; narrower webs are removed"`
	NetClasses        []NetClass         `json:"net_classes" maxItems:"32" default:"[]" label:"Net classes" doc:"Net classes with their own widths and clearances; default and power are predefined"`
	AutoPower         bool               `json:"auto_power" default:"true" label:"Automatic power class" doc:"Nets named like a supply or ground, such as VCC, 3V3 or GND, get class power"`
	DifferentialPairs []DifferentialPair `json:"differential_pairs" maxItems:"64" default:"[]" label:"Differential pairs" doc:"Pairs to route side by side with equal lengths"`
	AutoPairs         bool               `json:"auto_pairs" default:"true" label:"Automatic pairs" doc:"Nets whose names form a differential pair are routed as one: _P and _N, DP and DM, + and -"`
	LengthGroups      []LengthGroup      `json:"length_groups" maxItems:"32" default:"[]" label:"Length groups" doc:"Groups of nets to route with equal lengths, such as a bus"`
	PowerTrackWidthMM *float64           `json:"power_track_width_mm" unit:"mm" gt:"0" max:"5" label:"Power track width" doc:"Track width of class power; default: 0.50"`
	NeckLengthMM      float64            `json:"neck_length_mm" unit:"mm" min:"0" max:"50" default:"3" label:"Neck-down length" doc:"Distance from a pad within which a wide track may narrow to track_width_mm"`
	CopperOz          float64            `json:"copper_oz" unit:"oz/ft²" min:"0.5" max:"4" default:"1" label:"Copper weight" doc:"Copper weight, for nets with a current"`
	TempRiseC         float64            `json:"temp_rise_c" unit:"K" min:"1" max:"100" default:"10" label:"Temperature rise" doc:"Allowed temperature rise, for nets with a current"`
	GroundNet         *string            `json:"ground_net" maxLength:"64" label:"Ground net" doc:"Net of the pour; default: GND when there is one"`
	PourLayers        []string           `json:"pour_layers" enum:"top,bottom" maxItems:"2" default:"[\"bottom\"]" label:"Pour layers" doc:"Layers of the ground pour; empty for no pour"`
	PourClearanceMM   float64            `json:"pour_clearance_mm" unit:"mm" gt:"0" max:"5" default:"0.25" label:"Pour clearance" doc:"Clearance from pour to copper of other nets"`
	ThermalRelief     bool               `json:"thermal_relief" default:"true" label:"Thermal relief" doc:"Pads of the ground net connect by spokes"`
	ThermalGapMM      float64            `json:"thermal_gap_mm" unit:"mm" gt:"0" max:"5" default:"0.3" label:"Thermal gap" doc:"Gap around a pad with thermal relief"`
	ThermalSpokeMM    float64            `json:"thermal_spoke_mm" unit:"mm" gt:"0" max:"5" default:"0.4" label:"Thermal spoke width" doc:"Width of a thermal spoke"`
	FabProfile        string             `json:"fab_profile" enum:"generic,jlcpcb,pcbway,oshpark" default:"generic" label:"Fab" doc:"Manufacturer whose minimum sizes, BOM columns and rotations apply"`

	Effort           string   `json:"effort" enum:"fast,normal,high" default:"normal" label:"Effort" doc:"Iteration budget"`
	TimeLimitS       float64  `json:"time_limit_s" unit:"s" min:"1" max:"60" default:"20" label:"Time limit" doc:"Limit of processor time on a typical core, measured by the work done; the best board so far is returned"`
	Seed             int      `json:"seed" unit:"1" min:"0" max:"2147483647" default:"1" label:"Random seed" doc:"The same request with the same seed gives the same board"`
	Exports          []string `json:"exports" enum:"gerber,drill,ipc356,bom,cpl,kicad,svg,assembly" maxItems:"8" default:"[\"gerber\",\"drill\",\"ipc356\",\"bom\",\"cpl\",\"kicad\",\"svg\"]" label:"Export formats" doc:"Files to generate; assembly: drawings of both sides as SVG"`
	GerberAttributes string   `json:"gerber_attributes" enum:"commands,comments" default:"commands" label:"Gerber attributes" doc:"X2 attributes in Gerber files: as commands, or as comments for viewers and fabs that reject unknown commands"`
	Zip              bool     `json:"zip" default:"false" label:"ZIP archive" doc:"Add zip_base64 with the same files"`
}

// Component is a component of a structured netlist.
type Component struct {
	Ref       string            `json:"ref" minLength:"1" maxLength:"16" label:"Reference" doc:"Reference, a letter first, unique ignoring case"`
	Footprint string            `json:"footprint" minLength:"1" maxLength:"128" label:"Footprint" doc:"Name in the library or in custom_footprints; KiCad's names of the same parts are understood, with the library's nickname or without"`
	Value     string            `json:"value" maxLength:"64" default:"" label:"Value" doc:"Value, for silkscreen and BOM"`
	Pins      map[string]string `json:"pins" default:"{}" label:"Pin names" doc:"Pin name to pad number, for nets with pins such as U1.VCC"`
	Edge      *string           `json:"edge" enum:"none,any,left,right,top,bottom" label:"Edge" doc:"Board edge of the part; default for connectors, antennas: any"`
	LCSC      string            `json:"lcsc" maxLength:"32" default:"" label:"LCSC part" doc:"LCSC part number, for the BOM"`
	MPN       string            `json:"mpn" maxLength:"64" default:"" label:"MPN" doc:"Manufacturer's part number, for the BOM"`
	DNP       bool              `json:"dnp" default:"false" label:"DNP" doc:"Not populated: excluded from BOM and placement files"`
}

// Net is a net of a structured netlist.
type Net struct {
	Name     string   `json:"name" minLength:"1" maxLength:"64" label:"Name" doc:"1 to 64 printable ASCII characters without spaces or commas"`
	Pins     []string `json:"pins" maxItems:"2000" maxLength:"64" label:"Pins" doc:"Pins as REF.PAD or REF.NAME"`
	Class    string   `json:"class" maxLength:"64" default:"" label:"Class" doc:"Net class"`
	CurrentA *float64 `json:"current_a" unit:"A" gt:"0" max:"100" label:"Current" doc:"Current, for the track width by IPC-2221 external"`
}

// XY is a point in board coordinates [mm].
type XY struct {
	X float64 `json:"x_mm" unit:"mm" min:"-1000" max:"1000" label:"X" doc:"X position, to the right"`
	Y float64 `json:"y_mm" unit:"mm" min:"-1000" max:"1000" label:"Y" doc:"Y position, upwards"`
}

// MountingHole is an unplated mounting hole.
type MountingHole struct {
	XY
	DiameterMM float64 `json:"diameter_mm" unit:"mm" gt:"0" max:"50" default:"3.2" label:"Diameter" doc:"Diameter"`
	KeepoutMM  float64 `json:"keepout_mm" unit:"mm" min:"0" max:"50" default:"1" label:"Keepout" doc:"Distance from the hole wall without copper and components"`
}

// Panel is a rectangular array of copies of one rectangular board.
type Panel struct {
	Columns int     `json:"columns" unit:"1" min:"1" max:"20" default:"2" label:"Columns" doc:"Boards side by side"`
	Rows    int     `json:"rows" unit:"1" min:"1" max:"20" default:"2" label:"Rows" doc:"Boards above each other"`
	RailMM  float64 `json:"rail_mm" unit:"mm" min:"5" max:"20" default:"5" label:"Rail width" doc:"Width of the rails on all sides"`

	Separation string `json:"separation" enum:"v_score,tabs" default:"v_score" label:"Separation" doc:"V-scores, or slots with tabs and mouse bites, also for rounded corners"`
}

// Keepout is a rectangular area that excludes the selected kinds of objects.
type Keepout struct {
	XY
	WidthMM    float64  `json:"width_mm" unit:"mm" gt:"0" max:"400" label:"Width" doc:"Size to the right of x_mm"`
	HeightMM   float64  `json:"height_mm" unit:"mm" gt:"0" max:"400" label:"Height" doc:"Size above y_mm"`
	Layers     []string `json:"layers" enum:"top,bottom,in1,in2" minItems:"1" maxItems:"4" default:"[\"top\",\"bottom\"]" label:"Layers" doc:"Layers; top and bottom together include the inner ones"`
	Tracks     bool     `json:"tracks" default:"true" label:"Tracks" doc:"No tracks in the area"`
	Vias       bool     `json:"vias" default:"true" label:"Vias" doc:"No vias in the area"`
	Copper     bool     `json:"copper" default:"true" label:"Pour" doc:"No pour in the area; with tracks and vias, no pads either"`
	Components bool     `json:"components" default:"true" label:"Components" doc:"No components in the area"`
}

// Placement is the requested placement of a part.
type Placement struct {
	Ref string `json:"ref" minLength:"1" maxLength:"16" label:"Reference" doc:"Reference of the component"`
	XY
	RotationDeg float64 `json:"rotation_deg" unit:"°" min:"-360" max:"360" default:"0" label:"Rotation" doc:"Rotation, counter-clockwise seen from the top"`
	Side        string  `json:"side" enum:"top,bottom" default:"top" label:"Side" doc:"Side"`
	Fixed       bool    `json:"fixed" default:"true" label:"Fixed" doc:"false: initial position only"`
}

// NetClass holds the routing rules for a class of nets.
type NetClass struct {
	Name          string   `json:"name" minLength:"1" maxLength:"64" label:"Name" doc:"Name; default and power change the predefined ones"`
	TrackWidthMM  *float64 `json:"track_width_mm" unit:"mm" gt:"0" max:"5" label:"Track width" doc:"Track width; default: that of the request"`
	ClearanceMM   *float64 `json:"clearance_mm" unit:"mm" gt:"0" max:"5" label:"Clearance" doc:"Clearance; default: that of the request"`
	ViaDrillMM    *float64 `json:"via_drill_mm" unit:"mm" gt:"0" max:"5" label:"Via drill" doc:"Via drill; default: that of the request"`
	ViaDiameterMM *float64 `json:"via_diameter_mm" unit:"mm" gt:"0" max:"8" label:"Via diameter" doc:"Via pad diameter; default: that of the request"`
	Nets          []string `json:"nets" maxItems:"500" maxLength:"64" default:"[]" label:"Nets" doc:"Nets of the class"`
}

// DifferentialPair is a pair of nets to be routed with coupled tracks.
type DifferentialPair struct {
	Positive string   `json:"positive" minLength:"1" maxLength:"64" label:"Positive" doc:"Positive net"`
	Negative string   `json:"negative" minLength:"1" maxLength:"64" label:"Negative" doc:"Negative net"`
	GapMM    *float64 `json:"gap_mm" unit:"mm" gt:"0" max:"5" label:"Gap" doc:"Gap between the tracks; default: the clearance"`
}

// CustomFootprint is a footprint defined in the request.
type CustomFootprint struct {
	Name   string      `json:"name" minLength:"1" maxLength:"128" label:"Name" doc:"Name for components"`
	Pads   []CustomPad `json:"pads" minItems:"1" maxItems:"500" label:"Pads" doc:"Pads of the footprint"`
	BodyMM []float64   `json:"body_mm" unit:"mm" gt:"0" max:"400" maxItems:"2" default:"[]" label:"Body size" doc:"Width and height of the package; default: the bounding box of the pads"`
}

// CustomPad is a pad of a CustomFootprint.
type CustomPad struct {
	Pad string `json:"pad" maxLength:"16" default:"" label:"Pad" doc:"Pad number; empty for a hole without copper"`
	XY
	WidthMM     float64   `json:"width_mm" unit:"mm" gt:"0" max:"100" label:"Width" doc:"Width before rotation"`
	HeightMM    float64   `json:"height_mm" unit:"mm" gt:"0" max:"100" label:"Height" doc:"Height before rotation"`
	Shape       string    `json:"shape" enum:"rect,roundrect,circle,oval" default:"roundrect" label:"Shape" doc:"Pad shape"`
	DrillMM     float64   `json:"drill_mm" unit:"mm" min:"0" max:"50" default:"0" label:"Drill" doc:"Drill; 0 for an SMD pad"`
	SlotMM      []float64 `json:"slot_mm" unit:"mm" gt:"0" max:"50" maxItems:"2" default:"[]" label:"Slot" doc:"Width and height of a slot instead of a drill"`
	RotationDeg float64   `json:"rotation_deg" unit:"°" min:"-360" max:"360" default:"0" label:"Rotation" doc:"Rotation, counter-clockwise"`
}

// LengthGroup is a group of nets to be routed with equal lengths.
type LengthGroup struct {
	Nets        []string `json:"nets" maxItems:"64" maxLength:"64" label:"Nets" doc:"Two or more nets"`
	ToleranceMM float64  `json:"tolerance_mm" unit:"mm" gt:"0" max:"50" default:"0.5" label:"Tolerance" doc:"Largest difference of two lengths"`
}
