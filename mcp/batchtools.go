package mcp

import "slipstick/batch"

// batchTools returns the batch tools as tools/list describes them.
func batchTools() []listedTool {
	plain := func(kind string) map[string]any { return map[string]any{"type": kind} }
	of := func(kind, description string) map[string]any {
		return map[string]any{"type": kind, "description": description}
	}
	object := func(description string) map[string]any {
		o := of("object", description)
		o["additionalProperties"] = true
		return o
	}
	list := func(kind, description string) map[string]any {
		l := of("array", description)
		l["items"] = plain(kind)
		return l
	}
	schema := func(required string, properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties,
			"required": []string{required}}
	}
	picture := map[string]any{"type": "string", "enum": []string{"png", "svg", "none"}}
	return []listedTool{{
		Name: batchRunName,
		Description: `Many runs of one tool: sweep, Monte Carlo with yield, goal seek, optimization. ` +
			`Returns rows, solutions or statistics, and a plot. Example: {"tool": "link_budget", "mode": "solve", ` +
			`"input": {"tx_dbm": 20, "freq_mhz": 915, "rx_sensitivity_dbm": -130}, ` +
			`"vary": [{"field": "/dist_km", "from": 1, "to": 5000}], "target": {"name": "margin_db", "value": 10}}`,
		InputSchema: schema("tool", map[string]any{
			"tool":  plain("string"),
			"input": object("Input of every run"),
			"vary": list("object",
				`Each {"field": "/dist_km", "values": [1, 2]}, or with "from", "to", "points", `+
					`"scale": "log"; in random modes "tolerance_pct": 5, or "distribution": "normal", "mean", "sigma". `+
					`In netlists also "param:NAME", "element:R1"`),
			"mode": map[string]any{
				"type": "string", "description": "random, lhs and sobol are Monte Carlo modes",
				"enum": []string{
					batch.Grid, batch.Zip, batch.Random, batch.LHS, batch.Sobol, batch.List,
					batch.Solve, batch.Minimize, batch.Maximize,
				},
			},
			"n":    of("integer", "Number of runs of a random mode, maximum of a search"),
			"seed": plain("integer"),
			"collect": list("string", `Results to keep, as "margin_db"; also {"name": "fc", `+
				`"measure": "fc"}, {"name": "top", "vector": "v(out)", "reduce": "max"}`),
			"limits":    object(`For the yield: {"margin_db": {"min": 10}}`),
			"target":    object("Value to reach, for mode solve"),
			"objective": of("string", "Result to minimize or maximize"),
			"dry_run":   of("boolean", "Count and validate the runs only"),
			"plot":      picture,
		}),
		Annotations: readOnly(), Meta: appMeta(),
	}, {
		Name:        batchStatusName,
		Description: "Waits for a batch and returns its statistics and plot, or cancels it.",
		InputSchema: schema("id", map[string]any{
			"id": plain("string"), "cancel": plain("boolean"), "plot": picture,
		}),
		Annotations: map[string]any{"readOnlyHint": false, "destructiveHint": false,
			"idempotentHint": true},
		Meta: appMeta(),
	}, {
		Name:        batchResultsName,
		Description: "At most 50 rows of a batch as CSV, and its statistics.",
		InputSchema: schema("id", map[string]any{
			"id": plain("string"), "from": plain("integer"), "limit": plain("integer"),
		}),
		Annotations: readOnly(),
	}}
}
