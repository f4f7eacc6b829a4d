package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"slipstick/plot"
	"slipstick/tools"
)

// drawPreviews writes a PNG of each tool with a plot or a board in the result of an example. Pages
// name it as their Open Graph image, which other programs show beside a link.
func drawPreviews(c *tools.Catalog, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, e := range c.All() {
		png, err := previewOf(e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		if png == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name+".png"), png, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// previewOf returns the picture of the first example whose result has one, nil if none has.
func previewOf(e *tools.Entry) ([]byte, error) {
	if !plot.Draws(e.Output) {
		return nil, nil
	}
	for _, x := range e.Examples {
		raw, err := e.Run(context.Background(), json.RawMessage(x.In))
		if err != nil {
			return nil, err
		}
		if pictures := plot.Pictures(e.Title, e.Output, raw, nil); len(pictures) > 0 {
			var b bytes.Buffer
			err := pictures[0].Write(&b, plot.PNG)
			return b.Bytes(), err
		}
	}
	return nil, nil
}
