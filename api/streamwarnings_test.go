package api

import (
	"bytes"
	"io"
	"testing"

	"slipstick/tools"
)

// inPieces writes a text in pieces of a fixed size.
type inPieces struct {
	text string
	size int
}

func (p inPieces) WriteTo(w io.Writer) (n int64, err error) {
	for rest := []byte(p.text); len(rest) > 0 && err == nil; {
		piece := rest[:min(p.size, len(rest))]
		rest = rest[len(piece):]
		var m int
		m, err = w.Write(piece)
		n += int64(m)
	}
	return n, err
}

// TestStreamedWarnings compares a result that is streamed with warnings with the same result built
// in memory, for several piece sizes.
func TestStreamedWarnings(t *testing.T) {
	warnings := []string{"layer_count is unknown and was ignored", `a "quoted" <name>`}
	for _, result := range []string{
		`{"a":1,"warnings":[]}`, `{"a":[1,2],"warnings":["one","two"]}`, `{"warnings":[]}`,
	} {
		for _, added := range [][]string{nil, warnings[:1], warnings} {
			want := tools.AppendWarnings([]byte(result), added)
			if len(want) != len(result)+addedBytes(added) {
				t.Errorf("%s with %q has %d bytes, announced are %d",
					result, added, len(want), len(result)+addedBytes(added))
			}
			for size := 1; size <= len(result); size++ {
				var got bytes.Buffer
				n, err := (&resultWithWarnings{inPieces{result, size}, added}).WriteTo(&got)
				if err != nil || got.String() != string(want) || n != int64(got.Len()) {
					t.Errorf("in pieces of %d: %d bytes, %s, %v; want %s", size, n, &got, err, want)
				}
			}
		}
	}
}
