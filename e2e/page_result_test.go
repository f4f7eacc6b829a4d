package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// screens are the widths in pixels that pages must fit: a desktop, a tablet and two phones.
var screens = []int64{1280, 768, 390, 320}

// fits fails the test if a page is wider than any of the screens.
func (p *tab) fits(where string) {
	p.Helper()
	for _, width := range screens {
		p.do(chromedp.EmulateViewport(width, 900))
		// A plot takes its size from its container one frame later.
		const wide = "document.documentElement.scrollWidth > innerWidth"
		if eval[bool](p,
			"(async () => { for (let i = 0; i < 40 && "+wide+"; i++) await new Promise((done) => setTimeout(done, 25)); return "+wide+" })()") {
			p.Errorf("%s is %d wide at %d: %s", where,
				eval[int](p, "document.documentElement.scrollWidth"), width,
				eval[string](p, "[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth && !e.parentElement.closest('.scroll, pre')).slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join('\\n')"))
		}
	}
	p.do(chromedp.EmulateViewport(screens[0], 900))
}

// resultWidths verifies that the pages of the simulator, the router and the keys do not scroll
// horizontally with their results.
func resultWidths(p *tab) {
	p.visit("/spice?example=common_emitter")
	p.until("document.getElementById('editor').shadowRoot")
	p.runSpice(aCurve)
	p.fits("/spice")
	p.route("/board")
	p.fits("/board")
	p.visit("/keys")
	p.until("document.getElementById('theme').offsetParent")
	p.fits("/keys")
}

// chainWidths verifies that no example of a chain scrolls horizontally, even after its queued steps
// have run.
func chainWidths(p *tab) {
	p.visit("/chain")
	p.until("document.querySelector('.step .value')")
	for _, title := range eval[[]string](p,
		"[...document.querySelectorAll('.chips .chip')].map((c) => c.textContent)") {
		hash := eval[string](p, "location.hash")
		eval[bool](p, fmt.Sprintf("[...document.querySelectorAll('.chips .chip')].find((c) => c.textContent === %q).click() ?? true", title))
		if title != "LoRa link" {
			p.until(fmt.Sprintf("location.hash !== %q", hash))
		}
		p.until("[...document.querySelectorAll('.step')].every((s) => s.querySelector('.value, button.main'))")
		p.fits(title)
		if eval[bool](p, "Boolean(document.querySelector('.step button.main'))") {
			p.click(".step button.main")
			p.until("document.querySelector('.step .uplot')")
			p.fits(title + ", run")
		}
	}
}

// hasUnits fails the test if a quantity in the result of a tool lacks the unit of its field.
func (p *tab) hasUnits(tool string) {
	p.Helper()
	if bad := eval[string](p, `(() => {
		const tool = JSON.parse(document.getElementById('data').textContent);
		const generic = /^(1|[*]|currency|length²?|fuel|currency.fuel)?$/; // a plain number, or a unit that the user selects
		const wrong = (e) => {
			const f = tool.output.find((o) => o.name === e.dataset.out);
			return f && f.kind === 'quantity' && !generic.test(f.unit ?? '') && !e.querySelector('.u')?.textContent;
		};
		const sign = document.querySelector('main').innerText.includes('\u00a4') ? ['a currency sign'] : [];
		return [...document.querySelectorAll('#result .value[data-out]')].filter(wrong).map((e) => e.dataset.out).concat(sign).join();
	})()`); bad != "" {
		p.Errorf("%s: %s without its unit", tool, bad)
	}
}

// resultNumbers verifies the first number of results with its unit.
func resultNumbers(p *tab) {
	for path, want := range map[string]string{
		"/t/wire_gauge": "6 AWG",
		"/t/wire_gauge" + query("current_a", "400", "voltage_v", "480", "length_m", "50", "system",
			"three_phase"): "600 kcmil",
		"/t/unit_convert" + query("value", "1", "from_unit", "mi", "to_unit",
			"km"): "1.60934 km",
		// The result has the requested unit, not km.
		"/t/unit_convert" + query("value", "1", "from_unit", "mi", "to_unit", "mm"): "1 609 344 mm",
		"/t/unit_convert" + query("value", "98.6", "from_unit", "F", "to_unit",
			"C"): "37 °C",
		"/t/percentage_calc" + query("operation", "what_percent", "part", "12", "whole",
			"80"): "15 %",
		"/t/percentage_calc" + query("percent", "15", "value",
			"80"): "12",
		"/t/loan_amortization" + query("principal", "200000", "annual_rate_pct", "6", "term_years",
			"30"): "1199.10",
		"/t/circumference" + query("radius",
			"2.5"): "15.708",
	} {
		eval[bool](p, "localStorage.clear() ?? true") // delete stored results
		p.visit(path)
		p.until("document.querySelector('#result .value.first')")
		if got := eval[string](p,
			"document.querySelector('#result .value.first .number').innerText.replace(/\\s+/g, ' ')"); got != want {
			p.Errorf("%s shows %q, want %q", path, got, want)
		}
	}
}

// digitsOf returns the significant digits of the longest number in a text.
func digitsOf(text string) (n int, number string) {
	for _, one := range regexp.MustCompile(`\d+(\.\d+)?`).FindAllString(text, -1) {
		if d := len(strings.TrimLeft(strings.ReplaceAll(one, ".", ""), "0")); d > n {
			n, number = d, one
		}
	}
	return n, number
}

// carriedNumbers verifies that a value passed to the next tool has at most 13 significant digits.
func carriedNumbers(p *tab) {
	p.visit("/about")
	if wrong := eval[string](p, `(async () => {
		const { shortestDecimal: carried, readQuantity } = await import('/static/quantity.js');
		const table = [[0.1 + 0.2, '0.3'], [1 / 3, '0.333333333333'], [299792458 / 915e6, '0.327642030601'], [1e-7, '1e-7'], [-0.1 - 0.2, '-0.3'], [8763829103672871, '8763829103672871'], [2 ** 70, '1.180591620717e+21'], [0, '0'], [105.65560501, '105.65560501']];
		const wrong = table.filter(([v, want]) => carried(v) !== want).map(([v, want]) => v + ' is ' + carried(v) + ', want ' + want);
		for (let i = 0; i < 2000; i++) {
			const v = Math.exp(80 * Math.sin(i * i)) * Math.cos(i);
			if (!(Math.abs(Number(carried(v)) - v) <= 1e-12 * Math.abs(v)) || !Number.isInteger(v) && carried(v).replace(/e.*/, '').replace(/[-.]/g, '').replace(/^0+|0+$/g, '').length > 13) wrong.push(v + ' is ' + carried(v));
		}
		for (const [text, unit, want] of [['25mil', 'mm', 0.635], ['98.6F', '°C', 37], ['3ft', 'm', 0.9144], ['0.3', 'V', 0.3]]) if (readQuantity(text, unit).value !== want) wrong.push(text + ' is ' + readQuantity(text, unit).value);
		return wrong.join('; ');
	})()`); wrong != "" {
		p.Error(wrong)
	}
	for _, path := range []string{"/t/fspl", "/t/lora_airtime", "/t/voltage_divider",
		"/t/solar_sizing", "/t/noise_figure_cascade", "/t/lora_sensitivity", "/t/cooling_btu"} {
		p.visit(path)
		p.until("document.querySelector('#result .send a')")
		// The links stand below each other.
		p.expect("(() => { const d = document.querySelector('#result .send'); d.open = true; const tops = [...d.querySelectorAll('a')].map((a) => a.offsetTop); d.open = false; return new Set(tops).size === tops.length })()")
		for _, link := range eval[[]string](p,
			"[...document.querySelectorAll('#result .send a')].map((a) => a.search)") {
			values, err := url.ParseQuery(strings.TrimPrefix(link, "?"))
			if err != nil {
				p.Fatal(err)
			}
			for name, list := range values {
				if n, number := digitsOf(list[0]); n > 13 {
					p.Errorf("%s sends %s = %s on", path, name, number)
				}
			}
		}
	}
	p.visit("/chain")
	p.until("document.querySelector('.step .value')")
	for _, title := range eval[[]string](p,
		"[...document.querySelectorAll('.chips .chip')].map((c) => c.textContent)") {
		eval[bool](p, fmt.Sprintf("[...document.querySelectorAll('.chips .chip')].find((c) => c.textContent === %q).click() ?? true", title))
		p.until("[...document.querySelectorAll('.step')].length > 1 && [...document.querySelectorAll('.step')].every((s) => s.querySelector('.value, button.main'))")
		if n, number := digitsOf(eval[string](p, "document.getElementById('chain').innerText + [...document.querySelectorAll('#chain input')].map((i) => i.value).join(' ')")); n > 13 {
			p.Errorf("%s shows %s", title, number)
		}
	}
}

// moneyAxes verifies that payments and balances are drawn over a linear axis, without a currency
// sign.
func moneyAxes(p *tab) {
	p.visit("/t/loan_amortization" + query("principal", "200000", "annual_rate_pct", "6",
		"term_years", "30", "include_schedule", "true"))
	p.until("document.querySelectorAll('.pictures .uplot').length === 2")
	for _, label := range eval[[]string](p,
		"[...document.querySelectorAll('.pictures .plot')].map((e) => e.getAttribute('aria-label'))") {
		if strings.Contains(label, "\u00a4") {
			p.Errorf("the plot says %s", label)
		}
	}
	// The ticks of a linear axis are one step apart.
	for _, name := range []string{"Payment", "Balance"} {
		ticks := eval[[]float64](p, fmt.Sprintf(`(async () => {
			const saved = new Promise((resolve) => { const make = URL.createObjectURL; URL.createObjectURL = (b) => { b.text().then(resolve); return make.call(URL, b); }; });
			[...document.querySelectorAll('.pictures figure')].find((f) => f.innerText.startsWith(%q)).querySelectorAll('.picker button')[3].click();
			const text = await saved;
			return [...text.matchAll(/text-anchor="end">([^<]*)</g)].map(([, t]) => Number(t.replace(/[^0-9.-]/g, '')));
		})()`, name))
		if len(ticks) < 3 || ticks[0] != 0 {
			p.Errorf("%s: the axis has the ticks %v", name, ticks)
			continue
		}
		for i := 2; i < len(ticks); i++ {
			if ticks[i]-ticks[i-1] != ticks[1]-ticks[0] {
				p.Errorf("%s: the axis has the ticks %v", name, ticks)
				break
			}
		}
	}
}

// cursorsBetween verifies that the page's own module interpolates cursor values between points.
func cursorsBetween(p *tab) {
	p.visit("/about")
	if wrong := eval[string](p, `(async () => {
		const { interpolate, fractionalIndex, Cursors } = await import('/static/cursors.js');
		const near = (a, b) => Math.abs(a - b) < 1e-9 * Math.max(1, Math.abs(b));
		const wrong = [];
		const want = (what, got, value) => { if (!(got === value || near(got, value))) wrong.push(what + ' is ' + got + ', want ' + value); };
		const line = { label: 'Time', unit: 's', values: [0, 1, 3, 7] };
		for (const v of [0, 0.25, 1, 2.5, 6.9, 7]) want('linear ' + v, interpolate(line.values, fractionalIndex(line, v)), v);
		want('below', fractionalIndex(line, -1), 0);
		want('above', fractionalIndex(line, 8), 3);
		const log = { label: 'Frequency', unit: 'Hz', log: true, values: [10, 100, 1000] };
		want('the middle of a decade', fractionalIndex(log, 10 ** 1.5), 0.5);
		for (const v of [10, 83.88, 100, 999]) want('logarithmic ' + v, interpolate(log.values, fractionalIndex(log, v), true), v);
		const falling = { label: 'V1', unit: 'V', values: [5, 4, 2] };
		for (const v of [5, 4.5, 3, 2]) want('falling ' + v, interpolate(falling.values, fractionalIndex(falling, v)), v);
		want('whole', fractionalIndex({ values: [1, 2, 3], whole: true }, 2.4), 1);
		want('missing', interpolate([1, null, 3], 0.5), null);
		const c = new Cursors({ onMove() {} });
		c.setData(log, [{ label: 'Gain', unit: 'dB', values: [0, -20, -60] }]);
		c.moveToX(10 ** 1.5, 'A');
		c.moveToX(10 ** 2.25, 'B', { label: 'Gain', value: -3 });
		const cells = () => [...c.table.querySelectorAll('tr')].map((r) => [...r.cells].map((x) => x.textContent));
		const [, x, y] = cells();
		if (x[1] !== '31.6228 Hz' || x[2] !== '177.828 Hz' || parseFloat(y[1]) !== -10 || y[2] !== '-3 dB') wrong.push(JSON.stringify(cells()));
		c.step(1); // step from between two points to the next one
		want('the next point', c.at.A, 1);
		c.moveToX(10 ** 1.5, 'A');
		c.step(-1);
		want('the point before', c.at.A, 0);
		return wrong.join('; ');
	})()`); wrong != "" {
		p.Error(wrong)
	}
}

// isStale returns an expression that reports whether an element is marked as the result of earlier
// inputs.
func isStale(selector string) string {
	return fmt.Sprintf("document.querySelector(%q).closest('.stale') && !document.querySelector('.stale-note').hidden", selector)
}

// requiredField verifies that the old result is marked as stale while a required field is empty.
func requiredField(p *tab) {
	p.excused = []string{"status of 400"}
	p.visit("/t/tcp_throughput")
	p.until("document.querySelector('.pictures .uplot')")
	p.fill("rtt_ms", "")
	p.until("document.querySelector('[data-mistake=rtt_ms]').textContent === 'is required'")
	p.expect("document.getElementById('f-rtt_ms').getAttribute('aria-invalid') === 'true' && document.getElementById('f-rtt_ms').placeholder === 'required'")
	p.expect(isStale("#result .value"))
	p.expect(isStale(".pictures .uplot"))
	p.seriousFaults("a result of earlier inputs") // its contrast too
	p.until("document.getElementById('say').textContent.includes('is required')")
	p.fill("rtt_ms", "20")
	p.until("!document.querySelector('.stale, .pending') && document.querySelector('.stale-note').hidden && document.querySelector('[data-mistake=rtt_ms]').textContent === ''")
	// After Clear there is no result, and no field has an error.
	p.click("#clear")
	p.until("document.getElementById('result').innerText.trim() === 'Fill in the fields that are required.' && !document.querySelector('.pictures .uplot, [data-mistake]:not(:empty)')")
	p.fill("rtt_ms", "20")
	p.visit("/t/ohms_law")
	p.until("document.querySelector('#result .value')")
	p.fill("voltage_v", "")
	p.until("document.querySelector('.stale-note').textContent.startsWith('Fill in one more of')")
	p.expect(isStale("#result .value"))
	// A drawing has no results of other inputs: 1/(2π·2 kΩ·100 nF) is 795.8 Hz.
	p.visit("/t/rc_filter")
	const drawn = "document.querySelector('#drawing svg').textContent.includes('795.8')"
	p.fill("r_ohm", "2k")
	p.until(drawn)
	p.fill("r_ohm", "-5")
	p.until("document.querySelector('#drawing.stale') && !" + drawn)
	p.expect("document.querySelector('.stale-note').textContent === 'The result for Resistance 2 kΩ:'")
	p.fill("r_ohm", "2k")
	p.until("!document.querySelector('#drawing.stale') && " + drawn)
	// The last result is that of another forward voltage. The error is at the supply voltage.
	p.visit("/t/led_resistor")
	p.until("document.querySelector('#result .value')")
	// At once, because the 1 of 14 has a result.
	eval[bool](p, "(() => { const f = document.getElementById('f-forward_voltage_v'); f.value = '14'; return f.dispatchEvent(new Event('input', { bubbles: true })) })()")
	p.until("document.querySelector('[data-mistake=supply_voltage_v]').textContent !== ''")
	p.expect("document.querySelector('.stale-note').textContent === 'The result for LED forward voltage 2 V:'")
	p.visit("/t/rc_filter")
	p.until("document.querySelector('#result .value')")
	// 100 for 100 nF is read as farads, and says so.
	p.fill("c_f", "100")
	p.until("document.querySelector('[data-field=c_f] .echo').textContent === '= 100 F'")
	p.fill("c_f", "100 nF")
	p.until("document.querySelector('[data-field=c_f] .echo').textContent === ''")
	// After Clear, the page of a tool without required fields shows no error.
	p.click("#clear")
	p.until("document.getElementById('result').innerText.trim() === 'Enter values or choose an example.' && location.search === '' && !document.querySelector('[data-mistake]:not(:empty)')")
	// A tool that runs on demand marks its result as stale after a change of inputs.
	p.visit("/t/spice_simulate?example=2")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	p.click("#run")
	p.until(
		"document.querySelector('.pictures .uplot') && document.querySelector('.stale-note').hidden")
	p.fill("temperature_c", "80")
	p.until("document.querySelector('.stale-note').textContent.includes('changed after this run') && !document.querySelector('.stale')")
	p.fill("netlist", "")
	p.until("document.querySelector('[data-mistake=netlist]').textContent === 'is required'")
	p.until(isStale("#result .value"))
}

// besideDrawing verifies that the note above an old result and the box of an error end at the
// drawing beside them.
func besideDrawing(p *tab) {
	p.visit("/t/fspl")
	p.until("document.querySelector('#result .value')")
	beside := "(document.querySelector(%q)?.getBoundingClientRect().right ?? Infinity) <= document.getElementById('drawing').getBoundingClientRect().left"
	p.fill("freq_mhz", "")
	p.until("!document.querySelector('.stale-note').hidden")
	p.expect(fmt.Sprintf(beside, ".stale-note"))
	eval[bool](p, "(window.fetch = async () => { throw new TypeError('failed') }) && true")
	p.fill("freq_mhz", "868")
	p.until("document.querySelector('#result .problem')")
	p.expect(fmt.Sprintf(beside, "#result .problem"))
}

// spiceRequired verifies that the simulator's page marks the old result as stale while the netlist
// is empty.
func spiceRequired(p *tab) {
	const netlist = "t\nV1 a 0 SIN(0 1 1k)\nR1 a 0 1k\n.tran 1u 1m\n.end\n"
	p.openSpice(netlist)
	p.runSpice(aCurve)
	p.expect("document.getElementById('stale').hidden")
	eval[bool](p,
		"document.getElementById('editor').shadowRoot.querySelector('.cm-content').focus() ?? true")
	p.press("a", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.press("\b")
	p.until("document.getElementById('f-netlist-m').textContent.includes('is required') && document.getElementById('f-netlist').getAttribute('aria-invalid') === 'true'")
	p.expect(isStale("#plots .uplot"))
	p.expect("document.getElementById('numbers').matches('.stale')")
	p.until("document.getElementById('say').textContent.includes('is required')")
	p.typeNetlist(strings.Replace(netlist, "1k)", "2k)", 1))
	p.until("document.getElementById('stale').textContent.includes('changed after this run') && !document.querySelector('.stale') && document.getElementById('f-netlist-m').textContent === ''")
	p.typeNetlist(netlist)
	p.until("document.getElementById('stale').hidden")
}

// typeNetlist sets the text of the simulator's field, as the editor does.
func (p *tab) typeNetlist(text string) {
	p.Helper()
	eval[bool](p, fmt.Sprintf("(() => { const f = document.getElementById('f-netlist'); f.value = %q; f.dispatchEvent(new Event('input', { bubbles: true })); return true })()", text))
}

// boardRequired verifies that the board's page marks the old result as stale while the circuit is
// empty.
func boardRequired(p *tab) {
	p.visit("/board")
	p.click("#examples summary")
	p.until("document.querySelectorAll('.examples.pictured .chip img').length > 8")
	p.until("[...document.querySelectorAll('.examples.pictured .chip')].every((c) => c.scrollWidth <= c.clientWidth)")
	p.route("/board?example=rs485_node")
	p.expect("document.querySelector('.stale-note').hidden")
	p.openFieldOf("seed")
	p.fill("seed", "7")
	p.until("document.querySelector('.stale-note').textContent.includes('changed after this board') && !document.querySelector('.stale')")
	p.typeCircuit("")
	p.until("document.querySelector('[data-mistake=netlist]').textContent.includes('is required') && document.getElementById('f-netlist').getAttribute('aria-invalid') === 'true'")
	p.expect(isStale(".board-svg"))
	p.until("document.getElementById('say').textContent.includes('is required')")
}

// openFieldOf opens the group that contains a field of the board's form.
func (p *tab) openFieldOf(name string) {
	p.Helper()
	eval[bool](p, fmt.Sprintf("(document.getElementById('f-' + %q).closest('details').open = true)",
		name))
}

// boardName verifies that a circuit pasted over an example does not get the example's name.
func boardName(p *tab) {
	const pasted = "divider\nR1 in out 10k\nR2 out 0 10k\n.end\n"
	names := func() string { return eval[string](p, "document.getElementById('f-name').value") }
	for _, example := range []string{"rs485_node", "led_blinker_555"} {
		eval[bool](p, "localStorage.clear() ?? true")
		p.visit("/board?example=" + example)
		p.until("document.querySelector('.head .acts:not([hidden])')")
		if got := names(); got != example {
			p.Errorf("%s is called %q", example, got)
		}
		if example != "led_blinker_555" { // a changed value keeps the name of the example
			p.typeCircuit(eval[string](p,
				"document.getElementById('f-netlist').value.replace(/120|10k/, '4k7')"))
			if got := names(); got != example {
				p.Errorf("%s with another value is called %q", example, got)
			}
		}
		p.typeCircuit(pasted)
		if got := names(); got != "" {
			p.Errorf("the value pasted over %s is called %q", example, got)
		}
	}
	p.click("#run")
	p.until(boardIsDrawn)
	p.expect("document.querySelector('.board-files').textContent.includes('board.zip')")
	// A name that the user typed is kept.
	p.openFieldOf("name")
	p.fill("name", "mine")
	p.typeCircuit(strings.Replace(pasted, "10k", "22k", 2))
	if got := names(); got != "mine" {
		p.Errorf("the board's own name became %q", got)
	}
}

// TestPublishedExamples verifies that published examples do not contain the directives of the
// comparison tests.
func TestPublishedExamples(t *testing.T) {
	t.Parallel()
	base := serveEmbedded(t)
	get := func(path string) string {
		t.Helper()
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v", path, resp.StatusCode, err)
		}
		return string(raw)
	}
	published := map[string]string{}
	for _, path := range []string{"/spice", "/board", "/api/docs"} {
		published[path] = get(path)
	}
	for _, tool := range catalogOf(t, base) {
		published["/api/"+tool.Name] = get("/api/" + tool.Name)
		published["/t/"+tool.Name] = get("/t/" + tool.Name)
	}
	examples := regexp.MustCompile(`data-example="([a-z0-9_]+)"`).FindAllStringSubmatch(
		published["/spice"], -1)
	if len(examples) < 40 {
		t.Errorf("/spice offers %d examples", len(examples))
	}
	for _, x := range examples {
		published["/spice/examples/"+x[1]] = get("/spice/examples/" + x[1])
	}
	for _, pattern := range []string{"../README.md", "../docs/tools/*.md", "../examples/*/*",
		"../web/static/gallery/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			published[file] = string(raw)
		}
	}
	for where, text := range published {
		if strings.Contains(text, "*compare") {
			t.Errorf("%s holds a directive of the comparison", where)
		}
	}
}
