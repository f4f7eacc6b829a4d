package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// schematicCases are schematics of LTspice with their netlists. The netlists were derived by hand
// from the positions of pins in lib/sym.
var schematicCases = []struct{ name, asc, want, warning string }{
	{"divider, rotated R90 at its position, label on a wire", `Version 4
SHEET 1 880 680
WIRE 112 112 0 112
WIRE 240 112 192 112
FLAG 0 192 0
FLAG 240 112 out
SYMBOL voltage 0 96 R0
SYMATTR InstName V1
SYMATTR Value 5
SYMBOL res 208 96 R90
SYMATTR InstName R1
SYMATTR Value 1k
SYMBOL res 224 96 R0
SYMATTR InstName R2
SYMATTR Value 2.2µ
FLAG 240 192 0
TEXT 0 300 Left 2 !.op\n.temp 25
TEXT 0 320 Left 2 ;a remark
`, "V1 n001 0 5|R1 out n001 1k|R2 out 0 2.2u|.op|.temp 25|* a remark", ""},
	{"wires that cross do not join, an end on a wire joins", `Version 4
WIRE 0 0 200 0
WIRE 100 -100 100 100
WIRE 50 0 50 80
FLAG 0 0 a
FLAG 100 -100 b
SYMBOL cap 34 80 R0
SYMATTR InstName C1
SYMATTR Value 1n
SYMBOL cap 84 100 R0
SYMATTR InstName C2
SYMATTR Value 2n
FLAG 50 144 0
FLAG 100 164 0
`, "C1 a 0 1n|C2 b 0 2n", ""},
	{"mirrored transistors and a MOSFET of three pins", `Version 4
FLAG 36 0 c
FLAG 100 48 b
FLAG 36 96 0
SYMBOL npn 100 0 M0
SYMATTR InstName Q1
FLAG 248 200 vdd
FLAG 200 216 g
FLAG 248 296 d
SYMBOL pmos 200 296 M180
SYMATTR InstName M1
SYMATTR Value MYP
TEXT 0 0 Left 2 !.model MYP PMOS
`, "Q1 c b 0 NPN|M1 d g vdd vdd MYP|.model MYP PMOS|.model NPN NPN", ""},
	{"a folder with a space, an empty value", `Version 4
WIRE 0 96 0 112
FLAG 0 192 0
FLAG 0 112 out
SYMBOL my parts\\voltage 0 96 R0
SYMATTR InstName V1
SYMATTR Value ""
SYMATTR Value2 AC 1
SYMBOL res -16 96 R0
SYMATTR InstName R1
SYMATTR Value 1k
FLAG 0 112 out
`, "V1 out 0 AC 1|R1 out 0 1k", ""},
	{"labels that two nodes share", `Version 4
WIRE 0 0 100 0
WIRE 0 100 100 100
FLAG 0 0 a
FLAG 100 0 b
FLAG 0 100 B
FLAG 100 100 c
FLAG 300 0 c
SYMBOL res -16 -16 R0
SYMATTR InstName R1
SYMATTR Value 1
SYMBOL res 84 4 R0
SYMATTR InstName R2
SYMATTR Value 2
SYMBOL res 284 -16 R0
SYMATTR InstName R3
SYMATTR Value 3
`, "R1 a n001 1|R2 n002 a 2|R3 a n003 3", "The labels a and c are on one node; it is called a."},
	{"a label N001 beside a node without a label", `Version 4
FLAG 0 0 N001
SYMBOL res -16 -16 R0
SYMATTR InstName R1
SYMATTR Value 1
`, "R1 N001 n002 1", ""},
	{"a pin where wires cross joins them, and the node keeps its label", `Version 4
WIRE -50 0 50 0
WIRE 0 -50 0 50
FLAG -50 0 in
FLAG 0 50 0
SYMBOL res -16 -16 R0
SYMATTR InstName R1
SYMATTR Value 1
`, "R1 0 n001 1", "The labels 0 and in are on one node"},
	{"a symbol without known pins", `Version 4
FLAG 16 0 0
FLAG 16 64 a
SYMBOL cap 0 0 R0
SYMATTR InstName C1
SYMATTR Value 1n
SYMBOL Opamps\\LT1001 100 0 R0
SYMATTR InstName U1
TEXT 0 0 Left 2 !.lib my.lib
`, "C1 0 a 1n|* U1 is missing: symbol Opamps\\\\LT1001, value none|* .lib my.lib", "lt1001.asy"},
	{"special functions: pins without a connection are on the common node", `Version 4
WIRE 0 64 -100 64
WIRE 200 64 64 64
FLAG -100 64 in
FLAG 200 64 x
SYMBOL Digital\\inv 0 0 R0
SYMATTR InstName A1
SYMATTR Value2 Vhigh=5 Td=1n
SYMBOL Digital\\and 232 32 R0
SYMATTR InstName A2
FLAG 200 96 in
FLAG 264 80 out
SYMBOL SpecialFunctions\\sample 480 0 R0
SYMATTR InstName A3
FLAG 400 -32 out
FLAG 400 32 in
FLAG 400 96 vee
FLAG 576 16 held
`, "A1 in 0 0 0 0 x 0 0 BUF Vhigh=5 Td=1n|A2 x 0 in 0 0 0 out 0 AND|" +
		"A3 out vee in vee vee vee held vee SAMPLEHOLD", ""},
	{"an element whose name has another first letter", `Version 4
FLAG 16 16 a
FLAG 16 96 0
SYMBOL res 0 0 R0
SYMATTR InstName load
SYMATTR Value 50
`, "R_load a 0 50", "R_load"},
}

// dropFiles is a function of the page that drops files from pairs of name and Base64 content.
const dropFiles = `(list) => {
	const carried = new DataTransfer();
	for (const [name, body] of list) carried.items.add(new File([Uint8Array.from(atob(body), (c) => c.charCodeAt(0))], name));
	for (const kind of ['dragover', 'drop']) document.getElementById('lab').dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
	return true;
}`

// file is a file that is dropped on the page.
type file struct {
	name string
	body []byte
}

// drop drops files on the page of the simulator.
func (p *tab) drop(files ...file) {
	p.Helper()
	list := [][2]string{}
	for _, f := range files {
		list = append(list, [2]string{f.name, base64.StdEncoding.EncodeToString(f.body)})
	}
	raw, _ := json.Marshal(list)
	eval[bool](p, fmt.Sprintf("(%s)(%s)", dropFiles, raw))
}

const netlistText = "document.getElementById('f-netlist').value"

// spiceFiles verifies that schematics become netlists, and that waveform files are drawn beside the
// run. It also verifies that other files are rejected with the reason.
func spiceFiles(p *tab) {
	p.openSpice("t\nV1 a 0 1\nR1 a 0 1k\n.op\n.end\n")
	for _, c := range schematicCases {
		p.drop(file{"case.asc", []byte(c.asc)})
		want := "* case\n" + strings.ReplaceAll(c.want, "|", "\n") + "\n.end\n"
		quoted, _ := json.Marshal(want)
		p.until(netlistText + ".startsWith('* case') && document.getElementById('opened')")
		deadline := "(" + netlistText + " === " + string(quoted) + ")"
		for range 200 {
			if eval[bool](p, deadline) {
				break
			}
		}
		if got := eval[string](p, netlistText); got != want {
			p.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
		if w := eval[string](p, "document.getElementById('opened').textContent"); !strings.Contains(
			w, c.warning) || (c.warning == "" && w != "") {
			p.Errorf("%s: warning %q, want %q", c.name, w, c.warning)
		}
	}

	// The symbol's own file defines its pins; the schematic is in UTF-16 as LTspice XVII writes it.
	symbol := "Version 4\nSymbolType CELL\nPIN 0 32 NONE 0\nPINATTR PinName B\nPINATTR SpiceOrder 2\nPIN 0 0 NONE 0\nPINATTR PinName A\nPINATTR SpiceOrder 1\nSYMATTR Prefix X\nSYMATTR Value box\n"
	schematic :=
		"Version 4\nFLAG 10 10 a\nFLAG 10 42 0\nSYMBOL my\\box 10 10 R0\nSYMATTR InstName X1\n"
	wide := []byte{0xff, 0xfe}
	for _, r := range schematic {
		wide = append(wide, byte(r), 0)
	}
	p.drop(file{"own.asc", wide}, file{"box.asy", []byte(symbol)})
	p.until(netlistText + ".includes('X1 a 0 box')")

	for name, want := range map[string]string{"x.pdf": "is not read", "x.asy": "no pins",
		"x.raw": "no waveform file", "k.net": "netlist of KiCad", "y.asc": "Version 4"} {
		p.drop(file{name, []byte("(export (version D))\n")})
		p.until(fmt.Sprintf("document.getElementById('trouble').textContent.includes(%q)", want))
	}
	p.seriousFaults("opened files")
}

const transient = "RC\nV1 in 0 SIN(0 1 1k)\nR1 in out 1k\nC1 out 0 100n\n.tran 5u 2m\n.end\n"

// ltspiceRaw is a function of the page that writes a waveform file in LTspice's format for
// transients. The header is UTF-16, time is a double, and the rest is in single precision. A
// negative time marks a point that LTspice's compression kept.
const ltspiceRaw = `() => {
	const n = 401;
	const head = ['Title: * case', 'Plotname: Transient Analysis', 'Flags: real forward', 'No. Variables: 2', 'No. Points: ' + n, 'Offset:   0', 'Variables:', '\t0\ttime\ttime', '\t1\tV(out)\tvoltage', 'Binary:', ''].join('\n');
	const bytes = new Uint8Array(head.length * 2 + n * 12);
	[...head].forEach((c, i) => { bytes[2 * i] = c.charCodeAt(0); });
	const view = new DataView(bytes.buffer, head.length * 2);
	for (let i = 0; i < n; i++) {
		const t = i * 5e-6;
		view.setFloat64(12 * i, i === 7 ? -t : t, true);
		view.setFloat32(12 * i + 8, Math.sin(2000 * Math.PI * t), true);
	}
	return bytes;
}`

// rawCases is a function of the page that reads waveform files in double precision. For each file
// it returns the lengths of the steps, the names and the warnings, or the read error.
const rawCases = `async () => {
	const { readRaw } = await import('/static/spice_raw.js');
	const read = (flags, variables, rows, bytes = rows.flat().length * 8) => {
		const head = new TextEncoder().encode('Title: t\nPlotname: p\nFlags: ' + flags + '\nNo. Variables: ' + variables.length + '\nNo. Points: ' + rows.length + '\nVariables:\n' + variables.map((v, i) => '\t' + i + '\t' + v + '\n').join('') + 'Binary:\n');
		const data = new Uint8Array(new Float64Array(rows.flat()).buffer).slice(0, bytes);
		const all = new Uint8Array(head.length + data.length);
		all.set(head);
		all.set(data, head.length);
		try {
			const r = readRaw(all.buffer);
			return r.runs.map((x) => x.to - x.from).join() + ' ' + r.curves.map((c) => c.name).join() + ' ' + r.warnings.join();
		} catch (error) { return error.message; }
	};
	const text = new TextEncoder().encode('Title: t\nFlags: real\nNo. Variables: 2\nNo. Points: 1\nVariables:\n\t0\ttime\ttime\n\t1\tv(1)\tvoltage\nValues:\n0\t0\n\t1\n\nTitle: u\nFlags: real\n');
	return [
		read('real', ['time\ttime', 'v(a)\tvoltage', 'v(b)\tvoltage'], [[0, 1, 2], [1, 1, 2], [2, 1, 2], [3, 1, 2]], 72),
		read('real stepped', ['v1\tvoltage', 'v(a)\tvoltage'], [[5, 0], [4, 0], [3, 0], [5, 0], [4, 0], [3, 0]]),
		read('real', ['time\ttime', 'out\tvoltage', 'l.x1.l1#branch\tcurrent', 'Ix(u1:1)\tdevice_current'], [[0, 1, 2, 3]]),
		readRaw(text.buffer).warnings.join(),
	];
}`

// spiceRaw verifies truncated files, decreasing steps, names without v(), and files of several
// plots.
func spiceRaw(p *tab) {
	p.visit("/spice")
	got := eval[[]string](p, "("+rawCases+")()")
	for i, want := range []string{"ends early: 4 points of 3 variables need 96 bytes, and 72",
		"3,3 v(a) ", "1 v(out),i(l.x1.l1) 1 variables are left out, since they are no v(), i() or p(): ix(u1:1).", "further plots"} {
		if !strings.Contains(got[i], want) {
			p.Errorf("file %d: %q lacks %q", i, got[i], want)
		}
	}
}

// spiceCompare verifies that the curves of a file are drawn beside those of a run, with the largest
// difference between them. It also verifies that files of LTspice and ngspice are read exactly.
func spiceCompare(p *tab) {
	p.openSpice(transient)
	p.runSpice(aCurve)
	last := eval[[]float64](p, `(async () => {
		const { readRaw } = await import('/static/spice_raw.js');
		const raw = readRaw((`+ltspiceRaw+`)().buffer);
		return [raw.x.length, raw.runs.length, Math.round(raw.x[7] * 1e9), raw.curves[0].re[50]];
	})()`)
	if last[0] != 401 || last[1] != 1 || last[2] != 35e3 || last[3] != 1 {
		p.Errorf("waveform file of LTspice: %v", last)
	}
	eval[bool](p, `(() => {
		const carried = new DataTransfer();
		carried.items.add(new File([(`+ltspiceRaw+`)()], 'lt.raw'));
		document.getElementById('lab').dispatchEvent(new DragEvent('drop', { dataTransfer: carried, bubbles: true, cancelable: true }));
		return true;
	})()`)
	p.until("document.querySelector('.found .compared')?.textContent.includes('v(out), lt.raw: largest difference')")
	p.until("document.querySelectorAll('#plots .u-legend .u-series').length >= 3")

	path, err := exec.LookPath("ngspice")
	if err != nil {
		p.Log("SKIPPED, NOT TESTED: no ngspice")
		return
	}
	for _, form := range []string{"binary", "ascii"} {
		dir := p.TempDir()
		deck, out := filepath.Join(dir, "a.cir"), filepath.Join(dir, "ng.raw")
		if err := os.WriteFile(deck,
			[]byte(strings.Replace(transient, ".tran 5u 2m", ".tran 5u 2m 0 5u", 1)),
			0o600); err != nil {
			p.Fatal(err)
		}
		cmd := exec.CommandContext(p.ctx, path, "-b", "-r", out, deck)
		if form == "ascii" {
			cmd.Env = append(os.Environ(), "SPICE_ASCIIRAWFILE=1")
		}
		if text, err := cmd.CombinedOutput(); err != nil {
			p.Fatalf("ngspice: %v\n%s", err, text)
		}
		body, err := os.ReadFile(out)
		if err != nil {
			p.Fatal(err)
		}
		p.drop(file{form + ".raw", body})
		p.until(fmt.Sprintf("document.querySelector('.found .compared')?.textContent.includes('%s.raw: largest difference')", form))
		worst := eval[string](p, "[...document.querySelectorAll('.found .compared')].map((e) => e.textContent).find((t) => t.startsWith('v(out)'))")
		if !strings.Contains(worst, "mV") && !strings.Contains(worst, "µV") {
			p.Errorf("%s: %s", form, worst)
		}
	}
}

// spiceSpectrum verifies that a sine of 1 V at 1 kHz has one line of 1 V at 1 kHz. It also verifies
// that a bit stream has an open eye with the unit interval of its bits.
func spiceSpectrum(p *tab) {
	p.openSpice("t\nV1 out 0 SIN(0.5 1 1k)\nR1 out 0 1k\n.tran 1u 4m 0 1u\n.end\n")
	p.runSpice(aCurve)
	eval[bool](p, "document.querySelector('[data-view=spectrum]').click() ?? true")
	p.until("document.querySelector('.found li')?.textContent.includes('largest line')")
	if got := eval[string](p, "document.querySelector('.found li').textContent"); !strings.Contains(
		got, "1 V peak at 1 kHz") || !strings.Contains(got, "lines every 250 Hz") {
		// The source has an offset of 0.5 V and an amplitude of 1 V, over four periods.
		p.Errorf("spectrum: %q", got)
	}
	// The mean leaks into no line, keeps its sign, and is all of a constant current. XY draws the
	// voltage and the current on axes of their own.
	p.openSpice("t\nV1 out 0 SIN(-5 1 1k)\nR1 out 0 1k\nV2 b 0 6.1\nR2 b 0 1k\n.tran 1u 4m 0 1u\n.end\n")
	p.runSpice(aCurve)
	eval[bool](p, `(() => {
		for (const t of document.querySelectorAll('.trace'))
			if ((t.getAttribute('aria-pressed') === 'true') !== ['v(out)', 'i(v2)'].includes(t.dataset.trace)) t.click();
		document.querySelector('[data-view=spectrum]').click();
		return true;
	})()`)
	p.until("document.querySelectorAll('.found li').length > 1")
	found := eval[string](p, "document.querySelector('.found').innerText")
	for _, want := range []string{"v(out): largest line 1 V peak at 1 kHz, mean -5 V",
		"i(v2): constant, mean -6.10 mA"} {
		if !strings.Contains(found, want) {
			p.Errorf("spectrum of a wave with a mean: %q, want %q", found, want)
		}
	}
	eval[bool](p, "document.querySelector('[data-view=xy]').click() ?? true")
	p.until("document.querySelectorAll('.stage .plot').length === 2")
	// Four periods are a whole number. Over 4.5 periods the frequency lies halfway between two
	// lines, which is 1.42 dB or 15 % low with the Hann window (Harris 1978, table 1), and 3.92 dB
	// or 36 % without a window.
	const findings = "document.querySelector('.found').innerText"
	p.expect("!" + findings + ".includes('periods')")
	p.openSpice("t\nV1 out 0 SIN(0.5 1 1k)\nR1 out 0 1k\n.tran 1u 4.5m 0 1u\n.end\n")
	p.runSpice(aCurve)
	eval[bool](p, "document.querySelector('[data-view=spectrum]').click() ?? true")
	p.until(findings + ".includes('v(out): 4.50 periods, no whole number: lines read up to 15 % low')")
	choose := func(window string) {
		eval[bool](p, fmt.Sprintf("(() => { const s = document.getElementById('spectrum-window'); s.value = %q; return s.dispatchEvent(new Event('change')) })()", window))
	}
	choose("none")
	p.until(findings + ".includes('up to 36 % low and leak into each other')")
	choose("flat")
	p.until("!" + findings + ".includes('periods')")
	p.seriousFaults("the spectrum")
	p.openSpice(
		"t\nV1 out 0 PULSE(0 1 1n 0.1n 0.1n 0.9n 2n)\nR1 out 0 1k\n.tran 10p 40n 0 10p\n.end\n")
	p.runSpice(aCurve)
	eval[bool](p, "document.querySelector('[data-view=eye]').click() ?? true")
	p.until("document.querySelector('.found li')?.textContent.includes('eye height')")
	if got := eval[string](p, "document.querySelector('.found li').textContent"); !strings.Contains(
		got, "eye height 1 V") || !strings.Contains(got, "eye width 1 ns") {
		// All edges of the pulse are 1 ns apart at half height.
		p.Errorf("eye: %q", got)
	}
	eval[bool](p, "(() => { const f = document.getElementById('eye-interval'); f.value = '-1'; f.dispatchEvent(new Event('change')); return true })()")
	p.until("document.querySelector('.found').textContent.includes('greater than 0')")
}

// spiceToBoard verifies that /board receives a netlist with the assumptions, and that a request
// converts back to a netlist.
func spiceToBoard(p *tab) {
	p.openSpice(transient)
	eval[bool](p, "document.getElementById('to-board').click() ?? true")
	p.until("location.pathname === '/board' && document.getElementById('assumed')?.textContent.includes('0805')")
	p.until(netlistText + ".includes('C1 out 0 100n')")
	eval[bool](p, "document.getElementById('to-spice').click() ?? true")
	p.until("location.pathname === '/spice' && " + netlistText + ".includes('C1 out 0 100n')")
	got := eval[string](p, `(async () => {
		const { netlistOfBoard } = await import('/static/board_simulate.js');
		return netlistOfBoard({ name: 'b', components: [{ ref: 'R1', value: '4k7' }, { ref: 'C1', value: '10uF/25V' }, { ref: 'R2', value: '1M' }, { ref: 'U1', value: 'TL072', footprint: 'SOIC-8' }],
			nets: [{ name: 'GND', pins: ['C1.2', 'U1.4', 'R2.2'] }, { name: 'a b', pins: ['R1.1', 'U1.1'] }, { name: 'o', pins: ['R1.2', 'C1.1', 'R2.1'] }] });
	})()`)
	for _, want := range []string{"\nR1 a_b o 4.7k\n", "\nC1 o 0 10u\n", "\nR2 o 0 1meg\n",
		"\n* U1 TL072, SOIC-8: 4=0 1=a_b\n", "\n.op\n.end\n"} {
		if !strings.Contains(got, want) {
			p.Errorf("%q is missing in\n%s", want, got)
		}
	}
	// Names that SPICE treats as one node remain distinct, and line breaks in texts do not start a
	// new line.
	got = eval[string](p, `(async () => {
		const { netlistOfBoard } = await import('/static/board_simulate.js');
		return netlistOfBoard({ name: 'b\nV9 x 0 1', components: [{ ref: 'R1', value: '1k' }, { ref: 'R2', value: '1k' }, { ref: 'U1', value: 'x\nV8 y 0 1' }],
			nets: [{ name: 'A/B', pins: ['R1.1'] }, { name: 'A_B', pins: ['R1.2'] }, { name: 'OUT', pins: ['R2.1'] }, { name: 'Out', pins: ['R2.2'] }] });
	})()`)
	for _, want := range []string{"\nR1 A_B A_B_2 1k\n", "\nR2 OUT Out_2 1k\n",
		"* b V9 x 0 1\n", "\n* U1 x V8 y 0 1: not connected\n"} {
		if !strings.Contains(got, want) {
			p.Errorf("%q is missing in\n%s", want, got)
		}
	}
	// A noisy curve crosses its middle at each of many points.
	eval[bool](p, `(async () => {
		const { computeEye } = await import('/static/spice_spectrum.js');
		const x = Array.from({ length: 600000 }, (_, i) => i);
		return computeEye(x, x.map((i) => i % 2), 1000).crossings === x.length - 1 || (() => { throw new Error('crossings') })();
	})()`)
}

// TestSpiceFiles verifies the files of the simulator's page, its spectrum, its eye diagram, and the
// conversion to a board and back.
func TestSpiceFiles(t *testing.T) {
	t.Parallel()
	runParts(t, []part{
		{"waveform files", spiceRaw},
		{"schematics", spiceFiles},
		{"compared waveforms", spiceCompare},
		{"spectrum and eye", spiceSpectrum},
		{"board and back", spiceToBoard},
	})
}
