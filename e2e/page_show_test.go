package e2e

import (
	"encoding/xml"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/emulation"
)

// lastTypedWins verifies that one value too many clears the oldest of the inputs that determine
// each other. The cleared field shows the computed value.
func lastTypedWins(p *tab) {
	holds := func(want map[string]string) {
		p.Helper()
		for name, text := range want {
			if got := eval[string](p, fmt.Sprintf("document.getElementById('f-' + %q).value",
				name)); got != text {
				p.Errorf("%s holds %q, want %q", name, got, text)
			}
		}
	}
	computed := func(name, text string) {
		p.Helper()
		p.until(fmt.Sprintf("(() => { const f = document.getElementById('f-' + %q); return f.placeholder.replace(/\\s/g, ' ') === %q && f.closest('.solved') && f.closest('.field').querySelector('.echo').textContent === 'computed' })()", name, text))
	}
	p.visit("/t/ohms_law") // the example is 12 V across 470 Ω
	computed("power_w", "306.383 mW")
	p.fill("current_a", "2")
	// 12 V is the older of the two, and 2 A through 470 Ω is 940 V and 1880 W.
	computed("voltage_v", "940 V")
	holds(map[string]string{"voltage_v": "", "current_a": "2", "resistance_ohm": "470",
		"power_w": ""})
	p.fill("power_w", "8")
	computed("resistance_ohm", "2 Ω") // 8 W / (2 A)²
	if q := eval[string](p, "location.search"); q != "?current_a=2&power_w=8" {
		p.Errorf("the address says %s", q)
	}
	p.fill("power_w", "")
	p.until("document.querySelector('.stale') && !document.querySelector('.solved') && !document.querySelector('#result .problem:not(:empty)')")
	p.fill("voltage_v", "6")
	computed("resistance_ohm", "3 Ω")

	p.visit("/t/vswr")
	computed("return_loss_db", "13.9794 dB") // -20 log10 0.2
	p.fill("return_loss_db", "20")
	p.until("document.querySelector('[data-out=reflection_coefficient] .number').innerText.startsWith('0.1')")
	holds(map[string]string{"vswr": "", "return_loss_db": "20"})
	// A circuit template has its own values.
	p.visit("/t/spice_template")
	p.until("document.querySelectorAll('[data-list=params] > .rows > .row').length === 3")
	eval[bool](p, "(() => { const t = document.getElementById('f-template'); t.value = 'opamp_inverting'; return t.dispatchEvent(new Event('change', { bubbles: true })); })()")
	p.until("document.getElementById('f-params.0.name').value === 'r_in_ohms' && document.getElementById('f-params.0.value').value === '1000'")
	p.until(
		"document.querySelector('#result pre').textContent.includes('Inverting op-amp amplifier')")
	p.visit("/t/wavelength_freq")
	p.fill("wavelength_m", "2")
	computed("freq_mhz", "149.896 MHz") // c / 2 m
	holds(map[string]string{"freq_mhz": ""})
}

// primaryResults verifies that the primary result is the tool's main quantity and never an input.
func primaryResults(p *tab) {
	for path, want := range map[string]string{
		"/t/fspl":        "path_loss_db",
		"/t/link_budget": "margin_db",
		"/t/rc_filter":   "cutoff_hz",
		"/t/rc_filter" + query("cutoff_hz", "1000", "c_nf", "10"):          "r_ohm",
		"/t/timer_555" + query("freq_hz", "38000"):                         "r1_ohm",
		"/t/subnet_calculator":                                             "network_address",
		"/t/mah_to_wh":                                                     "wh",
		"/t/mah_to_wh" + query("capacity_wh", "74", "voltage_v", "3.7"):    "mah",
		"/t/hex_converter" + query("value", "FF"):                          "decimal",
		"/t/hex_converter" + query("value", "255", "from_base", "10"):      "hex",
		"/t/resistor_color_code" + query("resistance_ohm", "4990"):         "bands",
		"/t/timestamp_converter" + query("value", "1709210096"):            "iso_utc",
		"/t/trace_width" + query("width_mm", "0.254", "temp_rise_c", "20"): "max_current_a",
		"/t/wire_gauge": "awg",
	} {
		eval[bool](p, "localStorage.clear() ?? true") // delete stored results
		p.visit(path)
		p.until("document.querySelector('#result .value.first')")
		if got := eval[string](p,
			"document.querySelector('#result .value.first').dataset.out"); got != want {
			p.Errorf("%s shows %s first, want %s", path, got, want)
		}
		if !eval[bool](p, "parseFloat(getComputedStyle(document.querySelector('.value.first .number')).fontSize) > 1.5 * parseFloat(getComputedStyle(document.querySelectorAll('.value .number')[1]).fontSize)") {
			p.Errorf("%s: the first result is no larger than the others", path)
		}
	}
	// The report has a table with labels and units, without markup from values.
	p.visit("/t/fspl" + query("freq_mhz", "915", "dist_km", "5") + "#)")
	p.until("document.querySelector('[data-out=fspl_db]')")
	eval[bool](p, "(document.getElementById('code').open = true)")
	p.until("document.querySelector('#snippets .picker button')")
	eval[bool](p, "[...document.querySelectorAll('#snippets .picker button')].find((b) => b.textContent === 'Markdown').click() ?? true")
	for _, line := range []string{"| Frequency | 915 MHz |",
		"| Free-space path loss | 105.656 dB |", "#%29)**"} {
		if text := eval[string](p,
			"document.querySelector('#snippets pre').textContent"); !strings.Contains(text, line) {
			p.Errorf("the table lacks %q:\n%s", line, text)
		}
	}
	// The program in Go is formatted, compiles, and prints the result.
	eval[bool](p, "[...document.querySelectorAll('#snippets .picker button')].find((b) => b.textContent === 'Go').click() ?? true")
	source := eval[string](p, "document.querySelector('#snippets pre').textContent")
	if formatted, err := format.Source([]byte(source)); err != nil ||
		strings.TrimSpace(string(formatted)) != source {
		p.Errorf("not formatted (%v): %s", err, source)
	}
	file := filepath.Join(p.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		p.Fatal(err)
	}
	if printed, err := exec.Command("go", "run", file).CombinedOutput(); err != nil ||
		!strings.Contains(string(printed), "105.65") {
		p.Errorf("%v: %s", err, printed)
	}
	for kind, want := range map[string]string{"TypeScript": "await fetch(",
		"MCP config": "/mcp?tools=rf", "VS Code": "\"servers\"", "mcp-remote": "npx"} {
		eval[bool](p, fmt.Sprintf("[...document.querySelectorAll('#snippets .picker button')].find((b) => b.textContent === %q).click() ?? true", kind))
		if text := eval[string](p,
			"document.querySelector('#snippets pre').textContent"); !strings.Contains(text, want) {
			p.Errorf("%s lacks %s: %s", kind, want, text)
		}
	}
	p.visit("/t/impedance_match")
	p.until("document.querySelector('#result h3')?.textContent === 'Matching networks' && document.querySelector('#result .value').compareDocumentPosition(document.querySelector('#result table')) & Node.DOCUMENT_POSITION_PRECEDING")
}

// plotTools verifies cursors A and B of a tool's plots by keyboard, and the export of the plot as
// SVG.
func plotTools(p *tab) {
	p.visit("/t/rc_filter")
	p.until("document.querySelectorAll('.pictures .uplot').length === 2")
	const right, end = "\u0303", "\u0305"
	eval[bool](p, "document.querySelector('.pictures .plot').focus() ?? true")
	p.press(right)
	p.press("b")
	p.press(end)
	cell := func(row, column int) string {
		return eval[string](p, fmt.Sprintf("document.querySelector('.pictures .readout table')?.rows[%d]?.cells[%d]?.textContent ?? ''", row, column))
	}
	// The axis has two decades on each side of 1/(2π·1 kΩ·100 nF) = 1591.55 Hz. The loss at its end
	// is 10 log10(1 + 10^4) = 40.0004 dB.
	if cell(1, 1) != "15.9155 Hz" || cell(1, 2) != "159.155 kHz" ||
		!strings.HasPrefix(cell(2, 2), "-40.0") || !strings.HasPrefix(cell(3, 2), "-89.4") {
		p.Errorf("the cursors read %q, %q, %q, %q", cell(1, 1), cell(1, 2), cell(2, 2), cell(3, 2))
	}
	drawing := p.savedDrawing(".pictures")
	var d struct {
		Groups []struct {
			Clip  string   `xml:"clip-path,attr"`
			Texts []string `xml:"text"`
			Paths []struct {
				D string `xml:"d,attr"`
			} `xml:"path"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal([]byte(drawing), &d); err != nil {
		p.Fatalf("%v: %s", err, drawing)
	}
	for _, label := range []string{"Frequency [Hz]", "Gain [dB]", "1\u202fk"} {
		if !slices.Contains(d.Groups[0].Texts, label) {
			p.Errorf("the drawing has no label %q: %q", label, d.Groups[0].Texts)
		}
	}
	for _, g := range d.Groups {
		// The path has 81 points, and neither NaN nor Infinity.
		if g.Clip != "" && (len(g.Paths) != 1 || strings.Count(g.Paths[0].D, "L") != 80 ||
			strings.ContainsAny(g.Paths[0].D, "NI")) {
			p.Errorf("the drawing's curves are %v", g.Paths)
		}
	}
	// A simulation may have more points than the maximum number of function arguments.
	if text := eval[string](p, `import('/static/plot.js').then(({ plot }) => {
		const box = document.createElement('div');
		const values = new Array(4e5).fill(0).map((_, i) => i);
		const m = plot(box, { title: 'long', x: { label: 'Time', unit: 's', values }, series: [{ label: 'v', unit: 'V', values }] });
		m.destroy();
		return 'drawn';
	})`); text != "drawn" {
		p.Error(text)
	}
	// A list with one row per input row is not drawn as a curve, even over a monotonic value.
	p.visit("/t/noise_figure_cascade")
	p.until("document.querySelector('[data-out=total_nf_db]')")
	p.expect("!document.querySelector('.pictures .uplot')")
}

// chainRows verifies changes to a list in a step: a changed value, an added row, and a removed row.
func chainRows(p *tab) {
	p.excused = []string{"status of 400"} // an empty row causes it
	p.visit("/chain?start=noise_figure_cascade")
	total := func() string {
		return eval[string](p, "document.querySelector('.step .value .number')?.textContent ?? ''")
	}
	// Friis' formula gives F = 10^0.2 + (10^0.1 - 1)/10 + (10^0.4 - 1)/(10·10^-0.1), which is
	// 2.5554 dB.
	p.until("document.querySelector('.step .value .number')?.textContent.startsWith('2.555')")
	eval[bool](p, "(() => { const f = document.getElementById('s0-stages-0-nf_db'); f.focus(); f.select(); return true })()")
	p.press("1")
	// The noise figure is 10 log10(1.2589 + 0.0259 + 0.1903).
	p.until("document.querySelector('.step .value .number')?.textContent.startsWith('1.688')")
	before := total()
	eval[bool](p, "[...document.querySelectorAll('.step .rows-in > button')].find((b) => b.textContent === 'Add a row').click() ?? true")
	p.until("document.querySelectorAll('.step .row').length === 4")
	for _, f := range []string{"nf_db", "gain_db"} {
		eval[bool](p, fmt.Sprintf("document.getElementById('s0-stages-3-%s').focus() ?? true", f))
		p.press("10")
	}
	p.until(fmt.Sprintf("document.querySelector('.step .value .number')?.textContent !== %q && !document.querySelector('.step .mistake')", before))
	eval[bool](p, "document.querySelectorAll('.step .row .drop')[3].click() ?? true")
	p.until(fmt.Sprintf("document.querySelectorAll('.step .row').length === 3 && document.querySelector('.step .value .number')?.textContent === %q", before))
}

// media sets the medium of a page: print, or forced colours.
func (p *tab) media(m emulation.SetEmulatedMediaParams) {
	p.Helper()
	command(p, emulation.SetEmulatedMedia, m)
}

// paper verifies that the printed calculation is on white, without controls.
func paper(p *tab) {
	eval[bool](p, "localStorage.setItem('theme', 'dark') ?? true")
	for path, want := range map[string][]string{
		"/t/rc_filter": {"RC filter", "Resistance", "Cutoff", "1.592", "Horowitz",
			"Gain over frequency"},
		"/chain":       {"Link budget", "48.64"},
		"/spice":       {"SPICE simulator", "Magnitude", "1.5916"},
		"/t/solar_roi": {"Solar ROI", "Payback time"},
	} {
		p.visit(path)
		p.settled()
		p.until("location.pathname !== '/spice' || document.querySelector('.found')?.textContent.includes('1.5916')")
		p.until("!['/t/rc_filter', '/t/solar_roi'].includes(location.pathname) || document.querySelectorAll('.uplot').length === 2")
		p.until("location.pathname !== '/chain' || document.body.innerText.includes('48.64')")
		p.media(emulation.SetEmulatedMediaParams{Media: "print"})
		text := eval[string](p, "document.body.innerText")
		for _, w := range want {
			if !strings.Contains(text, w) {
				p.Errorf("%s on paper lacks %q", path, w)
			}
		}
		if shown := eval[string](p, "[...document.querySelectorAll('.bar, footer, .acts, .chips, .picker, #run, #code, .sweepbox select')].filter((e) => e.checkVisibility()).map((e) => e.className || e.id).join(', ')"); shown != "" {
			p.Errorf("%s on paper still shows %s", path, shown)
		}
		if path == "/t/solar_roi" {
			p.expect("[...document.querySelectorAll('.u-legend .u-label')].filter((e) => e.checkVisibility()).map((e) => e.textContent).join() === 'Savings,Cumulative cash flow'")
			p.expect("[...document.querySelectorAll('.u-legend th')].every((e) => getComputedStyle(e, '::after').display === 'none')")
		}
		if path == "/spice" &&
			!eval[bool](p, "document.querySelector('.lab-netlist').checkVisibility()") {
			p.Errorf("the netlist is not on paper")
		}
		if ground, ink := eval[string](p, "getComputedStyle(document.body).backgroundColor"),
			eval[string](p, "getComputedStyle(document.querySelector('h1')).color"); ground !=
			"rgb(255, 255, 255)" || ink != "rgb(21, 32, 43)" {
			p.Errorf("%s on paper: %s on %s", path, ink, ground)
		}
		p.media(emulation.SetEmulatedMediaParams{})
	}
	// Canvases are redrawn in the light scheme for print, and afterwards in the previous scheme.
	p.visit("/t/rc_filter")
	p.until("document.querySelectorAll('.uplot').length === 2")
	eval[bool](p, "window.dispatchEvent(new Event('beforeprint')) || true")
	p.expect("document.documentElement.dataset.theme === 'light'")
	eval[bool](p, "window.dispatchEvent(new Event('afterprint')) || true")
	p.expect("document.documentElement.dataset.theme === 'dark'")
}

// forcedColours verifies that pressed and other buttons differ under forced colours, and that plots
// use the forced colours.
func forcedColours(p *tab) {
	p.media(emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "forced-colors", Value: "active"}, {Name: "prefers-color-scheme", Value: "dark"}}})
	p.visit("/t/rc_filter")
	p.until("document.querySelectorAll('.uplot').length === 2")
	p.expect("matchMedia('(forced-colors: active)').matches")
	p.expect("getComputedStyle(document.querySelector('.cursorbar [aria-pressed=true]')).backgroundColor !== getComputedStyle(document.querySelector('.cursorbar [aria-pressed=false]')).backgroundColor")
	contrast := eval[float64](p, `import('/static/shell.js').then(({ cssColor: colour }) => {
		const light = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
		const [a, b] = [light(colour('--accent')), light(getComputedStyle(document.body).backgroundColor)];
		return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
	})`)
	if contrast < 3 { // WCAG 1.4.11
		p.Errorf("curves have a contrast of %.2f", contrast)
	}
}

// savedDrawing saves the first plot of an element as SVG and returns the text.
func (p *tab) savedDrawing(within string) string {
	p.Helper()
	return p.saved(within, "SVG")
}

// saved presses a button of an element that saves a text, and returns the text.
func (p *tab) saved(within, button string) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf(`(async () => {
		const saved = new Promise((resolve) => { const make = URL.createObjectURL; URL.createObjectURL = (b) => { URL.createObjectURL = make; b.text().then(resolve); return make.call(URL, b); }; });
		[...document.querySelectorAll('%s button')].find((b) => b.textContent === '%s').click();
		return saved;
	})()`, within, button))
}
