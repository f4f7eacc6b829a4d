package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// BenchmarkPage loads pages as a phone does, with an empty cache and a processor throttled by a
// factor of four. The network is Lighthouse's 4G (9 Mbit/s down, 1.5 Mbit/s up, 170 ms round trip).
// It prints the first paint, the time until the page is usable, and the bytes sent. The catalog is
// usable when its search finds a typed word. A tool is usable when the result of its example is
// visible and typing into a field computes a new result. A tool with plots is usable when they are
// drawn.
//
//	go test ./e2e -run '^$' -bench '^BenchmarkPage$' -benchtime 5x
func BenchmarkPage(b *testing.B) {
	base, chromium := serveEmbedded(b), browser(b)
	for _, x := range []struct{ name, path, usable string }{
		{"catalog", "/", "typed('q', 'path loss') && document.querySelector('#hits:not([hidden]) a').textContent === 'Free-space path loss'"},
		{"tool", "/t/fspl", "typed('f-dist_km', '5') && location.search.includes('dist_km=5') && document.querySelector('#result .value.first').textContent.includes('105.7')"},
		{"plots", "/t/rc_filter", "document.querySelectorAll('.uplot').length === 2"},
		{"spice", "/spice", "!document.getElementById('share').closest('[hidden]')"},
		{"board", "/board", "!document.getElementById('share').closest('[hidden]')"},
	} {
		b.Run(x.name, func(b *testing.B) {
			var paint, usable, bytes float64
			for b.Loop() {
				p := openTab(b, chromium, base)
				p.slow(network.Conditions{Latency: 170, DownloadThroughput: 9e6 / 8,
					UploadThroughput: 1.5e6 / 8}, 4)
				command(p, page.AddScriptToEvaluateOnNewDocument,
					page.AddScriptToEvaluateOnNewDocumentParams{Source: fmt.Sprintf(
						"const typed = (id, text) => { const field = document.getElementById(id); field.value = text; return field.dispatchEvent(new Event('input', { bubbles: true })); };"+
							"(function look() { try { if (%s) { window.usableAt = performance.now(); return; } } catch {} requestAnimationFrame(look); })()", x.usable)})
				p.visit(x.path)
				p.until("window.usableAt && performance.getEntriesByName('first-contentful-paint').length")
				paint += eval[float64](p,
					"performance.getEntriesByName('first-contentful-paint')[0].startTime")
				usable += eval[float64](p, "window.usableAt")
				bytes += eval[float64](p, "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((sum, e) => sum + e.transferSize, 0)")
				p.end() // an open slow tab uses 70 % of a core, even if it is idle
			}
			b.ReportMetric(paint/float64(b.N), "ms-to-paint")
			b.ReportMetric(usable/float64(b.N), "ms-to-use")
			b.ReportMetric(bytes/float64(b.N)/1e3, "kB-sent")
			b.ReportMetric(0, "ns/op") // it mostly measures the test tool
		})
	}
}

// BenchmarkPlot draws 100,000 points in a plot of the page, for the first time and again as a zoom
// does. draws-in-50ms is the number of redraws in 50 ms, the delay that users do not notice.
//
//	go test ./e2e -run '^$' -bench '^BenchmarkPlot$' -benchtime 20x
func BenchmarkPlot(b *testing.B) {
	base, chromium := serveEmbedded(b), browser(b)
	p := openTab(b, chromium, base)
	p.excused = []string{"willReadFrequently"}
	// This page has the style sheet of plots and computes nothing by itself.
	p.visit("/t/spice_simulate")
	eval[bool](p, `(async () => {
		const { plot } = await import('/static/plot.js');
		const x = Array.from({ length: 1e5 }, (_, i) => i * 1e-6);
		const box = document.createElement('div');
		document.querySelector('main').prepend(box);
		window.make = () => plot(box, { title: 'bench', x: { label: 'Time', unit: 's', values: x }, series: [{ label: 'v(out)', unit: 'V', values: x.map((t) => Math.sin(t * 4e3) * Math.cos(t * 9e4)) }] });
		make().destroy();
		return true;
	})()`)
	var made, drawn float64
	for b.Loop() {
		// uPlot draws in a microtask; reading a pixel waits until the canvas has it.
		times := eval[[]float64](p, `(async () => {
			const start = performance.now();
			const m = make();
			await null;
			m.plot.ctx.getImageData(0, 0, 1, 1);
			const built = performance.now();
			m.plot.redraw(true);
			await null;
			m.plot.ctx.getImageData(0, 0, 1, 1);
			const again = performance.now();
			m.destroy();
			return [built - start, again - built];
		})()`)
		made, drawn = made+times[0], drawn+times[1]
	}
	b.ReportMetric(made/float64(b.N), "ms-to-make")
	b.ReportMetric(drawn/float64(b.N), "ms-to-redraw")
	b.ReportMetric(50*float64(b.N)/drawn, "draws-in-50ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkBoardView pans and zooms a board of 135 parts on a screen of 1920 by 1080: the largest
// stored board, five times side by side. It prints the frames per second over 120 frames, each at
// another place and zoom, and the longest frame. A screen of 60 Hz gives 60 at most.
//
//	go test ./e2e -run '^$' -bench '^BenchmarkBoardView$' -benchtime 5x
func BenchmarkBoardView(b *testing.B) {
	base, chromium := serveEmbedded(b), browser(b)
	p := openTab(b, chromium, base)
	p.do(chromedp.EmulateViewport(1920, 1080))
	p.visit("/board")
	p.until("document.querySelector('.board-svg')")
	parts := eval[float64](p, `(async () => {
		const { BoardView } = await import('/static/board_view.js');
		const stored = await (await fetch('/static/stored/usb_serial_atmega328.json')).json();
		const one = stored.result ?? stored;
		const isPoint = (v) => Array.isArray(v) && v.length === 2 && v.every((x) => typeof x === 'number');
		const moved = (v, dx) => (isPoint(v) ? [v[0] + dx, v[1]] : Array.isArray(v) ? v.map((x) => moved(x, dx)) : v !== null && typeof v === 'object'
			? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, /^x\d*_mm$/.test(k) ? x + dx : moved(x, dx)])) : v);
		const width = one.board.width_mm;
		const all = { ...one, board: { ...one.board, width_mm: 5 * width } };
		for (const name of ['placements', 'tracks', 'vias', 'zones', 'holes']) all[name] = [0, 1, 2, 3, 4].flatMap((i) => moved(one[name] ?? [], i * width));
		const view = new BoardView(all, () => {});
		const stage = document.querySelector('.board-stage');
		stage.replaceChildren(view.svg);
		stage.style.aspectRatio = 2;
		window.frames = async (n) => {
			const times = [];
			let before = await new Promise(requestAnimationFrame);
			for (let i = 0; i < n; i++) {
				if (i % 60 === 0) view.fit();
				view.zoom(i % 60 < 30 ? 1.05 : 1 / 1.05);
				view.pan(i % 2 ? 0.02 : -0.01, 0.005);
				const now = await new Promise(requestAnimationFrame);
				times.push(now - before);
				before = now;
			}
			return [1000 * n / times.reduce((a, c) => a + c, 0), Math.max(...times)];
		};
		return all.placements.length;
	})()`)
	if parts != 135 {
		b.Fatalf("%g parts", parts)
	}
	var rate, longest float64
	for b.Loop() {
		got := eval[[]float64](p, "frames(120)")
		rate, longest = rate+got[0], max(longest, got[1])
	}
	b.ReportMetric(rate/float64(b.N), "frames/s")
	b.ReportMetric(longest, "ms-longest-frame")
	b.ReportMetric(0, "ns/op")
}

// slow throttles the network and the processor of a tab, and disables the cache.
func (p *tab) slow(line network.Conditions, processor float64) {
	p.Helper()
	command(p, network.Enable, network.EnableParams{})
	command(p, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	command(p, network.EmulateNetworkConditionsByRule,
		network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{&line}})
	command(p, emulation.SetCPUThrottlingRate,
		emulation.SetCPUThrottlingRateParams{Rate: processor})
}

// command sends a command of the DevTools protocol to the tab.
func command[P, R any](p *tab, c cdp.Command[P, R], params P) {
	p.Helper()
	if _, err := chromedp.Call(p.ctx, c, params); err != nil {
		p.Fatal(err)
	}
}
