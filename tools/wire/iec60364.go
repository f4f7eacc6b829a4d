package wire

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// IEC is an installation according to IEC 60364-5-52: one circuit or a group of equal circuits.
type IEC struct {
	Method     *string `json:"iec_method" enum:"A1,A2,B1,B2,C,D1,D2,E,F,G" label:"IEC installation method" doc:"Reference method of IEC 60364-5-52, table B.52.1; F touching in trefoil, G spaced horizontally"`
	Insulation string  `json:"iec_insulation" enum:"pvc,xlpe" default:"pvc" label:"IEC insulation" doc:"Insulation for iec_method: PVC for 70 °C, XLPE or EPR for 90 °C"`
	Circuits   int     `json:"iec_group_size" unit:"1" min:"1" max:"20" default:"1" label:"Grouped circuits" doc:"Number of circuits bunched together, for iec_method"`
}

// iecRow contains the current-carrying capacities [A] of a copper conductor by method, A1 to D2.
type iecRow struct {
	area float64 // mm²
	amps [7]float64
}

// iecTables contains tables of IEC 60364-5-52:2009 at 30 °C in air and 20 °C in the ground. B.52.2
// and B.52.4 are for PVC with two and three loaded conductors, B.52.3 and B.52.5 for XLPE.
var iecTables = map[string][2][]iecRow{
	"pvc": {{
		{1.5, [7]float64{14.5, 14, 17.5, 16.5, 19.5, 22, 22}},
		{2.5, [7]float64{19.5, 18.5, 24, 23, 27, 29, 28}},
		{4, [7]float64{26, 25, 32, 30, 36, 37, 38}},
		{6, [7]float64{34, 32, 41, 38, 46, 46, 48}},
		{10, [7]float64{46, 43, 57, 52, 63, 60, 64}},
		{16, [7]float64{61, 57, 76, 69, 85, 78, 83}},
		{25, [7]float64{80, 75, 101, 90, 112, 99, 110}},
		{35, [7]float64{99, 92, 125, 111, 138, 119, 132}},
		{50, [7]float64{119, 110, 151, 133, 168, 140, 156}},
		{70, [7]float64{151, 139, 192, 168, 213, 173, 192}},
		{95, [7]float64{182, 167, 232, 201, 258, 204, 230}},
		{120, [7]float64{210, 192, 269, 232, 299, 231, 261}},
		{150, [7]float64{240, 219, 300, 258, 344, 261, 293}},
		{185, [7]float64{273, 248, 341, 294, 392, 292, 331}},
		{240, [7]float64{321, 291, 400, 344, 461, 336, 382}},
		{300, [7]float64{367, 334, 458, 394, 530, 379, 427}},
	}, {
		{1.5, [7]float64{13.5, 13, 15.5, 15, 17.5, 18, 19}},
		{2.5, [7]float64{18, 17.5, 21, 20, 24, 24, 24}},
		{4, [7]float64{24, 23, 28, 27, 32, 30, 33}},
		{6, [7]float64{31, 29, 36, 34, 41, 38, 41}},
		{10, [7]float64{42, 39, 50, 46, 57, 50, 54}},
		{16, [7]float64{56, 52, 68, 62, 76, 64, 70}},
		{25, [7]float64{73, 68, 89, 80, 96, 82, 92}},
		{35, [7]float64{89, 83, 110, 99, 119, 98, 110}},
		{50, [7]float64{108, 99, 134, 118, 144, 116, 130}},
		{70, [7]float64{136, 125, 171, 149, 184, 143, 162}},
		{95, [7]float64{164, 150, 207, 179, 223, 169, 193}},
		{120, [7]float64{188, 172, 239, 206, 259, 192, 220}},
		{150, [7]float64{216, 196, 262, 225, 299, 217, 246}},
		{185, [7]float64{245, 223, 296, 255, 341, 243, 278}},
		{240, [7]float64{286, 261, 346, 297, 403, 280, 320}},
		{300, [7]float64{328, 298, 394, 339, 464, 316, 359}},
	}},
	"xlpe": {{
		{1.5, [7]float64{19, 18.5, 23, 22, 24, 25, 27}},
		{2.5, [7]float64{26, 25, 31, 30, 33, 33, 35}},
		{4, [7]float64{35, 33, 42, 40, 45, 43, 46}},
		{6, [7]float64{45, 42, 54, 51, 58, 53, 58}},
		{10, [7]float64{61, 57, 75, 69, 80, 71, 77}},
		{16, [7]float64{81, 76, 100, 91, 107, 91, 100}},
		{25, [7]float64{106, 99, 133, 119, 138, 116, 129}},
		{35, [7]float64{131, 121, 164, 146, 171, 139, 155}},
		{50, [7]float64{158, 145, 198, 175, 209, 164, 183}},
		{70, [7]float64{200, 183, 253, 221, 269, 203, 225}},
		{95, [7]float64{241, 220, 306, 265, 328, 239, 270}},
		{120, [7]float64{278, 253, 354, 305, 382, 271, 306}},
		{150, [7]float64{318, 290, 393, 334, 441, 306, 343}},
		{185, [7]float64{362, 329, 449, 384, 506, 343, 387}},
		{240, [7]float64{424, 386, 528, 459, 599, 395, 448}},
		{300, [7]float64{486, 442, 603, 532, 693, 446, 502}},
	}, {
		{1.5, [7]float64{17, 16.5, 20, 19.5, 22, 21, 23}},
		{2.5, [7]float64{23, 22, 28, 26, 30, 28, 30}},
		{4, [7]float64{31, 30, 37, 35, 40, 36, 39}},
		{6, [7]float64{40, 38, 48, 44, 52, 44, 49}},
		{10, [7]float64{54, 51, 66, 60, 71, 58, 65}},
		{16, [7]float64{73, 68, 88, 80, 96, 75, 84}},
		{25, [7]float64{95, 89, 117, 105, 119, 96, 107}},
		{35, [7]float64{117, 109, 144, 128, 147, 115, 129}},
		{50, [7]float64{141, 130, 175, 154, 179, 135, 153}},
		{70, [7]float64{179, 164, 222, 194, 229, 167, 188}},
		{95, [7]float64{216, 197, 269, 233, 278, 197, 226}},
		{120, [7]float64{249, 227, 312, 268, 322, 223, 257}},
		{150, [7]float64{285, 259, 342, 300, 371, 251, 287}},
		{185, [7]float64{324, 295, 384, 340, 424, 281, 324}},
		{240, [7]float64{380, 346, 450, 398, 500, 324, 375}},
		{300, [7]float64{435, 396, 514, 455, 576, 365, 419}},
	}},
}

// iecColumns contains further columns by material, insulation, loaded conductors and method, up to
// 300 mm², smallest standard size first. They are from tables B.52.2 to B.52.5 (aluminium) and
// B.52.10 to B.52.13. Method E is multi-core, F is three single-core cables in trefoil, and G is
// three spaced horizontally. Each column agrees with two independent public transcriptions; columns
// without a second transcription are omitted.
var iecColumns = map[string][]float64{
	"copper pvc 2 E": {22, 30, 40, 51, 70, 94, 119, 148, 180, 232, 282, 328, 379,
		434, 514, 593},
	"copper pvc 3 E": {18.5, 25, 34, 43, 60, 80, 101, 126, 153, 196, 238, 276, 319,
		364, 430, 497},
	"copper pvc 3 F": {110, 137, 167, 216, 264, 308, 356, 409, 485, 561},
	"copper pvc 3 G": {146, 181, 219, 281, 341, 396, 456, 521, 615, 709},
	"copper xlpe 2 E": {26, 36, 49, 63, 86, 115, 149, 185, 225, 289, 352, 410, 473,
		542, 641, 741},
	"copper xlpe 3 E": {23, 32, 42, 54, 75, 100, 127, 158, 192, 246, 298, 346, 399,
		456, 538, 621},
	"copper xlpe 3 F":    {135, 169, 207, 268, 328, 383, 444, 510, 607, 703},
	"copper xlpe 3 G":    {182, 226, 275, 353, 430, 500, 577, 661, 781, 902},
	"aluminum pvc 2 B2":  {17.5, 24, 30, 41, 54, 71, 86, 104, 131, 157, 181, 201, 230, 269, 308},
	"aluminum pvc 2 C":   {21, 28, 36, 49, 66, 83, 103, 125, 160, 195, 226, 261, 298, 352, 406},
	"aluminum pvc 2 D1":  {22, 29, 36, 47, 61, 77, 93, 109, 135, 159, 180, 204, 228, 262, 296},
	"aluminum pvc 2 D2":  {63, 82, 98, 117, 145, 173, 200, 224, 255, 298, 336},
	"aluminum pvc 2 E":   {23, 31, 39, 54, 73, 89, 111, 135, 173, 210, 244, 282, 322, 380, 439},
	"aluminum pvc 3 A1":  {14, 18.5, 24, 32, 43, 57, 70, 84, 107, 129, 149, 170, 194, 227, 261},
	"aluminum pvc 3 A2":  {13.5, 17.5, 23, 31, 41, 53, 65, 78, 98, 118, 135, 155, 176, 207, 237},
	"aluminum pvc 3 B1":  {16.5, 22, 28, 39, 53, 70, 86, 104, 133, 161, 186, 204, 230, 269, 306},
	"aluminum pvc 3 B2":  {15.5, 21, 27, 36, 48, 62, 77, 92, 116, 139, 160, 176, 199, 232, 265},
	"aluminum pvc 3 C":   {18.5, 25, 32, 44, 59, 73, 90, 110, 140, 170, 197, 227, 259, 305, 351},
	"aluminum pvc 3 D1":  {18.5, 24, 30, 39, 50, 64, 77, 91, 112, 132, 150, 169, 190, 218, 247},
	"aluminum pvc 3 D2":  {53, 69, 83, 99, 122, 148, 169, 189, 214, 250, 282},
	"aluminum pvc 3 E":   {19.5, 26, 33, 46, 61, 78, 96, 117, 150, 183, 212, 245, 280, 330, 381},
	"aluminum pvc 3 F":   {84, 105, 128, 166, 203, 237, 274, 315, 375, 434},
	"aluminum xlpe 2 B2": {23, 31, 40, 54, 72, 94, 115, 138, 175, 210, 242, 261, 300, 358, 415},
	"aluminum xlpe 2 D1": {26, 33, 42, 55, 71, 90, 108, 128, 158, 186, 211, 238, 267, 307, 346},
	"aluminum xlpe 3 A1": {19, 25, 32, 44, 58, 76, 94, 113, 142, 171, 197, 226, 256, 300, 344},
	"aluminum xlpe 3 B1": {22, 29, 38, 52, 71, 93, 116, 140, 179, 217, 251, 267, 300, 351, 402},
	"aluminum xlpe 3 B2": {21, 28, 35, 48, 64, 84, 103, 124, 156, 188, 216, 240, 272, 318, 364},
	"aluminum xlpe 3 C":  {24, 32, 41, 57, 76, 90, 112, 136, 174, 211, 245, 283, 323, 382, 440},
	"aluminum xlpe 3 D1": {22, 28, 35, 46, 59, 75, 90, 106, 130, 154, 174, 197, 220, 253, 286},
	"aluminum xlpe 3 E":  {24, 32, 42, 58, 77, 97, 120, 146, 187, 227, 263, 304, 347, 409, 471},
	"aluminum xlpe 3 F":  {103, 129, 159, 206, 253, 296, 343, 395, 471, 547},
}

// IECCapacity is the current-carrying capacity of a conductor with the intermediate steps.
type IECCapacity struct {
	Base     float64 // tables B.52.2 to B.52.5 and B.52.10 to B.52.13 [A]
	Ambient  float64 // tables B.52.14 and B.52.15
	Grouping float64 // table B.52.17, line 1
}

// Amps returns the capacity Iz [A].
func (c IECCapacity) Amps() float64 { return c.Base * c.Ambient * c.Grouping }

// InGround reports whether the method installs the conductor in the ground. In this case ambient_c
// is the temperature of the ground.
func (in IEC) InGround() bool { return in.Method != nil && (*in.Method)[0] == 'D' }

// Check rejects installations, temperatures and groups outside the tables. If the number of loaded
// conductors is neither two nor three, which the caller rejects, it skips the tables.
func (in IEC) Check(f *tools.FieldErrors, material string, loaded int, ambientC float64) {
	if in.Method == nil {
		return
	}
	if (loaded == 2 || loaded == 3) && len(in.column(material, loaded)) == 0 {
		var has []string
		for _, method := range [...]string{"A1", "A2", "B1", "B2", "C", "D1", "D2", "E", "F", "G"} {
			if len((IEC{Method: &method, Insulation: in.Insulation}).column(material, loaded)) > 0 {
				has = append(has, method)
			}
		}
		f.AddValue("iec_method", *in.Method,
			"has no table here for %s, %s and %d loaded conductors; it must be one of %s",
			material, in.Insulation, loaded, strings.Join(has, ", "))
	}
	if _, ok := in.ambient(ambientC); !ok {
		f.AddValue("ambient_c", ambientC,
			"leaves %s of iec_insulation no headroom: it must be at most %g", in.Insulation,
			in.limit()-5)
	}
	if in.InGround() && in.Circuits > 1 {
		f.AddValue("iec_group_size", in.Circuits,
			"must be 1 for D1 and D2: the tables of groups in the ground are not included")
	}
	if (*in.Method == "F" || *in.Method == "G") && in.Circuits > 1 {
		f.AddValue("iec_group_size", in.Circuits,
			"must be 1 for F and G: the tables of groups of single-core cables are not included")
	}
}

// Unused returns the inputs that have no meaning without a method.
func (in IEC) Unused() []choice.Field {
	return []choice.Field{
		choice.Of("iec_insulation", in.Method == nil && in.Insulation != "pvc"),
		choice.Of("iec_group_size", in.Method == nil && in.Circuits != 1),
	}
}

// limit returns the temperature limit of the insulation [°C] (table 52.1).
func (in IEC) limit() float64 {
	if in.Insulation == "xlpe" {
		return 90
	}
	return 70
}

// ambient returns √((limit - T)/(limit - reference)) at the upper edge of the 5 °C step. Rounded to
// two decimals, it reproduces tables B.52.14 (air, 30 °C) and B.52.15 (ground, 20 °C).
func (in IEC) ambient(tempC float64) (float64, bool) {
	reference := 30.0
	if in.InGround() {
		reference = 20
	}
	edge := bandEdge(tempC)
	if edge >= in.limit() {
		return 0, false
	}
	return math.Round(100*math.Sqrt((in.limit()-edge)/(in.limit()-reference))) / 100, true
}

// grouping returns the factor of table B.52.17, line 1: bunched in air, on a surface or enclosed.
// Between its columns, the next larger number of circuits applies.
func (in IEC) grouping() float64 {
	for _, row := range [...]struct {
		upTo   int
		factor float64
	}{{1, 1}, {2, 0.8}, {3, 0.7}, {4, 0.65}, {5, 0.6}, {6, 0.57}, {7, 0.54}, {8, 0.52}, {9, 0.5},
		{12, 0.45}, {16, 0.41}} {
		if in.Circuits <= row.upTo {
			return row.factor
		}
	}
	return 0.38
}

// Capacity returns the capacity of a size [mm²] for two or three loaded conductors. It returns
// false if the tables lack the size. The caller must have checked the installation.
func (in IEC) Capacity(
	area float64, material string, loaded int, ambientC float64,
) (IECCapacity, bool) {
	ambient, _ := in.ambient(ambientC)
	column := in.column(material, loaded)
	for i, size := range in.Areas(material, loaded) {
		if math.Abs(size-area) <= tolerance.Relative*area {
			return IECCapacity{column[i], ambient, in.grouping()}, true
		}
	}
	return IECCapacity{}, false
}

// column returns the capacities [A] of the method for the sizes of Areas, or none if there is no
// table.
func (in IEC) column(material string, loaded int) []float64 {
	if IsAluminum(material) {
		material = "aluminum"
	}
	key := fmt.Sprintf("%s %s %d %s", material, in.Insulation, loaded, *in.Method)
	if column := iecColumns[key]; column != nil {
		return column
	}
	i := slices.Index([]string{"A1", "A2", "B1", "B2", "C", "D1", "D2"}, *in.Method)
	if material == "aluminum" || i < 0 {
		return nil
	}
	var column []float64
	for _, row := range iecTables[in.Insulation][loaded-2] {
		column = append(column, row.amps[i])
	}
	return column
}

// Areas returns the sizes in the method's table, smallest first [mm²].
func (in IEC) Areas(material string, loaded int) []float64 {
	var areas []float64
	for _, row := range iecTables["pvc"][0] {
		areas = append(areas, row.area)
	}
	return areas[len(areas)-len(in.column(material, loaded)):] // each column ends at 300 mm²
}

// AreaList returns the sizes of Areas [mm²] as text.
func (in IEC) AreaList(material string, loaded int) string {
	areas := fmt.Sprint(in.Areas(material, loaded))
	return strings.ReplaceAll(strings.Trim(areas, "[]"), " ", ", ")
}

// IECProtects reports whether a circuit breaker exists that carries a load [A] and protects
// conductors of a capacity [A]: I ≤ In ≤ Iz (IEC 60364-4-43, 433.1). For loads above the ratings of
// IECDevice, only the capacity matters.
func IECProtects(loadA, capacityA float64) bool {
	return !tolerance.Below(capacityA, loadA) &&
		(loadA > 630 || !tolerance.Below(IECDevice(capacityA), loadA))
}

// IECDevice returns the largest circuit breaker that does not exceed a capacity (IEC 60364-4-43,
// 433.1). It uses the ratings of IEC 60898-1 up to 125 A and common ratings of IEC 60947-2 above.
// It returns 0 below 1 A.
func IECDevice(capacityA float64) float64 {
	best := 0.0
	for _, rating := range [...]float64{
		1, 2, 3, 4, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315,
		400, 500, 630,
	} {
		if !tolerance.Above(rating, capacityA) {
			best = rating
		}
	}
	return best
}

// ProtectiveArea returns the smallest protective conductor of the same material [mm²] according to
// table 54.2 of IEC 60364-5-54. It is S up to 16 mm², 16 mm² up to 35 mm², and S/2 above, rounded
// up to a standard size.
func ProtectiveArea(area float64) float64 {
	switch {
	case area <= 16:
		return area
	case area <= 35:
		return 16
	}
	return *MetricAtLeast(area/2, false)
}
