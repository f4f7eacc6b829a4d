package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"slipstick/tools/catalog"
)

// toolCounts returns the number of all tools and that of the category rf.
func toolCounts(t testing.TB) (all, rf int) {
	t.Helper()
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range c.All() {
		if tool.Category == "rf" {
			rf++
		}
	}
	return len(c.All()), rf
}

// catalogOf returns the tools that GET /api lists.
func catalogOf(t testing.TB, base string) (tools []struct {
	Name  string `json:"name"`
	Heavy bool   `json:"heavy"`
}) {
	t.Helper()
	resp, err := http.Get(base + "/api")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &tools); err != nil {
		t.Fatal(err)
	}
	return tools
}

// TestPage verifies the page in a browser, with one server for all parts.
func TestPage(t *testing.T) {
	t.Parallel()
	runParts(t, []part{
		{"every tool", everyTool},
		{"search", search},
		{"numbers", numbers},
		{"live", live},
		{"last typed wins", lastTypedWins},
		{"primary results", primaryResults},
		{"mistakes", mistakes},
		{"rows", rows},
		{"share", share},
		{"pictures", pictures},
		{"drawings", drawings},
		{"usage of a key", keyUsage},
		{"cursors and drawing of a plot", plotTools},
		{"troubles", troubles},
		{"hostile", hostile},
		{"scheme", scheme},
		{"sliders", sliders},
		{"several units", severalUnits},
		{"keyboard", keyboard},
		{"job", job},
		{"chain", chain},
		{"chain by keyboard", chainByKeyboard},
		{"lists in a chain", chainRows},
		{"keys, API, MCP", service},
		{"widths", widths},
		{"arrival on a slow network", slowArrival},
		{"widths of results", resultWidths},
		{"width of each chain", chainWidths},
		{"numbers of results", resultNumbers},
		{"numbers that are carried", carriedNumbers},
		{"axes of money", moneyAxes},
		{"cursors between points", cursorsBetween},
		{"a field that is required", requiredField},
		{"notes beside a drawing", besideDrawing},
		{"paper", paper},
		{"forced colours", forcedColours},
		{"axe", axe},
	})
}

// everyTool verifies that the page of every tool shows the result of its first example, without an
// error, with units and without horizontal scrolling.
func everyTool(p *tab) {
	all := catalogOf(p.TB, p.base)
	if want, _ := toolCounts(p); len(all) != want {
		p.Errorf("%d tools, want %d", len(all), want)
	}
	pictured := map[string]bool{}
	for _, tool := range all {
		p.visit("/t/" + tool.Name)
		if tool.Heavy {
			p.until("document.querySelector('.head .acts:not([hidden])')")
			p.fits(tool.Name)
			continue
		}
		p.until("document.querySelector('#result .value .number, #result table, #result pre') && !document.querySelector('#result .problem')")
		// The page contains the result, and preloads the modules that draw it. Two results exceed
		// the size limit, so the page requests them.
		want := 0
		if tool.Name == "heatsink_cfd" || tool.Name == "pcb_thermal" {
			want = 1
		}
		if requested := eval[[]string](p, "performance.getEntriesByType('resource').map((e) => new URL(e.name).pathname).filter((path) => path.startsWith('/ui/'))"); len(requested) != want {
			p.Errorf("%s: its page asks %v, not %d times", tool.Name, requested, want)
		}
		ahead := eval[string](p, "[...document.querySelectorAll('link[rel=modulepreload]')].map((l) => /picture_\\w+/.exec(l.href)?.[0]).filter(Boolean).sort().join()")
		// No table cell shows an object as JSON, even after the module has redrawn it.
		if got := eval[string](p, "[...document.querySelectorAll('#result td')].map((e) => e.textContent).find((t) => t.includes('{\"')) ?? ''"); got != "" {
			p.Errorf("%s: a cell shows %s", tool.Name, got)
		}
		drawn := eval[string](p, `(async () => {
			const { picturesFor } = await import(document.querySelector('link[rel=modulepreload][href$="/form.js"]').href);
			const tool = JSON.parse(document.getElementById('data').textContent);
			const named = tool.worked ? picturesFor(tool, tool.worked.answer.result).map((x) => x.picture.module) : performance.getEntriesByType('resource').map((e) => e.name);
			return [...new Set(named.map((x) => /picture_\w+/.exec(x)?.[0]).filter(Boolean))].sort().join();
		})()`)
		if ahead != drawn {
			p.Errorf("%s: fetches %s ahead and draws %s", tool.Name, ahead, drawn)
		}
		pictured[ahead] = true
		if bad := eval[string](p,
			"[...document.querySelectorAll('.mistake')].map((m) => m.textContent).join('')"); bad !=
			"" {
			p.Errorf("%s: its example is said to be wrong: %s", tool.Name, bad)
		}
		p.hasUnits(tool.Name)
		p.fits(tool.Name)
	}
	for _, name := range []string{"picture_bands", "picture_timing", "picture_bode",
		"picture_curve", "picture_field", ""} {
		if !pictured[name] {
			p.Errorf("no tool's example draws %q", name)
		}
	}
}

func search(p *tab) {
	p.visit("/")
	p.until("document.getElementById('theme').offsetParent")
	p.shortcut("/")
	p.press("path loss")
	p.until("document.querySelector('#hits .cards a')")
	if first := eval[string](p, "document.querySelector('#hits .cards a').textContent"); first !=
		"Free-space path loss" {
		p.Errorf("the first hit is %q", first)
	}
	p.press("\r")
	p.until("location.pathname === '/t/fspl'")
	p.visit("/?q=555")
	if !strings.Contains(eval[string](p, "document.querySelector('#hits').innerText"),
		"555 timer") {
		p.Error("555 does not find the timer")
	}
	// Escape ends the search.
	eval[bool](p, "document.getElementById('q').focus() ?? true")
	p.shortcut("Escape")
	p.until("!document.getElementById('all').hidden && location.search === '' && " +
		"document.getElementById('q').value === ''")
}
