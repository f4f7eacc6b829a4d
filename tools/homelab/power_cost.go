package homelab

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/phys"
	"slipstick/tools/tolerance"
)

// PowerCost computes the cost of running devices and checks the load of their circuit.
var PowerCost = tools.Define(tools.Spec{
	Name:    "power_cost",
	Title:   "Electricity cost",
	Summary: "Energy, cost and emissions of devices by hours of use, and the load of their circuit",
	Method: "daily kWh = Σ W · quantity · hours/1000 · PUE; a month is 365/12 days, a year 365; cost = kWh · price. " +
		"I = W/(V · power factor) with everything on; limit = breaker · continuous derating; circuits = ⌈I/limit⌉. PUE multiplies energy and cost, not this circuit",
	Sources: []string{
		"NFPA 70 (NEC) 2023, section 210.20(A): continuous loads at 125 %, that is 80 % of the breaker",
		"ISO/IEC 30134-2:2016, power usage effectiveness",
	},
	Limits: []string{
		"One price for every hour; no standing charge, steps, taxes or demand charge",
		"Single-phase circuit",
	},
	Aliases: []string{"kwh cost", "electricity bill", "watt hours", "circuit load", "pue"},
	Primary: []string{"monthly_cost"},
	Examples: []tools.Example{{
		Title: "500 W all year",
		In:    `{"power_w": 500}`,
		Want:  `{"annual_kwh": 4380, "annual_cost": 657.00, "circuit_amps": 4.16667, "circuit_limit_amps": 12, "within_limit": true}`,
	}, {
		Title: "Two servers and a lamp",
		In:    `{"devices": [{"name": "server", "watts": 150, "quantity": 2}, {"name": "lamp", "watts": 60, "hours_per_day": 5}], "price_per_kwh": 0.3}`,
		Want:  `{"total_watts": 360, "daily_kwh": 7.5, "annual_cost": 821.25, "devices": [{"annual_cost": 788.40, "share_pct": 96.0}, {"annual_cost": 32.85, "share_pct": 4.0}]}`,
		From:  "by hand: 300 W · 24 h + 60 W · 5 h = 7.5 kWh a day",
	}, {
		Title: "Three identical circuits at 230 V",
		In:    `{"power_w": 8000, "voltage": 230, "breaker_amps": 16}`,
		Want:  `{"circuit_amps": 34.7826, "circuit_limit_amps": 12.8, "circuits_needed": 3}`,
		From:  "by hand: 8000/230; 34.78/12.8 rounded up",
	}},
}, powerCost)

type powerCostIn struct {
	Power       *float64      `json:"power_w" unit:"W" min:"0" max:"1000000000" example:"500" label:"Power" doc:"Power while on; alternative to devices"`
	Devices     []powerDevice `json:"devices" maxItems:"1000" default:"[]" label:"Devices" doc:"Devices, in place of power_w"`
	Hours       float64       `json:"hours_per_day" unit:"h" min:"0" max:"24" default:"24" label:"Hours per day" doc:"Hours of operation per day, for power_w"`
	Price       float64       `json:"price_per_kwh" unit:"currency/kWh" min:"0" max:"1000000" default:"0.15" label:"Electricity price" doc:"Price of electrical energy"`
	Voltage     float64       `json:"voltage" unit:"V" min:"1" max:"100000" default:"120" label:"Circuit voltage" doc:"Voltage of the circuit"`
	Breaker     float64       `json:"breaker_amps" unit:"A" min:"0.1" max:"100000" default:"15" label:"Breaker rating" doc:"Breaker or fuse of the circuit"`
	PowerFactor float64       `json:"power_factor" unit:"1" min:"0.01" max:"1" default:"1" label:"Power factor" doc:"Power factor of the load"`
	Derate      float64       `json:"continuous_derate_pct" unit:"%" min:"1" max:"100" default:"80" label:"Continuous load limit" doc:"Share of the breaker rating permitted for continuous loads (NEC 210.20)"`
	PUE         float64       `json:"pue" unit:"1" min:"1" max:"100" default:"1" label:"PUE" doc:"Power usage effectiveness: total energy divided by the energy of the devices"`
	CO2         float64       `json:"co2_kg_per_kwh" unit:"kg/kWh" min:"0" max:"100" default:"0.4" label:"Grid emission factor" doc:"CO₂ emissions of the grid"`
}

type powerDevice struct {
	Name     string  `json:"name" maxLength:"200" default:"device" label:"Device" doc:"Name of the device"`
	Watts    float64 `json:"watts" unit:"W" min:"0" max:"1000000" label:"Power" doc:"Power of one device while on"`
	Quantity int     `json:"quantity" unit:"1" min:"1" max:"10000" default:"1" label:"Quantity" doc:"Number of devices"`
	Hours    float64 `json:"hours_per_day" unit:"h" min:"0" max:"24" default:"24" label:"Hours per day" doc:"Hours of operation per day"`
}

type powerCostOut struct {
	Watts     float64           `json:"total_watts" unit:"W" label:"Total power" doc:"Power with all devices on"`
	Average   float64           `json:"average_watts" unit:"W" label:"Average power" doc:"Mean power over the day, without PUE"`
	Daily     float64           `json:"daily_kwh" unit:"kWh" label:"Daily energy" doc:"Energy per day"`
	Monthly   float64           `json:"monthly_kwh" unit:"kWh" label:"Monthly energy" doc:"Energy of 365/12 days"`
	Annual    float64           `json:"annual_kwh" unit:"kWh" label:"Annual energy" doc:"Energy of 365 days"`
	DayCost   float64           `json:"daily_cost" unit:"currency" label:"Daily cost" doc:"Cost per day"`
	MonthCost float64           `json:"monthly_cost" unit:"currency" label:"Monthly cost" doc:"Cost of 365/12 days"`
	YearCost  float64           `json:"annual_cost" unit:"currency" label:"Annual cost" doc:"Cost of 365 days"`
	Amps      float64           `json:"circuit_amps" unit:"A" label:"Circuit current" doc:"Current with all devices on"`
	Limit     float64           `json:"circuit_limit_amps" unit:"A" label:"Circuit limit" doc:"Breaker rating after derating"`
	LoadPct   float64           `json:"circuit_load_pct" unit:"%" label:"Circuit load" doc:"Current divided by the breaker rating"`
	Within    bool              `json:"within_limit" label:"Within limit" doc:"The current is at or below the limit"`
	Headroom  float64           `json:"headroom_watts" unit:"W" label:"Headroom" doc:"Remaining power below the limit; negative above it"`
	Circuits  int               `json:"circuits_needed" unit:"1" label:"Circuits needed" doc:"Number of such circuits for the whole load"`
	BTU       float64           `json:"btu_per_hour" unit:"BTU/h" label:"Heat" doc:"Heat output with all devices on"`
	CO2       float64           `json:"annual_co2_kg" unit:"kg" label:"Annual CO₂" doc:"CO₂ emissions per year"`
	Devices   []powerDeviceCost `json:"devices" label:"Devices" doc:"Energy and cost of each device; empty with power_w"`
	tools.Warnings
}

type powerDeviceCost struct {
	Name   string  `json:"name" label:"Device" doc:"Name of the device"`
	Annual float64 `json:"annual_kwh" unit:"kWh" label:"Annual energy" doc:"Energy of 365 days, with PUE"`
	Cost   float64 `json:"annual_cost" unit:"currency" label:"Annual cost" doc:"Cost of 365 days"`
	Share  float64 `json:"share_pct" unit:"%" label:"Share" doc:"Share of the total energy"`
}

// hoursPerDay is the length of a day, and the default of hours_per_day.
const hoursPerDay = 24

// daysPerYear is the length of a year in this tool; a month is a twelfth of it.
const daysPerYear = 365

func powerCost(_ context.Context, in powerCostIn) (powerCostOut, error) {
	var out powerCostOut
	devices, err := in.list()
	if err != nil {
		return out, err
	}
	wattHours := 0.0 // a day
	for _, d := range devices {
		out.Watts += d.Watts * float64(d.Quantity)
		wattHours += d.wattHours()
	}
	out.Average = wattHours / hoursPerDay
	out.Daily = wattHours / 1e3 * in.PUE
	out.Annual = out.Daily * daysPerYear
	out.Monthly = out.Annual / 12
	out.DayCost, out.MonthCost, out.YearCost = out.Daily*in.Price, out.Monthly*in.Price,
		out.Annual*in.Price
	out.CO2 = out.Annual * in.CO2
	out.Amps = out.Watts / (in.Voltage * in.PowerFactor)
	out.Limit = in.Breaker * in.Derate / 100
	out.LoadPct = 100 * out.Amps / in.Breaker
	out.Within = !tolerance.Above(out.Amps, out.Limit)
	out.Headroom = out.Limit*in.Voltage*in.PowerFactor - out.Watts
	out.Circuits = int(tolerance.Ceil(out.Amps / out.Limit))
	out.BTU = out.Watts * phys.BTUPerWattHour
	for _, d := range in.Devices {
		c := powerDeviceCost{Name: d.Name, Annual: d.wattHours() / 1e3 * in.PUE * daysPerYear}
		c.Cost = c.Annual * in.Price
		if wattHours > 0 {
			c.Share = 100 * d.wattHours() / wattHours
		}
		out.Devices = append(out.Devices, c)
	}
	choice.Ignored(&out.Warnings, "each of devices has its own",
		choice.Of("hours_per_day", in.Power == nil && in.Hours != hoursPerDay))
	switch {
	case tolerance.Above(out.Amps, in.Breaker):
		out.Warn("%g A is above the breaker's %g A: it trips; use circuits_needed circuits",
			tolerance.RoundAbove(out.Amps, in.Breaker, 4), in.Breaker)
	case !out.Within:
		out.Warn(
			"%g A is above the %g A that a breaker of %g A carries continuously (NEC 210.20(A)); use circuits_needed circuits",
			tolerance.RoundAbove(out.Amps, out.Limit, 4), tolerance.RoundDown(out.Limit, 4),
			in.Breaker)
	}
	return out, nil
}

// list returns the devices, or a single device for power_w.
func (in *powerCostIn) list() ([]powerDevice, error) {
	var f tools.FieldErrors
	switch {
	case in.Power == nil && len(in.Devices) == 0:
		f.Add("power_w", "power_w or devices is required")
		f.Add("devices", "power_w or devices is required")
	case in.Power != nil && len(in.Devices) > 0:
		f.AddValue("power_w", *in.Power, "give either power_w or devices, not both")
		f.Add("devices", "give either power_w or devices, not both")
	case in.Power != nil:
		return []powerDevice{{Watts: *in.Power, Quantity: 1, Hours: in.Hours}}, nil
	}
	return in.Devices, f.Err()
}

// wattHours returns the energy per day [Wh].
func (d powerDevice) wattHours() float64 { return d.Watts * float64(d.Quantity) * d.Hours }
