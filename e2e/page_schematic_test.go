package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// checkSchematic is a function of the page that reads a netlist, lays it out, and returns layout
// faults. Faults are touching wires of different nodes, disconnected pieces of a node, pins without
// a wire, and overlapping parts.
const checkSchematic = `async (text) => {
	const [{ readNetlist }, { layoutSchematic }] = await Promise.all([import('/static/spice_netlist.js'), import('/static/spice_layout.js')]);
	const { elements } = readNetlist(text);
	const isP = (model) => new RegExp('^\\s*\\.model\\s+' + model + '\\s+(pnp|pmos|pjf)\\b', 'im').test(text);
	const l = layoutSchematic(elements, isP);
	const wrong = [];
	const segments = l.wires.map(({ node, points: [x1, y1, x2, y2] }) => ({ node, x1: Math.min(x1, x2), x2: Math.max(x1, x2), y1: Math.min(y1, y2), y2: Math.max(y1, y2) }));
	for (const s of segments) if (s.x1 !== s.x2 && s.y1 !== s.y2) wrong.push('oblique wire of ' + s.node);
	const on = (s, x, y) => x >= s.x1 && x <= s.x2 && y >= s.y1 && y <= s.y2;
	const meet = (a, b) => [[a.x1, a.y1], [a.x2, a.y2]].some(([x, y]) => on(b, x, y)) || [[b.x1, b.y1], [b.x2, b.y2]].some(([x, y]) => on(a, x, y));
	segments.forEach((a, i) => segments.slice(i + 1).forEach((b) => { if (a.node !== b.node && meet(a, b)) wrong.push(a.node + ' touches ' + b.node + ' at ' + [a.x1, a.y1, a.x2, a.y2] + ' and ' + [b.x1, b.y1, b.x2, b.y2]); }));
	const flagged = new Set(l.flags.map((f) => f.node));
	for (const node of new Set(segments.map((s) => s.node))) {
		if (flagged.has(node)) continue; // symbols connect this node
		const own = segments.filter((s) => s.node === node);
		const reached = new Set([own[0]]);
		for (const a of reached) for (const b of own) if (meet(a, b)) reached.add(b);
		if (reached.size < own.length) wrong.push('node ' + node + ' is in pieces');
	}
	// Every terminal of an element lies on a wire or a symbol of its node.
	const ends = (p) => {
		if (p.pins) return p.pins;
		const [c, s] = [[1, 0], [0, 1], [-1, 0], [0, -1]][((p.turn / 90) % 4 + 4) % 4];
		return [{ x: p.x - 22 * c, y: p.y - 22 * s, node: p.element.nodes[0] }, { x: p.x + 22 * c, y: p.y + 22 * s, node: p.element.nodes[1] }];
	};
	for (const p of l.parts) {
		for (const e of ends(p)) {
			const isWired = segments.some((s) => s.node === e.node && on(s, e.x, e.y)) || l.flags.some((f) => f.node === e.node && f.x === e.x && f.y === e.y);
			if (!isWired) wrong.push(p.element.name + ' has no wire to ' + e.node + ' at ' + e.x + ', ' + e.y);
			if (segments.some((s) => s.node !== e.node && on(s, e.x, e.y))) wrong.push(p.element.name + ' touches another node at ' + e.x + ', ' + e.y);
		}
		const want = 'qmj'.includes(p.element.letter) ? p.element.nodes.slice(0, 3) : p.element.letter === 'x' ? p.element.nodes : p.element.nodes.slice(0, 2);
		if (ends(p).map((e) => e.node).sort().join() !== [...want].sort().join()) wrong.push(p.element.name + ' has other nodes');
	}
	l.parts.forEach((a, i) => l.parts.slice(i + 1).forEach((b) => { if (!a.pins && !b.pins && Math.abs(a.x - b.x) < 40 && Math.abs(a.y - b.y) < 28) wrong.push(a.element.name + ' covers ' + b.element.name); }));
	if (l.parts.length + l.undrawn.length !== elements.length) wrong.push('an element is missing');
	return wrong.join('; ');
}`

// spiceSchematic verifies that every example of up to 40 elements has a schematic with the
// connections of its netlist. It also verifies that a click on a node plots its voltage, and that
// values of elements can be edited.
func spiceSchematic(p *tab) {
	p.visit("/spice")
	names := regexp.MustCompile(`data-example="([^"]+)"`).FindAllStringSubmatch(p.get("/spice"), -1)
	if len(names) < 30 {
		p.Fatalf("%d examples", len(names))
	}
	for _, m := range names {
		text, _ := json.Marshal(p.get("/spice/examples/" + m[1]))
		if wrong := eval[string](p, fmt.Sprintf("(%s)(%s)", checkSchematic, text)); wrong != "" {
			p.Errorf("%s: %s", m[1], wrong)
		}
	}
	// The circuits have elements in parallel, in series, with shorted terminals, and between
	// supplies.
	for name, text := range map[string]string{
		"parallel":      "t\nv1 a 0 ac 1\nr1 a b 1\nr2 b a 2\nc1 a b 3\nl1 b 0 1\nr3 b 0 2\nr4 0 b 3\n.end",
		"supplies":      "t\nvcc p 0 5\nvee n 0 -5\nr1 p n 1\nr2 p m 1\nr3 m n 1\nr4 p q 1\nr5 p q 2\nr6 q n 1\n.end",
		"short":         "t\nv1 a 0 1\nr1 a a 1\nr2 a 0 1\nr3 0 0 1\n.end",
		"island":        "t\nr1 a b 1\nr2 c d 1\nr3 d c 1\n.end",
		"subcircuit":    "t\nv1 in 0 ac 1\nvp vp 0 9\nx1 in out vp 0 amp\nx2 out in 0 vp amp\nrl out 0 1k\n.end",
		"all at ground": "t\nv1 b 0 1\nq1 0 b 0 nn\nq2 c c c nn\n.model nn npn\n.end",
		"mirror":        "t\nvcc v 0 9\nq1 a a v pp\nq2 o a v pp\nr1 a 0 1k\nr2 o 0 1k\n.model pp pnp\n.end",
	} {
		quoted, _ := json.Marshal(text)
		if wrong := eval[string](p, fmt.Sprintf("(%s)(%s)", checkSchematic, quoted)); wrong != "" {
			p.Errorf("%s: %s", name, wrong)
		}
	}

	p.openSpice(
		"RC low-pass\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n.ac dec 10 10 1meg\n.end\n")
	p.runSpice(aCurve)
	eval[bool](p, "(document.getElementById('schematic').open = true)")
	p.until("document.querySelector('#schematic svg.sketch')")
	p.seriousFaults("the schematic")
	// A schematic leaves more than half of the screen to the plots.
	p.expect("parseFloat(getComputedStyle(document.querySelector('#schematic .schematic')).maxHeight) < innerHeight / 2")
	p.expect("document.querySelectorAll('#schematic .part').length === 3")
	pressed := "[...document.querySelectorAll('.trace[aria-pressed=true]')].some((b) => b.textContent.includes('v(in)'))"
	if !eval[bool](p, pressed) {
		eval[bool](p, "document.querySelector('#schematic .net[data-node=in]').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
		p.until(pressed)
	}
	eval[bool](p, "document.querySelector('#schematic .part[data-part=r1]').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))")
	p.expect("document.activeElement.getAttribute('aria-label') === 'Value of R1'")
	eval[bool](p, "(() => { const f = document.activeElement; f.value = '2.2k'; return f.dispatchEvent(new Event('change', { bubbles: true })) })()")
	p.until("document.getElementById('f-netlist').value.includes('R1 in out 2.2k\\n') && !document.querySelector('.busy')")
	p.until("document.querySelector('#schematic .part[data-part=r1]').textContent.includes('2.2k')")
	// The netlist has the last value of a slider that moves faster than the schematic is redrawn.
	eval[bool](p, "(() => { const s = document.querySelector('.part-editor input[type=range]'); for (const v of [50, 100, 200]) { s.value = v; s.dispatchEvent(new Event('input')) } return true })()")
	p.expect("document.getElementById('f-netlist').value.includes('R1 in out 10000\\n')")
	p.until(
		"document.querySelector('#schematic .part[data-part=r1]').textContent.includes('10000')")
	eval[bool](p, "document.querySelector('#schematic .part[data-part=v1]').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))")
	p.expect("document.querySelector('.part-editor').textContent.includes('Line 2') && !document.querySelector('.part-editor input')")
	if wrong := eval[string](p, `import('/static/spice_schematic.js').then(({ withValue }) => import('/static/spice_netlist.js').then(({ readNetlist }) => {
		const cases = [['t\nR1 a 1k 1k ; load', 'r1', '2', 't\nR1 a 1k 2 ; load'], ['t\nC1 (a,b) 1n IC=0', 'c1', '3p', 't\nC1 (a,b) 3p IC=0'], ['t\nR1 a 0\n+ 1k', 'r1', '2k', 't\nR1 a 0\n+ 1k']];
		return cases.filter(([text, name, value, want]) => withValue(text, readNetlist(text).elements.find((e) => e.name === name), value) !== want).map(([text]) => text).join('; ');
	}))`); wrong != "" {
		p.Errorf("not edited: %s", wrong)
	}
	// The name of a subcircuit is beside the numbers of its pins.
	p.openSpice("follower\nV1 in 0 1\nX1 in out out opamp\nR1 out 0 1k\n.subckt opamp p n o\nE1 o 0 p n 1e5\n.ends\n.op\n.end\n")
	p.until("document.querySelector('#schematic .part[data-part=x1]')")
	p.expect(`(() => {
		const [name, ...numbers] = [...document.querySelectorAll('#schematic .part[data-part=x1] .note')].sort((a, b) => b.textContent.length - a.textContent.length).map((e) => e.getBoundingClientRect());
		return numbers.length === 3 && numbers.every((r) => r.bottom <= name.top || r.top >= name.bottom);
	})()`)
	// A netlist above the size limit shows a message.
	var big strings.Builder
	big.WriteString("big\n")
	for i := range 41 {
		fmt.Fprintf(&big, "R%d n%d 0 1k\n", i, i)
	}
	p.openSpice(big.String() + ".op\n.end\n")
	p.until("document.querySelector('#schematic').textContent.includes('41 elements; a schematic is drawn of up to 40.')")
	p.openSpice("wide\nX1" + strings.Repeat(" a", 201) + " wide\n.op\n.end\n")
	p.until("document.querySelector('#schematic').textContent.includes('201 terminals of elements; a schematic is drawn of up to 200.')")
}

// get returns the body of a page.
func (p *tab) get(path string) string {
	p.Helper()
	response, err := http.Get(p.base + path)
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		p.Fatal(response.Status, err)
	}
	return string(body)
}
