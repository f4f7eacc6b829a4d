package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"slipstick/plot"
	"slipstick/tools"
)

// storePreview writes the plot or board of a queued tool's result as PNG for its Open Graph image.
// The service does not run queued tools for these images.
func storePreview(e *tools.Entry, result json.RawMessage, dir string) error {
	write := func(w io.Writer) error { return errors.New("the result has no picture") }
	if f, ok := plot.ResultFigure("", e.Output, result, []string{"v(out)"}); ok {
		f.Scale = plot.PreviewScale
		write = func(w io.Writer) error { return plot.Write(w, f, plot.PNG) }
	} else if boards := plot.Pictures("", e.Output, result, nil); len(boards) > 0 {
		write = func(w io.Writer) error { return boards[0].Write(w, plot.PNG) }
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, e.Name+".png"), b.Bytes(), 0o644)
}
