package web

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestStoredResults verifies that each stored result belongs to the current example of its name,
// and has the values that the page draws.
func TestStoredResults(t *testing.T) {
	s := testSite(t)
	circuits, boards := 0, 0
	for name, file := range s.assets.files {
		if !strings.HasPrefix(name, "stored/") || !strings.HasSuffix(name, ".json") {
			continue
		}
		example := strings.TrimSuffix(strings.TrimPrefix(name, "stored/"), ".json")
		var x struct {
			Request json.RawMessage
			Result  struct {
				Status    string
				RuntimeMS *float64 `json:"runtime_ms"`
				Vectors   map[string][]float64
				Files     map[string]string
				DRC       struct {
					Errors int `json:"error_count"`
				}
			}
		}
		if err := json.Unmarshal(file.Body, &x); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if x.Result.RuntimeMS != nil {
			t.Errorf("%s holds a run time, which differs at each go generate", name)
		}
		if text, ok := s.NetlistExample(example); ok {
			circuits++
			if request, _ := json.Marshal(map[string]string{"netlist": text}); !sameRequest(
				x.Request, request) {
				t.Errorf("%s is not the result of its example; go generate ./web makes it", name)
			}
			if len(x.Result.Vectors["frequency"]) < 10 {
				t.Errorf("%s has no curve", name)
			}
			continue
		}
		v, ok := s.BoardExample(example)
		if !ok {
			t.Errorf("%s is the result of no example", name)
			continue
		}
		boards++
		if body, _ := s.BoardBody(v); !sameRequest(body, x.Request) {
			t.Errorf("%s is not the result of its example; go generate ./web makes it", name)
		}
		if x.Result.Status != "complete" && x.Result.Status != "routed" || x.Result.DRC.Errors > 0 {
			t.Errorf("%s: %s with %d rule errors", name, x.Result.Status, x.Result.DRC.Errors)
		}
		if len(x.Result.Files) > 2 {
			t.Errorf("%s has %d files; the page draws the silkscreen alone", name,
				len(x.Result.Files))
		}
	}
	if circuits < 2 || boards < 2 {
		t.Errorf("%d circuits and %d boards are stored", circuits, boards)
	}
}

// TestStoredOnArrival verifies that a page with an example names its stored result, and that a page
// with another input names none.
func TestStoredOnArrival(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct {
		name string
		page func() ([]byte, error)
		want string
	}{
		{"spice", func() ([]byte, error) {
			return s.Spice(Request{}, Values{}, nil, nil)
		}, "stored/rc_low_pass.json"},
		{"own netlist", func() ([]byte, error) {
			return s.Spice(Request{}, Values{"netlist": "t\nR1 a 0 1\n.end"}, nil, nil)
		}, ""},
		{"board", func() ([]byte, error) {
			return s.Board(Request{}, Values{}, nil, nil)
		}, "stored/led_blinker_555.json"},
		{"board of the first page", func() ([]byte, error) {
			v, _ := s.BoardExample(frontBoard)
			return s.Board(Request{}, v, nil, nil)
		}, "stored/" + frontBoard + ".json"},
		{"own board", func() ([]byte, error) {
			return s.Board(Request{}, Values{"netlist": "t"}, nil, nil)
		}, ""},
	} {
		page, err := c.page()
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(page), "stored/"); has != (c.want != "") ||
			!strings.Contains(string(page), c.want) {
			t.Errorf("%s: a stored result: %v, want %q", c.name, has, c.want)
		}
	}
}

// TestFront verifies the results on the home page. Path loss by hand is 20·log10(4π·5000/λ) =
// 105.656 dB at 915 MHz; 20 dBm and two antennas of 2.15 dBi leave -81.36 dBm.
func TestFront(t *testing.T) {
	s := testSite(t)
	page, err := s.Catalog(Request{}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<b>105.7 dB</b>", "<b>-81.36 dBm</b>", "Link OK: ",
		`class="gain"`, "gallery/" + frontBoard + ".svg", `href="/spice"`, `href="/board"`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the first page lacks %s", want)
		}
	}
	other, err := s.Catalog(Request{}, "rf", "")
	if err != nil || strings.Contains(string(other), `id="front"`) {
		t.Errorf("a category has the results of the first page (%v)", err)
	}
}

// TestFolded verifies that the principal fields of a tool are not folded.
func TestFolded(t *testing.T) {
	s := testSite(t)
	for tool, names := range map[string][]string{
		"link_budget":         {"tx_gain_dbi", "rx_gain_dbi"},
		"lora_range_estimate": {"tx_dbm", "freq_mhz", "rx_sensitivity_dbm", "terrain"},
		"meshnet_range":       {"device", "channel_preset", "terrain"},
		"timer_555":           {"pulse_s"},
	} {
		for _, f := range s.Tool(tool).More() {
			for _, name := range names {
				if f.Name == name {
					t.Errorf("%s: %s stands under More", tool, name)
				}
			}
		}
	}
	if len(s.Tool("heatsink_cfd").More()) == 0 {
		t.Error("all 25 fields of heatsink_cfd stand in sight")
	}
}

// TestPreviews verifies that pages of tools name their Open Graph image.
func TestPreviews(t *testing.T) {
	s := testSite(t)
	r := Request{Base: "https://example.org"}
	spice, err := s.Spice(r, Values{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	board, err := s.Board(r, Values{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	divider, err := s.ToolPage(r, s.Tool("voltage_divider"), Values{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for tool, page := range map[string][]byte{SpiceTool: spice, BoardTool: board,
		"voltage_divider": divider} {
		want := `<meta property="og:image" content="https://example.org/preview/` + tool + `.png">`
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("%s: the page lacks %s", tool, want)
		}
	}
	if !bytes.Contains(divider, []byte(`<meta property="og:title" content="Voltage divider">`)) {
		t.Error("the page of a tool has no title for link previews")
	}
}
