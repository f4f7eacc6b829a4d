package route

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// fileOrder lists the files from the lowest to the highest layer. A file may use only files before
// it.
var fileOrder = []string{
	"doc.go", "tuning.go",
	"spans.go", "queue.go", "item.go", "grid.go", "net.go", // data structures
	"router.go",                               // state of a run: time, progress
	"clearance.go", "fixed.go", "channels.go", // exact checks
	"rasterize.go", "occupancy.go", // grid
	"search.go", "enclosed.go", "access.go", // maze
	"pairgrid.go", "pairleg.go", "paircross.go", "pairfanout.go",
	"pairsearch.go", "pairtrack.go", "pair.go", // differential pairs
	"sinks.go", "connect.go", "pournet.go", "tree.go", "branches.go", // net tree
	"pathfinder.go", "ripup.go", "refine.go", "reducevias.go", // negotiated congestion, rip-up
	"ratsnest.go", "pourprobe.go", "pourconnect.go", // connections, pour
	"smooth.go", "widen.go", "finish.go", "cluster.go", "danglingvia.go", "dangling.go",
	"lengthgroup.go", // finish
	"route.go",
}

// TestFileOrder verifies that no file uses identifiers of a file after it in fileOrder.
func TestFileOrder(t *testing.T) {
	rank := map[string]int{}
	for i, name := range fileOrder {
		rank[name] = i
	}
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if _, ok := rank[path]; !ok {
			t.Errorf("%s is not in the order", path)
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) != len(fileOrder) {
		t.Errorf("%d files, %d in the order", len(files), len(fileOrder))
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := config.Check("slipstick/autorouter/route", fset, files, &info)
	if err != nil {
		t.Fatal(err)
	}
	for id, object := range info.Uses {
		if field, ok := object.(*types.Var); ok && field.IsField() || object.Pkg() != pkg {
			continue
		}
		from, to := fset.Position(id.Pos()), fset.Position(object.Pos())
		if rank[from.Filename] < rank[to.Filename] {
			t.Errorf("%s uses %s of %s", from, id.Name, to.Filename)
		}
	}
}
