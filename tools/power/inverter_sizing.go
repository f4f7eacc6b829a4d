package power

import (
	"context"
	"strconv"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
	"slipstick/tools/wire"
)

// InverterSizing computes the inverter for a list of loads.
var InverterSizing = tools.Define(tools.Spec{
	Name:    "inverter_sizing",
	Title:   "Inverter sizing",
	Summary: "Inverter size for a list of loads with their starting surges, with its DC current and fuse",
	Method: "Running W = Σ W n, running VA = Σ W n / pf; surge = running W + the largest start of a single unit (of all units with simultaneous_start). " +
		"Required = running × (1 + margin). Recommended: the first standard size not below required W and VA whose size × surge capability is not below the surge. " +
		"DC current = recommended / (efficiency × V), at the nominal and at the lowest voltage; fuse: standard size at or above 1.25 times the latter",
	Sources: []string{
		"IEEE Std 1459-2010, definitions of active and apparent power",
		"NFPA 70 (National Electrical Code) 2023, table 240.6(A) for fuse sizes (from 10 A) and 215.3 for 125 % of the continuous current",
	},
	Limits: []string{
		"Volt-amperes are added arithmetically, which is exact for equal power factors and otherwise on the safe side",
		"Sizes are those commonly sold; the surge capability holds for the inverter's surge time only",
		"The wire to the battery must carry the fuse: see wire_gauge",
	},
	Aliases: []string{"inverter size", "inverter calculator", "surge watts",
		"motor starting", "dc fuse"},
	Primary: []string{"recommended_w"},
	Examples: []tools.Example{{
		Title: "Fridge, television and pump at 24 V",
		In: `{"dc_voltage_v": 24, "loads": [{"name": "fridge", "watts": 150, "surge_factor": 6}, {"name": "tv", "watts": 120},
			{"name": "pump", "watts": 500, "surge_w": 1500, "power_factor": 0.8}]}`,
		Want: `{"running_w": 770, "running_va": 895.0, "surge_w": 1770, "required_continuous_w": 962.50, "required_va": 1118.75, "recommended_w": 1200,
			"dc_current_a": 55.5556, "max_dc_current_a": 63.4921, "dc_fuse_a": 80, "warnings": []}`,
	}, {
		Title: "1 kW of lights and heaters at 12 V",
		In:    `{"continuous_w": 1000, "dc_voltage_v": 12}`,
		Want:  `{"running_w": 1000, "required_continuous_w": 1250}`,
		From:  "by hand: 25 % margin",
	}, {
		Title: "800 W at 48 V without margin",
		In:    `{"continuous_w": 800, "dc_voltage_v": 48, "margin_pct": 0}`,
		Want:  `{"required_continuous_w": 800}`,
		From:  "by hand",
	}},
}, inverterSizing)

type inverterSizingIn struct {
	Loads         *[]inverterLoad `json:"loads" minItems:"1" maxItems:"100" label:"Loads" doc:"Loads on the inverter; alternative to continuous_w"`
	ContinuousW   *float64        `json:"continuous_w" unit:"W" gt:"0" max:"1e9" label:"Continuous load" doc:"Running power of all loads together; alternative to loads"`
	SurgeW        *float64        `json:"surge_w" unit:"W" gt:"0" max:"1e9" label:"Surge load" doc:"Peak power of the loads during start-up, at least continuous_w; used with continuous_w"`
	PowerFactor   float64         `json:"power_factor" unit:"1" gt:"0" max:"1" default:"1" label:"Power factor" doc:"Power factor of all loads together; used with continuous_w"`
	MarginPct     float64         `json:"margin_pct" unit:"%" min:"0" max:"200" default:"25" label:"Design margin" doc:"Margin on the running power"`
	Simultaneous  bool            `json:"simultaneous_start" default:"false" label:"Simultaneous start" doc:"All loads can start at the same time"`
	SurgeCapacity float64         `json:"surge_capability" unit:"1" min:"1" max:"100" default:"2" label:"Surge capability" doc:"Surge power of the inverter divided by its continuous rating"`
	DCV           float64         `json:"dc_voltage_v" unit:"V" gt:"0" max:"1e5" default:"12" label:"Battery voltage" doc:"Nominal battery voltage"`
	MinDCV        *float64        `json:"min_dc_voltage_v" unit:"V" gt:"0" max:"1e5" label:"Minimum battery voltage" doc:"Lowest battery voltage in operation; default 0.875 × dc_voltage_v"`
	EfficiencyPct float64         `json:"efficiency_pct" unit:"%" gt:"0" max:"100" default:"90" label:"Inverter efficiency" doc:"Efficiency at full load"`
}

type inverterLoad struct {
	Name        *string  `json:"name" maxLength:"200" label:"Load" doc:"Name of the load"`
	Watts       float64  `json:"watts" unit:"W" gt:"0" max:"1e9" example:"150" label:"Running power" doc:"Running power of one unit"`
	Quantity    int      `json:"quantity" unit:"1" min:"1" max:"1000000" default:"1" label:"Quantity" doc:"Number of units"`
	SurgeFactor *float64 `json:"surge_factor" unit:"1" min:"1" max:"100" label:"Surge factor" doc:"Starting power divided by running power; default 1; alternative to surge_w"`
	SurgeW      *float64 `json:"surge_w" unit:"W" gt:"0" max:"1e9" label:"Starting power" doc:"Starting power of one unit, not below watts; alternative to surge_factor"`
	PowerFactor float64  `json:"power_factor" unit:"1" gt:"0" max:"1" default:"1" label:"Power factor" doc:"Power factor while running"`
}

type inverterSizingOut struct {
	RunningW      float64  `json:"running_w" unit:"W" label:"Running power" doc:"Running power of all loads"`
	RunningVA     float64  `json:"running_va" unit:"VA" label:"Running apparent power" doc:"Running apparent power of all loads"`
	SurgeW        float64  `json:"surge_w" unit:"W" label:"Surge power" doc:"Peak power of the loads during start-up"`
	RequiredW     float64  `json:"required_continuous_w" unit:"W" label:"Required continuous power" doc:"Running power with margin"`
	RequiredVA    float64  `json:"required_va" unit:"VA" label:"Required apparent power" doc:"Running apparent power with margin"`
	RecommendedW  *float64 `json:"recommended_w" unit:"W" label:"Recommended inverter" doc:"Smallest common inverter size that is sufficient; null above 20 kW"`
	DCCurrentA    *float64 `json:"dc_current_a" unit:"A" label:"DC current" doc:"Battery current of that inverter at full load and nominal voltage"`
	MaxDCCurrentA *float64 `json:"max_dc_current_a" unit:"A" label:"Maximum DC current" doc:"Battery current of that inverter at full load and the lowest voltage"`
	FuseA         *float64 `json:"dc_fuse_a" unit:"A" label:"DC fuse" doc:"Smallest standard fuse at or above 1.25 times the maximum DC current"`
	tools.Warnings
}

// inverterSizes are common commercial ratings [W].
var inverterSizes = [...]float64{
	150, 300, 400, 500, 600, 700, 800, 1000, 1200, 1500, 2000, 2500, 3000, 3500, 4000, 5000, 6000,
	8000, 10000, 12000, 15000, 20000,
}

// starting returns the power of one unit during start-up.
func (l inverterLoad) starting() float64 {
	if l.SurgeW != nil {
		return *l.SurgeW
	}
	return l.Watts * choice.Or(l.SurgeFactor, 1)
}

func (l inverterLoad) check(f *tools.FieldErrors, at string) {
	if l.SurgeW == nil {
		return
	}
	if *l.SurgeW < l.Watts {
		f.AddValue(at+".surge_w", *l.SurgeW, "must be at least watts %g", l.Watts)
	}
	if l.SurgeFactor != nil {
		if byFactor := l.Watts * *l.SurgeFactor; tolerance.Above(byFactor, *l.SurgeW) ||
			tolerance.Below(byFactor, *l.SurgeW) {
			f.AddValue(at+".surge_w", *l.SurgeW,
				"contradicts surge_factor %g, which asks for %g W; give one of them",
				*l.SurgeFactor, byFactor)
		}
	}
}

func inverterSizing(_ context.Context, in inverterSizingIn) (inverterSizingOut, error) {
	lowest := choice.Or(in.MinDCV, 0.875*in.DCV)
	if err := in.check(lowest); err != nil {
		return inverterSizingOut{}, err
	}
	var out inverterSizingOut
	if in.Loads != nil {
		var largest, all float64
		for _, l := range *in.Loads {
			units := float64(l.Quantity)
			out.RunningW += l.Watts * units
			out.RunningVA += l.Watts * units / l.PowerFactor
			start := l.starting() - l.Watts
			largest = max(largest, start)
			all += start * units
		}
		out.SurgeW = out.RunningW + largest
		if in.Simultaneous {
			out.SurgeW = out.RunningW + all
		}
	} else {
		out.RunningW = *in.ContinuousW
		out.RunningVA = out.RunningW / in.PowerFactor
		out.SurgeW = choice.Or(in.SurgeW, out.RunningW)
	}
	reserve := 1 + in.MarginPct/100
	out.RequiredW, out.RequiredVA = out.RunningW*reserve, out.RunningVA*reserve

	need := max(out.RequiredW, out.RequiredVA)
	running := firstSize(need)
	out.RecommendedW = firstSize(max(need, out.SurgeW/in.SurgeCapacity))
	if out.RecommendedW == nil {
		out.Warn(
			"no common inverter is large enough (the list ends at 20 kW): stack several, or split the loads",
		)
	} else {
		nominal := *out.RecommendedW / (in.EfficiencyPct / 100 * in.DCV)
		highest := *out.RecommendedW / (in.EfficiencyPct / 100 * lowest)
		out.DCCurrentA, out.MaxDCCurrentA = &nominal, &highest
		if out.FuseA = wire.DeviceAtLeast(1.25 * highest); out.FuseA == nil {
			out.Warn("no standard fuse is as large as %g A; the largest is 6000 A",
				tolerance.RoundAbove(1.25*highest, 6000, 6))
		}
		if *out.RecommendedW > *running {
			out.Warn(
				"the surge of %.6g W decides the size: the running power alone would need %g W",
				out.SurgeW, *running)
		}
		if tolerance.Above(nominal, 250) {
			out.Warn(
				"a dc current of %g A is above 250 A: use a battery of 24 or 48 V, or higher",
				tolerance.RoundAbove(nominal, 250, 4))
		}
	}
	in.warnIgnored(&out.Warnings)
	return out, nil
}

// firstSize returns the smallest common inverter rating that is at least w, or nil beyond the list.
func firstSize(w float64) *float64 {
	for _, size := range inverterSizes {
		if !tolerance.Above(w, size) {
			return &size
		}
	}
	return nil
}

func (in inverterSizingIn) check(lowest float64) error {
	var f tools.FieldErrors
	choice.ExactlyOne(&f, choice.Of("loads", in.Loads != nil),
		choice.Of("continuous_w", in.ContinuousW != nil))
	if in.Loads != nil {
		for i, l := range *in.Loads {
			l.check(&f, "loads["+strconv.Itoa(i)+"]")
		}
	}
	if in.ContinuousW != nil && in.SurgeW != nil && *in.SurgeW < *in.ContinuousW {
		f.AddValue("surge_w", *in.SurgeW, "must be at least continuous_w %g", *in.ContinuousW)
	}
	if lowest > in.DCV {
		f.AddValue("min_dc_voltage_v", lowest, "must not be above dc_voltage_v %g", in.DCV)
	}
	return f.Err()
}

func (in inverterSizingIn) warnIgnored(w *tools.Warnings) {
	if in.Loads == nil {
		if in.Simultaneous {
			choice.Ignored(w, "with continuous_w the surge is surge_w",
				choice.Of("simultaneous_start", true))
		}
		return
	}
	if in.SurgeW != nil {
		choice.Ignored(w, "with loads each load has its own", choice.Of("surge_w", true))
	}
	if in.PowerFactor != 1 {
		choice.Ignored(w, "with loads each load has its own", choice.Of("power_factor", true))
	}
}
