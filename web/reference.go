package web

// chainTool is a tool as the chain page offers it.
type chainTool struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Category string `json:"category"`
}

func (s *Site) chainTools() (list []chainTool) {
	for _, c := range s.catalog.Categories {
		for _, t := range c.Tools {
			list = append(list, chainTool{t.Name, t.Title, c.Title})
		}
	}
	return list
}

// chainExample is a chain to start from; each step takes what the ones before it feed.
type chainExample struct {
	Title string   `json:"title"`
	Tools []string `json:"tools"`
}

// chainExamples are the chains of the specification.
var chainExamples = []chainExample{
	{"LoRa link", []string{"fspl", "link_budget", "snr_margin"}},
	{"LoRa channel", []string{"lora_airtime", "channel_utilization", "duty_cycle_budget"}},
	{"Receiver", []string{"noise_figure_cascade", "link_budget", "dbm_convert"}},
	{"Sensitivity to range", []string{"lora_sensitivity", "lora_range_estimate"}},
	{"Mesh node", []string{"meshnet_range", "eirp_compliance"}},
	{"Solar node", []string{"meshnet_power", "solar_sizing", "battery_autonomy"}},
	{"Solar house", []string{"solar_load_audit", "solar_sizing", "battery_autonomy"}},
	{"LED and trace", []string{"ohms_law", "led_resistor", "trace_width"}},
	{"Colour code to gain", []string{"resistor_color_code", "op_amp_gain"}},
	{"Divider to filter", []string{"voltage_divider", "rc_filter"}},
	{"Template to simulation", []string{"spice_template", "spice_simulate"}},
}

// reference is what the API and the about page list.
type reference struct {
	Groups []referenceGroup
}

type referenceGroup struct {
	Title string
	Tools []*Tool
}

func (s *Site) reference() reference {
	var r reference
	for _, c := range s.catalog.Categories {
		g := referenceGroup{Title: c.Title}
		for _, t := range c.Tools {
			g.Tools = append(g.Tools, s.tools[t.Name])
		}
		r.Groups = append(r.Groups, g)
	}
	return r
}

// Sources are the works its method comes from.
func (t *Tool) Sources() []string { return t.entry.Sources }
