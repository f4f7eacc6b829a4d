package e2e

import "testing"

// boardSolid verifies that WebGL draws the assembled board on demand, with different colours for
// its texture, its bodies and its background. It also verifies the message of the page without
// WebGL.
func boardSolid(p *tab) {
	p.excused = []string{"GPU stall due to ReadPixels"}
	p.visit("/board")
	p.until("document.getElementById('show-3d')")
	got := eval[[]float64](p, `(async () => {
		const { solids } = await import('/static/board_3d.js');
		const ring = (x, y, w, h) => [[x, y], [x + w, y], [x + w, y + h], [x, y + h]].map(([x_mm, y_mm]) => ({ x_mm, y_mm }));
		const { data, unknown } = solids({ board: { thickness_mm: 1.6, outline: ring(0, 0, 10, 10) }, placements: [
			{ footprint: 'SOIC-8', side: 'top', courtyard: ring(1, 1, 5, 5) }, { footprint: 'R_0603', side: 'bottom', courtyard: ring(1, 1, 2, 1) }, { footprint: 'ODD_1', side: 'top', courtyard: ring(7, 7, 2, 2) }] });
		const z = Array.from(data).filter((_, i) => i % 9 === 2);
		return [data.length / 27, Math.max(...z), Math.min(...z), unknown.length];
	})()`)
	// There are 8 triangles of walls, and 8 + 2 triangles of each of three prisms. The height is
	// the 1.6 mm of the board plus the assumed 2 mm of an unknown footprint. R_0603 is 0.45 mm
	// high.
	if len(got) != 4 || got[0] != 38 || got[1] < 3.59 || got[1] > 3.61 || got[2] > -0.44 ||
		got[2] < -0.46 || got[3] != 1 {
		p.Errorf("solids: %v", got)
	}
	eval[bool](p, "document.getElementById('show-3d').click() ?? true")
	p.until("document.querySelector('.board-solid :is(canvas, .problem)')")
	if eval[bool](p, "document.querySelector('.board-solid .problem') !== null") {
		p.Log("SKIPPED, NOT TESTED: this browser has no WebGL")
		return
	}
	p.until("(() => { const r = document.querySelector('.board-3d').getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight })()")
	colors := eval[float64](p, `(async () => {
		const c = document.querySelector('.board-3d');
		c.dispatchEvent(new KeyboardEvent('keydown', { key: '0', bubbles: true }));
		return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
			c.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
			requestAnimationFrame(() => {
				const copy = document.createElement('canvas');
				[copy.width, copy.height] = [200, 120];
				const g = copy.getContext('2d');
				g.drawImage(c, 0, 0, 200, 120);
				const d = g.getImageData(0, 0, 200, 120).data;
				const seen = new Set();
				for (let i = 0; i < d.length; i += 4) seen.add((d[i] >> 4) * 256 + (d[i + 1] >> 4) * 16 + (d[i + 2] >> 4));
				resolve(seen.size);
			});
		})));
	})()`)
	if colors < 8 {
		p.Errorf("%g colours in the picture", colors)
	}
	// Scrolled into sight, the view leaves other controls partly behind the header.
	eval[bool](p, "(scrollTo({ top: 0, behavior: 'instant' }), true)")
	p.seriousFaults("the board in 3D")
	eval[bool](p, "document.getElementById('show-3d').click() ?? true")
	p.until("!document.querySelector('.board-3d')")
	eval[bool](p, "(() => { HTMLCanvasElement.prototype.getContext = () => null; document.getElementById('show-3d').click(); return true })()")
	p.until("document.querySelector('.board-solid .problem')?.textContent.includes('no WebGL')")
}

// TestBoardSolid verifies the view of the assembled board in a browser.
func TestBoardSolid(t *testing.T) {
	t.Parallel()
	runParts(t, []part{{"3D", boardSolid}})
}
