package e2e

import (
	"strings"
	"testing"
)

// notebookTitles evaluates to the titles of the notebook's results in their order.
const notebookTitles = "[...document.querySelectorAll('.note h2')].map((h) => h.textContent).join('|')"

// notebookPins verifies that results of tools, chains and simulations can be pinned, annotated and
// reordered by keyboard. It also verifies that they survive a reload, and that a link restores them
// with the same numbers.
func notebookPins(p *tab) {
	for _, path := range []string{"/t/fspl?freq_mhz=915&dist_km=5", "/t/rc_filter"} {
		p.visit(path)
		p.until("document.querySelector('#result .value')")
		eval[bool](p, "document.getElementById('pin').click() ?? true")
		p.until("document.querySelector('.to-notebook')")
	}
	p.visit("/chain")
	p.until("document.querySelector('.step .value')")
	eval[bool](p, "document.getElementById('pin').click() ?? true")
	p.until("document.querySelector('.to-notebook')")
	p.openSpice(transient)
	p.runSpice(aCurve)
	eval[bool](p, "document.getElementById('pin').click() ?? true")
	p.until("document.querySelector('.to-notebook')")

	p.visit("/notebook")
	p.until("document.querySelectorAll('.note').length === 4 && document.querySelectorAll('.note .value').length > 5")
	p.until("document.querySelectorAll('.note-step').length > 1 && document.querySelector('.note img')?.naturalWidth > 100")
	p.until("document.querySelector('.note-method').textContent.includes('ITU-R')")
	// 20·log10(4π·5 km·915 MHz/c)
	p.until("document.querySelector('.note .number').title.startsWith('105.65')")
	p.expect("!document.getElementById('notebook').innerText.includes('Element count') && document.getElementById('notebook').innerText.includes('Newton iteration')")
	p.seriousFaults("the notebook")
	before := strings.Split(eval[string](p, notebookTitles), "|")
	eval[bool](p, "document.querySelector('.note [title=\"Move down\"]').click() ?? true")
	after := strings.Split(eval[string](p, notebookTitles), "|")
	if after[0] != before[1] || after[1] != before[0] {
		p.Errorf("moved: %q to %q", before, after)
	}
	p.expect("document.activeElement.title === 'Move down' && document.activeElement.closest('.note').dataset.id === document.querySelectorAll('.note')[1].dataset.id")
	eval[bool](p, "(() => { const t = document.querySelectorAll('.note textarea')[1]; t.value = 'for the mast <b>'; t.dispatchEvent(new Event('input')); return true })()")
	p.visit("/notebook")
	p.until("document.querySelectorAll('.note textarea')[1]?.value === 'for the mast <b>'")
	if got := strings.Split(eval[string](p, notebookTitles), "|"); got[1] != before[0] {
		p.Errorf("after a reload: %q", got)
	}

	eval[bool](p, "document.getElementById('notebook-share').click() ?? true")
	p.until("document.getElementById('notebook-link')?.value.includes('#n=')")
	link := eval[string](p, "document.getElementById('notebook-link').value")
	eval[bool](p, "localStorage.clear() ?? true")
	p.visit("/notebook")
	p.until("document.getElementById('notebook-empty').offsetHeight > 0")
	p.expect("document.getElementById('notebook-acts').offsetHeight === 0")
	p.visit("/about")
	p.visit(strings.TrimPrefix(link, p.base))
	p.until("!document.getElementById('notebook-shared').hidden && document.querySelectorAll('.note').length === 4")
	p.until(
		"document.querySelectorAll('.note')[1].querySelector('.number')?.title.startsWith('105.65')")
	p.expect("localStorage.getItem('notebook') === null")
	eval[bool](p, "document.getElementById('notebook-keep').click() ?? true")
	p.until("JSON.parse(localStorage.getItem('notebook')).items.length === 4")

	eval[bool](p, "document.querySelector('.note [title=Remove]').click() ?? true")
	p.until("document.querySelectorAll('.note').length === 3")
}

// notebookFull verifies that two notebooks that exceed the limit together both remain unchanged.
func notebookFull(p *tab) {
	p.visit("/notebook")
	eval[bool](p, `localStorage.setItem('notebook', JSON.stringify({ title: '', items: Array.from({ length: 59 }, () => ({ tool: 'tip_calculator', request: { bill_amount: 50, tip_pct: 15 } })) })) ?? true`)
	p.visit("/notebook")
	p.until("document.querySelectorAll('.note').length === 59")
	eval[bool](p, "document.getElementById('notebook-share').click() ?? true")
	p.until("document.querySelector('dialog[open]')")
	link := eval[string](p, `(async () => {
		const { pack } = await import('/static/share.js');
		return '/notebook#n=' + await pack(JSON.stringify({ title: '', items: [1, 2].map((n) => ({ tool: 'tip_calculator', request: { bill_amount: n, tip_pct: 15 } })) }));
	})()`)
	p.visit("/about")
	p.visit(link)
	p.until("document.querySelectorAll('.note').length === 2")
	eval[bool](p, "document.getElementById('notebook-keep').click() ?? true")
	p.until("document.getElementById('notebook-trouble').textContent.includes('61 results together')")
	p.expect("JSON.parse(localStorage.getItem('notebook')).items.length === 59 && document.querySelectorAll('.note').length === 2")
	eval[bool](p, "localStorage.clear() ?? true")
}

// notebookHostile verifies that a damaged link and stored values of other types are reported or
// ignored.
func notebookHostile(p *tab) {
	p.excused = []string{"status of 400"}
	p.visit("/notebook#n=abc")
	p.until("document.getElementById('notebook-trouble').textContent.includes('damaged')")
	eval[bool](p, `localStorage.setItem('notebook', JSON.stringify({ title: 7, items: [null, 3, { tool: '../x', request: {} }, { tool: 'fspl', request: { freq_mhz: -1, dist_km: 5 }, pictures: ['javascript:1'], note: '<img src=x>' }] })) ?? true`)
	p.visit("/notebook")
	p.until("document.querySelectorAll('.note').length === 1 && document.querySelector('.note .problem')")
	p.expect("document.querySelectorAll('.note img').length === 0")
	eval[bool](p, `localStorage.setItem('notebook', '{') ?? true`)
	p.visit("/notebook")
	p.until("!document.getElementById('notebook-empty').hidden")
}

// notebookForged verifies that the page recomputes the results of a forged link.
func notebookForged(p *tab) {
	p.excused = []string{"status of 400"}
	p.visit("/notebook")
	link := eval[string](p, `(async () => {
		const { pack } = await import('/static/share.js');
		const items = [{ tool: 'fspl', title: 'T', request: { freq_mhz: 915, dist_km: 5 }, envelope: { result: { fspl_db: 1, wavelength_m: 1 }, version: '1' } },
			{ tool: 'fspl', request: {}, steps: [{ tool: '../../keys' }] }, { tool: 'fspl', title: 'C', request: {}, steps: {} }, { tool: 'fspl', title: 'D', request: {}, steps: Array(99).fill({ tool: 'fspl', values: 1, from: 1 }) }];
		return '/notebook#n=' + await pack(JSON.stringify({ title: 't', items }));
	})()`)
	p.visit("/about")
	p.visit(link)
	p.until("document.querySelector('.note .number')?.title.startsWith('105.65')")
	p.until("document.querySelectorAll('.note').length === 3 && [...document.querySelectorAll('.note .problem')].at(-1)?.textContent.includes('damaged')")
}

// notebookTabs verifies that a note written in one tab keeps a result pinned in another tab.
func notebookTabs(p *tab) {
	p.visit("/about")
	eval[bool](p, `localStorage.setItem('notebook', JSON.stringify({ title: '', items: [{ tool: 'fspl', title: 'first', request: { freq_mhz: 915, dist_km: 5 } }] })) ?? true`)
	p.visit("/notebook")
	p.until("document.querySelectorAll('.note').length === 1")
	eval[bool](p, `(() => {
		const items = [...JSON.parse(localStorage.getItem('notebook')).items, { tool: 'fspl', title: 'second', request: { freq_mhz: 868, dist_km: 1 } }];
		localStorage.setItem('notebook', JSON.stringify({ title: '', items }));
		dispatchEvent(new StorageEvent('storage', { key: 'notebook' }));
		return true;
	})()`)
	p.until("document.querySelectorAll('.note').length === 2")
	eval[bool](p, "(() => { const t = document.querySelector('.note textarea'); t.value = 'n'; t.dispatchEvent(new Event('input')); return true })()")
	p.until("JSON.parse(localStorage.getItem('notebook')).items.map((i) => i.title + i.note).join() === 'firstn,second'")
}

// notebookLong verifies that a notebook that exceeds the length of a link is offered as a file.
func notebookLong(p *tab) {
	p.visit("/about")
	eval[bool](p, `localStorage.setItem('notebook', JSON.stringify({ title: 't', items: Array.from({ length: 40 }, (_, i) => ({ tool: 'fspl', title: 'T' + i, request: { freq_mhz: 100 + i, dist_km: 5 }, note: Array.from(crypto.getRandomValues(new Uint8Array(400)), (b) => b.toString(36)).join('') })) })) ?? true`)
	p.visit("/notebook")
	p.until("document.querySelectorAll('.note').length === 40")
	eval[bool](p, "document.getElementById('notebook-share').click() ?? true")
	p.until("document.querySelector('dialog .problem')?.textContent.includes('8000')")
}

// TestNotebookPage verifies the notebook in a browser.
func TestNotebookPage(t *testing.T) {
	t.Parallel()
	runParts(t, []part{
		{"pin, note, order, link", notebookPins},
		{"hostile values", notebookHostile},
		{"full", notebookFull},
		{"forged results", notebookForged},
		{"two tabs", notebookTabs},
		{"too long for a link", notebookLong},
	})
}
