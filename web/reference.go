package web

import "slipstick/tools"

// chainTool is a tool on the chain page.
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

// chainExample is an example on the chain page. Each step takes values from earlier steps.
type chainExample struct {
	Title string   `json:"title"`
	Tools []string `json:"tools"`
	// Values maps tools to form values. These replace values of the tool's first example that would
	// contradict values from earlier steps.
	Values map[string]string `json:"values,omitempty"`
}

// chainExamples are typical chains of tools.
var chainExamples = []chainExample{
	{Title: "LoRa link", Tools: []string{"fspl", "link_budget", "snr_margin"}},
	{Title: "LoRa channel", Tools: []string{"lora_airtime", "channel_utilization",
		"duty_cycle_budget"}},
	{Title: "Receiver", Tools: []string{"noise_figure_cascade", "link_budget", "dbm_convert"}},
	{Title: "Sensitivity to range", Tools: []string{"lora_sensitivity", "lora_range_estimate"}},
	{Title: "Mesh node", Tools: []string{"meshnet_range", "eirp_compliance"}},
	{Title: "Solar node", Tools: []string{"meshnet_power", "solar_sizing", "battery_autonomy"}},
	{Title: "Solar house", Tools: []string{"solar_load_audit", "solar_sizing", "battery_autonomy"},
		Values: map[string]string{
			"solar_sizing":     "peak_sun_hours=4.5&system_voltage_v=24",
			"battery_autonomy": "depth_of_discharge_pct=80",
		}},
	{Title: "LED and trace", Tools: []string{"ohms_law", "led_resistor", "trace_width"}},
	{Title: "Colour code to gain", Tools: []string{"resistor_color_code", "op_amp_gain"}},
	{Title: "Divider to filter", Tools: []string{"voltage_divider", "rc_filter"}},
	{Title: "Template to simulation", Tools: []string{"spice_template", "spice_simulate"}},
}

// reference is the list of tools. The API page groups it by categories of the API, the about page
// by sections of the catalog.
type reference struct {
	Groups []referenceGroup
}

type referenceGroup struct {
	Title string
	Tools []*Tool
}

func (s *Site) reference(categories []tools.Category) reference {
	var r reference
	for _, c := range categories {
		g := referenceGroup{Title: c.Title}
		for _, t := range c.Tools {
			g.Tools = append(g.Tools, s.tools[t.Name])
		}
		r.Groups = append(r.Groups, g)
	}
	return r
}
