// Package zfs computes the space of OpenZFS vdevs and pools in bytes, following the OpenZFS source.
package zfs

import (
	"math/bits"
	"slices"

	"slipstick/tools/phys"
)

// Kind is the type of a vdev: stripe, mirror, raidz or draid.
type Kind int

// Kinds of vdevs. A Stripe consists of single drives.
const (
	Stripe Kind = iota
	Mirror
	RAIDZ
	DRAID
)

// Level is a redundancy level.
type Level struct {
	Name   string
	Kind   Kind
	Parity int
}

// Levels returns the redundancy levels in display order.
func Levels() []Level { return slices.Clone(levels) }

var levels = []Level{
	{"stripe", Stripe, 0},
	{"mirror", Mirror, 0},
	{"raidz1", RAIDZ, 1},
	{"raidz2", RAIDZ, 2},
	{"raidz3", RAIDZ, 3},
	{"draid1", DRAID, 1},
	{"draid2", DRAID, 2},
	{"draid3", DRAID, 3},
}

// Sizes defined in the OpenZFS source, in bytes unless noted.
const (
	MinDevice = 64 * phys.MiB  // SPA_MINDEVSIZE
	label     = 256 * phys.KiB // vdev_label_t; the usable size is a multiple of it
	// labels is the size of four labels and the boot block: VDEV_LABEL_START_SIZE +
	// VDEV_LABEL_END_SIZE.
	labels         = 4608 * phys.KiB
	draidRow       = 16 * phys.MiB  // VDEV_DRAID_ROWHEIGHT
	draidReserve   = 2 * draidRow   // VDEV_DRAID_REFLOW_RESERVE
	deflateBlock   = 128 * phys.KiB // SPA_OLD_MAXBLOCKSIZE, which determines the deflate ratio
	sector         = 512            // SPA_MINBLOCKSIZE
	minSlop        = 128 * phys.MiB // spa_min_slop
	maxSlop        = 128 * phys.GiB // spa_max_slop
	slopShift      = 5              // spa_slop_shift: 1/32
	metaslabUsual  = 29             // zfs_vdev_default_ms_shift [log2 bytes]
	metaslabLeast  = 24             // SPA_MAXBLOCKSHIFT
	metaslabMost   = 34             // zfs_vdev_max_ms_shift
	metaslabsFew   = 16             // zfs_vdev_min_ms_count
	metaslabsMany  = 200            // zfs_vdev_default_ms_count
	metaslabsLimit = 131072         // zfs_vdev_ms_count_limit
)

// Layout describes a vdev: the number of drives and the distribution of blocks.
type Layout struct {
	Level
	Width  int // drives
	Ashift int // log2 of the sector size
	Data   int // data drives per dRAID group
	Spares int // distributed spares of a dRAID vdev
}

// New returns the layout of a vdev with a redundancy level. If data is nil, dRAID uses the default
// of OpenZFS.
func New(name string, width, ashift int, data *int, spares int) Layout {
	l := Layout{Level: Level{Name: name}, Width: width, Ashift: ashift}
	for _, known := range levels {
		if known.Name == name {
			l.Level = known
		}
	}
	if l.Kind == DRAID {
		l.Spares = spares
		if data != nil {
			l.Data = *data
		} else {
			l.Data = min(8, width-l.Parity-spares)
		}
	}
	return l
}

// Tolerance returns the number of drives of the vdev that may fail simultaneously.
func (l Layout) Tolerance() int {
	if l.Kind == Mirror {
		return l.Width - 1
	}
	return l.Parity
}

// Alloc returns the allocated size of a block of the given size in bytes (vdev_psize_to_asize).
func (l Layout) Alloc(block int64) int64 {
	s := ceilDiv(block, 1<<l.Ashift)
	switch l.Kind {
	case RAIDZ:
		p := int64(l.Parity)
		s += p * ceilDiv(s, int64(l.Width)-p)
		s = ceilDiv(s, p+1) * (p + 1)
	case DRAID:
		s = ceilDiv(s, int64(l.Data)) * int64(l.Data+l.Parity)
	}
	return s << l.Ashift
}

// Child returns the usable size of a device of the given size, both in bytes.
func Child(device int64) int64 { return device/label*label - labels }

// DRAIDChild returns the usable size of a dRAID child, given its size as returned by Child [B].
func DRAIDChild(child int64) int64 { return (child - draidReserve) / draidRow * draidRow }

// Vdev describes the metaslabs and the space of a vdev.
type Vdev struct {
	Shift     int   // log2 of the metaslab size
	Metaslabs int64 // number of metaslabs
	Space     int64 // space within metaslabs, before deflation [B]
	Deflate   int64 // deflate ratio in units of 1/512
}

// Vdev returns the metaslabs and the space of the vdev on drives with the usable size child in
// bytes, as returned by Child.
func (l Layout) Vdev(child int64) Vdev {
	asize := child
	switch l.Kind {
	case RAIDZ:
		asize = child * int64(l.Width)
	case DRAID:
		group := int64(l.Data+l.Parity) * draidRow
		asize = DRAIDChild(child) * int64(l.Width-l.Spares) / group * group
	}
	v := Vdev{Shift: metaslabShift(asize)}
	v.Metaslabs = asize >> v.Shift
	v.Space = v.Metaslabs << v.Shift
	if l.Kind == DRAID {
		v.Space = trimmed(v.Metaslabs, 1<<v.Shift, int64(l.Data+l.Parity)<<l.Ashift)
	}
	v.Deflate = deflateBlock / (l.Alloc(deflateBlock) / sector)
	return v
}

// metaslabShift implements vdev_metaslab_set_size.
func metaslabShift(asize int64) int {
	shift := metaslabUsual
	switch count := asize >> metaslabUsual; {
	case count < metaslabsFew:
		shift = bits.Len64(uint64(asize / metaslabsFew))
	case count > metaslabsMany:
		shift = bits.Len64(uint64(asize / metaslabsMany))
	}
	if shift > metaslabMost && asize>>metaslabMost > metaslabsLimit {
		return bits.Len64(uint64(asize / metaslabsLimit))
	}
	return min(max(shift, metaslabLeast), metaslabMost)
}

// trimmed returns the space [B] in n metaslabs of equal size when each begins and ends on a
// multiple of group (vdev_draid_metaslab_init). It is group·Σ (⌊(i+1) size/group⌋ - ⌈i size/group⌉)
// for i from 0 to n - 1. Every inner boundary that is not a multiple costs one group, so the sum
// needs no loop.
func trimmed(n, size, group int64) int64 {
	if n == 0 {
		return 0
	}
	step := group / gcd(group, size) // every step-th boundary is a multiple of group
	cut := (n - 1) - (n-1)/step
	return (n*size/group - cut) * group
}

// Pool is the space of equal vdevs as zfs list displays it.
type Pool struct {
	Slop   int64 // [B]
	Usable int64 // [B]
}

// Deflated returns the space of the vdev after deflation in bytes, before slop.
func (v Vdev) Deflated() int64 { return v.Space / sector * v.Deflate }

// NewPool returns a pool of vdevs with the given total deflated space in bytes
// (spa_get_slop_space).
func NewPool(space int64) Pool {
	slop := min(space>>slopShift, maxSlop)
	slop = max(slop, min(space>>1, minSlop))
	return Pool{slop, space - slop}
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
