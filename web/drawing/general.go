package drawing

// bell returns the curve of a normal distribution over an axis of width 300, with its maximum at x
// = 160.
func bell() Element {
	return group(line(thin, 10, 130, 310, 130),
		path(stroke, "M10 129c70-2 85-20 105-60s30-45 45-45 25 5 45 45 35 58 105 60"))
}

func general() []Drawing {
	return []Drawing{
		{
			Tool: "bmi_calculator", Title: "Person with height and weight", Width: 280, Height: 190,
			Elements: []Element{
				person(90, 150, 130), rect(metal, 60, 152, 60, 14),
				dimension(150, 20, 150, 150, "h", "height_cm height_m"),
				text(90, 182, "m", "weight_kg").inline().middle(), text(200, 50, "BMI", "bmi"),
			},
		},
		{
			Tool: "circumference", Title: "Circle or ellipse with radius, diameter and a sector",
			Width: 320, Height: 226,
			Elements: []Element{
				when("shape", "circle", circle(filled, 130, 110, 80),
					when("angle_deg", "*", of("angle_deg",
						path(glow, "M130 110h80a80 80 0 0 0-40-69z")),
						text(226, 80, "α", "angle_deg").inline()),
					dimension(50, 214, 210, 214, "d", "diameter"), line(stroke, 130, 110, 73, 53),
					head(130, 110, 73, 53), text(96, 106, "r", "radius").inline().middle()),
				when("shape", "ellipse", path(filled,
					"M40 110a100 60 0 0 1 200 0a100 60 0 0 1-200 0z"),
					line(stroke, 140, 110, 240, 110),
					line(stroke, 140, 110, 140, 50), text(160, 126, "a", "semi_major").inline(),
					text(132, 84, "b", "semi_minor").inline().end()),
				text(310, 24, "C", "circumference").inline().end(),
				text(310, 44, "A", "area").inline().end(),
			},
		},
		{
			Tool: "compound_interest", Title: "Balance that grows over the years", Width: 320,
			Height: 170,
			Elements: []Element{
				arrow(thin, 40, 140, 300, 140), arrow(thin, 40, 140, 40, 20),
				path(copper,
					"M50 140v-24h20v24zM80 140v-29h20v29zM110 140v-36h20v36zM140 140v-44h20v44z"),
				path(copper, "M170 140v-54h20v54zM200 140v-67h20v67zM230 140v-83h20v83z"),
				text(50, 106, "", "principal"), text(256, 46, "", "final_amount").end(),
				text(170, 160, "t", "years").inline().middle(),
				text(60, 30, "rate", "annual_rate_pct").inline(),
			},
		},
		{
			Tool:  "confidence_interval",
			Title: "Distribution of the estimate with its confidence interval", Width: 320,
			Height: 190,
			Elements: []Element{
				path(glow, "M95 130v-25c25-50 45-81 65-81s40 31 65 81v25z"), bell(),
				line(dashed, 160, 24, 160, 130), dimension(95, 152, 225, 152, "", ""),
				text(95, 174, "", "lower").middle(), text(225, 174, "", "upper").middle(),
				text(160, 174, "", "mean estimate").middle(),
				text(160, 100, "", "confidence_pct").middle(), text(10, 24, "n", "n").inline(),
				text(10, 44, "s", "std_dev").inline(),
			},
		},
		{
			Tool: "p_value", Title: "Distribution of the test statistic with its tails", Width: 320,
			Height: 180,
			Elements: []Element{
				when("distribution", "z t", bell(),
					when("tail", "two_sided left", path(glow, "M10 130v-1c36-1 58-6 74-14v15z")),
					when("tail", "two_sided right", path(glow, "M310 130v-1c-36-1-58-6-74-14v15z")),
					line(dashed, 236, 60, 236, 130)),
				when("distribution", "chi2 f", line(thin, 10, 130, 310, 130),
					path(stroke, "M20 130c20-130 60-130 110-60s110 56 180 58"),
					path(glow, "M200 130v-18c40 12 70 15 110 16v2z"),
					line(dashed, 200, 60, 200, 130)),
				text(218, 50, "", "statistic"), text(310, 24, "p", "p_value").inline().end(),
				text(130, 160, "α", "alpha").inline(), text(10, 160, "df", "df df1").inline(),
			},
		},
		{
			Tool:  "pythagorean_theorem",
			Title: "Right triangle with the sides a, b and the hypotenuse c", Width: 300,
			Height: 200,
			Elements: []Element{
				path(filled, "M50 160h180l-180-120z"), path(thin, "M50 148h12v12"),
				text(140, 180, "b", "b").inline().middle(), text(44, 96, "a", "a").end(),
				text(150, 86, "c", "c").inline(), text(186, 152, "", "angle_a_deg").end(),
				text(56, 92, "", "angle_b_deg"), text(96, 136, "A", "area").inline(),
			},
		},
		{
			Tool: "slope_calc", Title: "Line through two points with rise and run", Width: 320,
			Height: 210,
			Elements: []Element{
				arrow(thin, 30, 180, 300, 180), arrow(thin, 50, 200, 50, 16),
				line(stroke, 60, 165, 270, 40), dot(94, 145), dot(236, 60),
				line(dashed, 94, 145, 236, 145, 236, 60),
				text(60, 108, "x_1", "x1").inline(), text(60, 128, "y_1", "y1").inline(),
				text(200, 24, "x_2", "x2").inline().end(),
				text(200, 44, "y_2", "y2").inline().end(),
				text(165, 164, "Δx", "delta_x").inline().middle(), text(246, 110, "Δy", "delta_y"),
				text(246, 150, "m", "slope").inline(),
			},
		},
		{
			Tool: "square_footage", Title: "Floor with length and width", Width: 300, Height: 180,
			Elements: []Element{
				rect(filled, 30, 40, 180, 100),
				path(thin, "M66 40v100m36 0v-100m36 0v100m36 0v-100M30 65h180m0 25h-180m0 25h180"),
				dimension(30, 162, 210, 162, "l", "length"),
				dimension(226, 40, 226, 140, "w", "width"),
				text(120, 26, "A", "area_sq_ft").inline().middle(),
			},
		},
	}
}
