package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"slipstick/autorouter/fab"
	"slipstick/examples/boards"
)

// TestBoardPage verifies the page of the board router, with one server for all parts.
func TestBoardPage(t *testing.T) {
	t.Parallel()
	runParts(t, []part{
		{"a board", boardView},
		{"four layers", boardLayers},
		{"files", boardFiles},
		{"rule check", boardRules},
		{"mistakes", boardMistakes},
		{"focus", boardFocus},
		{"kept and shared", boardKept},
		{"a placement kept", boardKeepsPlacement},
		{"a placement of one circuit", boardPlacementOfCircuit},
		{"a part moved", boardMoves},
		{"an unknown footprint", boardFootprints},
		{"ended early", boardStoppedEarly},
		{"reloaded while it runs", boardReload},
		{"a server that stops", boardDisconnected},
		{"manufacturers by name", boardFabs},
		{"hostile names", boardHostile},
		{"a circuit that is required", boardRequired},
		{"the name of another circuit", boardName},
	})
}

const boardIsDrawn = "!document.getElementById('run').ariaDisabled && document.querySelector('.board-svg')"

// route opens the page and routes the circuit in the form.
func (p *tab) route(path string) {
	p.Helper()
	p.visit(path)
	p.until("document.querySelector('.head .acts:not([hidden])')")
	p.click("#run")
	p.until(boardIsDrawn)
}

// routeRequest routes a JSON request.
func (p *tab) routeRequest(text string) {
	p.Helper()
	p.typeCircuit(text)
	p.click("#run")
}

// typeCircuit sets the text of the netlist field.
func (p *tab) typeCircuit(text string) {
	p.Helper()
	p.click(".board-source .picker button")
	quoted, _ := json.Marshal(text)
	eval[bool](p, fmt.Sprintf("(() => { const f = document.getElementById('f-netlist'); f.value = %s; f.dispatchEvent(new Event('input', { bubbles: true })); return true })()", quoted))
}

func (p *tab) click(selector string) {
	p.Helper()
	eval[bool](p, fmt.Sprintf("document.querySelector(%q).click() ?? true", selector))
}

func (p *tab) text(selector string) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf("document.querySelector(%q)?.textContent ?? ''", selector))
}

// boardLayers verifies an example with four layers: each inner layer has a plane, and a switch
// between the switches of the outer layers. It also verifies that a board with two layers has no
// inner layers.
func boardLayers(p *tab) {
	const labels = "[...document.querySelectorAll('.board-layers li')].map((l) => l.innerText.trim()).slice(0, 4).join()"
	p.route("/board?example=led_blinker_555")
	if got := eval[string](p, labels); got != "F.Cu,B.Cu,Pour,F.Silk" {
		p.Errorf("layers of two: %s", got)
	}
	p.visit("/board?example=led_blinker_555")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	eval[bool](p, "document.querySelectorAll('details').forEach((d) => { d.open = true }) ?? true")
	p.fill("layers", "4")
	p.click("#run")
	p.until(boardIsDrawn)
	if got := eval[string](p, labels); got != "F.Cu,In1.Cu,In2.Cu,B.Cu" {
		p.Errorf("layers of four: %s", got)
	}
	p.expect("document.querySelector('.pour.in1 path').dataset.net === 'GND' && document.querySelector('.pour.in2 path').dataset.net === 'VCC'")
	p.expect(
		"!document.querySelector('.copper.in1 path') && !document.querySelector('.copper.in2 path')")
	shown := "getComputedStyle(document.querySelector('.pour.in1')).display !== 'none'"
	p.expect(shown)
	p.click("[data-layer=in1]")
	p.expect("!(" + shown + ")")
}

// boardView verifies the view of the 555 example by keyboard: layers, sides, nets and measuring.
func boardView(p *tab) {
	p.route("/board?example=led_blinker_555")
	p.expect("document.querySelector('.board-figures').innerText.includes('100 %') && document.querySelector('.board-figures').innerText.includes('pass')")
	// The example has an SOIC-8, seven parts of two pads, and the terminal block. They have 24
	// pads, and U1.8 is on VCC.
	p.expect("document.querySelectorAll('.board-svg .pad').length === 24 && document.querySelector('[data-pin=\"U1.8\"]').getAttribute('aria-label') === 'U1.8, net VCC'")
	p.expect("document.querySelectorAll('.board-nets tbody tr').length === 7 && document.querySelectorAll('.board-nets tr.open').length === 0")
	p.expect("document.querySelectorAll('.board-svg .silk.top path').length > 0 && document.querySelectorAll('.board-svg .copper.top path').length > 0")

	visible := func(group string) bool {
		return eval[bool](p,
			fmt.Sprintf(
				"getComputedStyle(document.querySelector('.board-svg %s')).display !== 'none'",
				group))
	}
	for _, layer := range []struct {
		name, group string
		shown       bool
	}{{"top", ".copper.top", true}, {"bottom", ".pads.bottom", true},
		{"mask-top", ".mask.top", false}, {"court", ".court.top", false},
		{"drills", ".drills", true}} {
		if visible(layer.group) != layer.shown {
			p.Errorf("%s is shown: %v", layer.name, !layer.shown)
		}
		p.click("[data-layer=" + layer.name + "]")
		if visible(layer.group) == layer.shown {
			p.Errorf("the switch of %s changes nothing", layer.name)
		}
		p.click("[data-layer=" + layer.name + "]")
	}

	// U1 is right or left of J1; the view from below reverses the order.
	across := "Math.sign(document.querySelector('[data-pin=\"U1.1\"]').getBoundingClientRect().x - document.querySelector('[data-pin=\"J1.1\"]').getBoundingClientRect().x)"
	before := eval[int](p, across)
	p.shortcut("f")
	p.expect("document.querySelector('.board-svg').dataset.side === 'bottom'")
	if after := eval[int](p, across); before == 0 || after != -before {
		p.Errorf("flipped, U1 and J1 are %d apart, before %d", after, before)
	}
	if !visible(".silk.bottom") || visible(".silk.top") {
		p.Error("the bottom view does not have the bottom silkscreen alone")
	}
	p.shortcut("1")
	p.expect("document.querySelector('.board-svg').dataset.side === 'top'")
	if visible(".silk.bottom") || !visible(".silk.top") {
		p.Error("the top view does not have the top silkscreen alone")
	}
	p.shortcut("2")
	p.expect("document.querySelector('.board-bar [aria-pressed=true]').textContent === 'Bottom'")
	p.shortcut("1")

	box := "document.querySelector('.board-svg').getAttribute('viewBox')"
	whole := eval[string](p, box)
	p.shortcut("+")
	p.until(fmt.Sprintf("%s !== %q", box, whole)) // the view is painted after it has stopped moving
	near := eval[string](p, box)
	eval[bool](p, "document.querySelector('.board-stage').focus() ?? true")
	p.shortcut("ArrowRight")
	p.until(fmt.Sprintf("%s !== %q", box, near))
	// During successive changes the view moves the painted picture to its new position.
	p.shortcut("+")
	p.shortcut("+")
	p.shortcut("ArrowRight")
	corner := "(() => { const r = document.querySelector('[data-pin=\"U1.1\"]').getBoundingClientRect(); return [r.x, r.y, r.width]; })()"
	p.expect("document.querySelector('.board-svg').style.transform !== ''")
	moving := eval[[]float64](p, corner)
	p.until("document.querySelector('.board-svg').style.transform === ''")
	for i, at := range eval[[]float64](p, corner) {
		if math.Abs(at-moving[i]) > 1 {
			p.Errorf("painted, U1.1 is at %g instead of %g (%d)", at, moving[i], i)
		}
	}
	p.shortcut("0")
	p.until(fmt.Sprintf("%s === %q", box, whole))

	// Enter on a focused pad highlights only its net, and an arrow key moves to another pad.
	eval[bool](p, "document.querySelector('[data-pin=\"U1.8\"]').focus() ?? true")
	p.shortcut("Enter")
	p.expect("document.querySelector('.board-nets tr.lit').innerText.startsWith('VCC') && document.querySelector('.board-nets [aria-pressed=true]').textContent === 'VCC'")
	p.expect("[...document.querySelectorAll('.board-svg .lit')].every((e) => e.dataset.net === 'VCC') && document.querySelectorAll('.board-svg .pad.lit').length === 5")
	eval[bool](p, "window.topmost = [...document.querySelectorAll('.pad')].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0], window.topmost.focus() ?? true")
	p.shortcut("ArrowDown")
	p.expect("document.activeElement.matches('.pad') && document.activeElement !== window.topmost && document.querySelectorAll('.pad[tabindex=\"0\"]').length === 1")
	p.click(".board-nets .link")
	p.click(".board-nets .link")
	p.shortcut("Escape")

	// The measured distance between two pads is the distance between their centres.
	p.shortcut("m")
	for _, pin := range []string{"R1.1", "R1.2"} {
		eval[bool](p, fmt.Sprintf("document.querySelector('[data-pin=\"%s\"]').focus() ?? true",
			pin))
		p.shortcut("Enter")
	}
	want := eval[string](p, "(() => { const [a, b] = ['R1.1', 'R1.2'].map((n) => document.querySelector(`[data-pin=\"${n}\"]`).dataset); return Math.hypot(a.x - b.x, a.y - b.y).toFixed(2) + ' mm' })()")
	if got := p.text(".board-status"); !strings.HasPrefix(got, want) ||
		p.text(".over text") != want {
		p.Errorf("measured %q, drawn %q, want %s", got, p.text(".over text"), want)
	}
	p.shortcut("m")

	p.seriousFaults("a board")
	p.expect("[...document.querySelectorAll('.board-bar button')].find((b) => b.textContent === 'Realistic').click() ?? true")
	p.expect("getComputedStyle(document.querySelector('.board-svg .copper.bottom')).display === 'none' && !document.querySelector('.board-bar select').hidden")
	p.do(chromedp.EmulateViewport(320, 700))
	if width := eval[int](p, "document.documentElement.scrollWidth"); width > 320 {
		p.Errorf("the page is %d wide at 320", width)
	}
	eval[bool](p, "localStorage.setItem('theme', 'dark') ?? true")
	p.do(chromedp.EmulateViewport(1280, 900))
	p.visit(eval[string](p, "location.pathname + location.search"))
	p.until(boardIsDrawn)
	p.seriousFaults("a board")
}

// boardFiles saves every file and verifies its content.
func boardFiles(p *tab) {
	p.route("/board?example=led_blinker_555")
	eval[bool](p, `(() => {
		window.saved = [];
		const blobs = new Map();
		const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => { const url = make.call(URL, blob); blobs.set(url, blob); return url; };
		HTMLAnchorElement.prototype.click = function () {
			const reader = new FileReader();
			reader.onload = () => saved.push([this.download, reader.result]);
			reader.readAsDataURL(blobs.get(this.href));
		};
		for (const b of document.querySelectorAll('.board-files .picker button')) b.click();
		[...document.querySelectorAll('.board-files td button')].find((b) => b.textContent.endsWith('.gtl')).click();
		return true;
	})()`)
	p.until("saved.length === 4")
	saved := map[string][]byte{}
	for _, f := range eval[[][2]string](p, "saved") {
		_, data, _ := strings.Cut(f[1], ",")
		raw, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			p.Fatal(err)
		}
		saved[f[0]] = raw
	}
	checkArchive(p, saved["led_blinker_555.zip"])
	if !bytes.HasPrefix(saved["led_blinker_555-view.png"], []byte("\x89PNG")) {
		p.Error("the PNG is none")
	}
	if picture := saved["led_blinker_555-view.svg"]; !bytes.Contains(picture,
		[]byte("http://www.w3.org/2000/svg")) || bytes.Contains(picture, []byte("class=")) {
		p.Errorf("the SVG begins with %.200s", picture)
	}
	if !bytes.Contains(saved["led_blinker_555.gtl"], []byte("%FSLAX46Y46*%")) {
		p.Error("the copper is no Gerber file")
	}
}

// checkArchive verifies that an archive has the fabrication files.
func checkArchive(t testing.TB, raw []byte) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Errorf("an archive of %d bytes: %v", len(raw), err)
		return
	}
	missing := map[string]bool{".gtl": true, ".gbl": true, ".gts": true, ".gbs": true, ".gto": true,
		".gko": true, ".drl": true, ".csv": true}
	for _, f := range archive.File {
		delete(missing, filepath.Ext(f.Name))
	}
	if len(missing) > 0 {
		t.Errorf("the archive lacks %v", missing)
	}
}

// tightBoard has a fixed part whose copper violates the edge clearance.
const tightBoard = `{"width_mm": 20, "height_mm": 15,
 "components": [{"ref": "R1", "footprint": "R_0805"}, {"ref": "R2", "footprint": "R_0805"}],
 "nets": [{"name": "A", "pins": ["R1.1", "R2.1"]}, {"name": "B", "pins": ["R1.2", "R2.2"]}],
 "placements": [{"ref": "R1", "x_mm": 1.8, "y_mm": 7}]}`

func boardRules(p *tab) {
	p.visit("/board")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	p.routeRequest(tightBoard)
	p.until(boardIsDrawn)
	p.expect("document.querySelectorAll('.violations .error').length > 0 && document.querySelector('.board-figures .wrong')")
	if text := p.text(".violations .error"); !strings.Contains(text, "edge clearance") ||
		!strings.Contains(text, "limit 0.4 mm") || !strings.Contains(text, "R1") {
		p.Errorf("the violation says %q", text)
	}
	box := eval[string](p, "document.querySelector('.board-svg').getAttribute('viewBox')")
	p.shortcut("d")
	p.expect("document.querySelector('.violations li.lit[data-violation=\"0\"]') && document.querySelector('.mark.chosen')")
	if got := eval[string](p,
		"document.querySelector('.board-svg').getAttribute('viewBox')"); got == box {
		p.Error("the view did not go to the mark")
	}
	p.expect("document.querySelector('.board-status').textContent.startsWith('1 of ')")
	p.shortcut("0")
	p.click(".violations button")
	p.expect("document.querySelector('.board-svg').getAttribute('viewBox') !== " +
		fmt.Sprintf("%q", box))
}

func boardMistakes(p *tab) {
	p.excused = []string{"status of 400"}
	p.visit("/board")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	for _, wrong := range []struct{ text, want, line string }{
		{"", "is empty", ""},
		{"two resistors\nR1 a 0 1k\nR2 a\n.end", "R2", "Go to line 3"},
		{"{\"components\": [\n{\"ref\": \"R1\", \"footprint\": \"R_0805\"},\n{\"ref\": \"R2\", \"footprint\": \"NOWHERE-9\"}],\n\"nets\": [{\"name\": \"A\", \"pins\": [\"R1.1\", \"R2.1\"]}]}", "components.1.footprint", "Go to line 3"},
		{"{\"components\": [\n{\"ref\": \"R1\"}\n{\"ref\": \"R2\"}]}", "is not valid JSON",
			"Go to line 3"},
	} {
		p.routeRequest(wrong.text)
		p.until(fmt.Sprintf("document.querySelector('[data-mistake=netlist]').textContent.includes(%q) && !document.getElementById('run').ariaDisabled", wrong.want))
		p.expect("document.getElementById('f-netlist').getAttribute('aria-invalid') === 'true' && !document.getElementById('summary').hidden")
		if wrong.line != "" && p.text("#summary button") != wrong.line {
			p.Errorf("%s: the line is %q, want %q", wrong.want, p.text("#summary button"),
				wrong.line)
		}
		if got := eval[string](p, "document.getElementById('f-netlist').value"); got != wrong.text {
			p.Errorf("what was typed became %q", got)
		}
	}

	// The form in rows shows an error at its field.
	p.visit("/board?example=led_blinker_555")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	p.fill("components.2.footprint", "R_0000")
	p.fill("nets.1.pins", "J1.2 U1.99")
	p.click("#run")
	p.until("document.querySelector('[data-mistake=\"components.2.footprint\"]').textContent.includes('R_0000')")
	// The error has the width of the row and the words of the page.
	p.expect("(() => { const e = document.querySelector('[data-mistake=\"components.2.footprint\"]'); return e.clientWidth > 0.9 * e.closest('.row').clientWidth && !e.textContent.includes('custom_footprints') })()")
	p.expect("document.querySelector('#summary a').textContent === 'Components, row 3, Footprint:'")
	p.fill("components.2.footprint", "R_0805")
	p.click("#run")
	p.until("document.querySelector('[data-mistake^=\"nets.1\"]:not(:empty)')?.textContent.includes('99')")
	folded := "document.querySelector('[data-field=track_width_mm]').closest('details').open = "
	eval[bool](p, folded+"true")
	p.fill("track_width_mm", "wide")
	eval[bool](p, folded+"false")
	p.click("#run")
	p.until("document.querySelector('[data-mistake=track_width_mm]').textContent.includes('not a number') && document.querySelector('[data-field=track_width_mm]').closest('details').open")
}

// boardFocus verifies that the button keeps the focus when its run succeeds, and that the errors
// take it when the run fails.
func boardFocus(p *tab) {
	p.excused = []string{"status of 400"}
	p.visit("/board?example=led_blinker_555")
	p.until(boardIsDrawn)
	p.openFieldOf("seed")
	p.fill("seed", "3")
	press := "(() => { const b = document.getElementById('run'); b.focus(); b.click(); return true })()"
	eval[bool](p, press)
	p.until(boardIsDrawn + " && document.querySelector('.stale-note').hidden")
	p.expect("document.activeElement.id === 'run'")
	for _, footprint := range []string{"R_0000", ""} { // found by the server, and by the page
		p.fill("components.2.footprint", footprint)
		if footprint == "" {
			p.fill("seed", "x")
		}
		eval[bool](p, press)
		p.until("document.activeElement.id === 'summary'")
	}
}

// boardKept verifies that a reload restores the board, and that a link carries the circuit.
func boardKept(p *tab) {
	p.route("/board?example=linear_regulator")
	address := eval[string](p, "location.pathname + location.search")
	if !regexp.MustCompile(`^/board\?job=[0-9a-f]{32}$`).MatchString(address) {
		p.Errorf("the address is %s", address)
	}
	p.visit("/about")
	p.visit("/jobs/" + strings.TrimPrefix(address, "/board?job="))
	p.until(boardIsDrawn)
	p.until("document.querySelector('[id=\"f-components.2.footprint\"]').value === 'SOT-223'")
	p.click("#share")
	p.until(
		"document.querySelector('dialog[open] input[readonly]')?.value.includes('linear_regulator')")
	link := eval[string](p, "document.querySelector('dialog[open] input[readonly]').value")
	eval[bool](p, "localStorage.clear() ?? true")
	p.visit("/about")
	p.visit(strings.TrimPrefix(link, p.base))
	p.until("document.getElementById('f-components.2.footprint')?.value === 'SOT-223'")
}

// boardKeepsPlacement verifies that parts keep their positions when the board is rerouted under
// other rules.
func boardKeepsPlacement(p *tab) {
	const places = "JSON.stringify([...document.querySelectorAll('.board-svg .pad')].map((e) => [e.dataset.pin, e.dataset.x, e.dataset.y]).sort())"
	p.route("/board?example=led_blinker_555")
	before, copper := eval[string](p, places),
		eval[string](p, "document.querySelector('.board-svg .copper.top').innerHTML")
	eval[bool](p, "[...document.querySelectorAll('.board-bar button')].find((b) => b.textContent === 'Keep placement').click() ?? true")
	p.until("document.getElementById('kept').innerText.startsWith('Placement kept: 9 parts on 25')")
	eval[bool](p, "(() => { document.getElementById('f-seed').value = '7'; document.getElementById('f-track_width_mm').value = '0.3'; return true })()")
	p.click("#run")
	p.until("location.search !== '' && " + boardIsDrawn +
		fmt.Sprintf(" && document.querySelector('.board-svg .copper.top').innerHTML !== %q",
			copper))
	if after := eval[string](p, places); after != before {
		p.Errorf("the pads moved from %s to %s", before, after)
	}
	// A reload keeps the placement, as it belongs to the tab; another example discards it.
	p.visit("/board")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	p.expect("!document.getElementById('kept').hidden")
	p.expect("localStorage.getItem('board.kept') === null")
	p.click("[data-example=linear_regulator]")
	p.until("document.getElementById('kept').hidden")
}

// boardPlacementOfCircuit verifies that a kept placement applies to its circuit only, with other
// values and connections too, in each form of a netlist.
func boardPlacementOfCircuit(p *tab) {
	const divider = "divider\nV1 in 0 5\nR1 in out 1k\nR2 out 0 1k\n.op\n.end"
	const export = `(export (components (comp (ref "R1") (footprint "R_0805")) ` +
		`(comp (ref "R2") (footprint "R_0805"))) ` +
		`(nets (net (code 1) (name "A") (node (ref "R1") (pin "1")) (node (ref "R2") (pin "1")))))`
	const request = `{"components": [{"ref": "R1", "footprint": "R_0805"}, ` +
		`{"ref": "R2", "footprint": "R_0805"}], ` +
		`"nets": [{"name": "A", "pins": ["R1.1", "R2.1"]}]}`
	p.visit("/board")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	eval[bool](p, `(() => {
		const real = window.fetch;
		window.fetch = (url, options) => {
			if (options?.method === 'POST') window.sent = JSON.parse(options.body);
			return real(url, options);
		};
		return true;
	})()`)
	for _, c := range []struct{ name, circuit, same, other string }{
		{"SPICE", divider, strings.NewReplacer("1k", "2k", "divider", "a divider").Replace(divider),
			strings.ReplaceAll(divider, "R2", "C2")},
		{"KiCad", export, strings.ReplaceAll(export, `pin "1"`, `pin "2"`),
			strings.Replace(export, "R_0805", "R_0603", 1)},
		{"JSON", request, strings.ReplaceAll(request, "R2.1", "R2.2"),
			strings.Replace(request, "R_0805", "R_0603", 1)},
	} {
		p.routeRequest(c.circuit)
		p.until(boardIsDrawn)
		p.click("[title='The parts stay where they are when it is routed again']")
		p.until("document.getElementById('kept').innerText.startsWith('Placement kept')")
		p.routeRequest(c.same)
		p.until(boardIsDrawn)
		p.expect("sent.placements.length > 0 && sent.width_mm > 0")
		p.routeRequest(c.other)
		p.until(boardIsDrawn)
		if !eval[bool](p, "sent.placements === undefined && sent.width_mm === undefined") {
			p.Errorf("%s: another circuit is routed with the kept placement", c.name)
		}
		p.expect("document.getElementById('kept').innerText.includes('other parts or footprints')")
	}
	// After a reload, the placement is not that of another example.
	p.click("[title='The parts stay where they are when it is routed again']")
	p.visit("/board?example=opamp_filter")
	p.until("document.getElementById('kept').innerText.includes('other parts or footprints')")
}

// boardDisconnected verifies that a page reports a server that stops during a run. It also reports
// a server that does not know the job after a restart.
func boardDisconnected(p *tab) {
	p.visit("/board")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	eval[bool](p, `(() => {
		window.EventSource = class {
			addEventListener(type, f) { if (type === 'error') setTimeout(f); }
			close() {}
		};
		return true;
	})()`)
	p.routeRequest(endlessBoard(p))
	const stop = "[...document.querySelectorAll('#status button:not([hidden])')]"
	p.until(stop + ".length === 2")
	id := eval[string](p, "new URLSearchParams(location.search).get('job')")
	eval[bool](p, "(() => { window.realFetch = window.fetch; window.fetch = async () => { throw new TypeError('failed') }; return true })()")
	p.until("document.getElementById('status').innerText.includes('does not respond')")
	p.expect(stop + ".length === 0 && !document.title.includes('%')")
	p.shot("board-disconnected")
	eval[bool](p, "(() => { window.fetch = window.realFetch; return true })()")
	p.until(stop + ".length === 2") // the run goes on
	eval[bool](p, `(() => { window.fetch = async () => new Response('{"title":"Job not found","status":404}', { status: 404 }); return true })()`)
	p.until("document.getElementById('trouble').innerText.includes('the server was restarted')")
	p.expect("!document.getElementById('run').ariaDisabled")
	eval[bool](p, fmt.Sprintf("(() => { window.fetch = window.realFetch; fetch('/ui/jobs/%s', { method: 'DELETE', headers: { 'X-Page-Token': document.querySelector('meta[name=page-token]').content } }); return true })()", id))
}

// boardMoves verifies that the arrow keys move the part whose pad has the focus, except onto
// another part. It also verifies that the board is then rerouted, and that the page can show the
// previous board.
func boardMoves(p *tab) {
	p.route("/board?example=led_blinker_555")
	const pad = `document.querySelector('.board-svg .pad[data-pin="C1.1"]')`
	const status = "document.querySelector('.board-status').textContent"
	key := func(name string) {
		eval[bool](p, fmt.Sprintf("%s.dispatchEvent(new KeyboardEvent('keydown', "+
			"{ key: %q, bubbles: true, cancelable: true })) || true", pad, name))
	}
	start := eval[[]float64](p, "[Number("+pad+".dataset.x), Number("+pad+".dataset.y)]")
	p.click("#move-parts")
	for range 8 {
		key("ArrowUp")
	}
	p.until(status + ".includes('overlaps')")
	key("Enter")
	p.until(status + ".includes('C1 stays where it was')")
	key("ArrowLeft")
	key("ArrowLeft")
	p.until("document.querySelectorAll('.board-svg .over .pull, .board-svg .over .moved').length > 2")
	key("Enter")
	p.until(fmt.Sprintf("Math.abs(Number(%s.dataset.x) - %v) < 1e-6", pad, start[0]-1))
	p.expect(fmt.Sprintf("Math.abs(Number(%s.dataset.y) - %v) < 1e-6", pad, start[1]))
	p.expect("document.querySelector('.board-figures').innerText.includes('100 %')")
	p.click("#other-board")
	p.until("document.getElementById('other-board').getAttribute('aria-pressed') === 'true'")
	p.expect("document.activeElement.id === 'other-board'")
	p.expect(fmt.Sprintf("Number(%s.dataset.y) === %v", pad, start[1]))
	p.seriousFaults("a board beside the one before")
	p.click("[data-example=linear_regulator]") // the example drops the kept placement
	p.until("document.getElementById('kept').hidden")
	// A move does not override a position in the circuit itself.
	p.routeRequest(`{"components": [{"ref": "R1", "footprint": "R_0805"}, {"ref": "R2", "footprint": "R_0805"}],
		"nets": [{"name": "A", "pins": ["R1.1", "R2.1"]}], "width_mm": 20, "height_mm": 12,
		"placements": [{"ref": "R1", "x_mm": 5, "y_mm": 5}]}`)
	const own = `document.querySelector('.board-svg .pad[data-pin="R1.1"]')`
	p.until("!document.getElementById('run').ariaDisabled && " + own)
	p.click("#move-parts")
	for _, name := range []string{"ArrowUp", "Enter"} {
		eval[bool](p, fmt.Sprintf("%s.dispatchEvent(new KeyboardEvent('keydown', "+
			"{ key: %q, bubbles: true, cancelable: true })) || true", own, name))
	}
	p.until(status + ".includes('R1 stays where it was: its position is part of the circuit')")
	p.expect("document.getElementById('kept').hidden")
}

// boardFootprints verifies that for an unknown footprint the page offers similar footprints with
// their drawings, and that the chosen footprint replaces it in the form.
func boardFootprints(p *tab) {
	p.visit("/board?example=led_blinker_555")
	p.until(boardIsDrawn)
	eval[bool](p, "(() => { const f = document.getElementById('f-components.2.footprint'); "+
		"f.value = 'R_0806'; return f.dispatchEvent(new Event('input', { bubbles: true })) })()")
	p.click("#run")
	p.until("document.querySelectorAll('.footprints svg').length === 3")
	p.expect("document.querySelector('[data-footprint=R_0805]').textContent.includes('2 pads')")
	p.click("[data-footprint=R_0805]")
	p.until("document.getElementById('f-components.2.footprint').value === 'R_0805'")
	p.expect("!document.querySelector('.footprints button') && document.activeElement.id === 'run'")
}

// endlessBoard returns a request whose net BLOCKED has no path, so the router runs to its time
// limit.
func endlessBoard(p *tab) string {
	p.Helper()
	all, err := boards.All()
	if err != nil {
		p.Fatal(err)
	}
	var q map[string]any
	for _, b := range all {
		if b.Name == "audio_mixer_8ch" {
			err = json.Unmarshal(b.Request, &q)
		}
	}
	if q == nil || err != nil {
		p.Fatal("no example to begin with: ", err)
	}
	q["effort"], q["time_limit_s"] = "high", 60
	q["components"] = append(q["components"].([]any),
		map[string]any{"ref": "R901", "footprint": "R_0805"},
		map[string]any{"ref": "R902", "footprint": "R_0805"})
	q["nets"] = append(q["nets"].([]any), map[string]any{"name": "BLOCKED",
		"pins": []string{"R901.1", "R902.1"}})
	q["placements"] = []any{map[string]any{"ref": "R901", "x_mm": 85, "y_mm": 30}}
	q["keepouts"] = []any{map[string]any{"x_mm": 82, "y_mm": 27, "width_mm": 6, "height_mm": 6,
		"layers": []string{"top", "bottom"}, "tracks": true, "vias": true}}
	text, err := json.Marshal(q)
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

// boardStoppedEarly verifies that a job with one impossible connection can be stopped early and
// returns the best board. Otherwise it would make all attempts within its time limit.
func boardStoppedEarly(p *tab) {
	p.visit("/board")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	p.routeRequest(endlessBoard(p))
	const button = "[...document.querySelectorAll('#status button:not([hidden])')].find((b) => b.textContent === 'Stop and keep the best board')"
	p.until(button)
	eval[bool](p, button+".click() ?? true")
	p.until(boardIsDrawn)
	got := eval[struct {
		State      string
		Statistics struct {
			Limited bool    `json:"time_limited"`
			Done    float64 `json:"completion_pct"`
		}
	}](p, `fetch('/ui' + '/jobs/' + new URLSearchParams(location.search).get('job')).then((a) => a.json()).then((job) => ({ State: job.state, Statistics: job.result.result.statistics }))`)
	if got.State != "done" || !got.Statistics.Limited || got.Statistics.Done <= 0 {
		p.Errorf("%+v", got)
	}
}

// boardReload verifies that the address contains the job's id as soon as the job starts. It also
// verifies that a reload restores the job with its progress, its buttons and then its board.
func boardReload(p *tab) {
	p.visit("/board")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	p.routeRequest(endlessBoard(p))
	const job = "new URLSearchParams(location.search).get('job')"
	p.until(job)
	id := eval[string](p, job)
	eval[bool](p, "(window.before = true)")
	p.do(chromedp.Reload())
	p.until("!window.before && document.querySelector('#status progress')")
	const button = "[...document.querySelectorAll('#status button:not([hidden])')].find((b) => b.textContent === 'Stop and keep the best board')"
	p.until(button)
	p.until("/^[A-Z].*: \\d+ %, \\d+ s$/.test(document.querySelector('#status p').textContent)")
	p.expect("document.title.includes(' % · ') && document.getElementById('run').ariaDisabled")
	p.expect("document.getElementById('f-netlist').value.includes('BLOCKED')")
	p.shot("board-reloaded")
	eval[bool](p, button+".click() ?? true")
	p.until(boardIsDrawn)
	p.shot("board-after-reload")
	if now := eval[string](p, job); now != id {
		p.Errorf("job %s became %s", id, now)
	}
	p.expect("document.querySelector('#status').childElementCount === 0 && !document.title.includes('%')")
}

// boardFabs verifies the profile of each manufacturer. A track of its minimum width must be routed.
// A narrower track must be rejected with the name of the profile and the minimum width.
func boardFabs(p *tab) {
	for _, f := range fab.Profiles() {
		p.visit("/board?example=led_blinker_555")
		p.until("document.querySelector('.head .acts:not([hidden])')")
		eval[bool](p, "document.querySelectorAll('.board-form details').forEach((d) => { d.open = true }) ?? true")
		option := fmt.Sprintf("[...document.getElementById('f-fab_profile').options].find((o) => o.value === %q || !o.value && %q === 'generic')", f.Name, f.Name)
		eval[bool](p, fmt.Sprintf("(() => { const s = document.getElementById('f-fab_profile'); s.value = (%s).value; s.dispatchEvent(new Event('input', { bubbles: true })); return true })()", option))
		p.shot("board-fab-form-" + f.Name)
		p.fill("track_width_mm", strconv.FormatFloat(f.TrackMM*0.9, 'g', 4, 64))
		p.click("#run")
		p.until("!document.getElementById('summary').hidden")
		if got := p.text("#summary"); !strings.Contains(got, f.Name) ||
			!strings.Contains(got, strconv.FormatFloat(f.TrackMM, 'g', -1, 64)+" mm") {
			p.Errorf("%s: %q", f.Name, got)
		}
		p.fill("track_width_mm", strconv.FormatFloat(f.TrackMM, 'g', -1, 64))
		p.click("#run")
		p.until("document.getElementById('summary').hidden && " + boardIsDrawn + " && " +
			"location.search.includes('job=')")
		p.shot("board-fab-" + f.Name)
	}
}

// boardHostile verifies that every view shows names of parts and nets as text.
func boardHostile(p *tab) {
	p.visit("/board")
	p.until("document.querySelector('.head .acts:not([hidden])')")
	p.routeRequest(`{"components": [{"ref": "R1", "footprint": "R_0805", "value": "<img src=x onerror=alert(1)>"}, {"ref": "R2", "footprint": "R_0805"}],
		"nets": [{"name": "<script>alert(1)</script>", "pins": ["R1.1", "R2.1"]}, {"name": "\"'><b>", "pins": ["R1.2", "R2.2"]}]}`)
	p.until(boardIsDrawn)
	p.expect("document.querySelector('.board-nets').textContent.includes('<script>alert(1)</script>') && !document.querySelector('main script, main img, .board-nets b')")
	for range 2 {
		p.click(".board-nets .link")
	}
	eval[bool](p, "document.querySelectorAll('.board-nets .link')[1].click() ?? true")
	p.expect("document.querySelectorAll('.board-svg .pad.lit').length === 2")
}

// TestBoardForm verifies the board page without JavaScript.
func TestBoardForm(t *testing.T) {
	t.Parallel()
	base := serveEmbedded(t)
	get := func(path string) (*http.Response, string) {
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(raw)
	}
	_, page := get("/board")
	token := regexp.MustCompile(`name="_token" value="([^"]+)"`).FindStringSubmatch(page)
	if token == nil {
		t.Fatal("the page has no token")
	}
	post := func(v url.Values) (int, string) {
		v.Set("_token", token[1])
		req, err := http.NewRequest(http.MethodPost, base+"/board", strings.NewReader(v.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", base)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(raw)
	}

	status, page := post(
		url.Values{"netlist": {"divider\nV1 in 0 5\nR1 in out 1k\nR2 out 0 1k\n.op\n.end"},
			"name": {"divider"}})
	if status != http.StatusOK || !strings.Contains(page, "<b>complete</b>: 100 % routed") {
		t.Fatalf("%d: %s", status, page)
	}
	files := regexp.MustCompile(`/board/files/[0-9a-f]{32}/[^"?]+`).FindAllString(page, -1)
	seen := map[string]bool{}
	for _, f := range files {
		resp, content := get(f)
		seen[filepath.Ext(f)] = true
		switch {
		case resp.StatusCode != http.StatusOK:
			t.Errorf("%s: %d", f, resp.StatusCode)
		case strings.HasSuffix(f, "/zip"):
			checkArchive(t, []byte(content))
			if got := resp.Header.Get("Content-Disposition"); !strings.Contains(got,
				"divider.zip") {
				t.Errorf("the archive is sent as %s", got)
			}
		case strings.HasSuffix(f, ".svg"):
			if !strings.Contains(resp.Header.Get("Content-Security-Policy"), "sandbox") ||
				resp.Header.Get("Content-Type") != "image/svg+xml" {
				t.Errorf("%s is sent with %v", f, resp.Header)
			}
		}
	}
	if !seen[".svg"] || !seen[".gtl"] || !seen[""] {
		t.Errorf("the page offers %v", files)
	}
	job := strings.Split(files[0], "/")[3]
	if _, again := get("/board?job=" + job); !strings.Contains(again, "<b>complete</b>") {
		t.Error("the job's address does not show the board")
	}
	for _, missing := range []string{"/board/files/" + job + "/nothing",
		"/board/files/" + job + "/..%2f..%2fetc%2fpasswd", "/board/files/" + strings.Repeat("0",
			32) + "/zip", "/board/files/x/zip", "/board/examples/nothing"} {
		if resp, _ := get(missing); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", missing, resp.StatusCode)
		}
	}

	status, page = post(url.Values{"netlist": {"broken\nR1 a\n.end"}, "seed": {"7"}})
	if status != http.StatusBadRequest || !strings.Contains(page, "R1") ||
		!strings.Contains(page, `value="7"`) || !strings.Contains(page, "broken\nR1 a") {
		t.Errorf("a broken netlist: %d: %s", status, page)
	}
	status, page = post(url.Values{"netlist": {"{\"nets\":\n["}})
	if status != http.StatusBadRequest || !strings.Contains(page, "is not valid JSON") ||
		!strings.Contains(page, "line 2") {
		t.Errorf("a broken request: %d", status)
	}
	status, page = post(url.Values{"source": {"parts"}, "components.0.ref": {"R1"},
		"_add": {"components"}})
	if status != http.StatusOK || !strings.Contains(page, `name="components.1.ref"`) ||
		!strings.Contains(page, `value="R1"`) {
		t.Errorf("a row more: %d", status)
	}
}
