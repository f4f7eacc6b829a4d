package pcb

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"slipstick/autorouter/fabrication"
)

// need finds a program that a test requires.
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
	// unknownAttribute matches the message that gerbv 2.9.6, which does not support X2, prints for
	// each attribute.
	unknownAttribute = regexp.MustCompile(`(?m)^.*Unknown RS-274X extension found %T[FAOD]%.*$`)
	// unknownSlot matches the message for a slot in XNC. gerbv supports only G85 slots, which XNC
	// lacks.
	unknownSlot = regexp.MustCompile(`(?m)^.*Unsupported (G00|G01|M15|M16) \(.*$`)
	attribute   = regexp.MustCompile(`(?m)^%(T[FAOD][^%]*\*)%$`)
)

// commented returns a Gerber file with its attributes in comments.
func commented(text string) string { return attribute.ReplaceAllString(text, "G04 #@! $1") }

// TestGerbv renders every layer of every example with gerbv, with its attributes as commands and as
// comments. It verifies that the images are equal, and that gerbv prints messages only for slots
// and for attributes as commands.
func TestGerbv(t *testing.T) {
	need(t, "gerbv", "gerbv")
	eachExample(t, func(t *testing.T, _ string, _ []byte, out pcbLayoutOut) {
		drawFiles(t, out, 11)
	})
}

// drawFiles renders the given number of Gerber and drill files of a board.
func drawFiles(t *testing.T, out pcbLayoutOut, files int) {
	t.Helper()
	dir := t.TempDir()
	draw := func(name, text string) (picture, output []byte) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		output, err := exec.Command("gerbv", "-x", "png", "-D", "300", "-o", path+".png",
			path).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, output)
		}
		if picture, err = os.ReadFile(path + ".png"); err != nil {
			t.Errorf("%s: no picture: %v", name, err)
		}
		return picture, output
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
		picture, output := draw(name, text)
		if rest := remarks(unknownAttribute.ReplaceAll(output, nil)); len(rest) > 0 {
			t.Errorf("%s: gerbv says %s", name, rest)
		}
		plain, output := draw("comments-"+name, commented(text))
		if len(remarks(output)) > 0 {
			t.Errorf("%s with attributes in comments: gerbv says %s", name, output)
		}
		if !bytes.Equal(picture, plain) {
			t.Errorf("%s: the picture depends on the attributes", name)
		}
	}
	if drawn != files {
		t.Errorf("%d of %d files drawn", drawn, files)
	}
}

// TestAttributeComments verifies that a reader of both forms gets the same content from Gerber
// files with attributes in comments. It also verifies that no command requires X2, and that nothing
// else changes.
func TestAttributeComments(t *testing.T) {
	body, err := os.ReadFile("../../examples/boards/led_blinker_555.json")
	if err != nil {
		t.Fatal(err)
	}
	commands := layout(t, body)
	comments := layout(t, bytes.Replace(body, []byte("{"),
		[]byte(`{"gerber_attributes":"comments",`), 1))
	gerbers := 0
	for name, want := range commands.Files {
		if strings.HasPrefix(filepath.Ext(name), ".g") {
			gerbers++
			if want = commented(want); strings.Contains(want, "%T") ||
				!strings.Contains(want, "G04 #@! TF.FileFunction,") {
				t.Fatalf("%s: attributes are not as expected: %.300s", name, want)
			}
			read, err := fabrication.ReadGerber(comments.Files[name])
			if err != nil {
				t.Fatal(err)
			}
			again, err := fabrication.ReadGerber(commands.Files[name])
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(read, again) {
				t.Errorf("%s: the two spellings read differently", name)
			}
		}
		if comments.Files[name] != want {
			t.Errorf("%s: differs from what it should be", name)
		}
	}
	if gerbers != 9 || len(comments.Files) != len(commands.Files) {
		t.Errorf("%d Gerber files, %d and %d files", gerbers, len(comments.Files),
			len(commands.Files))
	}
}
