package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

func chain(p *tab) {
	p.visit("/chain")
	p.until("document.querySelectorAll('.step').length === 3 && document.querySelectorAll('.step')[2].innerText.includes('50.68')")
	// A change in one step updates the later ones.
	eval[bool](p, "document.getElementById('s0-dist_km').focus() ?? true")
	eval[bool](p, "document.getElementById('s0-dist_km').select() ?? true")
	p.press("10")
	p.until("document.querySelectorAll('.step')[2].innerText.includes('44.65')") // 20 log10(2) less
	p.until("location.hash.startsWith('#c=')")
	at := eval[string](p, "location.pathname + location.hash")
	for _, title := range eval[[]string](p,
		"[...document.querySelectorAll('.chips .chip')].map((c) => c.textContent)") {
		hash := eval[string](p, "location.hash")
		eval[bool](p, fmt.Sprintf("[...document.querySelectorAll('.chips .chip')].find((c) => c.textContent === %q).click() ?? true", title))
		p.until(fmt.Sprintf("location.hash !== %q && document", hash) + ".querySelectorAll('.step').length >= 2 && [...document.querySelectorAll('.step')].every((s) => s.querySelector('.value .number, .main'))")
		if title != "Template to simulation" && !eval[bool](p, "[...document.querySelectorAll('.step')].slice(1).every((s) => s.innerText.includes('takes'))") {
			p.Errorf("%s: a step takes nothing from those before", title)
		}
		if bad := eval[string](p, "[...document.querySelectorAll('.step .mistake, .step .problem')].map((m) => m.textContent).join(' ')"); bad != "" {
			p.Errorf("%s: %s", title, bad)
		}
	}
	p.visit("/about")
	p.visit(at)
	p.until("document.querySelectorAll('.step').length === 3 && document.querySelectorAll('.step')[2].innerText.includes('44.65')")
	script := eval[string](p, "document.querySelector('details.code pre').textContent")
	runScript(p, script, "44.65")
}

// runScript runs the exported shell script where curl and jq are installed.
func runScript(p *tab, script, want string) {
	p.Helper()
	for _, program := range []string{"curl", "jq", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			p.Logf("NOT TESTED: the exported script, for lack of %s", program)
			return
		}
	}
	out, err := exec.Command("sh", "-c", script).CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		p.Errorf("the exported script: %v\n%s\n%s", err, out, script)
	}
}

// chainByKeyboard verifies two chains by Tab, Enter, letters and arrows only: lora_airtime to
// channel_utilization, and template to simulation to plot.
func chainByKeyboard(p *tab) {
	p.visit("/chain")
	p.until("document.querySelector('.step')")
	p.tabTo("document.activeElement.textContent === 'LoRa channel'")
	p.press("\r")
	p.until("document.querySelectorAll('.step')[1]?.innerText.includes('Channel utilization') && document.querySelectorAll('.step')[1].querySelector('.value')")
	p.tabTo("document.activeElement.id === 's0-payload_bytes'")
	before := eval[string](p, "document.querySelectorAll('.step')[1].innerText")
	eval[bool](p, "document.activeElement.select() ?? true") // Tab also selects the text
	p.press("50")
	p.until(fmt.Sprintf("document.querySelectorAll('.step')[1].querySelector('.value') && document.querySelectorAll('.step')[1].innerText !== %q", before))

	p.visit("/chain")
	p.until("document.querySelector('.step')")
	p.tabTo("document.activeElement.textContent === 'Template to simulation'")
	p.press("\r")
	p.until("[...document.querySelectorAll('.step button')].some((b) => b.textContent === 'Run')")
	p.tabTo("document.activeElement.textContent === 'Run'")
	p.press("\r")
	p.until("document.querySelector('.step .uplot')")
	p.tabTo("document.activeElement.classList.contains('plot')")
	p.do(chromedp.KeyEvent("\u0303")) // right arrow
	p.until("document.querySelector('.step .readout')?.textContent.includes('frequency')")
}

// tabTo presses Tab until an expression holds.
func (p *tab) tabTo(expression string) {
	p.Helper()
	for range 120 {
		if eval[bool](p, expression) {
			return
		}
		p.press("\t")
	}
	p.Fatalf("Tab does not lead to %s", expression)
}

// pageKinds lists the path of one page of each kind.
var pageKinds = []string{
	"/", "/rf", "/?q=lora", "/t/link_budget", "/t/pcb_thermal", "/t/heatsink_cfd",
	"/t/spice_template", "/t/loan_amortization", "/t/resistor_color_code",
	"/t/subnet_calculator", "/t/noise_figure_cascade", "/spice", "/board", "/chain", "/notebook",
	"/keys", "/docs", "/mcp/setup", "/about", "/jobs/" + "00000000000000000000000000000000",
	"/nowhere",
}

// widths verifies that no page scrolls horizontally, from a small phone to a wide screen.
func widths(p *tab) {
	p.excused = []string{"status of 404"}
	for _, width := range []int{320, 1440} {
		p.do(chromedp.EmulateViewport(int64(width), 800))
		for _, path := range pageKinds {
			p.visit(path)
			p.settled()
			if got := eval[int](p, "document.documentElement.scrollWidth"); got > width {
				wide := eval[string](p, fmt.Sprintf("[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > %d && !e.closest('.scroll, pre')).slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join('\\n')", width))
				p.Errorf("%s is %d wide at %d: %s", path, got, width, wide)
			}
		}
	}
}

// slowArrival verifies that stored results and actions, which arrive late on a telephone, move
// nothing that is already painted. 0.1 is the limit of a good page (web.dev, cumulative layout
// shift).
func slowArrival(p *tab) {
	p.do(chromedp.EmulateViewport(390, 844))
	p.slow(network.Conditions{Latency: 150, DownloadThroughput: 2e5, UploadThroughput: 9e4}, 1)
	for path, arrived := range map[string]string{
		"/spice":       "document.querySelectorAll('#plots .uplot').length === 2",
		"/board":       "document.querySelector('.board-svg')",
		"/t/rc_filter": "document.querySelectorAll('.uplot').length === 2",
	} {
		p.visit(path)
		p.until(arrived)
		shift := eval[float64](p, `new Promise((done) => {
			let sum = 0;
			new PerformanceObserver((list) => {
				for (const e of list.getEntries()) sum += e.value;
			}).observe({ type: 'layout-shift', buffered: true });
			setTimeout(() => done(sum), 300);
		})`)
		if shift > 0.1 {
			p.Errorf("%s: what is painted moves by %.3f, more than 0.1", path, shift)
		}
	}
	p.visit("/spice")
	p.until("document.querySelector('#plots .stored')")
	p.expect("document.getElementById('lab').dataset.tab === 'netlist'")
}

// settled waits until a page has drawn its first result.
func (p *tab) settled() {
	p.Helper()
	p.until("document.readyState === 'complete' && !document.querySelector('.pending') && (!document.querySelector('#result') || document.querySelector('#result').innerText.trim() !== '') && (location.pathname !== '/chain' || document.querySelector('.step .value'))")
}

// axe runs axe-core over every kind of page, in both colour schemes, and allows no serious finding.
func axe(p *tab) {
	code := axeCore(p)
	p.excused = []string{"status of 404"}
	for theme, paths := range map[string][]string{"light": pageKinds,
		"dark": {"/", "/t/link_budget", "/t/rc_filter", "/chain", "/keys"}} {
		eval[bool](p, fmt.Sprintf("localStorage.setItem('theme', %q) ?? true", theme))
		for _, path := range paths {
			p.visit(path)
			p.settled()
			p.accessible(code, path+" in "+theme)
		}
	}
}

// axeCore returns the code of axe-core, or skips the test if it is not installed.
func axeCore(p *tab) string {
	p.Helper()
	code, path := axeCode(p)
	if code == "" {
		p.Skipf("SKIPPED, NOT TESTED: no axe-core at %s; .ci/run fetches it where npm is", path)
	}
	return code
}

// axeCode returns the code of axe-core, or "" if it is not installed.
func axeCode(p *tab) (code, path string) {
	p.Helper()
	path = os.Getenv("SLIPSTICK_AXE")
	if path == "" {
		home, _ := os.UserCacheDir()
		path = filepath.Join(home, "slipstick", "axe", "node_modules", "axe-core", "axe.min.js")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", path
	}
	return string(raw), path
}

// seriousFaults runs axe-core if it is installed.
func (p *tab) seriousFaults(where string) {
	p.Helper()
	code, path := axeCode(p)
	if code == "" {
		p.Logf("NOT TESTED: accessibility of %s, for lack of axe-core at %s", where, path)
		return
	}
	p.accessible(code, where)
}

// accessible fails the test for serious findings of axe-core in the current page.
func (p *tab) accessible(code, where string) {
	p.Helper()
	eval[bool](p, code+";true")
	for _, found := range eval[[]string](p, `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] }).then((r) => r.violations
		.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary.slice(0, 200)).join(' | ')))`) {
		p.Errorf("%s: %s", where, found)
	}
}

// TestPageStatuses verifies the status codes of existing and missing pages and files.
func TestPageStatuses(t *testing.T) {
	t.Parallel()
	base := serveEmbedded(t)
	for path, want := range map[string]int{"/": 200, "/rf": 200, "/nowhere": 404, "/t/fspl": 200,
		"/t/fpsl": 404, "/static/app.css": 200, "/static/../api/page.go": 404,
		"/static/nothing.js": 404, "/jobs/x": 404} {
		req, err := http.NewRequest(http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "text/html")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
}
