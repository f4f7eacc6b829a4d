package homelab

import (
	"context"
	"fmt"
	"math"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/tolerance"
)

// RackCapacity checks whether equipment fits a rack.
var RackCapacity = tools.Define(tools.Spec{
	Name:    "rack_capacity",
	Title:   "Rack capacity",
	Summary: "Space, weight and power of a rack's equipment against the rack and its power distribution units, with feed redundancy",
	Method: "Sums of units, weight and power against rack units less those reserved, the weight limit, and the power of the PDUs: one carries V · A · power factor · derating, times √3 of the line voltage on three phases. " +
		"With redundant feeds only half of the PDUs count (the smaller half of an odd number), since one side must carry all. The limiting factor is the fullest",
	Sources: []string{
		"EIA/ECA-310-E (2005): the rack unit of 44.45 mm",
		"NFPA 70 (NEC) 2023, section 210.20(A): continuous loads at 80 % of the breaker",
	},
	Limits: []string{
		"Depth, airflow and the order of the equipment are not looked at",
		"The load is taken as shared evenly among PDUs and phases",
	},
	Aliases: []string{"rack units", "PDU sizing", "rack planner", "A/B feed", "server rack"},
	Primary: []string{"free_units"},
	Examples: []tools.Example{{
		Title: "Six servers and two switches",
		In: `{"items": [{"name": "server", "rack_units": 2, "weight_kg": 30, "watts": 400, "quantity": 6},
			{"name": "switch", "rack_units": 1, "weight_kg": 5, "watts": 120, "quantity": 2}]}`,
		Want: `{"used_units": 14, "free_units": 28, "total_weight_kg": 190, "total_watts": 2640, "usable_power_w": 2944, "power_utilization_pct": 89.67, "fits": true, "limiting_factor": "power"}`,
	}, {
		Title: "The rack is full: 42 U of switches",
		In:    `{"items": [{"name": "switch", "rack_units": 4.2, "quantity": 10}]}`,
		Want:  `{"fits": true, "space_utilization_pct": 100.0, "limiting_factor": "space"}`,
		From:  "by hand: 10 · 4.2",
	}, {
		Title: "4 U kept free for cables",
		In:    `{"items": [{"name": "server", "rack_units": 2, "weight_kg": 30, "watts": 100, "quantity": 20}], "reserved_units": 4}`,
		Want:  `{"fits": false, "free_units": -2, "limiting_factor": "space"}`,
		From:  "by hand: 42 - 4 - 40",
	}},
}, rackCapacity)

type rackIn struct {
	Items       []rackItem `json:"items" minItems:"1" maxItems:"1000" label:"Equipment" doc:"Equipment"`
	Units       float64    `json:"rack_units" unit:"U" min:"1" max:"1000" default:"42" label:"Rack height" doc:"Height of the rack"`
	Reserved    float64    `json:"reserved_units" unit:"U" min:"0" max:"1000" default:"0" label:"Reserved height" doc:"Rack units reserved for cables, patch panels or airflow"`
	MaxWeight   float64    `json:"max_weight_kg" unit:"kg" min:"0.1" max:"1000000" default:"1000" label:"Weight limit" doc:"Load limit of rack or floor, whichever is lower"`
	Voltage     float64    `json:"pdu_voltage" unit:"V" min:"1" max:"10000" default:"230" label:"PDU voltage" doc:"Voltage of a PDU; line to line with three phases"`
	Amps        float64    `json:"pdu_amps" unit:"A" min:"0.1" max:"10000" default:"16" label:"PDU current rating" doc:"Current rating of a PDU, per phase"`
	Phases      int        `json:"pdu_phases" unit:"1" min:"1" max:"3" default:"1" label:"PDU phases" doc:"Number of phases: 1 or 3"`
	PDUs        int        `json:"pdu_count" unit:"1" min:"1" max:"100" default:"2" label:"Number of PDUs" doc:"Number of PDUs in the rack"`
	Redundant   *bool      `json:"redundant_feeds" label:"Redundant feeds" doc:"The PDUs are on two feeds, each of which must carry the whole load; default: true with two or more PDUs"`
	Derate      float64    `json:"continuous_derate_pct" unit:"%" min:"1" max:"100" default:"80" label:"Continuous load limit" doc:"Share of the rating permitted for continuous load"`
	PowerFactor float64    `json:"power_factor" unit:"1" min:"0.01" max:"1" default:"1" label:"Power factor" doc:"Power factor of the equipment"`
}

type rackItem struct {
	Name     string  `json:"name" maxLength:"200" default:"item" label:"Item" doc:"Name of the item"`
	Units    float64 `json:"rack_units" unit:"U" gt:"0" max:"1000" label:"Height" doc:"Height of one item"`
	Weight   float64 `json:"weight_kg" unit:"kg" min:"0" max:"100000" default:"0" label:"Weight" doc:"Weight of one item"`
	Watts    float64 `json:"watts" unit:"W" min:"0" max:"1000000" default:"0" label:"Power" doc:"Power of one item"`
	Quantity int     `json:"quantity" unit:"1" min:"1" max:"10000" default:"1" label:"Quantity" doc:"Number of items"`
}

type rackOut struct {
	Used        float64  `json:"used_units" unit:"U" label:"Used height" doc:"Height of all equipment"`
	Free        float64  `json:"free_units" unit:"U" label:"Free height" doc:"Rack units left after equipment and reserve; negative when it does not fit"`
	SpacePct    float64  `json:"space_utilization_pct" unit:"%" label:"Space utilization" doc:"Used height relative to the units that are not reserved"`
	Weight      float64  `json:"total_weight_kg" unit:"kg" label:"Total weight" doc:"Weight of all equipment"`
	WeightPct   float64  `json:"weight_utilization_pct" unit:"%" label:"Weight utilization" doc:"Weight relative to the limit"`
	Watts       float64  `json:"total_watts" unit:"W" label:"Total power" doc:"Power of all equipment"`
	PDUCapacity float64  `json:"pdu_capacity_w" unit:"W" label:"PDU capacity" doc:"Capacity of one PDU, derated"`
	Usable      float64  `json:"usable_power_w" unit:"W" label:"Usable power" doc:"Capacity of all PDUs, or of one feed with redundant feeds"`
	PowerPct    float64  `json:"power_utilization_pct" unit:"%" label:"Power utilization" doc:"Power relative to the usable power"`
	Current     float64  `json:"current_per_pdu_a" unit:"A" label:"Current per PDU" doc:"Current per phase of each PDU with all PDUs in operation"`
	Failover    *float64 `json:"failover_load_pct" unit:"%" label:"Failover load" doc:"Load of the remaining PDUs after one feed fails, relative to their derated capacity; null with one PDU"`
	BTU         float64  `json:"btu_per_hour" unit:"BTU/h" label:"Heat load" doc:"Heat load to remove"`
	Fits        bool     `json:"fits" label:"Fits" doc:"Space, weight and power are sufficient"`
	LimitedBy   string   `json:"limiting_factor" enum:"space,weight,power" label:"Limiting factor" doc:"Most utilized of space, weight and power"`
	Violations  []string `json:"violations" label:"Violations" doc:"Exceeded limits; empty when there are none"`
	tools.Warnings
}

func rackCapacity(_ context.Context, in rackIn) (rackOut, error) {
	var out rackOut
	redundant := in.PDUs >= 2
	if in.Redundant != nil {
		redundant = *in.Redundant
	}
	if err := in.check(redundant); err != nil {
		return out, err
	}
	for _, i := range in.Items {
		n := float64(i.Quantity)
		out.Used += n * i.Units
		out.Weight += n * i.Weight
		out.Watts += n * i.Watts
	}
	space := in.Units - in.Reserved
	out.Free = space - out.Used
	out.SpacePct = 100 * out.Used / space
	out.WeightPct = 100 * out.Weight / in.MaxWeight

	perAmp := in.Voltage * in.PowerFactor // power per ampere of a PDU [W/A]
	if in.Phases == 3 {
		perAmp *= math.Sqrt(3)
	}
	out.PDUCapacity = perAmp * in.Amps * in.Derate / 100
	side := float64(in.PDUs / 2) // number of PDUs on the smaller side
	out.Usable = float64(in.PDUs) * out.PDUCapacity
	if redundant {
		out.Usable = side * out.PDUCapacity
	}
	out.PowerPct = 100 * out.Watts / out.Usable
	out.Current = out.Watts / (float64(in.PDUs) * perAmp)
	if side > 0 {
		pct := 100 * out.Watts / (side * out.PDUCapacity)
		out.Failover = &pct
		if !redundant && tolerance.Above(pct, 100) {
			out.Warn(
				"the feeds are not redundant: when one side fails the other is loaded to %g %% of its derated capacity; use larger PDUs or less equipment",
				tolerance.RoundAbove(pct, 100, 4),
			)
		}
	}
	out.BTU = out.Watts * phys.BTUPerWattHour
	out.judge(&in, space)
	return out, nil
}

// judge compares the three loads with their limits.
func (out *rackOut) judge(in *rackIn, space float64) {
	if tolerance.Above(out.SpacePct, 100) {
		out.Violations = append(out.Violations,
			fmt.Sprintf("space: %g U of equipment, %g U free of reserve", out.Used, space))
	}
	if tolerance.Above(out.WeightPct, 100) {
		out.Violations = append(out.Violations,
			fmt.Sprintf("weight: %g kg, limit %g kg", out.Weight, in.MaxWeight))
	}
	if tolerance.Above(out.PowerPct, 100) {
		out.Violations = append(out.Violations,
			fmt.Sprintf("power: %g W, usable %g W", out.Watts,
				tolerance.RoundDown(out.Usable, 6)))
	}
	out.Fits = len(out.Violations) == 0
	out.LimitedBy = "space"
	most := out.SpacePct
	if out.WeightPct > most {
		most, out.LimitedBy = out.WeightPct, "weight"
	}
	if out.PowerPct > most {
		out.LimitedBy = "power"
	}
}

func (in *rackIn) check(redundant bool) error {
	var f tools.FieldErrors
	if in.Phases == 2 {
		f.AddValue("pdu_phases", in.Phases, "must be 1 or 3")
	}
	if in.Reserved >= in.Units {
		f.AddValue("reserved_units", in.Reserved, "must be less than rack_units (%g)", in.Units)
	}
	if redundant && in.PDUs < 2 {
		f.AddValue("redundant_feeds", redundant,
			"contradicts pdu_count: redundant feeds need at least 2 PDUs")
		f.AddValue("pdu_count", in.PDUs, "must be at least 2 with redundant_feeds")
	}
	return f.Err()
}
