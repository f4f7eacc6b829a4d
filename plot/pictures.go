package plot

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"slipstick/tools/schema"
)

// MaxPictureBytes is the maximum size in bytes of the PNG of a board. PNGs of figures are smaller
// because of their size in pixels and their palette.
const MaxPictureBytes = 60_000

// Picture is one picture of a result: a figure, or a side of a board.
type Picture struct {
	Name    string // plot, top or bottom
	figure  Figure
	preview string // SVG of a side of a board; "" for a figure
}

// Pictures returns the pictures of a tool's result: the two sides of a board, or the figure of
// ResultFigure. vectors selects vectors by name, as in ResultFigure. Pictures returns none for a
// result without a board or figure.
func Pictures(title string, output *schema.Node, result json.RawMessage,
	vectors []string) []Picture {
	if !Draws(output) {
		return nil // avoids parsing the result of most calls
	}
	if boards := boardPictures(output, result); len(boards) > 0 {
		return boards
	}
	if f, ok := ResultFigure(title, output, result, vectors); ok {
		return []Picture{{Name: "plot", figure: f}}
	}
	return nil
}

// Draws reports whether results with the given definition may have pictures.
func Draws(output *schema.Node) bool {
	if output.Field("file_list") != nil && output.Field("files") != nil {
		return true
	}
	return slices.ContainsFunc(output.Fields, func(f *schema.Field) bool {
		switch f.Kind {
		case schema.Map:
			return f.Elem.Kind == schema.Array
		case schema.Array:
			return f.Plot != "" || f.Elem.Kind == schema.Object && hasVectors(f.Elem)
		case schema.Object:
			return slices.ContainsFunc(f.Fields, func(m *schema.Field) bool {
				return m.Kind == schema.Array && m.Elem.Kind == schema.Array
			})
		}
		return false
	})
}

// boardPictures returns pictures of the files with the role preview in the file list, the top side
// first.
func boardPictures(output *schema.Node, result json.RawMessage) (pictures []Picture) {
	if output.Field("file_list") == nil || output.Field("files") == nil {
		return nil
	}
	var board struct {
		Files map[string]string
		List  []struct{ Name, Role string } `json:"file_list"`
	}
	if json.Unmarshal(result, &board) != nil {
		return nil
	}
	names := []string{"top", "bottom"}
	for _, f := range board.List {
		if f.Role == "preview" && len(pictures) < len(names) && board.Files[f.Name] != "" {
			pictures = append(pictures, Picture{Name: names[len(pictures)],
				preview: board.Files[f.Name]})
		}
	}
	return pictures
}

// WriteText draws the curves of the picture as text. It returns ErrEmpty for a side of a board,
// which has no curves, and otherwise the errors of the function WriteText.
func (p *Picture) WriteText(w io.Writer, columns int) error {
	return WriteText(w, p.figure, columns)
}

// Write draws the picture as SVG or PNG. It returns the errors of the function Write and of
// WriteBoard.
func (p *Picture) Write(w io.Writer, format Format) error {
	switch {
	case p.preview == "":
		return Write(w, p.figure, format)
	case format == PNG:
		return WriteBoard(w, []byte(p.preview), MaxPictureBytes)
	case format == SVG:
		_, err := io.WriteString(w, p.preview)
		return err
	}
	return fmt.Errorf("plot: the format must be svg or png, got %q", format)
}
