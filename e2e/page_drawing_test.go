package e2e

import (
	"strings"

	"github.com/chromedp/cdproto/emulation"
)

// drawings verifies that the drawing of a tool follows the form and the result, highlights the
// field in focus, and can be saved.
func drawings(p *tab) {
	value := func(field string) string {
		return eval[string](p,
			"document.querySelector('#drawing [data-f~="+field+"] .v').textContent")
	}
	want := func(field, text string) {
		p.Helper()
		if got := value(field); got != text {
			p.Errorf("%s is drawn as %q, want %q", field, got, text)
		}
	}
	// The result is 6 V, for 12 V over 10 kΩ and 10 kΩ.
	p.visit("/t/voltage_divider" + query("vin_v", "12", "r1_ohm", "10k", "r2_ohm", "10k"))
	p.until("document.querySelector('#drawing [data-f~=vout_v] .v').textContent === '6 V'")
	want("r1_ohm", "10 kΩ")
	p.expect("document.querySelector('#drawing [data-if=load_ohm]').hasAttribute('hidden')")
	p.fill("load_ohm", "10k")
	// The result is 12 V · 5/15.
	p.until("document.querySelector('#drawing [data-f~=vout_v] .v').textContent === '4 V'")
	want("load_ohm", "10 kΩ")
	p.expect("!document.querySelector('#drawing [data-if=load_ohm]').hasAttribute('hidden')")
	p.expect("document.querySelector('#drawing .on')?.dataset.f === 'load_ohm'")
	p.fill("load_ohm", "nonsense")
	want("load_ohm", "")
	eval[bool](p, "document.activeElement.blur() ?? true")
	p.expect("!document.querySelector('#drawing .on')")
	eval[bool](p, "document.querySelector('#drawing [data-f=r2_ohm] path').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
	p.expect("document.activeElement.id === 'f-r2_ohm'")

	// The next page keeps the choice of symbols.
	shown := func(symbols string) bool {
		return eval[bool](p, "document.querySelector('#drawing ."+symbols+"').checkVisibility()")
	}
	if !shown("iec") || shown("ansi") {
		p.Error("IEC symbols are not the first choice")
	}
	eval[bool](p, "[...document.querySelectorAll('#drawing button')].find((b) => b.textContent === 'ANSI symbols').click() ?? true")
	p.visit("/t/rc_filter")
	p.settled()
	if shown("iec") || !shown("ansi") {
		p.Error("the choice of ANSI symbols is lost")
	}

	// A selection in the form selects the variant of the drawing.
	p.visit("/t/timer_555")
	p.settled()
	p.expect("document.querySelector('#drawing [data-is=monostable]').hasAttribute('hidden')")
	eval[bool](p, "(() => { const f = document.getElementById('f-mode'); f.value = 'monostable'; return f.dispatchEvent(new Event('input', { bubbles: true })) })()")
	p.expect("document.querySelector('#drawing [data-is=astable]').hasAttribute('hidden') && !document.querySelector('#drawing [data-is=monostable]').hasAttribute('hidden')")

	// A field name such as "length" does not select a property of the form element.
	p.visit("/t/square_footage" + query("length", "12.5", "width", "10"))
	p.settled()
	want("length", " = 12.5")
	want("width", "10")

	// The saved file has the colours and the result, and omits hidden elements.
	p.visit("/t/ohms_law" + query("voltage_v", "12", "resistance_ohm", "6"))
	p.until("document.querySelector('#drawing [data-f=current_a] .v').textContent === ' = 2 A'")
	file := eval[string](p, `new Promise((done) => {
		const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => { blob.text().then(done); return make.call(URL, blob); };
		[...document.querySelectorAll('#drawing button')].find((b) => b.textContent === 'SVG').click();
	})`)
	for _, w := range []string{`xmlns="http://www.w3.org/2000/svg"`, "12 V", "2 A", "Power: 24",
		`stroke="rgb(`} {
		if !strings.Contains(file, w) {
			p.Errorf("the file lacks %s: %s", w, file)
		}
	}
	if strings.Contains(file, "class=") || strings.Count(file, "<svg") != 1 {
		p.Errorf("the file depends on a style sheet: %s", file)
	}

	// The server draws the values without scripts, and the printed page keeps them.
	command(p, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true})
	p.visit("/t/voltage_divider" + query("vin_v", "12", "r1_ohm", "10k", "r2_ohm", "10k"))
	want("r1_ohm", "10 kΩ")
	// Actions that need scripts take no place.
	p.expect("getComputedStyle(document.querySelector('.head .acts')).display === 'none'")
	command(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
	p.media(emulation.SetEmulatedMediaParams{Media: "print"})
	p.expect("document.querySelector('#drawing svg').checkVisibility()")
	p.media(emulation.SetEmulatedMediaParams{})
}
