package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var screenFolder = flag.String("screens", "",
	"folder for screenshots of every kind of page: light, dark, phone and print")

// mostScreens is the maximum height of a screenshot in screens; longer pages are cut.
const mostScreens = 3

// screenPages are the kinds of pages, each with the condition under which it is complete.
var screenPages = []struct{ name, path, ready string }{
	{"catalog", "/", "document.querySelector('.cards')"},
	{"category", "/rf", "document.querySelector('.cards')"},
	{"search", "/?q=opamp", "document.querySelector('#hits a')"},
	{"tool", "/t/link_budget", "document.querySelector('#result .value')"},
	{"model", "/t/fspl?freq_mhz=869&dist_km=2&model=hata&tx_height_m=30&rx_height_m=1",
		"document.querySelector('#result .conclusion')"},
	{"drawing", "/t/voltage_divider", "document.querySelector('#result .value')"},
	{"plots", "/t/rc_filter", "document.querySelectorAll('.uplot').length === 2"},
	{"table", "/t/subnet_calculator", "document.querySelector('#result .value')"},
	{"zfs", "/t/zfs_capacity", "document.querySelector('#result .value')"},
	{"rows", "/t/noise_figure_cascade", "document.querySelector('#result .value')"},
	{"heavy", "/t/spice_template", "document.querySelector('.acts:not([hidden])')"},
	{"errors", "/t/fspl?freq_mhz=-1&dist_km=x",
		"document.querySelector('.bad .mistake:not(:empty)')"},
	{"spice", "/spice", "document.querySelectorAll('#plots .uplot').length === 2"},
	{"board", "/board", "document.querySelector('.board-svg')"},
	{"chain", "/chain", "document.querySelector('.step .value')"},
	{"notebook", "/notebook", "document.querySelectorAll('.note .value').length > 3"},
	{"keys", "/keys", "true"},
	{"api", "/docs", "true"},
	{"mcp", "/mcp/setup", "true"},
	{"about", "/about", "true"},
	{"missing", "/nowhere", "true"},
}

// screenNotebook fills the notebook with two results.
const screenNotebook = `localStorage.setItem('notebook', JSON.stringify({ title: 'Link to the hut', items: [
	{ tool: 'fspl', title: 'Free-space path loss', request: { freq_mhz: 868, dist_km: 12 }, note: 'Line of sight, checked on the map.' },
	{ tool: 'voltage_divider', title: 'Voltage divider', request: { vin_v: 12, r1_ohm: 10000, r2_ohm: 4700 }, note: '' }] })) ?? true`

// TestScreens writes screenshots for visual inspection and verifies that every page is complete.
//
//	go test ./e2e -run 'TestScreens$' -screens FOLDER
func TestScreens(t *testing.T) {
	if *screenFolder == "" {
		t.Skip("-screens names no folder")
	}
	if err := os.MkdirAll(*screenFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	b, base := browser(t), serveEmbedded(t)
	for _, mode := range []struct {
		name          string
		width, height int64
		media         emulation.SetEmulatedMediaParams
	}{
		{"light", 1280, 900, emulation.SetEmulatedMediaParams{}},
		{"dark", 1280, 900,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: "dark"}}}},
		{"phone", 390, 844, emulation.SetEmulatedMediaParams{}},
		{"print", 794, 1123, emulation.SetEmulatedMediaParams{Media: "print"}}, // A4 at 96 dpi
	} {
		t.Run(mode.name, func(t *testing.T) {
			p := openTab(t, b, base)
			p.excused = []string{"status of 400", "status of 404"}
			p.do(chromedp.EmulateViewport(mode.width, mode.height))
			eval[bool](p, screenNotebook)
			p.media(mode.media)
			for _, x := range screenPages {
				p.visit(x.path)
				p.until(x.ready)
				if mode.media.Media == "print" {
					eval[bool](p, "window.dispatchEvent(new Event('beforeprint')) || true")
				}
				if mode.name == "phone" &&
					eval[float64](p, "document.documentElement.scrollWidth") > 390 {
					t.Errorf("%s is wider than the phone", x.name)
				}
				p.shot(mode.name + "-" + x.name)
			}
		})
	}
}

// shot saves a screenshot of the page, cut to the height of mostScreens viewports, in the folder
// given by -screens. Without -screens it does nothing.
func (p *tab) shot(name string) {
	p.Helper()
	if *screenFolder == "" {
		return
	}
	size := eval[[]float64](p, "[document.documentElement.clientWidth, document.documentElement.scrollHeight, innerHeight]")
	beyond := true
	clip := page.Viewport{Width: size[0], Height: min(size[1], mostScreens*size[2]), Scale: 1}
	shot, err := chromedp.Call(p.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: "png", Clip: &clip, CaptureBeyondViewport: &beyond})
	if err != nil {
		p.Fatal(err)
	}
	file := filepath.Join(*screenFolder, name+".png")
	if err := os.WriteFile(file, shot.Data, 0o600); err != nil {
		p.Fatal(err)
	}
}
