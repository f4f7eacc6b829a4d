package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"slipstick/plot"
	"slipstick/tools"
)

// terminalPlot is the file name that selects a character plot on standard output.
const terminalPlot = "-"

// checkPlotFile rejects a file name without the extension of a supported plot format. It accepts
// terminalPlot, and "" for no plot.
func checkPlotFile(path string) error {
	switch filepath.Ext(path) {
	case ".svg", ".png":
		return nil
	}
	if path == "" || path == terminalPlot {
		return nil
	}
	return fmt.Errorf("--plot must end in .svg or .png, or be - for the terminal, got %q", path)
}

// formatOf returns the format for the extension of a checked file name.
func formatOf(path string) plot.Format {
	if filepath.Ext(path) == ".png" {
		return plot.PNG
	}
	return plot.SVG
}

// writePlot writes a figure to a file.
func writePlot(path string, f plot.Figure) error {
	return writeTo(path, func(w io.Writer) error { return plot.Write(w, f, formatOf(path)) })
}

// plotResult writes the pictures of a tool's result. It does nothing if path is "" or terminalPlot,
// and returns an error for a result without a picture. The file name of the second picture, the
// bottom of a board, gets a suffix: board-bottom.png.
func plotResult(path string, entry *tools.Entry, result json.RawMessage) error {
	if path == "" || path == terminalPlot {
		return nil
	}
	pictures := plot.Pictures(entry.Title, entry.Output, result, nil)
	if len(pictures) == 0 {
		return fmt.Errorf(
			"--plot: the result of %s has no vectors, no field, no board and no table to plot",
			entry.Name,
		)
	}
	for i, p := range pictures {
		name := path
		if i > 0 {
			suffix := filepath.Ext(path)
			name = strings.TrimSuffix(path, suffix) + "-" + p.Name + suffix
		}
		if err := writeTo(name, func(w io.Writer) error {
			return p.Write(w, formatOf(path))
		}); err != nil {
			return err
		}
	}
	return nil
}

// printPlot prints the first picture with curves as a character plot.
func printPlot(out io.Writer, entry *tools.Entry, result json.RawMessage) error {
	for _, p := range plot.Pictures(entry.Title, entry.Output, result, nil) {
		err := p.WriteText(out, terminalColumns)
		if !errors.Is(err, plot.ErrEmpty) {
			return err
		}
	}
	return fmt.Errorf("--plot -: the result of %s has no curves; --plot FILE.svg draws fields and boards",
		entry.Name)
}

// terminalColumns is the width of a character plot in columns.
const terminalColumns = 80
