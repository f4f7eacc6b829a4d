package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"slipstick/plot"
	"slipstick/tools"
)

// storePreview writes the plot or the board of a queued tool's result as PNG, for its Open Graph
// image: the service does not compute such a result for an image.
func storePreview(e *tools.Entry, result json.RawMessage, dir string) error {
	pictures := plot.Pictures("", e.Output, result, []string{"v(out)"})
	if len(pictures) == 0 {
		return errors.New("the result has no picture")
	}
	var b bytes.Buffer
	if err := pictures[0].Write(&b, plot.PNG); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, e.Name+".png"), b.Bytes(), 0o644)
}
