package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// TestPageBatches verifies the panel for batches in a browser.
func TestPageBatches(t *testing.T) {
	t.Parallel()
	runParts(t, []part{
		{"sweep", sweep},
		{"two fields", sweepTwo},
		{"choices", sweepChoices},
		{"Monte Carlo", monteCarlo},
		{"goal seek", goalSeek},
		{"summary", drawnSummary},
		{"optimization", optimization},
		{"link", batchLink},
		{"keyboard", batchKeyboard},
		{"mistakes", batchMistakes},
		{"cancel", batchCancel},
		{"simulation", pageSimulation},
		{"axe", batchAxe},
		{"weight", pageWeight},
	})
}

// openBatch opens the panel of a page and selects a kind of batch.
func (p *tab) openBatch(path, mode string) {
	p.Helper()
	p.visit(path)
	p.until("document.querySelector('.sweepbox summary')")
	if eval[string](p, "performance.getEntriesByType('resource').map((e) => e.name).filter((n) => /batch/.test(n)).join()") != "" {
		p.Error("the panel was fetched before it was opened")
	}
	eval[bool](p, "document.querySelector('.sweepbox summary').click() ?? true")
	p.until("document.querySelector('.sweepbox form button.main')")
	eval[bool](p, fmt.Sprintf("[...document.querySelectorAll('.sweepbox [aria-pressed]')].find((b) => b.textContent === %q).click() ?? true", mode))
}

// set sets the value of the panel's control whose accessible name begins with the given text.
func (p *tab) set(name, value string) {
	p.Helper()
	p.until(fmt.Sprintf(`document.querySelector('.sweepbox [aria-label^="%s"]')`, name))
	eval[bool](p, fmt.Sprintf(`(() => { const e = [...document.querySelectorAll('.sweepbox [aria-label^="%s"]')].at(-1); e.value = %q; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); return e.value === %q })()`, name, value, value))
}

// pressed presses the button of the panel with the given text.
func (p *tab) pressed(text string) {
	p.Helper()
	eval[bool](p, fmt.Sprintf("[...document.querySelectorAll('.sweepbox button')].find((b) => b.textContent === %q).click() ?? true", text))
}

// ran runs the batch and waits for its result.
func (p *tab) ran(runs string) {
	p.Helper()
	p.pressed("Run batch")
	p.until(fmt.Sprintf("document.querySelector('.batch-head')?.textContent.includes(%q)", runs))
}

func (p *tab) out() string {
	p.Helper()
	return eval[string](p,
		"document.querySelector('.batch-out').innerText.replaceAll('\\u00a0', ' ')")
}

// sweep verifies the curve over one field. The loss rises by 20 log10(4) = 12.04 dB, from 99.635 dB
// at 2.5 km.
func sweep(p *tab) {
	p.openBatch("/t/fspl"+query("freq_mhz", "915", "dist_km", "5"), "Sweep")
	p.set("Varied field", "/dist_km")
	p.pressed("Check")
	p.until("document.querySelector('.sweepbox').textContent.includes('41 runs, all valid')")
	p.ran("41 runs")
	p.until("document.querySelector('.batch-out .uplot')")
	if label := eval[string](p,
		"document.querySelector('.batch-out .plot').getAttribute('aria-label')"); !strings.Contains(
		label, "over Distance from 2.50 km to 10 km") ||
		!strings.Contains(label, "from 99.635 dB to 111.676 dB") {
		p.Error(label)
	}
	p.fill("freq_mhz", "9150") // 20 dB more
	p.until("document.querySelector('.batch-out .plot').getAttribute('aria-label').includes('from 119.635 dB to 131.676 dB')")
}

func sweepTwo(p *tab) {
	p.openBatch("/t/fspl"+query("freq_mhz", "915", "dist_km", "5"), "Sweep")
	// The points of two fields are within the limit of the page, 31 x 31 of 1000 runs.
	p.pressed("Vary another")
	p.ran("961 runs")
	p.set("Points", "5")
	p.until("!document.querySelector('.sweepbox .stale-note').hidden")
	p.ran("155 runs")
	p.until("document.querySelector('.sweepbox .stale-note').hidden")
	p.until("document.querySelector('.batch-heat canvas') && document.querySelector('.batch-out .uplot')")
	eval[bool](p, "document.querySelector('.batch-heat canvas').focus() ?? true")
	p.shortcut("ArrowUp")
	p.until("/Distance.*dB/.test(document.querySelector('.batch-out output').textContent)")
}

func sweepChoices(p *tab) {
	p.openBatch("/t/lora_range_estimate", "Sweep")
	p.set("Varied field", "/terrain")
	p.ran("5 runs")
	p.until("document.querySelectorAll('.batch-bars .track').length === 5")
	if text := p.out(); !strings.Contains(text, "dense urban") ||
		!strings.Contains(text, "All runs") {
		p.Error(text)
	}
}

// monteCarlo verifies the yield, the histogram, and rank correlations of equal magnitude and
// opposite sign for a divider of equal resistors.
func monteCarlo(p *tab) {
	p.openBatch("/t/voltage_divider"+query("vin_v", "10", "r1_ohm", "10k", "r2_ohm", "10k"),
		"Monte Carlo")
	p.set("Varied field", "/r1_ohm")
	p.pressed("Vary another")
	p.set("Varied field", "/r2_ohm")
	p.set("Result", "vout_v")
	p.set("Least", "4.9")
	p.set("Largest", "5.1")
	p.ran("400 runs")
	p.until("document.querySelector('.batch-out .uplot')")
	text := p.out()
	for _, want := range []string{"Yield", "of 400 runs within the limits", "95 % confidence",
		"Distribution of", "rank correlation", "Statistics", "at least 4.90 V"} {
		if !strings.Contains(text, want) {
			p.Errorf("without %q: %s", want, text)
		}
	}
	if n := eval[int](p, "document.querySelectorAll('.batch-bars .minus').length"); n != 1 {
		p.Errorf("%d tolerances lower the output", n)
	}
}

// goalSeek verifies that the distance in docs/batches.md is found and copied into the form.
func goalSeek(p *tab) {
	p.openBatch("/t/link_budget"+query("tx_dbm", "20", "freq_mhz", "915", "rx_sensitivity_dbm",
		"-130", "dist_km", "10"), "Goal seek")
	p.set("Varied field", "/dist_km")
	p.set("From", "1")
	p.set("To", "5000")
	p.set("Result", "margin_db")
	p.set("Target", "10")
	p.ran("41 runs")
	if text := p.out(); !strings.Contains(text, "Distance 427.8 km gives") {
		p.Error(text)
	}
	p.pressed("Use these values")
	p.until("document.querySelector('#f-dist_km').value.startsWith('427.7')")
	p.until("document.querySelector('[data-out=margin_db] .number').innerText.startsWith('10')")
}

func optimization(p *tab) {
	p.openBatch("/t/fspl"+query("freq_mhz", "915", "dist_km", "5"), "Minimize")
	p.set("Varied field", "/dist_km")
	p.set("Runs", "120")
	p.ran("120 runs")
	if text := p.out(); !strings.Contains(text, "Least") ||
		!strings.Contains(text, "Distance 2.5") {
		p.Error(text)
	}
	p.until("document.querySelector('.batch-out .uplot')")
}

// batchLink verifies that the address holds the panel's state, and that a page with this address
// restores the panel.
func batchLink(p *tab) {
	p.openBatch("/t/fspl"+query("freq_mhz", "915", "dist_km", "5"), "Monte Carlo")
	p.set("Runs", "77")
	p.set("Seed", "5")
	eval[bool](p,
		"import('/static/share.js').then((m) => { window.unpack = m.unpack; return true })")
	p.until("location.hash.startsWith('#b=')")
	for state, deadline := "", time.Now().Add(stepTime); !strings.Contains(state,
		`"n":"77","seed":"5"`); {
		if state = eval[string](p, "unpack(location.hash.slice(3))"); time.Now().After(deadline) {
			p.Fatal(state)
		}
	}
	address := eval[string](p, "location.pathname + location.search + location.hash")
	p.visit("/")
	p.visit(address)
	p.until("document.querySelector('.sweepbox [aria-label=Runs]')?.value === '77' && document.querySelector('.sweepbox [aria-label=Seed]').value === '5'")
	p.fill("dist_km", "6")
	p.until("location.search.includes('dist_km=6') && location.hash.startsWith('#b=')")
	p.ran("77 runs")
}

// drawnSummary verifies that the results of a batch without a summary are drawn. The note of a
// summary must have the labels of the field and the result.
func drawnSummary(p *tab) {
	p.visit("/t/fspl")
	drawn := func(mode, summary string) string {
		return eval[string](p, `import('/static/batch_result.js').then(({ drawBatch }) => {
			const e = document.body.appendChild(document.createElement('div'));
			drawBatch(e, { batch: { summary: `+summary+` }, mode: '`+mode+`', name: 'fspl',
				columns: { index: [0, 1], '/n': [1, 2], y_db: [3, 4], error: [null, null] },
				fields: [{ field: '/n', label: 'N' }], results: [{ name: 'y_db', label: 'Y' }],
				request: { target: { name: 'y_db', value: 5 } } });
			return e.textContent; })`)
	}
	for _, mode := range []string{"random", "solve", "minimize"} {
		if text := drawn(mode, "null"); !strings.Contains(text, "2 runs") ||
			!strings.Contains(text, "prevents the statistics") || strings.Contains(text, "meet") {
			p.Errorf("%s: %s", mode, text)
		}
	}
	text := drawn("solve", "{ columns: {}, roots: [], note: '/n takes whole numbers: y_db is near' }")
	if !strings.Contains(text, "N takes whole numbers: Y is near.") {
		p.Error(text)
	}
}

// batchKeyboard verifies that the panel is usable without a pointer and keeps the user's focus.
func batchKeyboard(p *tab) {
	p.openBatch("/t/fspl"+query("freq_mhz", "915", "dist_km", "5"), "Sweep")
	eval[bool](p, "[...document.querySelectorAll('.sweepbox button')].find((b) => b.textContent === 'Goal seek').focus() ?? true")
	p.press("\r")
	p.until("document.activeElement.textContent === 'Goal seek' && document.activeElement.getAttribute('aria-pressed') === 'true'")
	eval[bool](p, "document.querySelector('.sweepbox [aria-label^=Target]').focus() ?? true")
	p.press("100\r")
	p.until(
		"document.querySelector('.batch-roots')?.textContent.includes('gives Path loss')")
}

func batchMistakes(p *tab) {
	p.excused = []string{"status of 400"}
	p.openBatch("/t/fspl"+query("freq_mhz", "915", "dist_km", "5"), "Sweep")
	p.set("From", "x")
	p.pressed("Run batch")
	p.until(
		"/From of .* not a number/.test(document.querySelector('.sweepbox > .mistake').textContent)")
	p.set("From", "-1")
	p.ran("runs")
	if text := p.out(); !strings.Contains(text, "have no result") {
		p.Error(text)
	}
	// An old result is marked, after a change and after a rejected run.
	p.pressed("Goal seek")
	p.until("document.querySelector('.sweepbox .stale-note').textContent.includes('changed')")
	p.pressed("Run batch")
	p.until("document.querySelector('.sweepbox > .mistake').textContent === 'Target is required' && document.querySelector('.batch-out.stale')")
	p.pressed("Sweep")
	p.set("Points", "1000")
	p.pressed("Vary another")
	p.pressed("Run batch")
	p.until("document.querySelector('.sweepbox > .mistake').textContent.includes('at most 1000')")
	p.fill("dist_km", "x")
	p.pressed("Run batch")
	p.until("document.querySelector('.sweepbox > .mistake').textContent.includes('not complete')")
}

// batchCancel verifies that a button cancels a batch of boards.
func batchCancel(p *tab) {
	p.openBatch("/t/pcb_layout", "Sweep")
	p.set("Varied field", "/seed")
	p.set("From", "1")
	p.set("To", "150")
	p.pressed("Run batch")
	p.until("[...document.querySelectorAll('.sweepbox button')].some((b) => b.textContent === 'Cancel') && document.querySelector('.sweepbox progress').value > 0")
	p.pressed("Cancel")
	p.until("document.querySelector('.batch-head')?.textContent.includes('cancelled')")
}

// pageSimulation verifies element tolerances of a netlist and the curves of the runs. Both elements
// lower the measured cutoff, so both rank correlations are negative.
func pageSimulation(p *tab) {
	p.openBatch("/spice"+query("netlist", "RC low pass\nV1 in 0 AC 1\nR1 in out 1.59k\nC1 out 0 100n\n.ac dec 50 100 10k\n.meas ac fc when vdb(out)=-3.0103\n.end"), "Monte Carlo")
	p.set("Varied field", "element:R1")
	p.pressed("Vary another")
	p.set("Varied field", "element:C1")
	p.set("Result", "fc")
	p.set("Least", "950")
	p.set("Runs", "60")
	p.ran("60 runs")
	if text := p.out(); !strings.Contains(text, "Yield") ||
		!strings.Contains(text, "rank correlation") {
		p.Error(text)
	}
	if n := eval[int](p, "document.querySelectorAll('.batch-bars .minus').length"); n != 2 {
		p.Errorf("%d elements lower the cutoff", n)
	}
	p.pressed("Overlay the curves of 16 runs")
	p.until("document.querySelector('.batch-out [aria-label=Curve]') && [...document.querySelectorAll('.batch-out .plot')].at(-1).getAttribute('aria-label').includes('of 16 runs')")
}

// batchAxe verifies that axe-core has no serious finding in either colour scheme, and that the page
// does not scroll horizontally on a phone.
func batchAxe(p *tab) {
	code := axeCore(p)
	for _, theme := range []string{"light", "dark"} {
		eval[bool](p, fmt.Sprintf("localStorage.setItem('theme', %q) ?? true", theme))
		p.visit("/")
		p.openBatch("/t/voltage_divider"+query("vin_v", "10", "r1_ohm", "10k", "r2_ohm", "10k"),
			"Monte Carlo")
		p.set("Varied field", "/r1_ohm")
		p.set("Result", "vout_v")
		p.set("Least", "4.9")
		p.ran("400 runs")
		p.accessible(code, "the panel in "+theme)
	}
	p.do(chromedp.EmulateViewport(360, 740))
	p.until("document.documentElement.scrollWidth <= 360")
}

// pageWeight verifies that the catalog and the page of a tool transfer at most 35 kB, compressed,
// before optional parts are opened.
func pageWeight(p *tab) {
	command(p, network.Enable, network.EnableParams{})
	command(p, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	for _, path := range []string{"/", "/t/fspl", "/t/link_budget", "/t/voltage_divider",
		"/t/op_amp_gain", "/t/zfs_capacity"} {
		p.visit(path)
		p.settled()
		sent := eval[int](p, "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((sum, e) => sum + e.transferSize, 0)")
		p.Logf("%s sends %d bytes", path, sent)
		if sent == 0 || sent > 35_000 {
			p.Errorf("%s sends %d bytes", path, sent)
		}
	}
}
