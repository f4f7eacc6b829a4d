package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// task is a goal of a user, in steps of one action and its visible effect each.
type task struct {
	name  string
	steps []taskStep
}

type taskStep struct {
	name string
	do   func(*tab)
}

// lowPass is an RC low-pass of 1 kΩ and 100 nF drawn in LTspice. Its -3 dB frequency is 1/(2π·R·C)
// = 1.5915 kHz.
const lowPass = `Version 4
SHEET 1 880 680
WIRE 112 112 0 112
WIRE 240 112 192 112
FLAG 0 192 0
FLAG 240 176 0
FLAG 240 112 out
SYMBOL voltage 0 96 R0
SYMATTR InstName V1
SYMATTR Value 0
SYMATTR Value2 AC 1
SYMBOL res 208 96 R90
SYMATTR InstName R1
SYMATTR Value 1k
SYMBOL cap 224 112 R0
SYMATTR InstName C1
SYMATTR Value 100n
TEXT 0 300 Left 2 !.ac dec 20 10 1meg
`

// ledBoard is a netlist of KiCad: a header, a resistor and a light-emitting diode in series.
const ledBoard = `(export (version "E") (components
 (comp (ref "J1") (value "5V") (footprint "Connector_PinHeader_2.54mm:PinHeader_1x02_P2.54mm_Vertical"))
 (comp (ref "R1") (value "470") (footprint "Resistor_SMD:R_0805_2012Metric"))
 (comp (ref "D1") (value "red") (footprint "LED_SMD:LED_0805_2012Metric")))
 (nets (net (code "1") (name "VCC") (node (ref "J1") (pin "1")) (node (ref "R1") (pin "1")))
 (net (code "2") (name "LED") (node (ref "R1") (pin "2")) (node (ref "D1") (pin "2")))
 (net (code "3") (name "GND") (node (ref "J1") (pin "2")) (node (ref "D1") (pin "1")))))`

// findTool types into the search field and opens the first tool with Enter.
func findTool(text, path string) func(*tab) {
	return func(p *tab) {
		p.visit("/")
		p.shortcut("/")
		p.until("document.activeElement.id === 'q'")
		p.press(text)
		p.until("!document.getElementById('hits').hidden && document.querySelector('#hits a')")
		p.press("\r")
		p.until(fmt.Sprintf("location.pathname === %q && document.querySelector('[data-out]')",
			path))
	}
}

// enter types a value into a field and waits for a condition.
func enter(field, value, shown string) func(*tab) {
	return func(p *tab) {
		p.fill(field, value)
		p.until(shown)
	}
}

const firstNumber = "document.querySelector('#result .value.first .number').innerText"

var userTasks = []task{
	{"radio amateur: a link", []taskStep{
		{"search and open", findTool("link budget", "/t/link_budget")},
		{"transmit power", enter("tx_dbm", "14", "location.search.includes('tx_dbm=14')")},
		{"frequency", enter("freq_mhz", "868.1M", "location.search.includes('868.1M')")},
		// The margin is 14 + 2·2.15 dBi - 20·log10(4π·12 km·868.1 MHz/c) + 137 = 42.5 dB.
		{"distance",
			enter("dist_km", "12",
				"document.getElementById('result').innerText.includes('112.8')")},
		{"sensitivity, margin read", enter("rx_sensitivity_dbm", "-137",
			firstNumber+".startsWith('42.5')")},
		{"link shared and opened", func(p *tab) {
			at := eval[string](p, "location.pathname + location.search")
			p.visit("/about")
			p.visit(at)
			p.until(firstNumber + ".startsWith('42.5')")
		}},
	}},
	{"student: Bode plot of an LTspice schematic", []taskStep{
		{"open the simulator", func(p *tab) {
			p.visit("/spice")
			p.until("document.getElementById('open')")
		}},
		{"drop the schematic", func(p *tab) {
			p.drop(file{"low pass.asc", []byte(lowPass)})
			p.until(netlistText + ".includes('.ac dec 20 10 1meg')")
		}},
		{"run, -3 dB read", func(p *tab) {
			p.click("#run")
			p.until("/1\\.591\\d* kHz/.test(document.querySelector('.found')?.textContent) && document.querySelectorAll('#plots .uplot').length === 2")
		}},
		{"pin to the notebook", func(p *tab) {
			p.click("#pin")
			p.until("document.querySelector('.to-notebook')")
		}},
	}},
	{"maker: a board from KiCad", []taskStep{
		{"open the router", func(p *tab) {
			p.visit("/board")
			p.until("document.querySelector('.head .acts:not([hidden])')")
		}},
		{"paste the netlist", func(p *tab) { p.typeCircuit(ledBoard) }},
		{"route", func(p *tab) {
			p.click("#run")
			p.until(boardIsDrawn +
				" && document.querySelectorAll('.board-nets tbody tr').length === 3")
			p.expect("document.querySelector('.board-figures').textContent.includes('100 %')")
		}},
		{"files offered", func(p *tab) {
			p.until("/zip/i.test(document.querySelector('.board-out').textContent)")
		}},
	}},
	{"home lab: ZFS pool and UPS", []taskStep{
		{"search and open ZFS", findTool("zfs capacity", "/t/zfs_capacity")},
		{"eight drives",
			enter("drives_per_vdev", "8", "location.search.includes('drives_per_vdev=8')")},
		{"one vdev", enter("vdev_count", "1", "location.search.includes('vdev_count=1')")},
		// The raw capacity is 58.2 TiB. A record of 32 sectors occupies 45 sectors of raidz2 on 8
		// drives. Without slop and labels, 41.2 TiB remain.
		{"8 TB each, capacity read", enter("drive_size_tb", "8", firstNumber+".startsWith('41.')")},
		{"search and open UPS", findTool("ups runtime", "/t/ups_runtime")},
		{"load", enter("load_w", "200", "location.search.includes('load_w=200')")},
		{"voltage", enter("battery_voltage_v", "12",
			"location.search.includes('battery_voltage_v=12')")},
		// The runtime is 20 h · (7 Ah/(18.52 A · 20 h))^1.1 = 15.25 min.
		{"capacity, runtime read", enter("battery_ah", "7", firstNumber+".startsWith('15.2')")},
	}},
	{"keyboard alone", []taskStep{
		{"search and open", findTool("divider", "/t/voltage_divider")},
		{"Tab to the input voltage, type", func(p *tab) {
			p.tabTo("document.activeElement.id === 'f-vin_v'")
			p.press("24")
			p.until(firstNumber + ".startsWith('5.8')") // 24·(3.3 ∥ 100)/(10 + 3.3 ∥ 100) = 5.81 V
		}},
		{"Tab to copy, press", func(p *tab) {
			p.tabTo("document.activeElement.closest('.value.first .acts') !== null")
			p.press("\r")
			p.until("document.getElementById('say').textContent !== ''")
		}},
	}},
	{"phone", []taskStep{
		{"open a tool", func(p *tab) {
			p.do(chromedp.EmulateViewport(390, 844))
			p.visit("/t/link_budget")
			p.until("document.querySelector('#result .value.first')")
		}},
		{"type, result within sight", func(p *tab) {
			p.fill("dist_km", "7")
			// 48.64 - 20·log10(7/5)
			p.until("location.search.includes('dist_km=7') && document.querySelector('.peek').textContent.includes('45.7')")
			p.expect("(() => { const r = document.querySelector('.peek').getBoundingClientRect(); return r.top > 0 && r.bottom <= innerHeight && r.height >= 24 })()")
		}},
		{"a wrong value, mended; go to the result", func(p *tab) {
			p.fill("dist_km", "-7")
			p.until("document.querySelector('.peek').textContent.startsWith('Last result: Link OK: 45.7')")
			p.fill("dist_km", "7")
			p.until("document.querySelector('.peek').textContent.startsWith('Link OK: 45.7')")
			p.click(".peek")
			p.until("document.querySelector('#result .value.first').getBoundingClientRect().top < innerHeight && document.querySelector('.peek').hidden")
			p.expect("document.documentElement.scrollWidth <= 390")
		}},
	}},
	{"print", []taskStep{
		{"open the notebook", func(p *tab) {
			p.visit("/about")
			eval[bool](p, screenNotebook)
			p.visit("/notebook")
			p.until("document.querySelectorAll('.note .value').length > 3")
		}},
		{"print to a file", func(p *tab) {
			out, err := chromedp.Call(p.ctx, page.PrintToPDF, page.PrintToPDFParams{})
			if err != nil {
				p.Fatal(err)
			}
			if n := bytes.Count(out.Data, []byte("/Type /Page\n")); n < 1 || n > 2 {
				p.Errorf("%d pages of %d bytes", n, len(out.Data))
			}
			p.media(emulation.SetEmulatedMediaParams{})
		}},
	}},
	{"wrong inputs", []taskStep{
		{"open a tool", func(p *tab) {
			p.visit("/t/fspl")
			p.until("document.querySelector('#result .value.first')")
		}},
		{"a word",
			enter("freq_mhz", "fast", "document.querySelector('[data-mistake=freq_mhz]').textContent.includes('not a number')")},
		{"a number below the range",
			enter("dist_km", "-5", "location.search.includes('dist_km=-5')")},
		{"first mended, the other is reported", enter("freq_mhz", "915", "document.querySelector('[data-mistake=dist_km]').textContent.includes('greater than 0')")},
		{"mended, result read",
			enter("dist_km", "5",
				firstNumber+".startsWith('105.7') && !document.querySelector('.bad')")},
		{"a damaged link", func(p *tab) {
			p.visit("/t/fspl#n=abc")
			p.until("document.querySelector('.problem')?.textContent.includes('link is damaged')")
		}},
	}},
}

// TestTasks performs the tasks of users and prints their steps and seconds.
func TestTasks(t *testing.T) {
	t.Parallel()
	b, base := browser(t), serveEmbedded(t)
	var table strings.Builder
	for _, x := range userTasks {
		t.Run(x.name, func(t *testing.T) {
			p := openTab(t, b, base)
			p.excused = []string{"status of 400"}
			began := time.Now()
			for _, s := range x.steps {
				at := time.Now()
				s.do(p)
				t.Logf("%-36s %6.2f s", s.name, time.Since(at).Seconds())
			}
			fmt.Fprintf(&table, "%-44s %2d steps %6.2f s\n", x.name, len(x.steps),
				time.Since(began).Seconds())
		})
	}
	t.Logf("tasks, their steps and seconds without thinking:\n%s", table.String())
}
