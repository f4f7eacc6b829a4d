package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/chromedp/chromedp"
)

// table returns a JavaScript expression for a table of cases in web/testdata. The Go tests use the
// same tables.
func (p *tab) table(name string) string {
	p.Helper()
	raw, err := os.ReadFile("../web/testdata/" + name)
	if err != nil {
		p.Fatal(err)
	}
	quoted, _ := json.Marshal(string(raw))
	return "(" + string(quoted) +
		").split('\\n').filter((l) => l && !l.startsWith('#')).map((l) => l.split('\\t'))"
}

// numbers runs the tables of cases through the page's own modules.
func numbers(p *tab) {
	p.visit("/")
	wrong := eval[string](p, `(async () => {
		const { readQuantity, formatQuantity: show } = await import('/static/quantity.js');
		const same = (a, b) => a === b || Math.abs(a - b) <= 1e-13 * Math.abs(b);
		return `+p.table("si.tsv")+`.map(([text, unit, want, echo]) => {
			const r = readQuantity(text, unit);
			if (want.startsWith('!')) return r.error?.includes(want.slice(1)) ? '' : JSON.stringify([text, unit, r]);
			return same(r.value, Number(want)) && show(r.value, unit) === echo ? '' : JSON.stringify([text, unit, r, want, echo, show(r.value ?? 0, unit)]);
		}).join('');
	})()`)
	if wrong != "" {
		p.Error(wrong)
	}
	// The noon of J2000 is the Julian date 2451545.0; a fraction of a day is part of the date.
	p.expect(`import('/static/quantity.js').then(({ fieldParts, limitDigits }) => {
		const shown = (f, v) => limitDigits(f, fieldParts(f, v).number).replace(/\s/g, '');
		return shown({ name: 'julian_date', unit: 'd' }, 2451545.25) === '2451545.25' &&
			shown({ name: 'unix_seconds', unit: 's', inUnit: true }, 1709210096.5) === '1709210096.5';
	})`)
	wrong = eval[string](p, `(async () => {
		const { search } = await import(document.querySelector('script[type="module"]').src);
		const cards = [...document.querySelectorAll('#all .cards > li')].map((e) => ({ name: e.dataset.name, aliases: e.dataset.aliases, fields: e.dataset.fields,
			title: e.querySelector('a').textContent.toLowerCase(), summary: e.querySelector('p').textContent.toLowerCase() }));
		return `+p.table("search.tsv")+`.map(([text, first, other]) => {
			const names = search(cards, text).map((c) => c.name);
			return (first === '' ? names.length === 0 : names[0] === first && names.includes(other)) ? '' : JSON.stringify([text, names]);
		}).join('');
	})()`)
	if wrong != "" {
		p.Error(wrong)
	}
	// Tables of a batch keep the digits of an instant, which are the time of the day.
	p.visit("/t/timestamp_converter")
	if got := eval[string](p, `(async () => {
		const { collectedResults } = await import('/static/batch_fields.js');
		const { formatValue } = await import('/static/batch_values.js');
		const { output } = JSON.parse(document.getElementById('data').textContent);
		const date = collectedResults({ output }).find((r) => r.name === 'julian_date');
		return formatValue(2451545.25, date);
	})()`); got != "2\u202f451\u202f545.25\u00a0d" {
		p.Errorf("a Julian date in a table of a batch is %q", got)
	}
}

func live(p *tab) {
	p.visit("/t/fspl")
	p.until("document.querySelector('[data-out=fspl_db]')")
	// 1.60 km is no other reading of 1.6, but 2.4G is one of a field in MHz.
	p.fill("dist_km", "1.6")
	p.expect("document.querySelector('[data-field=dist_km] .echo').textContent === ''")
	p.fill("dist_km", "10")
	p.until("document.querySelector('[data-out=fspl_db] .number').innerText.startsWith('111.7')")
	p.fill("freq_mhz", "2.4G")
	p.until("document.querySelector('[data-field=freq_mhz] .echo').textContent === '= 2.40 GHz'")
	p.until("document.querySelector('[data-out=fspl_db] .number').innerText.startsWith('120.1')")
	if q := eval[string](p, "location.search"); q != "?freq_mhz=2.4G&dist_km=10" {
		p.Errorf("the address says %s", q)
	}
	p.visit("/t/fspl")
	// The page restores the inputs from the local storage.
	p.until("document.querySelector('[data-out=fspl_db]')?.innerText.includes('120.1')")
}

func mistakes(p *tab) {
	p.excused = []string{"status of 400"}
	p.visit("/t/fspl")
	p.until("document.querySelector('[data-out=fspl_db]')")
	p.fill("dist_km", "-5")
	p.until(
		"document.querySelector('[data-mistake=dist_km]').textContent.includes('greater than 0')")
	p.until("document.getElementById('f-dist_km').getAttribute('aria-invalid') === 'true' && document.querySelector('.pending')")
	p.fill("dist_km", "1,500")
	p.until("document.querySelector('[data-mistake=dist_km]').textContent.includes('could be 1500 or 1.5')")
	if v := eval[string](p, "document.getElementById('f-dist_km').value"); v != "1,500" {
		p.Errorf("what was typed became %q", v)
	}
	eval[bool](p, "document.getElementById('run').click() ?? true")
	p.until("!document.getElementById('summary').hidden && document.querySelector('#summary a').hash === '#f-dist_km'")
	p.fill("dist_km", "5")
	p.until("document.querySelector('[data-mistake=dist_km]').textContent === '' && !document.querySelector('.pending') && document.getElementById('summary').hidden")
	// An error names fields and values as the form does.
	eval[bool](p, "(() => { const f = document.getElementById('f-model'); f.value = 'hata'; return f.dispatchEvent(new Event('input', { bubbles: true })) })()")
	p.until("document.querySelector('[data-mistake=tx_height_m]').textContent.includes('with “Propagation model: Hata”')")
}

func rows(p *tab) {
	p.excused = []string{"status of 400"}
	p.visit("/t/noise_figure_cascade")
	p.until("document.querySelector('[data-out=total_nf_db]')")
	// The hint of a field in focus covers no other field, label or button.
	for _, width := range []int{1280, 390} {
		p.do(chromedp.EmulateViewport(int64(width), 800))
		p.expect(`[...document.querySelectorAll('.row .field')].every((f) => {
			f.querySelector('input, select').focus();
			const d = f.querySelector('.doc').getBoundingClientRect();
			return d.height > 0 && [...document.querySelectorAll('#form :is(label, input, select, button)')].every((e) => {
				const r = e.getBoundingClientRect();
				return r.right <= d.left || r.left >= d.right || r.bottom <= d.top || r.top >= d.bottom;
			});
		})`)
	}
	p.do(chromedp.EmulateViewport(1280, 900))
	before := p.result("total_nf_db")
	count := eval[int](p, "document.querySelectorAll('.rows > .row').length")
	eval[bool](p, "document.querySelector('[data-list=stages] > button').click() ?? true")
	p.fill(fmt.Sprintf("stages.%d.nf_db", count), "20")
	p.fill(fmt.Sprintf("stages.%d.gain_db", count), "abc")
	p.until(fmt.Sprintf("document.querySelector('[data-mistake=\"stages.%d.gain_db\"]').textContent.includes('not a number')", count))
	p.fill(fmt.Sprintf("stages.%d.gain_db", count), "0")
	p.until(fmt.Sprintf("!document.querySelector('.pending') && document.querySelector('[data-out=total_nf_db] .number').innerText.replace(/\\s+/g, ' ') !== %q", before))
	p.fill(fmt.Sprintf("stages.%d.nf_db", count), "-1")
	p.until(
		fmt.Sprintf(
			"document.querySelector('[data-mistake=\"stages.%d.nf_db\"]').textContent !== ''",
			count))
	eval[bool](p, "[...document.querySelectorAll('.row .drop')].at(-1).click() ?? true")
	p.until(fmt.Sprintf("!document.querySelector('.pending') && document.querySelector('[data-out=total_nf_db] .number').innerText.replace(/\\s+/g, ' ') === %q", before))

	p.visit("/t/spice_template" + query("template", "low_pass_rc", "params.r_ohms", "4k7",
		"params.c_farads", "10n"))
	p.until("document.querySelector('#result pre')?.textContent.includes('4700')")
}

func share(p *tab) {
	p.visit("/t/link_budget" + query("tx_dbm", "14", "freq_mhz", "868.1M", "dist_km", "2mi",
		"rx_sensitivity_dbm", "-137"))
	p.until("document.querySelector('[data-out=margin_db]')")
	want, at := p.result("margin_db"), eval[string](p, "location.pathname + location.search")
	p.visit("/about")
	p.visit(at)
	p.until("document.querySelector('[data-out=margin_db]')")
	if got := p.result("margin_db"); got != want ||
		eval[string](p, "document.getElementById('f-dist_km').value") != "2mi" {
		p.Errorf("the link gives %s, want %s", got, want)
	}
	long := eval[string](p, "import('/static/share.js').then((m) => m.linkFor('/t/spice_template', new URLSearchParams({ template: 'low_pass_rc', 'params.r_ohms': '2k2', note: 'x'.repeat(3000) })))")
	if len(long) > 400 || !strings.Contains(long, "#n=") {
		p.Errorf("the long link is %s", long)
	}
	p.visit("/about")
	p.visit(strings.TrimPrefix(long, p.base))
	p.until("document.querySelector('#result pre')?.textContent.includes('2200')")
	p.visit("/about")
	p.visit("/t/fspl#n=broken")
	p.until("document.querySelector('#result .problem')?.textContent.includes('damaged')")
	eval[bool](p, "document.getElementById('share').click() ?? true")
	p.until("document.querySelector('dialog[open] input[readonly]')?.value.startsWith(location.origin + '/t/fspl')")
}

func pictures(p *tab) {
	for path, want := range map[string]string{
		"/t/rc_filter":           "document.querySelectorAll('.pictures .uplot').length === 2",
		"/t/timer_555":           "document.querySelectorAll('.pictures .uplot').length === 1",
		"/t/tcp_throughput":      "document.querySelectorAll('.pictures .uplot').length >= 1",
		"/t/resistor_color_code": "document.querySelectorAll('.pictures svg rect').length === 4",
		"/t/pcb_thermal":         "document.querySelector('.heat canvas')?.width > 50 && document.querySelector('figcaption output').textContent.includes('°C')",
		"/t/heatsink_cfd":        "document.querySelector('.heat canvas')?.width > 10",
		"/t/compound_interest":   "document.querySelector('.pictures .uplot')",
		"/t/subnet_calculator":   "document.querySelector('#result').innerText.includes('192.168.1.64/26')",
		"/t/loan_amortization" + query("principal", "1000", "annual_rate_pct", "6", "term_years",
			"1"): "document.querySelector('.pictures .uplot') && [...document.querySelectorAll('#result details tr')].length === 13",
	} {
		p.visit(path)
		p.until(want)
	}
}

// troubles verifies that a failed request is reported with its cause, and that typed values are
// kept.
func troubles(p *tab) {
	p.visit("/t/fspl")
	p.until("document.querySelector('[data-out=fspl_db]')")
	eval[bool](p, "(() => { window.realFetch = window.fetch; return true })()")
	response := func(status int, problem, retry string) string {
		return fmt.Sprintf("window.fetch = async () => new Response(%q, { status: %d, headers: { 'Retry-After': %q } }); true", problem, status, retry)
	}
	for _, c := range []struct{ break_, want string }{
		{"window.fetch = async () => { throw new TypeError('failed') }; true", "No connection"},
		{response(429, `{"title":"Too many requests","status":429,"detail":"slow down"}`, "7"),
			"Try again in 7 s"},
		{response(503, `{"title":"Too busy","status":503,"request_id":"abc"}`, "2"), "Request abc"},
		{response(500, `{"title":"Internal error","status":500}`, ""), "defect of the service"},
		{response(403, `{"title":"Page too old","status":403}`, ""), "Reload"},
		{response(200, `<html>`, ""), "could not be read"},
	} {
		eval[bool](p, c.break_)
		p.fill("dist_km", fmt.Sprint(20+len(c.want)))
		p.until(fmt.Sprintf("document.querySelector('#result .problem')?.textContent.includes(%q)",
			c.want))
		if eval[string](p, "document.getElementById('f-dist_km').value") !=
			fmt.Sprint(20+len(c.want)) {
			p.Error("what was typed is lost")
		}
		if !eval[bool](p, "Boolean(document.querySelector('.pending [data-out=fspl_db]'))") {
			p.Error("the last result is gone")
		}
	}
	// The problem document of a limit states the time in the unit that suits it.
	eval[bool](p, response(429, `{"title":"Too many requests","status":429,`+
		`"detail":"five keys; try again in 21 min"}`, "1246"))
	p.fill("dist_km", "60")
	p.until("document.querySelector('#result .problem')?.textContent.includes('in 21 min')")
	shown := eval[string](p, "document.querySelector('#result .problem').textContent")
	if strings.Contains(shown, "1246") || strings.Count(shown, "Too many") != 1 {
		p.Errorf("the time is stated twice: %s", shown)
	}
	eval[bool](p, "(() => { window.fetch = window.realFetch; return true })()")
	p.fill("dist_km", "5")
	p.until("!document.querySelector('#result .problem') && document.querySelector('[data-out=fspl_db]').innerText.includes('105.7')")
}

// hostile verifies that markup in addresses, labels and netlists is shown as text.
func hostile(p *tab) {
	p.excused = []string{"status of 400", "status of 404"}
	for _, h := range []string{`<script>window.pwned=1</script>`,
		`"><img src=x onerror=window.pwned=1>`, `</script><svg onload=window.pwned=1>`} {
		for _, path := range []string{
			"/" + query("q", h),
			"/t/spice_simulate" + query("netlist", h, "tolerances."+h, "1", h, h),
			"/t/unit_convert" + query("value", "1", "from_unit", h, "to_unit", h),
			"/t/power_cost" + query("devices.0.name", h, "devices.0.watts", "100"),
			"/chain#c=" + query("x", h), "/t/" + query("", h)[2:], "/docs" + query("x", h),
		} {
			// Otherwise only the hash would change, and no page would load.
			p.visit("/static/icon.svg")
			p.visit(path)
			p.until("document.readyState === 'complete'")
			if eval[bool](p,
				"window.pwned === 1 || Boolean(document.querySelector('img, svg[onload]'))") {
				p.Errorf("%s became markup", path)
			}
		}
	}
	p.visit("/t/power_cost" + query("devices.0.name", "<b>x</b>", "devices.0.watts", "100"))
	p.until("document.querySelector('#result').innerText.includes('<b>x</b>')")
}

func scheme(p *tab) {
	p.visit("/t/fspl")
	p.until("document.getElementById('theme').offsetParent")
	background := func() string {
		return eval[string](p, "getComputedStyle(document.body).backgroundColor")
	}
	choose := func(name string) {
		for range 3 {
			if eval[string](p, "document.documentElement.dataset.theme ?? 'auto'") == name {
				return
			}
			eval[bool](p, "document.getElementById('theme').click() ?? true")
		}
		p.Fatalf("no scheme %s", name)
	}
	choose("light")
	light := background()
	choose("dark")
	if dark := background(); dark == light {
		p.Errorf("dark looks like light: %s", dark)
	}
	p.visit("/")
	if eval[string](p, "document.documentElement.dataset.theme") != "dark" {
		p.Error("the scheme is not kept")
	}
}

// keyboard verifies that a user can find a tool, fill in its form and read the result without a
// mouse.
func keyboard(p *tab) {
	p.visit("/")
	p.until("document.getElementById('theme').offsetParent")
	p.shortcut("j")
	p.shortcut("j")
	if eval[string](p, "document.activeElement.textContent") != "Link budget" {
		p.Error("j does not walk the list")
	}
	p.shortcut("/")
	p.press("vswr")
	p.until("document.querySelector('#hits a')")
	p.press("\r")
	p.until(
		"location.pathname === '/t/vswr' && document.querySelector('[data-out=return_loss_db]')")
	p.do(chromedp.KeyEvent("1", chromedp.KeyModifiers(chromedp.ModifierAlt)))
	p.until("document.activeElement.id === 'f-vswr'")
	eval[bool](p, "document.activeElement.select() ?? true")
	p.press("2")
	p.until(
		"document.querySelector('[data-out=return_loss_db] .number').innerText.startsWith('9.54')")
	p.press("\t")
	if eval[bool](p, "document.activeElement === document.body") {
		p.Error("Tab leads nowhere")
	}
	if eval[string](p, "getComputedStyle(document.activeElement).outlineStyle") == "none" {
		p.Error("the focus cannot be seen")
	}
	eval[bool](p, "document.activeElement.blur() ?? true")
	p.shortcut("?")
	p.until("document.querySelector('dialog[open]')")
	p.press("\x1b")
	p.until("!document.querySelector('dialog')")
}

func job(p *tab) {
	p.visit("/t/spice_simulate?example=2")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	eval[bool](p, "document.getElementById('run').click() ?? true")
	p.until("document.querySelectorAll('.pictures .uplot').length > 0")

	deck, _ := json.Marshal(slowNetlist("page")["netlist"])
	eval[bool](p, fmt.Sprintf("(() => { const f = document.getElementById('f-netlist'); f.value = %s; document.getElementById('run').click(); return true })()", deck))
	p.until("document.querySelector('#result progress')")
	address := eval[string](p, "[...document.querySelectorAll('#result a')].find((a) => a.pathname.startsWith('/jobs/')).pathname")
	// The button keeps the focus during the run, but neither a click nor a key starts another one.
	if n := eval[int](p, `(async () => {
		const run = document.getElementById('run'), whole = window.fetch;
		let sent = 0;
		window.fetch = (...args) => { sent += args[1]?.method === 'POST'; return whole(...args); };
		run.click();
		run.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
		await new Promise((done) => { setTimeout(done, 200); });
		window.fetch = whole;
		return sent;
	})()`); n != 0 {
		p.Errorf("%d runs were sent during a run", n)
	}
	eval[bool](p, "(() => { const b = [...document.querySelectorAll('#result button')].find((x) => x.textContent === 'Cancel'); b.focus(); b.click(); return true })()")
	cancelled := "[...document.querySelectorAll('#result .absent')].some((e) => e.textContent === 'The job was cancelled.')"
	p.until(cancelled)
	p.expect("document.activeElement.id === 'run' && !document.querySelector('#result .problem')")
	// The page follows the job by server-sent events, and requests the job only once, when it ends.
	const looks = "performance.getEntriesByType('resource').filter((e) => /[/]ui[/]jobs[/][0-9a-f]{32}$/.test(e.name) && e.initiatorType === 'fetch').length"
	if n := eval[int](p, looks); n > 2 { // the cancellation and the final state
		p.Errorf("the page looked %d times at a job whose events it had", n)
	}
	p.visit(address)
	p.until(cancelled)
	p.excused = []string{"status of 404"}
	p.visit("/jobs/" + strings.Repeat("0", 32))
	p.until("document.querySelector('#result .problem')?.textContent.includes('expired')")

	// The page polls if a proxy buffers events.
	p.visit("/t/spice_simulate")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	deck, _ = json.Marshal(slowNetlist("held back")["netlist"])
	eval[bool](p, "(window.EventSource = class { addEventListener() {} close() {} }) && true")
	eval[bool](p, fmt.Sprintf("(() => { const f = document.getElementById('f-netlist'); f.value = %s; document.getElementById('run').click(); return true })()", deck))
	p.until(looks + " > 0")
}

// service verifies that /keys issues a key, that /docs sends a call, and that the settings for MCP
// clients follow the check boxes.
func service(p *tab) {
	p.visit("/keys")
	p.until("document.getElementById('theme').offsetParent")
	eval[bool](p, "document.getElementById('label').focus() ?? true")
	p.press("<b>bench</b>")
	// A second click before the response issues no second key.
	eval[bool](p, "(() => { const real = fetch; window.issued = 0; window.fetch = (...r) => { window.issued++; return real(...r); }; const b = document.querySelector('#issue button'); b.click(); b.click(); return true })()")
	p.until("/^sl_[0-9a-f]{40}$/.test(document.getElementById('newkey')?.textContent)")
	p.expect("window.issued === 1")
	p.expect("document.querySelector('.two').innerText.split('X-Api-Key').length === 2")
	eval[bool](p, "document.querySelector('#usage button').click() ?? true")
	p.until("document.getElementById('left').textContent.includes('4999 left')")

	p.visit("/docs")
	p.until("document.getElementById('body').value.includes('freq_mhz')")
	eval[bool](p, "document.querySelector('#call button').click() ?? true")
	p.until("document.querySelector('#answer pre')?.textContent.includes('105.655605')")
	p.excused = []string{"status of 400", "status of 404", "status of 405"}
	eval[bool](p, "(() => { document.getElementById('body').value = '{\"freq_mhz\": \"x\"}'; document.querySelector('#call button').click(); return true })()")
	p.until(
		"document.querySelector('#answer pre')?.textContent.includes('/problems/invalid-input')")

	p.visit("/mcp/setup")
	all, rf := toolCounts(p)
	p.until(fmt.Sprintf("document.getElementById('count').textContent.startsWith('%d tools')", all))
	eval[bool](p, "(() => { for (const b of document.querySelectorAll('[name=category]')) if (b.value !== 'rf') b.click(); return true })()")
	p.until(fmt.Sprintf("document.getElementById('count').textContent.startsWith('%d tools') && document.getElementById('config').textContent.includes('/mcp?tools=rf')", rf))
	eval[bool](p, "document.getElementById('test').click() ?? true")
	p.until("/responds with 13 tools|has no MCP endpoint/.test(document.getElementById('tested').textContent)")
}

// sliders verifies that 100 steps multiply a positive number by ten, as in 5 km · 10^0.3 = 9.98 km.
// They change a level by its own magnitude. It also verifies that the result follows.
func sliders(p *tab) {
	p.visit("/t/link_budget")
	p.until("document.querySelector('#result .value.first') && document.getElementById('sliders')")
	p.click("#sliders")
	p.until("document.querySelectorAll('.slider').length > 5")
	slide := func(field string, place int) {
		eval[bool](p, fmt.Sprintf("(() => { const s = document.querySelector('[data-field=%s] .slider'); s.focus(); s.value = %d; return s.dispatchEvent(new Event('input', { bubbles: true })); })()", field, place))
	}
	slide("dist_km", 30)
	// The margin is 48.64 - 20·log10(9.98/5) = 42.64 dB.
	p.until("document.getElementById('f-dist_km').value === '9.98' && document.querySelector('#result .value.first .number').innerText.startsWith('42.6')")
	p.expect("document.querySelector('[data-field=dist_km] .slider').getAttribute('aria-valuetext') === '9.98 km'")
	slide("rx_sensitivity_dbm", -10)
	p.until("document.getElementById('f-rx_sensitivity_dbm').value === '-143' && document.querySelector('#result .value.first .number').innerText.startsWith('55.6')")
	p.seriousFaults("sliders")
	p.click("#sliders")
	p.until("document.querySelectorAll('.slider').length === 0")
}

// severalUnits verifies one field per quantity, with a picker of its units. 14 drives of 18 TB are
// 252 TB, and 252e12/2^40 is 229.2 TiB.
func severalUnits(p *tab) {
	p.visit("/t/zfs_capacity")
	raw := "document.querySelector('[aria-label=\"Unit of Raw capacity\"]')"
	p.until(raw)
	p.expect("!document.querySelector('#result').innerText.includes('Raw capacity (')")
	number := raw + ".closest('.number').firstChild.textContent"
	if got := eval[string](p, number); got != "252" {
		p.Errorf("raw capacity is %q TB, want 252", got)
	}
	p.expect("(() => { const s = " + raw + "; s.value = 'TiB'; return s.dispatchEvent(new Event('change')); })()")
	p.expect(number + ".startsWith('229.2') && document.activeElement === " + raw)
	p.fill("vdev_count", "1")
	p.until(number + ".startsWith('114.6')") // the unit stays
}
