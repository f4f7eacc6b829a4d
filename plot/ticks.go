package plot

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// prefixes contains the SI prefixes by power of 1000, starting with femto at -5.
var prefixes = [...]string{"f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P"}

// prefixZero is the index of the empty prefix, of power 0.
const prefixZero = 5

// SI formats x with an SI prefix and at most the given number of significant digits: 4700 becomes
// 4.7k. Values beyond the prefixes are formatted in scientific notation.
func SI(x float64, digits int) string {
	if x == 0 || !finite(x) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil {
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	power := int(math.Floor(math.Log10(math.Abs(rounded))/3 + 1e-12))
	if i := power + prefixZero; i >= 0 && i < len(prefixes) {
		scaled, err := strconv.ParseFloat(
			strconv.FormatFloat(rounded/math.Pow(1000, float64(power)), 'e', digits-1, 64), 64,
		)
		if err == nil {
			return strconv.FormatFloat(scaled, 'f', -1, 64) + prefixes[i]
		}
	}
	return strconv.FormatFloat(rounded, 'g', -1, 64)
}

// siTicks labels linear ticks, with SI prefixes if the unit of the axis allows them.
type siTicks struct{ unit string }

// Ticks implements plot.Ticker.
func (t siTicks) Ticks(low, high float64) []plot.Tick {
	step := niceStep((high - low) / wantedTicks)
	if t.unit == "°" {
		step = angleStep((high - low) / wantedTicks)
	}
	first := math.Ceil(low/step - 1e-9)
	if !(math.Abs(first) < 1<<50) || !finite(high-low) {
		// The range of the axis is smaller than the rounding error of its values, or exceeds the
		// largest float64.
		return []plot.Tick{
			{Value: low, Label: strconv.FormatFloat(low, 'g', -1, 64)},
			{Value: high, Label: strconv.FormatFloat(high, 'g', -1, 64)},
		}
	}
	var ticks []plot.Tick
	for n := first; n*step <= high+step*1e-9; n++ {
		ticks = append(ticks, plot.Tick{Value: n*step + 0, Label: " "})
	}
	for i, k := range ticks {
		value, digits := k.Value, 3
		if value != 0 {
			digits = max(3, 2+int(math.Ceil(math.Log10(math.Abs(value)/step))))
		}
		if takesPrefix(t.unit) {
			ticks[i].Label = SI(value, min(digits, 15))
		} else {
			ticks[i].Label = strconv.FormatFloat(round(value, min(digits, 15)), 'g', -1, 64)
		}
	}
	return ticks
}

// wantedTicks is the approximate number of labels on a linear axis.
const wantedTicks = 7

// niceStep returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is at least step.
func niceStep(step float64) float64 {
	if step <= 0 || !finite(step) {
		return 1
	}
	decade := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*decade >= step*(1-1e-9) {
			return m * decade
		}
	}
	return 10 * decade
}

// angleStep returns the smallest of 15°, 45°, 90° and 180° that is at least step; these values
// divide a full turn evenly. For steps up to 5° and above 180° it returns niceStep.
func angleStep(step float64) float64 {
	for _, s := range []float64{15, 45, 90, 180} {
		if step > 5 && step <= s {
			return s
		}
	}
	return niceStep(step)
}

func round(x float64, digits int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// decadeTicks labels the powers of ten of a logarithmic axis. If the axis spans less than two
// decades, decadeTicks also labels 2 and 5 times these powers.
type decadeTicks struct{ unit string }

// Ticks implements plot.Ticker.
func (t decadeTicks) Ticks(low, high float64) []plot.Tick {
	if low <= 0 {
		low = high / 1e6
	}
	labelled := map[int]bool{1: true}
	if math.Log10(high/low) < 2 {
		labelled[2], labelled[5] = true, true
	}
	var out []plot.Tick
	for decade := math.Floor(math.Log10(low)); decade <= math.Ceil(math.Log10(high)); decade++ {
		for m := 1; m < 10; m++ {
			v := round(float64(m)*math.Pow(10, decade), 15)
			if v < low*(1-1e-9) || v > high*(1+1e-9) {
				continue
			}
			k := plot.Tick{Value: v}
			if labelled[m] {
				k.Label = strconv.FormatFloat(v, 'g', -1, 64)
				if takesPrefix(t.unit) {
					k.Label = SI(v, 3)
				}
			}
			out = append(out, k)
		}
	}
	return out
}

// exponentTicks is the variant of decadeTicks for an axis of base-10 logarithms.
type exponentTicks struct{ decadeTicks }

// Ticks implements plot.Ticker.
func (t exponentTicks) Ticks(low, high float64) []plot.Tick {
	// Powers of ten beyond these exponents are subnormal or infinite.
	ticks := t.decadeTicks.Ticks(math.Pow(10, max(low, -307)), math.Pow(10, min(high, 308)))
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	return ticks
}

// takesPrefix reports whether values of a unit are shown with SI prefixes. Logarithmic units,
// ratios and units that already have a prefix are not. Metres are not, because 300m reads as 300 m.
func takesPrefix(unit string) bool {
	switch unit {
	case "V", "A", "W", "Hz", "s", "F", "H", "Ω", "ohm", "J", "bit/s", "S", "B", "VA", "g",
		"V/√Hz", "A/√Hz":
		return true
	}
	return false
}

func setTicks(a *plot.Axis, of Axis) {
	if of.Log {
		a.Tick.Marker = decadeTicks{of.Unit}
		return
	}
	a.Tick.Marker = siTicks{of.Unit}
}

// setExponents sets the ticks of a logarithmic axis of a heat map.
func setExponents(a *plot.Axis, of Axis) {
	if of.Log {
		a.Tick.Marker = exponentTicks{decadeTicks{of.Unit}}
	}
}
