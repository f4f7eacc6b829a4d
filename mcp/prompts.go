package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/tools"
)

// promptTemplate is a prompt for a chain of tools: the task, and the tools in order. The catalog
// defines the fields that link them.
type promptTemplate struct {
	name, title, description string
	arguments                []protocol.PromptArgument
	task                     string // {argument} marks where the user's text is inserted
	// optional maps each optional argument to the sentence that it adds.
	optional map[string]string
	steps    []string
	report   string
}

// promptTemplates returns the prompts.
func promptTemplates() []promptTemplate {
	return []promptTemplate{{
		name: "lora_link_budget", title: "LoRa link budget",
		description: "Link margin of a LoRa link, and its messages per hour within the duty cycle",
		arguments: []protocol.PromptArgument{
			{Name: "distance_km", Description: "Distance between the nodes in km", Required: true},
			{Name: "freq_mhz", Description: "Carrier frequency in MHz; 868 or 915"},
			{Name: "details",
				Description: "Antennas, transmit power, spreading factor, terrain, payload"},
		},
		task: "Compute the link budget of a LoRa link over {distance_km} km.",
		optional: map[string]string{
			"freq_mhz": "The carrier frequency is {freq_mhz} MHz.", "details": "Given: {details}.",
		},
		steps: []string{"lora_sensitivity", "fspl", "link_budget", "snr_margin", "fresnel_zone",
			"lora_airtime", "duty_cycle_budget"},
		report: "received power, margin over the sensitivity, SNR margin, the Fresnel clearance needed at the midpoint, time on air, and messages per hour allowed by the duty cycle",
	}, {
		name: "solar_system", title: "Solar system",
		description: "Panels, battery and charge controller for a list of loads, and how long the battery lasts",
		arguments: []protocol.PromptArgument{
			{Name: "loads", Required: true,
				Description: "Appliances with their power in W and hours per day"},
			{Name: "sun_hours",
				Description: "Peak sun hours per day at the place, in the worst month"},
			{Name: "details",
				Description: "System voltage, battery chemistry, days of autonomy"},
		},
		task: "Size an off-grid solar system for these loads: {loads}.",
		optional: map[string]string{
			"sun_hours": "The place has {sun_hours} peak sun hours per day.",
			"details":   "Given: {details}.",
		},
		steps: []string{"solar_load_audit", "solar_sizing", "battery_autonomy",
			"generator_offset"},
		report: "daily energy, panel power, battery capacity, charge controller current, days of autonomy, and the energy from a generator",
	}, {
		name: "amplifier_design", title: "Amplifier design",
		description: "An op-amp amplifier for a gain, with standard resistors, checked in simulation",
		arguments: []protocol.PromptArgument{
			{Name: "gain", Description: "Voltage gain; negative for inverting", Required: true},
			{Name: "bandwidth_hz", Description: "Bandwidth in Hz"},
			{Name: "details", Description: "Supply, source and load resistance, available resistors with their colours"},
		},
		task: "Design an op-amp amplifier with a gain of {gain}.",
		optional: map[string]string{
			"bandwidth_hz": "Its bandwidth is {bandwidth_hz} Hz.", "details": "Given: {details}.",
		},
		steps:  []string{"resistor_color_code", "op_amp_gain", "spice_template", "spice_simulate"},
		report: "topology, resistor values with their standard series, gain and bandwidth as computed and as simulated, and where the two differ",
	}}
}

// addPrompts registers each prompt whose tools are all in the catalog.
func (s *Server) addPrompts() {
	for _, r := range promptTemplates() {
		if slices.ContainsFunc(r.steps, func(name string) bool {
			_, err := s.opt.Catalog.Find(name)
			return err != nil
		}) {
			continue
		}
		s.prompts = append(s.prompts, r)
		s.engine.AddPrompt(protocol.Prompt{Name: r.name, Title: r.title, Description: r.description,
			Arguments: r.arguments},
			func(ctx context.Context,
				request protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
				return r.write(ctx, s.opt.Catalog, request.Params.Arguments)
			})
	}
}

// write returns the prompt with the user's arguments.
func (r promptTemplate) write(ctx context.Context, catalog *tools.Catalog,
	arguments map[string]string) (*protocol.GetPromptResult, error) {
	var fill, missing []string
	task := r.task
	for _, a := range r.arguments {
		value := strings.TrimSpace(arguments[a.Name])
		switch {
		case value == "" && a.Required:
			message := fmt.Sprintf("the prompt %s needs the argument %s: %s", r.name, a.Name,
				a.Description)
			callFrom(ctx).rpcErr = &rpcError{Code: protocol.INVALID_PARAMS, Message: message}
			return nil, fmt.Errorf("%s", message)
		case value == "":
			missing = append(missing, fmt.Sprintf("%s (%s)", a.Name, a.Description))
		case !a.Required:
			task += " " + r.optional[a.Name]
		}
		fill = append(fill, "{"+a.Name+"}", value)
	}
	var b strings.Builder
	b.WriteString(strings.NewReplacer(fill...).Replace(task))
	if len(missing) > 0 {
		b.WriteString(" Not given: " + strings.Join(missing, "; ") + ".")
	}
	b.WriteString("\n\nUse these tools in this order:\n")
	for i, name := range r.steps {
		entry, err := catalog.Find(name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%d. %s: %s.", i+1, name, entry.Summary)
		for _, h := range inputSources(catalog, r.steps[:i], name) {
			b.WriteString(" " + h)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nState every assumption for inputs that are not given. Report %s, each with its unit and tool. Repeat the warnings of the tools.", r.report)
	return &protocol.GetPromptResult{
		Description: r.description,
		Messages: []protocol.PromptMessage{protocol.NewPromptMessage(protocol.RoleUser,
			protocol.NewTextContent(b.String()))},
	}, nil
}

// inputSources returns sentences that name the fields that a step takes from earlier steps.
func inputSources(catalog *tools.Catalog, before []string, name string) (sentences []string) {
	for _, edge := range catalog.Edges {
		if edge.To != name || !slices.Contains(before, edge.From) {
			continue
		}
		var fields []string
		for _, p := range edge.Fields {
			fields = append(fields, p.Out+" as "+p.In)
		}
		sentences = append(sentences, fmt.Sprintf("Take from %s: %s.", edge.From,
			strings.Join(fields, ", ")))
	}
	return sentences
}
