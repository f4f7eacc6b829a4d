package gzipped

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"
)

// unpack reads one gzip stream with the standard library. Like a browser, it reads no second
// member.
func unpack(t *testing.T, data []byte) []byte {
	t.Helper()
	in := bytes.NewReader(data)
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	z.Multistream(false)
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if in.Len() > 0 {
		t.Fatalf("%d bytes follow the stream", in.Len())
	}
	return b
}

// text returns JSON of numbers, similar to a result.
func text(bytes int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	b := []byte(`{"v":[0`)
	for len(b) < bytes-20 {
		b = strconv.AppendFloat(append(b, ','), random.Float64(), 'g', 7, 64)
	}
	return append(b, `],"warnings":[]}`...)
}

func TestWrap(t *testing.T) {
	for _, result := range [][]byte{text(1 << 20), text(100), []byte("12345678"),
		[]byte("123456789"), {}} {
		r, err := NewCompressor().Compress(result, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := unpack(t, r.Data); !bytes.Equal(got, result) {
			t.Fatalf("%d bytes: the whole stream has %d", len(result), len(got))
		}
		again, _ := NewCompressor().Compress(result, 1)
		if !bytes.Equal(again.Data, r.Data) {
			t.Errorf("%d bytes: the bytes on one core differ", len(result))
		}
		if !r.Divisible() {
			t.Fatalf("%d bytes: not divisible", len(result))
		}
		for _, around := range []struct{ before, end []byte }{
			{nil, r.Tail},
			{[]byte(`{"result":`), append(bytes.Clone(r.Tail), `,"tool":"x"}`...)},
			{bytes.Repeat([]byte("ab"), 1<<17), bytes.Repeat([]byte("c"), 1<<16)},
			{bytes.Repeat([]byte("d"), maxStored), bytes.Repeat([]byte("e"), maxStored)},
			{nil, nil},
		} {
			head, tail := r.Wrap(around.before, around.end)
			from, to := r.Body()
			got := unpack(t, bytes.Join([][]byte{head, r.Data[from:to], tail}, nil))
			want := bytes.Join([][]byte{around.before, result[:len(result)-len(r.Tail)],
				around.end}, nil)
			if !bytes.Equal(got, want) { // the reader has verified checksum and size
				t.Errorf("%d bytes between %d and %d: got %d bytes", len(result),
					len(around.before), len(around.end), len(got))
			}
		}
	}
}

// TestTailWithinCharacter verifies that the description of a result survives encoding as JSON if
// the tail begins within a character. Such a character may be in a vector's name in the last
// warning.
func TestTailWithinCharacter(t *testing.T) {
	for _, end := range []string{`µabc)"]}`, `xµabc)"]}`, `→abc"]}`, `😀ab"]}`} {
		result := append(text(1000), end...)
		r, err := NewCompressor().Compress(result, 2)
		if err != nil {
			t.Fatal(err)
		}
		described, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		read := &Result{}
		if err := json.Unmarshal(described, read); err != nil {
			t.Fatal(err)
		}
		if !read.Valid(len(r.Data), 1<<20) {
			t.Errorf("%s: %s is not valid", end, described)
		}
		head, tail := read.Wrap(nil, read.Tail)
		from, to := read.Body()
		if got := unpack(t, bytes.Join([][]byte{head, r.Data[from:to], tail}, nil)); !bytes.Equal(
			got, result) {
			t.Errorf("%s: the result ends with %q", end, got[len(got)-12:])
		}
	}
}

// TestCombine verifies that the combined checksum of two texts equals the checksum of their
// concatenation.
func TestCombine(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		a, b := make([]byte, random.IntN(300)), make([]byte, random.IntN(70000))
		for i := range a {
			a[i] = byte(random.Uint32())
		}
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		got := combine(crc32.ChecksumIEEE(a), crc32.ChecksumIEEE(b), int64(len(b)))
		if want := crc32.ChecksumIEEE(append(a, b...)); got != want {
			t.Fatalf("%d and %d bytes: %08x instead of %08x", len(a), len(b), got, want)
		}
	}
}
