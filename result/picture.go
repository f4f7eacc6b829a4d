package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"slipstick/plot"
	"slipstick/tools/schema"
)

// pictureSuffix is the suffix of picture names: plot.png, top.png, bottom.png.
const pictureSuffix = ".png"

// IsPicture reports whether a path step names a picture of a result.
func IsPicture(step string) bool { return strings.HasSuffix(step, pictureSuffix) }

// Picture returns a picture of a result as PNG. path must not be empty; its last step is the name
// of the picture. plot.png shows vectors, fields or a table. The pictures top.png and bottom.png
// show a side of a board in at most plot.MaxPictureBytes. A path such as analyses/1/plot.png shows
// an entry of analyses. The query selects vectors and their points. Picture returns an error that
// wraps ErrNoPart, or a *QueryError.
func Picture(
	title string, node *schema.Node, raw json.RawMessage, path []string, q Query,
) ([]byte, error) {
	name := path[len(path)-1]
	part := raw
	for _, step := range path[:len(path)-1] {
		if part = child(part, step); part == nil {
			return nil, fmt.Errorf("%w: %s", ErrNoPart, cut(step))
		}
		if node != nil && node.Kind == schema.Array {
			node = node.Elem
		} else {
			node = member(node, step)
		}
	}
	if q.ofVectors() {
		q.Whole = true
		var err error
		if part, err = selectVectors(part, false, q); err != nil {
			return nil, err
		}
	}
	if node != nil {
		for _, p := range plot.Pictures(title, node, part, q.Vectors) {
			if p.Name+pictureSuffix != name {
				continue
			}
			var b bytes.Buffer
			if err := p.Write(&b, plot.PNG); err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrNoPart, cut(name), err)
			}
			return b.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrNoPart, cut(name))
}
