package pcb

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// need looks for a program that a test cannot do without.
func need(t *testing.T, program, debian string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	missing(t, program+" is not installed (Debian package "+debian+")")
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") == "1" {
		t.Fatal(what + ", and SLIPSTICK_REQUIRE_INTEGRATION=1 asks for it")
	}
	t.Skip("SKIPPED: " + what)
}

var (
	// unknownAttribute is what gerbv 2.9.6, which knows no X2, says to each attribute.
	unknownAttribute = regexp.MustCompile(`(?m)^.*Unknown RS-274X extension found %T[FAOD]%.*$`)
	// unknownSlot is what it says to a slot in XNC, which it cannot draw: it knows only G85, which is no XNC.
	unknownSlot = regexp.MustCompile(`(?m)^.*Unsupported (G00|G01|M15|M16) \(.*$`)
	attribute   = regexp.MustCompile(`(?m)^%T[FAOD][^%]*\*%\n`)
)

// TestGerbv draws every layer of every example with gerbv. It may remark on attributes and on slots and
// on nothing else; on two of the boards the picture is compared with that of the file without attributes.
func TestGerbv(t *testing.T) {
	need(t, "gerbv", "gerbv")
	eachExample(t, func(t *testing.T, example string, _ []byte, out pcbLayoutOut) {
		dir := t.TempDir()
		draw := func(name, text string) (picture, said []byte) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			said, err := exec.Command("gerbv", "-x", "png", "-D", "300", "-o", path+".png", path).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, said)
			}
			if picture, err = os.ReadFile(path + ".png"); err != nil {
				t.Errorf("%s: no picture: %v", name, err)
			}
			return picture, said
		}
		drawn := 0
		for name, text := range out.Files {
			if ext := filepath.Ext(name); ext != ".drl" && !strings.HasPrefix(ext, ".g") {
				continue
			}
			drawn++
			remarks := func(said []byte) []byte {
				if strings.Contains(text, "\nM15\n") {
					said = unknownSlot.ReplaceAll(said, nil)
				}
				return bytes.TrimSpace(said)
			}
			picture, said := draw(name, text)
			if rest := remarks(unknownAttribute.ReplaceAll(said, nil)); len(rest) > 0 {
				t.Errorf("%s: gerbv says %s", name, rest)
			}
			if example != "led_blinker_555" && example != "usb_serial_atmega328" {
				continue
			}
			bare := attribute.ReplaceAllString(text, "")
			plain, said := draw("bare-"+name, bare)
			if len(remarks(said)) > 0 {
				t.Errorf("%s without attributes: gerbv says %s", name, said)
			}
			if !bytes.Equal(picture, plain) {
				t.Errorf("%s: the picture depends on the attributes", name)
			}
		}
		if drawn != 11 {
			t.Errorf("%d of 11 files drawn", drawn)
		}
	})
}
