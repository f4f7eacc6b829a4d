// Package gzipped compresses the result of a job into a gzip stream that is stored and sent without
// decoding. Text can be prepended to the result, and its end replaced, without decoding.
//
// A deflate stream is a sequence of blocks, and a flush ends a block at a byte boundary (RFC 1951,
// section 3.2.4; Z_SYNC_FLUSH of zlib). The compressed bytes between the header and a flush near
// the end therefore remain valid between other blocks. Any gzip reader can decode the whole stream.
package gzipped

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"sync"

	"github.com/klauspost/compress/flate"
	"golang.org/x/sync/errgroup"
)

// Above is the size in bytes above which results are compressed. Smaller results are stored with
// their job.
const Above = 64 << 10

// tailBytes is the number of result bytes that are compressed after the flush. They include the end
// of the list of warnings (tools.SplitWarnings).
const tailBytes = 8

// header is a gzip header (RFC 1952, section 2.3): method deflate, no name, no time.
const header = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

const headerBytes = len(header)

// Result is a compressed result. Its description is stored as JSON, separately from Data.
type Result struct {
	Data []byte `json:"-"`     // gzip stream of the whole result
	Size int64  `json:"bytes"` // size of the uncompressed result
	// Flushed is the number of bytes of Data up to the flush, and CRC is the checksum of the result
	// up to there. Tail is the rest of the result. It may begin within a character, so it is base64
	// in JSON. These fields are zero in records of older versions.
	Flushed int    `json:"flushed,omitempty"`
	CRC     uint32 `json:"crc,omitempty"`
	Tail    []byte `json:"tail,omitempty"`
}

// partBytes is the number of result bytes that are compressed at a time. Parts do not refer to each
// other, so several cores compress them at once.
const partBytes = 128 << 10

// Compressor compresses results. It reuses its encoders, because allocating their tables takes as
// long as compressing 100 kB. It is safe for concurrent use.
type Compressor struct {
	huffman, fast sync.Pool // *flate.Writer of the levels HuffmanOnly and BestSpeed
}

// NewCompressor returns a Compressor without encoders. Compress creates them.
func NewCompressor() *Compressor {
	c := &Compressor{}
	c.huffman.New = newWriter(flate.HuffmanOnly)
	c.fast.New = newWriter(flate.BestSpeed)
	return c
}

func newWriter(level int) func() any {
	return func() any {
		z, _ := flate.NewWriter(nil, level) // cannot fail: the level is valid
		return z
	}
}

// Compress compresses a result on up to the given number of cores. Equal results yield equal bytes
// for any number of cores.
func (c *Compressor) Compress(result []byte, cores int) (*Result, error) {
	cores = max(1, cores)
	writers, err := c.writersFor(result)
	if err != nil {
		return nil, err
	}
	body, tail := result[:max(0, len(result)-tailBytes)], result[max(0, len(result)-tailBytes):]
	parts := make([][]byte, max(1, (len(body)+partBytes-1)/partBytes))
	var group errgroup.Group
	for first := range min(cores, len(parts)) {
		group.Go(func() error {
			var err error
			for i := first; err == nil && i < len(parts); i += cores {
				parts[i], err = deflate(writers, body[i*partBytes:min((i+1)*partBytes, len(body))],
					false)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	last, err := deflate(&c.huffman, tail, true)
	if err != nil {
		return nil, err
	}
	crc := crc32.ChecksumIEEE(body)
	end := binary.LittleEndian.AppendUint32(last, crc32.Update(crc, crc32.IEEETable, tail))
	end = binary.LittleEndian.AppendUint32(end, uint32(len(result))) // modulo 2^32
	data := slices.Concat(slices.Concat([][]byte{[]byte(header)}, parts, [][]byte{end})...)
	return &Result{
		Data: data, Size: int64(len(result)), Flushed: len(data) - len(end), CRC: crc, Tail: tail,
	}, nil
}

// deflate compresses text with a writer of a pool into blocks that begin and end at byte
// boundaries. If final is set, the last block ends the stream.
func deflate(writers *sync.Pool, text []byte, final bool) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(len(text) / 2)
	z := writers.Get().(*flate.Writer)
	defer writers.Put(z) // Reset clears an error
	z.Reset(&b)
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if final {
		err := z.Close()
		return b.Bytes(), err
	}
	err := z.Flush()
	return b.Bytes(), err
}

// Digits of measured values repeat only by chance. Huffman coding alone then takes a fifth of the
// time of a search for repetitions and produces an eighth to a quarter more bytes.
const (
	sampleBytes = 32 << 10
	// compressed fraction of a sample below which repetitions are searched for
	repetitiveness = 0.3
)

// writersFor returns the writers of the level that it selects from a sample of the second half of
// the result.
func (c *Compressor) writersFor(result []byte) (*sync.Pool, error) {
	sample := result[len(result)/2:]
	sample = sample[:min(len(sample), sampleBytes)]
	compressed, err := deflate(&c.fast, sample, true)
	if err != nil {
		return nil, err
	}
	if float64(len(compressed)) < repetitiveness*float64(len(sample)) {
		return &c.fast, nil
	}
	return &c.huffman, nil
}

// Valid reports whether the description is consistent with the length of the data and a result of
// at most limit bytes. A faulty child process may send any description.
func (r *Result) Valid(length, limit int) bool {
	return r.Size >= 0 && r.Size <= int64(limit) && r.Flushed > headerBytes &&
		r.Flushed <= length &&
		len(r.Tail) <= tailBytes && int64(len(r.Tail)) <= r.Size
}

// Divisible reports whether the result supports Wrap.
func (r *Result) Divisible() bool { return r.Flushed > headerBytes }

// Body returns the range of Data to send between the head and the tail that Wrap returns.
func (r *Result) Body() (from, to int) { return headerBytes, r.Flushed }

// Wrap returns the bytes to send before and after Body. Together they are a gzip stream of three
// texts: before, the result without Tail, and end. The result must be Divisible.
func (r *Result) Wrap(before, end []byte) (head, tail []byte) {
	head = appendStored([]byte(header), before, false)
	body := r.Size - int64(len(r.Tail))
	crc := combine(crc32.ChecksumIEEE(before), r.CRC, body)
	tail = appendStored(nil, end, true)
	tail = binary.LittleEndian.AppendUint32(tail, crc32.Update(crc, crc32.IEEETable, end))
	size := int64(len(before)) + body + int64(len(end))
	return head, binary.LittleEndian.AppendUint32(tail, uint32(size)) // modulo 2^32 (RFC 1952)
}

// maxStored is the maximum length of a stored block.
const maxStored = 1<<16 - 1

// appendStored appends text in stored blocks (RFC 1951, section 3.2.4). If final is set, the last
// block ends the stream.
func appendStored(b, text []byte, final bool) []byte {
	for {
		n := min(len(text), maxStored)
		kind := byte(0)
		if final && n == len(text) {
			kind = 1
		}
		b = append(b, kind)
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
		b = binary.LittleEndian.AppendUint16(b, ^uint16(n))
		b = append(b, text[:n]...)
		if text = text[n:]; len(text) == 0 {
			return b
		}
	}
}

// combine returns the CRC-32 of two concatenated texts from their CRCs a and b and the length of
// the second in bytes. CRCs are remainders of polynomials over GF(2), so the result is
// a·x^(8·length) + b modulo the polynomial.
func combine(a, b uint32, length int64) uint32 {
	power := uint32(1) << (31 - 8) // x^8; the highest bit is the coefficient of 1
	for n := length; n > 0; n >>= 1 {
		if n&1 == 1 {
			a = multiply(a, power)
		}
		power = multiply(power, power)
	}
	return a ^ b
}

// multiply returns the product of two polynomials modulo the CRC-32 polynomial. The bits are in
// reverse order.
func multiply(a, b uint32) (product uint32) {
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		carry := b & 1
		b >>= 1
		if carry != 0 {
			b ^= crc32.IEEE
		}
	}
	return product
}
