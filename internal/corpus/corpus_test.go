package corpus

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestFiles verifies that only selected files are found, in order.
func TestFiles(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"b.kicad_pcb", "a.txt", "c/a.kicad_pcb", "c/processed.kicad_pcb"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{filepath.Join(root, "b.kicad_pcb"), filepath.Join(root, "c", "a.kicad_pcb")}
	if got := Files(t, root, IsKiCadBoard); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestRows verifies that a later run measures only the files without a result.
func TestRows(t *testing.T) {
	type row struct {
		Name string
		N    int
	}
	folder, measured := Folder(t, ""), 0
	for range 2 {
		rows := Open(t, folder, func(r *row) *string { return &r.Name })
		for _, name := range []string{"a", "b"} {
			got := rows.Row(name, func() row { measured++; return row{N: len(name)} })
			if got != (row{name, 1}) {
				t.Errorf("%+v", got)
			}
		}
	}
	if measured != 2 {
		t.Errorf("%d files are measured", measured)
	}
}
