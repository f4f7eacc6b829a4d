package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/cmplx"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestSpicePage verifies the simulator's page in a browser, with one server for all parts.
func TestSpicePage(t *testing.T) {
	t.Parallel()
	base := runParts(t, []part{
		{"expressions and remarks", spiceTables},
		{"stored result on arrival, axes", spiceArrival},
		{"example, Bode plot, cursors", spiceBode},
		{"mistakes", spiceMistakes},
		{"plots", spicePlots},
		{"kept runs, marks, completion", spiceKept},
		{"proofs", spiceProofs},
		{"noise, transfer function, sensitivity", spiceDetails},
		{"runs of .step", spiceSteps},
		{"points of every run", spiceOwnPoints},
		{"cursors and measures of runs", spiceRunDetails},
		{"places of many runs", spicePlaces},
		{"troubles", spiceTroubles},
		{"share", spiceShare},
		{"keyboard", spiceKeyboard},
		{"looks", spiceLooks},
		{"a netlist that is required", spiceRequired},
		{"print", spicePrint},
		{"schematic", spiceSchematic},
	})
	t.Run("without JavaScript", func(t *testing.T) { spiceForm(t, base) })
}

// openSpice opens the page with a stored netlist, and waits for the editor.
func (p *tab) openSpice(netlist string) {
	p.Helper()
	form := url.Values{"netlist": {netlist}}
	raw, _ := json.Marshal(form.Encode())
	quoted, _ := json.Marshal(string(raw))
	eval[bool](p, fmt.Sprintf("localStorage.setItem('values.spice', %s) ?? true", quoted))
	p.visit("/spice")
	p.until("document.getElementById('editor')?.shadowRoot?.querySelector('.cm-content')")
}

// runSpice presses Run and waits until the run has ended and an expression is true.
func (p *tab) runSpice(drawn string) {
	p.Helper()
	eval[bool](p, "document.getElementById('run').click() ?? true")
	p.until("!document.querySelector('.busy') && " + drawn)
}

const aCurve = "document.querySelector('#plots .uplot')"

// spiceTables verifies the page's own modules with tables of expressions and of netlists with their
// remarks.
func spiceTables(p *tab) {
	p.visit("/about")
	if wrong := eval[string](p, `(async () => {
		const { Vectors } = await import('/static/spice_vectors.js');
		const { readNetlist } = await import('/static/spice_netlist.js');
		const read = (text) => readNetlist(text.replaceAll('\\n', '\n'), new Set(['2n3904']));
		const netlist = read('t\\nV1 a 0 1\\nR1 a b 1k\\nR2 a b {r}');
		const results = {
			tran: { analysis_type: 'tran', vectors: { time: [0, 1, 2], 'v(a)': [0, 1, 4], 'v(b)': [1, 1, 1], 'i(v1)': [2, 2, 2] } },
			ac: { analysis_type: 'ac', vectors: { frequency: [1, 2], 'v(out)_mag': [Math.SQRT1_2, 1], 'v(out)_phase_deg': [-45, 0] } },
		};
		return `+p.table("spice_page.tsv")+`.map(([kind, text, want]) => {
			let got;
			if (kind === 'lint') got = read(text).diagnostics.map((r) => r.line + ' ' + r.severity + ' ' + r.text).join('; ');
			else try {
				const v = new Vectors(results[kind], netlist).values(text);
				got = [...v.re.map((r, i) => Number(Math.fround(v.im ? Math.hypot(r, v.im[i]) : r).toPrecision(5)) || 0), v.unit].join(' ');
			} catch (error) {
				got = '!' + error.message;
			}
			const words = want.split(' ');
			const fits = want === '' ? got === '' : kind === 'lint' ? got.startsWith(words.slice(0, 2).join(' ')) && got.includes(words.slice(2).join(' ')) && !got.includes(';')
				: want.startsWith('!') ? got.startsWith('!') && got.includes(want.slice(1)) : got === want;
			return fits ? '' : JSON.stringify([kind, text, got, want]) + '\n';
		}).join('');
	})()`); wrong != "" {
		p.Error(wrong)
	}
}

// spiceArrival verifies that the page opens with the result of its example, and that axes have SI
// prefixes and steps of 45°.
func spiceArrival(p *tab) {
	p.visit("/spice")
	p.until("document.querySelectorAll('#plots .uplot').length === 2 && document.querySelector('.stored')")
	p.until("document.getElementById('stale').hidden")
	svg := eval[string](p, `(async () => {
		const [{ plot }, { plotSVG }] = await Promise.all([import('/static/plot.js'), import('/static/plot_files.js')]);
		const box = document.createElement('div');
		document.querySelector('main').prepend(box);
		const x = Array.from({ length: 101 }, (_, i) => i * 1e-4);
		const shown = { title: 'axes', x: { label: 'Time', unit: 's', values: x }, series: [{ label: 'Phase', unit: '°', values: x.map((t) => -t * 18e3) }] };
		const made = plot(box, shown);
		await new Promise(requestAnimationFrame);
		const text = plotSVG(made.plot, shown);
		made.destroy();
		return text;
	})()`)
	for _, want := range []string{">Time [ms]<", ">Phase [°]<", ">-45<", ">-90<", ">-135<"} {
		if !strings.Contains(svg, want) {
			p.Errorf("the plot lacks %s", want)
		}
	}
	// The result is not that of a netlist that is rejected later.
	p.excused = []string{"status of 400"}
	eval[bool](p, "(() => { const f = document.getElementById('f-netlist'); f.value = 't\\nR1 a\\n.op\\n.end'; return f.dispatchEvent(new Event('input', { bubbles: true })) })()")
	eval[bool](p, "document.getElementById('run').click() ?? true")
	p.until("document.querySelector('#plots.stale') && document.querySelector('.stored').hidden && document.getElementById('stale').textContent === 'The last run gave:'")
}

// spiceBode moves the cursors by keyboard and verifies the corner frequency of an example.
func spiceBode(p *tab) {
	p.visit("/spice")
	p.until("document.getElementById('editor').shadowRoot")
	eval[bool](p, "(() => { document.getElementById('gallery').open = true; document.querySelector('[data-example=rc_low_pass]').click(); return true })()")
	p.until("document.querySelectorAll('#plots .uplot').length === 2 && !document.querySelector('.busy, .stored')")
	corner := 1 / (2 * math.Pi * 1e3 * 100e-9)
	if got := eval[float64](p,
		"Number(document.querySelector('[data-minus3db]').dataset.minus3db)"); math.Abs(
		got/corner-1) > 1e-4 {
		p.Errorf("-3 dB at %g Hz, want %g", got, corner)
	}
	cell := func(row, column int) string {
		return eval[string](p,
			fmt.Sprintf(
				"document.querySelector('.readout table')?.rows[%d]?.cells[%d]?.textContent ?? ''", row, column))
	}
	eval[bool](p, "document.querySelector('#plots .plot').focus() ?? true")
	const left, right, end = "\u0302", "\u0303", "\u0305"
	p.press(right)
	if cell(1, 1) != "10 Hz" {
		p.Errorf("cursor A starts at %q", cell(1, 1))
	}
	p.press(right)
	p.press(right)
	p.press(left)
	if cell(1, 1) != "12.5893 Hz" { // 10 points per decade
		p.Errorf("cursor A is at %q", cell(1, 1))
	}
	p.press("b")
	p.press(end)
	p.press(end)
	if cell(1, 2) != "1 MHz" || !strings.HasPrefix(cell(2, 2), "-55.9") ||
		cell(1, 3) != "999.987 kHz" {
		p.Errorf("cursor B: %q %q %q", cell(1, 2), cell(2, 2), cell(1, 3))
	}
	// A label is in another font than its values.
	p.expect("[...document.querySelectorAll('.readout tbody :is(th, td)')].every((c) => getComputedStyle(c).verticalAlign === 'baseline')")
	if !strings.Contains(cell(1, 4), "1/Δ = 1.00001 µs") {
		p.Errorf("1/Δ is %q", cell(1, 4))
	}
	// One cursor is at 12.6 Hz, without loss. The other is at 1 MHz and -55.96 dB, 4.9 decades
	// away.
	if !strings.HasPrefix(cell(2, 4), "-11.42") || !strings.HasSuffix(cell(2, 4), "dB/decade") {
		p.Errorf("the slope is %q", cell(2, 4))
	}
	eval[bool](p, "document.querySelector('[data-minus3db]').click() ?? true")
	// The corner lies between the points at 1.58489 and 1.99526 kHz.
	if cell(1, 1) != "1.5916 kHz" || !strings.HasPrefix(cell(2, 1), "-3.010") ||
		!strings.HasPrefix(cell(3, 1), "-44.9") && !strings.HasPrefix(cell(3, 1), "-45.0") {
		p.Errorf("cursor A at the corner: %q %q %q", cell(1, 1), cell(2, 1), cell(3, 1))
	}
	// A click sets a cursor at its position, with a value interpolated between the points.
	eval[bool](p, "(() => { document.querySelector('#plots .u-over').scrollIntoView({ block: 'center' }); return true })()")
	across := eval[float64](p, "(() => { const o = document.querySelector('#plots .u-over').getBoundingClientRect(); return o.left + o.width / 2 })()")
	down := eval[float64](p, "(() => { const o = document.querySelector('#plots .u-over').getBoundingClientRect(); return o.top + o.height / 2 })()")
	p.do(chromedp.MouseClickXY(across, down))
	// The axis ends at 10 Hz and 1 MHz, so its middle is 3.16 kHz.
	if got := cell(1, 1); !strings.HasPrefix(got, "3.1") {
		p.Errorf("a click in the middle of the axis reads %q", got)
	}
	eval[bool](p, "document.querySelector('#plots .plot').focus() ?? true")
	p.press(right)
	if got := cell(1, 1); got != "3.16228 kHz" && got != "3.98107 kHz" {
		p.Errorf("the next point is %q", got)
	}
}

// spiceMistakes verifies that an error is marked at its line, before a run and after it.
func spiceMistakes(p *tab) {
	p.excused = []string{"status of 400"}
	p.openSpice("t\nV1 in 0 1\nR1 in out 1M\nR2 out 0 1k\n.op\n.end\n")
	p.until("document.querySelector('#findings .info')?.textContent.includes('1meg')")
	p.openSpice("t\nV1 in 0 1\nR1 in out 1k\nD1 out 0 nosuch\n.op\n.end\n")
	p.runSpice("document.querySelector('#findings .error')")
	if line := eval[string](p, "document.querySelector('#findings .error').dataset.line"); line !=
		"4" {
		p.Errorf("the mistake is at line %s", line)
	}
	p.until("document.getElementById('editor').shadowRoot.querySelector('.cm-lint-marker-error')")
	if text := eval[string](p, "document.getElementById('trouble').textContent"); !strings.Contains(
		text, "nosuch") {
		p.Errorf("the trouble is %q", text)
	}
	eval[bool](p, "document.querySelector('#findings .error button').click() ?? true")
	p.until("document.getElementById('editor').shadowRoot.activeElement && document.getElementById('editor').shadowRoot.querySelector('.cm-activeLine').textContent.startsWith('D1')")
	// The message is in sight though the netlist is longer than the screen.
	p.openSpice("t\nV1 in 0 1\n" + strings.Repeat("* a remark\n", 90) + "D1 in 0 nosuch\n.op\n.end\n")
	eval[bool](p, "scrollTo(0, document.body.scrollHeight) === undefined")
	p.runSpice("document.querySelector('#findings .error')")
	p.expect("['trouble', 'findings'].every((id) => { const r = document.getElementById(id).getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight })")
	// A KiCad netlist has one error, also before the run, and no schematic.
	p.openSpice("(export (version \"E\")\n (components\n  (comp (ref \"R1\") (footprint \"R_0805\"))))")
	p.until("document.querySelector('#findings li')?.textContent.includes('a KiCad netlist for a board')")
	p.expect("document.querySelectorAll('#findings li').length === 1")
	p.runSpice("document.getElementById('trouble').textContent.includes('export a SPICE netlist')")
	p.openSpice("t\nV1 in 0 1\nR1 in 0 1k\n.op\n.end\n")
	eval[bool](p,
		"(() => { document.getElementById('f-tolerances').value = 'R1 big'; return true })()")
	p.runSpice("document.getElementById('f-tolerances-m').textContent.includes('R1 big')")
}

// spicePlots verifies expressions, XY plots, Fourier series, nested sweeps and an operating point.
func spicePlots(p *tab) {
	p.openSpice("clipper\nV1 a 0 SIN(0 1 1k)\nR1 a out 1k\nD1 out 0 1n4148\nD2 0 out 1n4148\n.tran 5u 3m\n.four 1k v(out)\n.measure tran top max v(out)\n.end\n")
	p.runSpice(aCurve)
	add := func(expression string) {
		eval[bool](p, "(() => { const f = document.getElementById('expression'); f.value = ''; f.focus(); return true })()")
		p.press(expression)
		p.press("\r")
	}
	add("i(R1)*v(out)")
	p.until("document.querySelectorAll('#plots .uplot').length === 2 && document.querySelector('#plots').innerText.includes('Power')")
	add("v(nowhere)")
	p.until(
		"document.getElementById('expression-m').textContent.includes('There is no v(nowhere)')")
	add("1/0")
	p.until(
		"document.getElementById('expression-m').textContent.includes('1/0 has no finite value')")
	eval[bool](p, `document.querySelector('[data-trace="i(r1)*v(out)"]').click() ?? true`)
	p.until("document.querySelectorAll('#plots .uplot').length === 1")
	eval[bool](p, "document.querySelector('[data-view=xy]').click() ?? true")
	p.until("document.querySelector('#plots .plot')?.getAttribute('aria-label').startsWith('XY')")
	eval[bool](p, "document.querySelector('[data-view=fourier]').click() ?? true")
	p.until("document.querySelector('#plots figcaption')?.textContent.includes('THD 17')")
	if top := eval[string](p,
		"document.querySelector('[data-out=top] .number').textContent"); !strings.HasPrefix(top,
		"558.") || !strings.HasSuffix(top, " mV") {
		p.Errorf("the measure is %q", top)
	}
	eval[bool](p, "document.querySelector('[data-example=npn_output_curves]').click() ?? true")
	p.until("document.querySelectorAll('.runs span').length === 6 && document.querySelector('.runs').textContent.includes('IB 101 µA')")
	eval[bool](p, "document.querySelector('[data-analysis=op]').click() ?? true")
	p.until(`document.querySelector('[data-out="v(c)"] .number')?.textContent.includes('5')`)
}

// spiceKept verifies that measures become marks, and that expressions are completed. It also
// verifies that a kept run is drawn beside the next run, with the largest difference between them.
// In the divider, R1 = 3 kΩ instead of 1 kΩ halves the output.
func spiceKept(p *tab) {
	p.openSpice("divider\nV1 a 0 SIN(0 2 1k)\nR1 a out 1k\nR2 out 0 1k\n.tran 5u 1m\n" +
		".meas tran top max v(out)\n.meas tran half when v(out)=0.5 rise=1\n" +
		".meas tran at find v(out)\n+ at=0.25m\n.meas tran span pp v(out)\n.end\n")
	p.runSpice(aCurve)
	marks := eval[string](p, `import('/static/spice_marks.js').then(({ marksOf }) => {
		const text = '.MEAS tran top max v(out)\n.meas tran half when v(out)=0.5 rise=1\n.meas tran at find v(out)\n+ at=250u\n.meas tran span pp v(out)\n.meas ac gain max vdb(out)\n.meas tran none max v(out)\n.meas tran drop max v(a) - v(out) from=0\n.meas tran power max v(a)*i(v1)';
		const number = (t) => (t === '250u' ? 250e-6 : NaN);
		return JSON.stringify([...marksOf(text, 'tran', { top: 1, half: 8e-5, at: 1, span: 2, gain: 3, none: null, drop: 1, power: 4 }, number), ...marksOf(text, 'ac', { gain: 3 }, number)]);
	})`)
	const want = `[{"name":"top","y":1,"unit":"V"},{"name":"half","x":0.00008},{"name":"at","x":0.00025,"y":1,"unit":"V"},{"name":"drop","y":1,"unit":"V"},{"name":"gain","y":3,"unit":"dB"}]`
	if marks != want {
		p.Errorf("marks %s, want %s", marks, want)
	}
	drawing := p.savedDrawing("#plots")
	for _, mark := range []string{">top</text>", ">half</text>", ">at</text>", "<circle "} {
		if !strings.Contains(drawing, mark) {
			p.Errorf("the drawing has no %s: %s", mark, drawing)
		}
	}
	eval[bool](p, "(() => { const f = document.getElementById('expression'); f.value = 'db(v(a)/v(o'; f.dispatchEvent(new Event('input')); return true })()")
	p.expect("[...document.querySelectorAll('#expressions option')].map((o) => o.value).join() === 'db(v(a)/v(out)'")
	eval[bool](p, `document.querySelector('[title^="Keep this run"]').click() ?? true`)
	p.until("document.querySelector('.kept')?.textContent.includes('Run 1 is kept')")
	eval[bool](p, "(document.getElementById('schematic').open = true)")
	p.until("document.querySelector('#schematic .part[data-part=r1]')")
	eval[bool](p, "document.querySelector('#schematic .part[data-part=r1]').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))")
	eval[bool](p, "(() => { const f = document.querySelector('.part-editor input'); f.value = '3k'; return f.dispatchEvent(new Event('change')) })()")
	// 2 V times 1/2 and 2 V times 1/4 differ by 0.5 V.
	p.until("/v\\(out\\), run 1: largest difference (0\\.500|500 mV|0\\.5 V)/.test(document.querySelector('.found').textContent)")
	p.seriousFaults("a kept run")
	eval[bool](p, `document.querySelector('[title="Drop the kept runs"]').click() ?? true`)
	p.until("!document.querySelector('.found').textContent.includes('run 1')")
}

func spiceProofs(p *tab) {
	p.openSpice("divider\nV1 in 0 10\nR1 in out 10k\nR2 out 0 10k\n.op\n.end\n")
	eval[bool](p, "(() => { document.getElementById('f-certify').checked = true; document.getElementById('f-tolerances').value = 'R1 5 %, R2 5'; document.getElementById('f-output_node').value = 'out'; return true })()")
	p.runSpice("document.querySelector('#numbers .verdict')")
	text := eval[string](p, "document.getElementById('numbers').innerText")
	// The extremes of 10 V · R2/(R1 + R2) at ±5 % are 4.75 and 5.25 V.
	for _, want := range []string{"4.75 V to 5.25 V", "R1 ±5 %",
		"Lowest (−5 %) at R1 = 10\u202f500, R2 = 9500", "Proven. An operating point exists"} {
		if !strings.Contains(text, want) {
			p.Errorf("the numbers do not say %q:\n%s", want, text)
		}
	}
}

// spiceDetails verifies that noise spectra are drawn as curves, and that selecting .tf, .sens, .pz
// or .noise shows its numeric results.
func spiceDetails(p *tab) {
	p.openSpice("divider\nV1 in 0 10\nR1 in out 1k\nR2 out 0 3k\nC1 out 0 1n\n.noise v(out) V1 dec 10 1 1meg\n.tf v(out) V1\n.sens v(out)\n.pz in 0 out 0 vol pol\n.end\n")
	p.runSpice(aCurve)
	if text := eval[string](p, "document.getElementById('plots').innerText"); !strings.Contains(
		text, "Noise density") || !strings.Contains(text, "onoise_spectrum") {
		p.Errorf("the plots do not name the noise:\n%s", text)
	}
	// √(4 k T · 750 Ω) is 3.526 nV/√Hz at the output.
	p.expect(`/onoise_spectrum from .* to 3[.]52\d* nV\/√Hz; inoise_spectrum /.test(document.querySelector('#plots .plot').ariaLabel)`)
	// The page loads the script that draws these numbers when they are first needed.
	p.until("[...document.querySelectorAll('#numbers h2')].some((e) => e.textContent === 'Noise from 1 Hz to 1 MHz')")
	for _, c := range []struct {
		analysis, want string
	}{{"tf", "0.750 V/V"}, {"sens", "Per percent"}, {"pz", "rad/s"}, {"noise", "thermal"}} {
		eval[bool](p,
			fmt.Sprintf(
				"(() => { document.querySelector('[data-analysis=%s]').click(); return true })()", c.analysis))
		p.until(fmt.Sprintf("document.getElementById('numbers').textContent.includes(%q)", c.want))
	}
	// 750 Ω and 1 nF at 300.15 K: √(k T/C · 2/π · (atan(1 MHz/f) - atan(1 Hz/f))) is 1.895 µV for
	// f = 1/(2π R C).
	p.expect(`/1[.]89\d* µV/.test(document.querySelector('[data-out="Output noise"]').innerText)`)
	p.openSpice("t\nI1 0 out 1m\nR1 out 0 1k\nB1 b 0 V=V(out)*2\nR2 b 0 1k\n" +
		".noise v(out) I1 dec 10 1 1meg\n.end\n")
	p.runSpice(aCurve)
	p.expect("document.getElementById('numbers').innerText.includes('Behavioural sources (1)')")
	// √(4 k T/R) is 4.0714 pA/√Hz for 1 kΩ, and 4.0714 nA in 999,999 Hz.
	p.expect("/inoise_spectrum from 4[.]07\\d* pA\\/√Hz/.test(document.querySelectorAll('#plots .plot')[1].ariaLabel)")
	p.until(`/4[.]07\d* nA/.test(document.querySelector('[data-out="Referred to i1"]').innerText)`)
}

// spicePrint verifies that paper has the whole netlist, the whole schematic and the names of the
// curves. The netlist has more lines than the editor shows, a line wider than the paper, and a
// ladder wider than the paper.
func spicePrint(p *tab) {
	var deck strings.Builder
	deck.WriteString("ladder\nV1 n0 0 AC 1\n")
	for i := range 19 {
		fmt.Fprintf(&deck, "R%d n%d n%d 1k\nC%d n%d 0 1n\n", i, i, i+1, i, i+1)
	}
	deck.WriteString("*" + strings.Repeat(" long", 40) + "\n.ac dec 5 1 1meg\n.end\n")
	p.openSpice(deck.String())
	p.runSpice(aCurve)
	p.until("document.querySelector('.schematic svg')")
	p.media(emulation.SetEmulatedMediaParams{Media: "print"})
	defer p.media(emulation.SetEmulatedMediaParams{})
	for _, box := range []string{
		"document.getElementById('editor').shadowRoot.querySelector('.cm-scroller')",
		"document.querySelector('.schematic')"} {
		p.until(fmt.Sprintf("%[1]s.scrollHeight <= %[1]s.clientHeight + 1 && %[1]s.scrollWidth <= %[1]s.clientWidth + 1", box))
	}
	shown := "[...document.querySelectorAll('.traces button')].filter((b) => b.offsetHeight).map((b) => b.getAttribute('aria-pressed')).join()"
	if got := eval[string](p, shown); got == "" || strings.Contains(got, "false") {
		p.Errorf("traces on paper: %q", got)
	}
}

// spiceSteps verifies the curves and the measures of every run of .step, or its values if there is
// no curve.
func spiceSteps(p *tab) {
	const deck = "t\n.param r=1k\nV1 in 0 DC 3 AC 1 PULSE(0 1 0 1u 1u 1m)\nR1 in out {r}\n" +
		"R2 out 0 1k\nC1 out 0 1u\n.step param r list 1k 2k 5k\n"
	const last = "[...document.querySelector('#numbers table').rows].at(-1)" +
		".innerText.split(/\\s+/).join(' ')"
	p.openSpice(deck + ".tran 10u 1m\n.meas tran peak max v(out)\n.end\n")
	p.runSpice(aCurve)
	got := eval[string](p, "document.querySelector('#plots .runs').innerText")
	if !strings.Contains(got, "v(out), r = 1k") || !strings.Contains(got, "v(out), r = 5k") {
		p.Errorf("runs: %s", got)
	}
	// The pane has three runs each of v(in) and v(out); no two of its lines look the same.
	const styles = "new Set([...document.querySelectorAll('#plots .runs path')].map((l) => " +
		"l.style.stroke + l.getAttribute('stroke-dasharray'))).size"
	if got := eval[int](p, styles); got != 6 {
		p.Errorf("6 curves have %d line styles", got)
	}
	if got := eval[string](p, last); !strings.HasPrefix(got, "5k 116.4") {
		p.Errorf("last step: %s", got) // 1/6 V · (1 - exp(-1.2))
	}
	p.openSpice(strings.Replace(deck, "5k", "5k 10k 20k 50k 100k 200k", 1) + ".tran 10u 1m\n.end\n")
	p.runSpice(aCurve)
	if got := eval[int](p, styles); got != 16 { // 8 runs are more than there are dashes
		p.Errorf("16 curves have %d line styles", got)
	}
	p.openSpice(deck + ".op\n.end\n")
	p.runSpice("document.querySelector('#numbers table')")
	if got := eval[string](p, last); !strings.HasPrefix(got, "5k") ||
		!strings.HasSuffix(got, "500 mV") {
		p.Errorf("last step of .op: %s", got) // 3 V · 1 kΩ/(5 kΩ + 1 kΩ)
	}
}

// ringing is a series RLC circuit of 10 µH and 10 nF with a step of 5 V. At 1 Ω it oscillates, so
// its run has other time steps than a run at 1 kΩ.
const ringing = "rlc\nV1 in 0 PULSE(0 5 0 1n 1n 1 2)\nR1 in a {r}\nL1 a out 10u\n" +
	"C1 out 0 10n\n.tran 100n 200u\n.meas tran vmax max v(out)\n" +
	".meas tran t90 when v(out)=4.5 rise=1\n.meas tran q integ i(v1)\n" +
	".meas tran twice param='2*vmax'\n"

// ringingStep is the response of the circuit to the step, in volts. Source: solution of
// v” + 2αv' + ω²v = 5ω² for v(0) = v'(0) = 0.
func ringingStep(ohms, t float64) float64 {
	alpha, omega := complex(ohms/(2*10e-6), 0), complex(1/math.Sqrt(10e-6*10e-9), 0)
	root := cmplx.Sqrt(alpha*alpha - omega*omega)
	s1, s2, now := -alpha+root, -alpha-root, complex(t, 0)
	return 5 * real(1+(s2*cmplx.Exp(s1*now)-s1*cmplx.Exp(s2*now))/(s1-s2))
}

// spiceOwnPoints verifies that runs of .step and kept runs are drawn, saved and compared at their
// own time steps in any order. The first run is never shown as the only one.
func spiceOwnPoints(p *tab) {
	var peak, distance float64
	for t := 0.0; t < 20e-6; t += 1e-9 {
		peak = max(peak, ringingStep(1, t))
		distance = max(distance, math.Abs(ringingStep(1, t)-ringingStep(1000, t)))
	}
	highest := func(table string, column int) (high float64) {
		for _, row := range strings.Split(table, "\n")[1:] {
			value, err := strconv.ParseFloat(strings.Split(row, ",")[column], 64)
			if err == nil {
				high = max(high, value)
			}
		}
		return high
	}
	p.openSpice(ringing + ".step param r list 1k 1\n.end\n")
	p.runSpice(aCurve)
	drawn := p.saved("#plots figure", "CSV")
	if got := highest(drawn, 2); math.Abs(got/peak-1) > 1e-3 {
		p.Errorf("the curve of 1 Ω peaks at %g V, want %g V", got, peak)
	}
	if all := p.saved("#plots", "All as CSV"); !strings.HasPrefix(all, `"r","time",`) ||
		!strings.Contains(all, "\n1000,") || !strings.Contains(all, "\n1,0.0002,") ||
		math.Abs(highest(all, strings.Count(all[:strings.Index(all, "\n")], ","))/peak-1) > 1e-3 {
		p.Errorf("all vectors: %.200s", all)
	}
	numbers := eval[string](p, "document.getElementById('numbers').innerText")
	for _, want := range []string{"By step", "1k", "9.75", " V", " ns", " nC"} {
		if !strings.Contains(numbers, want) {
			p.Errorf("the numbers lack %q:\n%s", want, numbers)
		}
	}
	if strings.Contains(numbers, "Measures") {
		p.Errorf("the first run is shown as the only one:\n%s", numbers)
	}
	for _, view := range []string{"spectrum", "xy"} {
		p.click("[data-view=" + view + "]")
		p.until("document.querySelector('#plots .plot')?.ariaLabel.includes('v(out), r = 1')")
	}
	if table := p.saved("#plots figure", "CSV"); !strings.HasPrefix(table,
		`"v(a)","v(out), r = 1k","v(a)","v(out), r = 1"`) {
		p.Errorf("the points of XY: %.100s", table)
	}
	if drawing := p.savedDrawing("#plots figure"); !strings.Contains(drawing, ">v(out), r = 1<") {
		p.Errorf("the drawing of XY has no legend: %.400s", drawing)
	}
	// A picture is larger than the plot by its title and its legend, in two pixels per unit.
	size := eval[[]float64](p, `(async () => {
		const saved = new Promise((resolve) => { const make = URL.createObjectURL; URL.createObjectURL = (b) => { URL.createObjectURL = make; resolve(b); return make.call(URL, b); }; });
		[...document.querySelectorAll('#plots figure button')].find((b) => b.textContent === 'PNG').click();
		const picture = await createImageBitmap(await saved);
		return [picture.height, document.querySelector('#plots .uplot').clientHeight];
	})()`)
	if size[0] < 2*(size[1]+20) {
		p.Errorf("a picture of %g pixels for a plot of %g", size[0], size[1])
	}

	keep := func(ohms string) {
		p.openSpice(strings.Replace(ringing, "{r}", ohms, 1) + ".end\n")
		p.runSpice(aCurve)
	}
	keep("1")
	p.click(`[title^="Keep this run"]`)
	p.typeNetlist(strings.Replace(ringing, "{r}", "1k", 1) + ".end\n")
	p.runSpice("document.querySelector('.found .compared')")
	told := p.text(".found .compared")
	var got float64
	if _, err := fmt.Sscanf(told, "v(out), run 1: largest difference %f V", &got); err != nil ||
		math.Abs(got/distance-1) > 2e-3 {
		p.Errorf("%q, want %g V", told, distance)
	}
	if runs := p.text("#plots .runs"); !strings.Contains(runs, "v(out), run 1") {
		p.Errorf("the legend of a kept run: %q", runs)
	}
	for name, unit := range map[string]string{"vmax": "V", "t90": "µs", "q": "nC"} {
		shown := p.text("[data-out=" + name + "] .number")
		if !strings.HasSuffix(shown, " "+unit) {
			p.Errorf("measure %s is %q, want a value in %s", name, shown, unit)
		}
	}
	if got := p.text("[data-out=twice] .number"); got != "10" && !strings.HasPrefix(got, "9.99") {
		p.Errorf("the calculated measure is %q, want 10", got)
	}
	eval[bool](p, "(() => { const f = document.getElementById('expression'); f.value = 'i(C1)'; return f.focus() ?? true })()")
	p.press("\r")
	p.until("document.getElementById('expression-m').textContent.includes('.save all i(c1)')")
	p.click("#expression-m button")
	p.until("document.getElementById('f-netlist').value.includes('\\n.save all i(c1)\\n.end')")
	p.until("!document.querySelector('.busy')")
}

// spiceRunDetails verifies that cursors keep their time from Curves to XY and back. Every measure
// of a run has a column with its exact value. Only elements with a current vector are offered the
// plot of their current.
func spiceRunDetails(p *tab) {
	deck := "t\nV1 in 0 SIN(0 1 1k)\nR1 in out {r}\nC1 out 0 100n\nR2 in b 100k\n" +
		"Q1 in b 0 n\n.model n npn\n.step param r list 1k 20\n.tran 20u 2m\n" +
		".meas tran first find time when v(in)=0.5 rise=1\n"
	for k := range 12 {
		deck += fmt.Sprintf(".meas tran m%d max v(out)\n", k)
	}
	p.openSpice(deck + ".end\n")
	p.runSpice(aCurve)
	columns := eval[[]string](p, "[...document.querySelectorAll('#numbers th')].map((h) => h.textContent)")
	if len(columns) != 14 || columns[0] != "r" || columns[13] != "m9" {
		p.Errorf("the columns are %q", columns)
	}
	// The sine reaches half its peak at a twelfth of its period of 1 ms: asin(1/2) = π/6.
	cell := "document.querySelectorAll('#numbers tbody td')[1]"
	if got := eval[string](p, cell+".textContent"); !strings.HasPrefix(got, "83.") ||
		!strings.HasSuffix(got, "µs") {
		p.Errorf("the time of the measure is %q, want 83.3 µs", got)
	}
	exact, err := strconv.ParseFloat(eval[string](p, cell+".title"), 64)
	if err != nil || math.Abs(exact/(1e-3/12)-1) > 5e-3 {
		p.Errorf("the exact time is %g s: %v", exact, err)
	}
	p.click(`#plots [title="One point back"]`)
	cursor := "document.querySelector('.readout tbody td')?.textContent"
	p.until(cursor + " === '2 ms'")
	p.click("[data-view=xy]")
	p.until(cursor + " !== '2 ms'")
	p.click("[data-view=curves]")
	p.until(cursor + " === '2 ms'")
	eval[bool](p, "(() => { const f = document.getElementById('expression'); f.value = 'i(Q1)'; return f.focus() ?? true })()")
	p.press("\r")
	p.until("document.getElementById('expression-m').textContent === 'There is no i(q1) in this result.'")
}

// spicePlaces verifies the number of places of a plot of 24 long runs. A peak of one point stays in
// it, in rising and falling runs and in runs with gaps.
func spicePlaces(p *tab) {
	p.visit("/spice")
	got := eval[[]float64](p, `(async () => {
		const { alignCurves } = await import('/static/align.js');
		const runs = Array.from({ length: 24 }, (_, k) => {
			const x = Array.from({ length: 18400 }, (_, i) => i + k / 24);
			const values = x.map((_, i) => (i === 9001 ? 5 : i === 0 ? null : Math.sin(i)));
			return k % 2 ? { x, values } : { x: x.reverse(), values: values.reverse() };
		});
		const { x, lists } = alignCurves(runs);
		const all = alignCurves(runs.slice(0, 2), false, Infinity);
		return [x.length, Math.min(...lists.map((l) => Math.max(...l))), all.x.length];
	})()`)
	if got[0] > 20000 || got[0] < 5000 || got[1] != 5 || got[2] != 2*18400 {
		p.Errorf("%g places, the lowest peak is %g, two runs have %g places",
			got[0], got[1], got[2])
	}
}

// spiceTroubles verifies that the netlist and the last result remain after any error.
func spiceTroubles(p *tab) {
	p.excused = []string{"status of 409"}
	slow := slowNetlist("spice page")["netlist"].(string)
	p.openSpice("t\nV1 a 0 SIN(0 1 1k)\nR1 a 0 1k\n.tran 1u 1m\n.end\n")
	p.runSpice(aCurve)
	eval[bool](p, "(() => { window.realFetch = window.fetch; return true })()")
	response := func(status int, problem string) string {
		return fmt.Sprintf("window.fetch = async () => new Response(%q, { status: %d }); true",
			problem, status)
	}
	for _, c := range []struct{ break_, want string }{
		{"window.fetch = async () => { throw new TypeError('failed') }; true", "No connection"},
		{response(429, `{"title":"Too many requests","status":429}`), "Too many requests"},
		{response(503, `{"title":"Too busy","status":503}`), "Too busy"},
		{response(404, `{"title":"No such job","status":404}`), "expired"},
	} {
		eval[bool](p, c.break_)
		p.runSpice(fmt.Sprintf("document.getElementById('trouble').textContent.includes(%q)",
			c.want))
		if !eval[bool](p,
			aCurve+" && document.getElementById('f-netlist').value.startsWith('t\\nV1')") {
			p.Errorf("%s: the netlist or the last curves are gone", c.want)
		}
	}
	eval[bool](p, "(() => { window.fetch = window.realFetch; return true })()")
	p.openSpice(slow)
	eval[bool](p, "document.getElementById('run').click() ?? true")
	p.until(
		"[...document.querySelectorAll('#status button')].some((b) => b.textContent === 'Cancel')")
	eval[bool](p, "[...document.querySelectorAll('#status button')].find((b) => b.textContent === 'Cancel').click() ?? true")
	p.until("document.getElementById('trouble').textContent.includes('cancelled') && !document.querySelector('.busy')")
	if got := eval[string](p, "document.getElementById('f-netlist').value"); strings.TrimSpace(
		got) != strings.TrimSpace(slow) {
		p.Errorf("the netlist became %q", got)
	}
}

// spiceShare verifies that a link contains the netlist in its fragment, and does not start a run.
func spiceShare(p *tab) {
	p.openSpice("shared circuit\nV1 in 0 5\nR1 in 0 1k\n.op\n.end\n")
	eval[bool](p, "document.getElementById('share').click() ?? true")
	p.until("document.querySelector('dialog input[aria-label=Link]')?.value.includes('/spice#n=')")
	link := eval[string](p, "document.querySelector('dialog input[aria-label=Link]').value")
	p.openSpice("another\n")
	p.visit("/about")
	p.visit(strings.TrimPrefix(link, p.base))
	p.until("document.getElementById('f-netlist').value.startsWith('shared circuit')")
	p.until("document.getElementById('editor')?.shadowRoot?.textContent.includes('shared circuit')")
	if eval[bool](p, "Boolean(document.querySelector('.busy, #numbers .group'))") {
		p.Error("the link started a simulation")
	}
}

// spiceKeyboard verifies that a user without a mouse can go from a template to the cursor of a
// plot.
func spiceKeyboard(p *tab) {
	p.visit("/t/spice_template")
	p.until("document.querySelector('#result pre')")
	p.tabTo("document.activeElement.matches('#result a.chip')")
	p.press("\r")
	p.until("location.pathname === '/spice' && document.getElementById('editor')?.shadowRoot?.textContent.includes('R1 in out')")
	p.tabTo("document.activeElement.id === 'editor'")
	p.press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.until(aCurve)
	p.tabTo("document.activeElement.matches('#plots .plot')")
	p.press("\u0303")
	p.until("document.querySelector('.readout tbody td')?.textContent.includes('Hz')")
}

var hostileNetlist = "<img src=x onerror=window.pwned=1>\nV1 <b>n</b> 0 DC 0 AC 1\nR1 <b>n</b> 0 1k\n.ac dec 10 1 1k\n.end\n"

// spiceLooks verifies that the page with a visible result has no serious finding of axe-core and
// does not scroll horizontally. It also verifies that markup in names is shown as text.
func spiceLooks(p *tab) {
	code := axeCore(p)
	for _, c := range []struct {
		width int64
		theme string
	}{{1440, "light"}, {1440, "dark"}, {320, "light"}} {
		p.do(chromedp.EmulateViewport(c.width, 800))
		eval[bool](p, fmt.Sprintf("localStorage.setItem('theme', %q) ?? true", c.theme))
		p.visit("/spice?example=common_emitter")
		if c.width > 1000 {
			p.until("document.getElementById('editor').shadowRoot")
		}
		p.runSpice(aCurve)
		where := fmt.Sprintf("%d px, %s", c.width, c.theme)
		p.accessible(code, where)
		for _, part := range []string{"netlist", "plots", "numbers"} {
			eval[bool](p,
				fmt.Sprintf("document.querySelector('.labtabs [data-tab=%s]').click() ?? true",
					part))
			if got := eval[int64](p, "document.documentElement.scrollWidth"); got > c.width {
				p.Errorf("%s: %s is %d wide", where, part, got)
			}
		}
	}
	p.do(chromedp.EmulateViewport(1280, 900))
	p.openSpice(hostileNetlist)
	p.runSpice(aCurve)
	if eval[bool](p,
		"window.pwned === 1 || Boolean(document.querySelector('main img, .trace b'))") {
		p.Error("a netlist became markup")
	}
}

// spiceForm verifies the page's form without JavaScript.
func spiceForm(t *testing.T, base string) {
	page := func(resp *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	token := regexp.MustCompile(`name="_token" value="([^"]+)"`).FindStringSubmatch(
		page(http.Get(base + "/spice")))
	if token == nil {
		t.Fatal("the page has no token")
	}
	for _, c := range []struct {
		name   string
		form   url.Values
		status int
		want   []string
	}{
		{"sweep",
			url.Values{
				"netlist": {
					"t\nV1 a 0 1\nR1 a 0 1k\n.dc V1 0 4 1\n.measure dc most max v(a)\n.end"}}, 200,
			[]string{">sweep</th>", `<td class="n">-0.00400</td>`, ">most<"}},
		{"mistake", url.Values{"netlist": {"t\nR1 a 0 1k\nR1 a 0 1k\n.op\n.end"}}, 400,
			[]string{"line 3: r1 is already defined on line 2", "R1 a 0 1k"}},
		{"tolerances", url.Values{"netlist": {"t\nV1 a 0 1\nR1 a 0 1k\n.op\n.end"},
			"tolerances": {"R1 1 %"}, "output_node": {"a"}}, 200, []string{"vertex enumeration"}},
		{"no token", url.Values{"_token": {"x"}, "netlist": {"kept\n.end"}}, 403,
			[]string{"load it again", "kept"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !c.form.Has("_token") {
				c.form.Set("_token", token[1])
			}
			req, err := http.NewRequest(http.MethodPost, base+"/spice",
				strings.NewReader(c.form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Origin", base)
			resp, err := http.DefaultClient.Do(req)
			text := page(resp, err)
			if resp.StatusCode != c.status {
				t.Errorf("status %d, want %d", resp.StatusCode, c.status)
			}
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("the page does not hold %q", w)
				}
			}
		})
	}
}
