// Package corpus finds the public files that tests measure, and keeps the results so that a later
// run continues. The repository does not contain the files; docs/boards.md explains how to download
// them. Only tests import the package.
package corpus

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Files returns the sorted paths of the files below root that accept selects by their base names.
func Files(t testing.TB, root string, accept func(name string) bool) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && accept(e.Name()) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

// IsKiCadBoard reports whether a file is a board file of KiCad, as drawn by its author.
func IsKiCadBoard(name string) bool {
	return filepath.Ext(name) == ".kicad_pcb" && name != "processed.kicad_pcb" &&
		name != "unrouted.kicad_pcb"
}

// Folder creates the folder of the results, or a temporary one if its name is "".
func Folder(t testing.TB, name string) string {
	t.Helper()
	if name == "" {
		return t.TempDir()
	}
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// Rows holds the results of files, by name, in a file with one JSON object a line.
type Rows[T any] struct {
	t    testing.TB
	name func(*T) *string
	file *os.File
	done map[string]T
}

// Open opens the file rows.json of a folder and reads the results of earlier runs. name returns the
// field of a result that holds the name.
func Open[T any](t testing.TB, folder string, name func(*T) *string) *Rows[T] {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(folder, "rows.json"),
		os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	r := &Rows[T]{t: t, name: name, file: file, done: map[string]T{}}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row T
		if json.Unmarshal(lines.Bytes(), &row) == nil {
			r.done[*name(&row)] = row
		}
	}
	return r
}

// Row returns the result with a name. If there is none, Row calls measure and stores its result.
func (r *Rows[T]) Row(name string, measure func() T) T {
	r.t.Helper()
	row, ok := r.done[name]
	if ok {
		return row
	}
	row = measure()
	*r.name(&row) = name
	if err := json.NewEncoder(r.file).Encode(row); err != nil {
		r.t.Fatal(err)
	}
	return row
}
