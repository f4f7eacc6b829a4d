package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"slipstick/plot"
	"slipstick/tools"
)

// checkPlotFile rejects a file name that names no format of plots; "" is none.
func checkPlotFile(path string) error {
	switch filepath.Ext(path) {
	case ".svg", ".png":
		return nil
	}
	if path == "" {
		return nil
	}
	return fmt.Errorf("--plot must end in .svg or .png, got %q", path)
}

// writePlot writes a figure to a file, in the format that its name ends in.
func writePlot(path string, f plot.Figure) error {
	format := plot.SVG
	if filepath.Ext(path) == ".png" {
		format = plot.PNG
	}
	return writeTo(path, func(w io.Writer) error { return plot.Write(w, f, format) })
}

// plotResult writes the plot of a tool's result; path "" writes none.
func plotResult(path string, entry *tools.Entry, result json.RawMessage) error {
	if path == "" {
		return nil
	}
	f, ok := plot.ResultFigure(entry.Title, entry.Output, result, nil)
	if !ok {
		return fmt.Errorf("--plot: the result of %s has no vectors and no table to plot", entry.Name)
	}
	return writePlot(path, f)
}
