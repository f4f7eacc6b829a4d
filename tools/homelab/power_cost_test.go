package homelab

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestPowerCost(t *testing.T) {
	tooltest.Examples(t, PowerCost)
	tooltest.Cases(t, PowerCost, []tooltest.Case{
		{"hours of the call with devices, which have 24 each: 0.1 kW · 24 h · 365",
			`{"devices":[{"watts":100}],"hours_per_day":8}`,
			`{"annual_kwh":876,"warnings":["~hours_per_day was ignored: each of devices"]}`},
		{"contract: 500 W all year", `{"power_w":500}`,
			`{"total_watts":500,"average_watts":500,"daily_kwh":12,"monthly_kwh":365,"annual_kwh":4380,"daily_cost":1.80,"monthly_cost":54.75,"annual_cost":657.00,
			"circuit_amps":4.16666667,"circuit_limit_amps":12,"circuit_load_pct":27.77777778,"within_limit":true,"headroom_watts":940,"circuits_needed":1,"btu_per_hour":1706.0708165,"annual_co2_kg":1752,"devices":[],"warnings":[]}`},
		{"by hand: 8 hours a day at PUE 1.5; the circuit does not see it",
			`{"power_w":1000,"hours_per_day":8,"pue":1.5,"price_per_kwh":0.2}`,
			`{"daily_kwh":12,"annual_cost":876.00,"average_watts":333.33333333,"circuit_amps":8.33333333,"btu_per_hour":3412.141633}`},
		{"by hand: exactly at the limit", `{"power_w":1440}`, `{"circuit_amps":12,"within_limit":true,"headroom_watts":0,"circuits_needed":1,"warnings":[]}`},
		{"by hand: exactly at the limit, in binary fractions",
			`{"power_w":2484,"voltage":230,"breaker_amps":13.5}`,
			`{"within_limit":true,"circuits_needed":1,"warnings":[]}`},
		{"by hand: above the limit, two circuits", `{"power_w":1500}`, `{"circuit_amps":12.5,"within_limit":false,"headroom_watts":-60,"circuits_needed":2,"warnings":["~continuously"]}`},
		{"by hand: 9.877 A above 0.8 · 12.346 A = 9.8768 A",
			`{"power_w":1185.24,"breaker_amps":12.346}`,
			`{"within_limit":false,"warnings":["~9.877 A is above the 9.876 A that"]}`},
		{"by hand: 20.0001 A above 20 A", `{"power_w":2400.012,"breaker_amps":20}`,
			`{"warnings":["~20.01 A is above the breaker's 20 A"]}`},
		{"by hand: power factor 0.5 doubles the current, the breaker trips",
			`{"power_w":1200,"power_factor":0.5}`, `{"circuit_amps":20,"circuit_load_pct":133.33333333,"circuits_needed":2,"warnings":["~trips"]}`},
		{"by hand: three devices", `{"devices":[{"name":"nas","watts":50},{"name":"switch","watts":25,"quantity":2},{"name":"printer","watts":200,"hours_per_day":1}],"price_per_kwh":0.1,"pue":2}`,
			`{"total_watts":300,"daily_kwh":5.2,"annual_kwh":1898,"annual_cost":189.80,"devices":[{"name":"nas","annual_kwh":876,"annual_cost":87.60,"share_pct":46.15384615},
			{"name":"switch","annual_cost":87.60},{"name":"printer","annual_cost":14.60,"share_pct":7.69230769}]}`},
		{"nothing on", `{"devices":[{"watts":0}]}`,
			`{"annual_cost":0,"circuits_needed":0,"devices":[{"share_pct":0}]}`},
	})
	tooltest.InvalidCases(t, PowerCost, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"power_w", "devices"}, "power_w or devices"},
		{"both", `{"power_w":1,"devices":[{"watts":1}]}`, []string{"power_w", "devices"},
			"not both"},
		{"25 hours", `{"power_w":1,"hours_per_day":25}`, []string{"hours_per_day"}, "0 to 24"},
		{"a device without power, one with 25 hours",
			`{"devices":[{"name":"a"},{"watts":1,"hours_per_day":25}]}`,
			[]string{"devices[0].watts", "devices[1].hours_per_day"}, "is required"},
		{"power factor and PUE", `{"power_w":1,"power_factor":1.1,"pue":0.9}`,
			[]string{"power_factor", "pue"}, "1"},
		{"half a device", `{"devices":[{"watts":1,"quantity":0.5}]}`,
			[]string{"devices[0].quantity"}, "whole"},
	})
}
