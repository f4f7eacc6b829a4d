package general

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// SquareFootage computes floor areas and the material required to cover them.
var SquareFootage = tools.Define(tools.Spec{
	Name:    "square_footage",
	Title:   "Square footage",
	Summary: "Area of a room of one or more shapes in square feet, metres, yards and acres, with waste, cost and boxes",
	Method: "Rectangle length × width; triangle base × height/2; circle π r²; trapezoid (base + base2)/2 × height; ellipse π/4 × length × width. " +
		"Shapes add up, or are taken away with subtract. 1 ft = 0.3048 m exactly, an acre is 43560 square feet. " +
		"Waste is a percentage on the net area; cost and boxes are of the area with waste, boxes rounded up",
	Sources: []string{
		"NIST Special Publication 811 (2008), appendix B.8: foot 0.3048 m; NIST Handbook 44, appendix C: acre 43560 square feet",
		"Elementary plane geometry",
	},
	Limits: []string{
		"The international foot; the U.S. survey foot differs by 2 parts in a million",
		"Whether shapes overlap is not checked",
	},
	Aliases: []string{"floor area", "square feet", "room size", "flooring", "tiles", "acreage",
		"paint coverage"},
	Examples: []tools.Example{
		{
			Title: "Room of 12.5 by 10 feet",
			In:    `{"length": 12.5, "width": 10}`,
			Want:  `{"area_sq_ft": 125, "area_sq_m": 11.6128800, "area_sq_yd": 13.8888889, "area_sq_in": 18000, "warnings": []}`,
		},
		{
			Title: "Room with a round pit and two triangular bays",
			In: `{"areas": [{"length": 20, "width": 15}, {"shape": "circle", "radius": 3, "subtract": true}, {"shape": "triangle", "base": 10, "height": 6, "quantity": 2}],
				"waste_pct": 10, "coverage_per_box_sq_ft": 22.5}`,
			Want: `{"area_sq_ft": 331.7256661, "area_with_waste_sq_ft": 364.8982327, "boxes_needed": 17}`,
		},
		{
			Title: "Feet and inches",
			In:    `{"length": "12'6\"", "width": "10'", "price_per_sq_ft": 4}`,
			Want:  `{"area_sq_ft": 125, "total_cost": 500}`,
			From:  "by hand: 12.5 × 10 = 125, × 4 = 500",
		},
	},
}, squareFootage)

type squareFootageIn struct {
	Length         *dimension  `json:"length" unit:"length" example:"12.5" label:"Length" doc:"Length of a rectangle, in unit; in feet also as text: 12'6\""`
	Width          *dimension  `json:"width" unit:"length" example:"10" label:"Width" doc:"Width of the rectangle"`
	Areas          *[]areaItem `json:"areas" minItems:"1" maxItems:"100" label:"Shapes" doc:"Shapes to add, in place of length and width"`
	Unit           string      `json:"unit" enum:"ft,in,yd,m,cm" default:"ft" label:"Length unit" doc:"Unit of all dimensions"`
	WastePct       float64     `json:"waste_pct" unit:"%" min:"0" max:"100" default:"0" label:"Waste" doc:"Material lost as offcuts"`
	PricePerSqFt   *float64    `json:"price_per_sq_ft" unit:"currency/ft²" min:"0" max:"1e12" label:"Price per square foot" doc:"Price per square foot; alternative to price_per_sq_m"`
	PricePerSqM    *float64    `json:"price_per_sq_m" unit:"currency/m²" min:"0" max:"1e12" label:"Price per square metre" doc:"Price per square metre; alternative to price_per_sq_ft"`
	CoveragePerBox *float64    `json:"coverage_per_box_sq_ft" unit:"ft²" min:"1e-6" max:"1e12" label:"Coverage per box" doc:"Area covered by a box"`
}

type areaItem struct {
	Shape    string     `json:"shape" enum:"rectangle,triangle,circle,trapezoid,ellipse" default:"rectangle" label:"Shape" doc:"Shape"`
	Length   *dimension `json:"length" unit:"length" label:"Length" doc:"Rectangle: length; ellipse: full axis"`
	Width    *dimension `json:"width" unit:"length" label:"Width" doc:"Rectangle: width; ellipse: the other full axis"`
	Base     *dimension `json:"base" unit:"length" label:"Base" doc:"Triangle, trapezoid: base"`
	Base2    *dimension `json:"base2" unit:"length" label:"Second base" doc:"Trapezoid: the side parallel to the base"`
	Height   *dimension `json:"height" unit:"length" label:"Height" doc:"Triangle, trapezoid: height at right angles to the base"`
	Radius   *dimension `json:"radius" unit:"length" label:"Radius" doc:"Circle: radius; alternative to diameter"`
	Diameter *dimension `json:"diameter" unit:"length" label:"Diameter" doc:"Circle: diameter; alternative to radius"`
	Quantity int        `json:"quantity" unit:"1" min:"1" max:"1000000" default:"1" label:"Quantity" doc:"Number of such shapes"`
	Subtract bool       `json:"subtract" default:"false" label:"Subtract" doc:"Subtract the area"`
	Unit     *string    `json:"unit" enum:"ft,in,yd,m,cm" label:"Length unit" doc:"Length unit of this shape; default: the common unit"`
}

type squareFootageOut struct {
	SqFt      float64      `json:"area_sq_ft" unit:"ft²" label:"Area" doc:"Net area"`
	SqM       float64      `json:"area_sq_m" unit:"m²" label:"Area (m²)" doc:"Net area in square metres"`
	SqYd      float64      `json:"area_sq_yd" unit:"yd²" label:"Area (yd²)" doc:"Net area in square yards"`
	SqIn      float64      `json:"area_sq_in" unit:"in²" label:"Area (in²)" doc:"Net area in square inches"`
	Acres     float64      `json:"area_acres" unit:"acre" label:"Area (acre)" doc:"Net area in acres"`
	WithWaste float64      `json:"area_with_waste_sq_ft" unit:"ft²" label:"Area with waste" doc:"Net area plus waste"`
	TotalCost *float64     `json:"total_cost" unit:"currency" label:"Total cost" doc:"Price of the area with waste, not rounded; null without a price"`
	Boxes     *int         `json:"boxes_needed" unit:"1" label:"Boxes needed" doc:"Number of boxes for the area with waste; null without a coverage"`
	Items     []areaResult `json:"items" label:"Shapes" doc:"Area of each shape, times its quantity"`
	tools.Warnings
}

type areaResult struct {
	Shape string  `json:"shape" label:"Shape" doc:"Shape"`
	SqFt  float64 `json:"area_sq_ft" unit:"ft²" label:"Area" doc:"Area of all such shapes; negative when subtracted"`
}

// areaUnits are square units in hundredths of a square millimetre. All are integers because 1 in =
// 25.4 mm.
var areaUnits = map[string]float64{
	"in": 64516,
	"ft": 64516 * 144,
	"yd": 64516 * 1296,
	"m":  1e8,
	"cm": 1e4,
}

func squareFootage(_ context.Context, in squareFootageIn) (squareFootageOut, error) {
	var out squareFootageOut
	var f tools.FieldErrors
	items := []areaItem{{Shape: "rectangle", Length: in.Length, Width: in.Width, Quantity: 1}}
	where := func(int) string { return "" }
	if in.Areas != nil {
		for _, name := range choice.Names(choice.Of("length", in.Length != nil),
			choice.Of("width", in.Width != nil)) {
			f.Add(name, "contradicts areas: give either length and width, or areas")
		}
		items = *in.Areas
		where = func(i int) string { return fmt.Sprintf("areas[%d].", i) }
	} else if in.Length == nil && in.Width == nil {
		f.Add("length", "is required with width, or give areas")
		f.Add("width", "is required with length, or give areas")
		return out, f.Err()
	}
	if in.PricePerSqFt != nil && in.PricePerSqM != nil {
		f.Add("price_per_sq_ft", "give the price per square foot or per square metre, not both")
		f.Add("price_per_sq_m", "give the price per square foot or per square metre, not both")
	}
	total := 0.0
	for i, item := range items {
		unit := choice.Or(item.Unit, in.Unit)
		area := item.area(where(i), unit, &f, &out.Warnings) * float64(item.Quantity) *
			areaUnits[unit]
		if item.Subtract {
			area = -area
		}
		total += area
		out.Items = append(out.Items, areaResult{item.Shape, area / areaUnits["ft"]})
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	if total <= 0 {
		field := "areas"
		if in.Areas == nil {
			field = "length"
		}
		return out, tools.Invalid(field,
			"what is subtracted is not less than the rest: the net area is %g sq ft and must be positive",
			total/areaUnits["ft"])
	}

	out.SqFt, out.SqM, out.SqYd, out.SqIn = total/areaUnits["ft"], total/areaUnits["m"],
		total/areaUnits["yd"], total/areaUnits["in"]
	out.Acres = total / (43560 * areaUnits["ft"])
	waste := 1 + in.WastePct/100
	out.WithWaste = out.SqFt * waste
	if in.PricePerSqFt != nil {
		out.TotalCost = tools.Finite(out.WithWaste * *in.PricePerSqFt)
	}
	if in.PricePerSqM != nil {
		out.TotalCost = tools.Finite(out.SqM * waste * *in.PricePerSqM)
	}
	if in.CoveragePerBox != nil {
		boxes := tolerance.Ceil(out.WithWaste / *in.CoveragePerBox)
		if boxes > 1<<53 {
			return out, tools.InvalidValue("coverage_per_box_sq_ft", *in.CoveragePerBox,
				"is too small for an area of %g sq ft",
				out.WithWaste)
		}
		n := max(1, int(boxes))
		out.Boxes = &n
		if in.WastePct == 0 {
			out.Warn("waste_pct is 0: cutting needs some reserve, 5 to 15 %% is usual")
		}
	}
	if out.SqFt > 10000 {
		out.Warn("the area is above 10000 sq ft; check the unit")
	}
	return out, nil
}

// area returns the area of a shape in its own unit squared. Errors and warnings get the path
// prefix.
func (item areaItem) area(path, unit string, f *tools.FieldErrors, w *tools.Warnings) float64 {
	fields := []struct {
		name string
		v    *dimension
		of   string
	}{
		{"length", item.Length, "rectangle ellipse"}, {"width", item.Width, "rectangle ellipse"},
		{"base", item.Base, "triangle trapezoid"}, {"base2", item.Base2, "trapezoid"},
		{"height", item.Height, "triangle trapezoid"},
		{"radius", item.Radius, "circle"}, {"diameter", item.Diameter, "circle"},
	}
	size := map[string]float64{}
	for _, d := range fields {
		switch {
		case !strings.Contains(d.of, item.Shape):
			if d.v != nil {
				w.Warn("%s%s is ignored: it has no meaning for a %s", path, d.name, item.Shape)
			}
		case d.v != nil:
			size[d.name] = d.v.value
			if d.v.text != "" && unit != "ft" {
				f.Add(path+d.name, "feet and inches are for the unit ft; the unit is %s", unit)
			}
			if d.v.inches >= 12 {
				w.Warn("%s%s: %s has %g inches, more than a foot; it was read as written",
					path, d.name,
					d.v.text, d.v.inches)
			}
		case item.Shape != "circle":
			f.Add(path+d.name, "is required for a %s", item.Shape)
		}
	}
	switch item.Shape {
	case "triangle":
		return size["base"] * size["height"] / 2
	case "trapezoid":
		return (size["base"] + size["base2"]) / 2 * size["height"]
	case "ellipse":
		return math.Pi / 4 * size["length"] * size["width"]
	case "circle":
		choice.ExactlyOneMarked(f, choice.Of(path+"radius", item.Radius != nil),
			choice.Of(path+"diameter", item.Diameter != nil))
		if item.Diameter != nil {
			return math.Pi / 4 * size["diameter"] * size["diameter"]
		}
		return math.Pi * size["radius"] * size["radius"]
	default:
		return size["length"] * size["width"]
	}
}

// dimension is a positive length: a number, or feet and inches as text.
type dimension struct {
	value  float64
	text   string  // text as given, if it was text
	inches float64 // inches of the text, if it was text
}

const largestDimension = 1e9

// feetAndInches matches 12'6", 12' 6.5", 12'-6 1/2", 10', 6" and the typographic marks.
var feetAndInches = regexp.MustCompile(
	`^\s*(?:(\d+(?:\.\d+)?)\s*['′’])?\s*-?\s*(?:(?:(\d+(?:\.\d+)?)(?:\s+(\d+)/(\d+))?|(\d+)/(\d+))\s*(?:["″”]|''))?\s*$`,
)

// DecodeField decodes a number, or a text of feet and inches.
func (d *dimension) DecodeField(raw []byte) error {
	switch c := raw[0]; {
	case c == '-' || c >= '0' && c <= '9':
		v, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			return errors.New("must be a number that fits a double")
		}
		d.value = v
	case c == '"':
		if err := json.Unmarshal(raw, &d.text); err != nil || len(d.text) > 40 {
			return errUnreadableFeet
		}
		m := feetAndInches.FindStringSubmatch(d.text)
		if m == nil {
			return errUnreadableFeet
		}
		hasFeet, hasInches := m[1] != "", m[2] != "" || m[5] != ""
		if !hasFeet && !hasInches || strings.Contains(d.text, "-") && !(hasFeet && hasInches) {
			return errUnreadableFeet
		}
		number := func(s string) float64 {
			v, _ := strconv.ParseFloat(s, 64) // digits according to the expression; "" is 0
			return v
		}
		d.inches = number(m[2])
		for _, part := range [][2]string{{m[3], m[4]}, {m[5], m[6]}} {
			if part[1] == "" {
				continue
			}
			if number(part[1]) == 0 {
				return errUnreadableFeet
			}
			d.inches += number(part[0]) / number(part[1])
		}
		d.value = (number(m[1])*12 + d.inches) / 12
	default:
		return errors.New(`must be a number, or feet and inches such as "12'6\""`)
	}
	if !(d.value > 0 && d.value <= largestDimension) {
		return fmt.Errorf("must be greater than 0 and at most %g", float64(largestDimension))
	}
	return nil
}

var errUnreadableFeet = errors.New(
	`must be a number, or feet and inches with their marks such as "12'6\"", "10'" or "8\""`,
)

// FieldSchema returns a schema that accepts numbers and texts.
func (d *dimension) FieldSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "number", "exclusiveMinimum": 0, "maximum": largestDimension},
		map[string]any{
			"type": "string", "maxLength": 40,
			"description": `feet and inches, such as 12'6" or 10'`,
		},
	}}
}

// MarshalJSON returns the value as it was given.
func (d dimension) MarshalJSON() ([]byte, error) {
	if d.text != "" {
		return json.Marshal(d.text)
	}
	return json.Marshal(d.value)
}
