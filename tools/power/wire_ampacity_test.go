package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestWireAmpacity(t *testing.T) {
	tooltest.Examples(t, WireAmpacity)
	tooltest.Cases(t, WireAmpacity, []tooltest.Case{
		{"contract: 30·0.87·0.8", `{"awg":12,"ambient_c":43,"current_carrying_conductors":6}`,
			`{"base_ampacity_a":30,"ambient_factor":0.87,"bundling_factor":0.8,"derated_ampacity_a":20.88000,"ampacity_a":20.88000,"terminal_limit_a":25,"max_ocpd_a":20,"max_continuous_load_a":16,"effective_ambient_c":43,"area_mm2":3.3087729,"warnings":["~240.4(D)"]}`},
		{"table 310.16: 3/0 copper THHN on 75 °C terminals is 200 A", `{"awg":"3/0"}`,
			`{"base_ampacity_a":225,"ampacity_a":200,"terminal_limit_a":200,"max_ocpd_a":200,"max_continuous_load_a":160,"warnings":["~terminations limit"]}`},
		{"600 kcmil is 420 A since 2011, not 355 at 60 °C", `{"awg":600,"insulation_rating_c":60,"terminal_rating_c":60}`, `{"base_ampacity_a":350,"ampacity_a":350,"max_ocpd_a":350,"warnings":[]}`},
		{"rooftop: 35+33 = 68 °C, band to 70: factor .58, 40·.58 = 23.2, next size 25", `{"awg":10,"ambient_c":35,"rooftop":true}`,
			`{"effective_ambient_c":68,"ambient_factor":0.58,"derated_ampacity_a":23.200,"ampacity_a":23.200,"max_ocpd_a":25,"max_continuous_load_a":20,"warnings":[]}`},
		{"aluminum 250 kcmil at 90/75 °C: 230, 205; next size 225", `{"awg":"250 kcmil","material":"aluminum"}`, `{"base_ampacity_a":230,"terminal_limit_a":205,"ampacity_a":205,"max_ocpd_a":225,"max_continuous_load_a":164.00}`},
		{"3 × 500 kcmil: 1140 A, 240.4(C) gives 1000 A, 80 % of it", `{"awg":500,"parallel_sets":3}`, `{"ampacity_a":1140,"max_ocpd_a":1000,"max_continuous_load_a":800,"warnings":["~terminations","~above 800 A"]}`},
		{"two sets of 1/0 aluminum, 9 conductors: 135·.7 = 94.5 each", `{"awg":"0","material":"aluminium","parallel_sets":2,"current_carrying_conductors":9}`, `{"derated_ampacity_a":94.500,"ampacity_a":189.000,"max_ocpd_a":200,"max_continuous_load_a":160}`},
		{"18 AWG has no termination value: 7 A of 240.4(D), 80 %", `{"awg":18}`, `{"base_ampacity_a":14,"terminal_limit_a":null,"ampacity_a":14,"max_ocpd_a":7,"max_continuous_load_a":5.6000}`},
		{"nor at 90 °C terminations: 16 AWG", `{"awg":16,"terminal_rating_c":90}`, `{"base_ampacity_a":18,"terminal_limit_a":null,"max_ocpd_a":10}`},
		{"cold: 10 °C and less is 1.15; the terminations hold 25 A", `{"awg":12,"ambient_c":-20}`, `{"ambient_factor":1.15,"derated_ampacity_a":34.500,"ampacity_a":25,"max_ocpd_a":20,"max_continuous_load_a":16}`},
		{"continuous load by 0.8 of the table: 6 AWG 75/75, 65 A, next size 70, .8·65 = 52 below .8·70", `{"awg":6,"insulation_rating_c":75}`, `{"ampacity_a":65,"max_ocpd_a":70,"max_continuous_load_a":52.000}`},
		{"table 310.16: 8 AWG is 50 A at 75 °C, 40 A at 60 °C; table 250.122: 10 AWG to 60 A", `{"awg":8}`,
			`{"ampacity_a":50,"usable_ampacity_a":50,"usable_ampacity_60c_a":40,"max_ocpd_a":50,"egc_awg":"10","warnings":["~allows 40 A","~terminations limit"]}`},
		{"240.4(D): 14 AWG is 20 A at 75 °C, usable 15 A at either rating; table 250.122: 14 AWG to 15 A", `{"awg":14}`,
			`{"ampacity_a":20,"usable_ampacity_a":15,"usable_ampacity_60c_a":15,"egc_awg":"14"}`},
		{"table 250.122: aluminum to 300 A is 2 AWG; 110.14(C)(1)(b) above 100 A is 75 °C", `{"awg":300,"material":"aluminum"}`,
			`{"usable_ampacity_a":230,"usable_ampacity_60c_a":195,"max_ocpd_a":250,"egc_awg":"2","warnings":["~terminations limit"]}`},
		{"334.80, by hand: NM-B 12 AWG, 9 conductors, 30·0.7 = 21 A, limited to 20 A", `{"awg":12,"cable_type":"nm_b","current_carrying_conductors":9}`,
			`{"derated_ampacity_a":21.000,"ampacity_a":20,"max_ocpd_a":20,"warnings":["~334.80"]}`},
		{"no termination value for 18 AWG", `{"awg":18}`, `{"usable_ampacity_a":7,"usable_ampacity_60c_a":null}`},
		{"IEC, table B.52.2: 2.5 mm² PVC, method B1, two loaded, is 24 A; breaker 20 A", `{"area_mm2":2.5,"iec_method":"B1","current_carrying_conductors":2}`,
			`{"base_ampacity_a":24,"ampacity_a":24,"max_ocpd_a":20,"max_continuous_load_a":20,"protective_mm2":2.5,"terminal_limit_a":null,"egc_awg":null,"warnings":[]}`},
		{"IEC, table B.52.5 and B.52.17: 50 mm² XLPE, C, three circuits at 40 °C, 179·0.91·0.7", `{"area_mm2":50,"iec_method":"C","iec_insulation":"xlpe","iec_group_size":3,"ambient_c":40}`,
			`{"ambient_factor":0.91,"bundling_factor":0.7,"ampacity_a":114.023,"max_ocpd_a":100,"protective_mm2":25,"warnings":[]}`},
		{"IEC, table B.52.15: 16 mm² in a duct in ground of 20 °C, 64 A", `{"area_mm2":16,"iec_method":"D1","ambient_c":20}`, `{"ampacity_a":64,"max_ocpd_a":63,"warnings":["~temperature of the ground"]}`},
		{"IEC, table B.52.11: 50 mm² aluminium, PVC, on a perforated tray (E), 117 A", `{"area_mm2":50,"iec_method":"E","material":"aluminium"}`, `{"ampacity_a":117,"max_ocpd_a":100,"warnings":[]}`},
		{"IEC, table B.52.4: 16 mm² aluminium in B2 carries 48 A", `{"area_mm2":16,"iec_method":"B2","material":"aluminum"}`, `{"ampacity_a":48,"max_ocpd_a":40}`},
		{"IEC, table B.52.10 (scribd 696570623): 95 mm² spaced horizontally, 341 A, at 55 °C 208 A", `{"area_mm2":95,"iec_method":"G","ambient_c":55}`, `{"base_ampacity_a":341,"ambient_factor":0.61,"ampacity_a":208.01}`},
		{"IEC, table B.52.12: 25 mm² XLPE in trefoil in air, 135 A", `{"area_mm2":25,"iec_method":"F","iec_insulation":"xlpe"}`, `{"ampacity_a":135}`},
		{"IEC, table B.52.10: 2.5 mm² multi-core in air, two loaded, two bunched circuits, 30·0.8", `{"area_mm2":2.5,"iec_method":"E","current_carrying_conductors":2,"iec_group_size":2}`, `{"ampacity_a":24}`},
		{"IEC: what belongs to the NEC is named", `{"area_mm2":4,"iec_method":"A2","terminal_rating_c":60,"rooftop":true}`, `{"ampacity_a":23,"warnings":["~terminal_rating_c","~rooftop"]}`},
		{"Steel Tube Institute: 8 AWG, 15 of them need 0.549 in², 1 1/4 EMT has 0.598", `{"awg":8,"conduit_type":"emt","conduit_conductors":15}`, `{"conduit_size_in":"1 1/4","conduit_fill_pct":36.69786}`},
		{"annex C: 16 of 12 AWG fill 3/4 EMT, by default the current-carrying ones", `{"awg":12,"conduit_type":"emt","current_carrying_conductors":16}`, `{"conduit_size_in":"3/4","conduit_fill_pct":39.92495}`},
		{"annex C and note 7: two in 1/2, as 0.31·0.304/0.0507 is 1.86; they fill 33.4 %", `{"awg":6,"conduit_type":"emt","conduit_conductors":2}`, `{"conduit_size_in":"1/2","conduit_fill_pct":33.3553}`},
		{"table 1: two conductors 31 %, 2·0.0824/0.304 = 54 % of 1/2 is too much", `{"awg":4,"conduit_type":"emt","conduit_conductors":2}`, `{"conduit_size_in":"3/4","conduit_fill_pct":30.9193}`},
		{"NM-B in conduit", `{"awg":12,"conduit_type":"emt","cable_type":"nm_b"}`, `{"conduit_size_in":"1/2","warnings":["~334.80","~single THHN"]}`},
		{"table 5 ends at 1000 kcmil", `{"awg":1250,"conduit_type":"rmc"}`, `{"conduit_size_in":null,"warnings":["~terminations","~table 4"]}`},
		{"iec inputs without a method", `{"awg":8,"iec_group_size":2,"iec_insulation":"xlpe","conduit_conductors":3}`,
			`{"warnings":["~60 °C","~terminations","~iec_insulation was ignored","~iec_group_size was ignored","~conduit_conductors was ignored"]}`},
	})
	tooltest.InvalidCases(t, WireAmpacity, []tooltest.InvalidCase{
		{"a metric size alone", `{"area_mm2":4}`, []string{"iec_method"}, "is required"},
		{"both sizes", `{"area_mm2":4,"awg":12,"iec_method":"C"}`, []string{"awg"}, "contradicts"},
		{"a gauge by IEC", `{"awg":12,"iec_method":"C"}`, []string{"iec_method"}, "area_mm2"},
		{"no standard size", `{"area_mm2":5,"iec_method":"C"}`, []string{"area_mm2"}, "one of"},
		{"aluminium, six conductors, two sets", `{"area_mm2":4,"iec_method":"C","material":"aluminium","current_carrying_conductors":6,"parallel_sets":2}`,
			[]string{"current_carrying_conductors", "parallel_sets"}, ""},
		{"aluminium without a second transcription", `{"area_mm2":50,"iec_method":"G","material":"aluminium"}`, []string{"iec_method"}, "one of A1, A2, B1, B2, C, D1, D2, E, F"},
		{"single-core cables in air, two loaded", `{"area_mm2":50,"iec_method":"F","current_carrying_conductors":2}`, []string{"iec_method"}, "one of A1, A2, B1, B2, C, D1, D2, E"},
		{"below the sizes of the method", `{"area_mm2":16,"iec_method":"F"}`, []string{"area_mm2"}, "one of [25 35"},
		{"a group of single-core cables", `{"area_mm2":25,"iec_method":"G","iec_group_size":3}`, []string{"iec_group_size"}, "1 for F and G"},
		{"PVC at 66 °C", `{"area_mm2":4,"iec_method":"C","ambient_c":66}`, []string{"ambient_c"}, "at most 65"},
		{"a group in the ground", `{"area_mm2":4,"iec_method":"D2","iec_group_size":2}`, []string{"iec_group_size"}, "must be 1"},
		{"none", `{}`, []string{"awg"}, "is required"},
		{"18 AWG at 75 °C", `{"awg":18,"insulation_rating_c":75}`, []string{"awg"}, "310.16"},
		{"14 AWG aluminum", `{"awg":14,"material":"aluminum"}`, []string{"awg"}, "310.16"},
		{"5 AWG", `{"awg":5}`, []string{"awg"}, "310.16"},
		{"small parallel", `{"awg":1,"parallel_sets":2}`, []string{"parallel_sets"}, "1/0"},
		{"60 °C insulation at 56 °C", `{"awg":12,"insulation_rating_c":60,"ambient_c":56}`, []string{"ambient_c"}, "insulation_rating_c"},
		{"a hot roof", `{"awg":12,"insulation_rating_c":75,"ambient_c":40,"rooftop":true}`, []string{"ambient_c"}, "rooftop"},
		{"ranges", `{"awg":12,"ambient_c":86,"current_carrying_conductors":2.5,"rooftop":1,"terminal_rating_c":120}`, []string{"ambient_c", "current_carrying_conductors", "rooftop", "terminal_rating_c"}, ""},
	})
}
