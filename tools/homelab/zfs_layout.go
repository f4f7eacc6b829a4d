package homelab

import (
	"math/bits"
)

// zfsKind is how a vdev spreads its blocks.
type zfsKind int

const (
	zfsStripe zfsKind = iota
	zfsMirror
	zfsRaidz
	zfsDraid
)

// zfsLevels are the redundancy levels in the order people see.
var zfsLevels = [...]struct {
	name   string
	kind   zfsKind
	parity int
}{
	{"stripe", zfsStripe, 0},
	{"mirror", zfsMirror, 0},
	{"raidz1", zfsRaidz, 1},
	{"raidz2", zfsRaidz, 2},
	{"raidz3", zfsRaidz, 3},
	{"draid1", zfsDraid, 1},
	{"draid2", zfsDraid, 2},
	{"draid3", zfsDraid, 3},
}

// Sizes fixed in the OpenZFS source, in bytes unless noted.
const (
	zfsLeastDevice  = 64 * mib     // SPA_MINDEVSIZE
	zfsLabel        = 256 * kib    // vdev_label_t; a device is used down to a multiple of it
	zfsLabels       = 4608 * kib   // four labels and the boot block: VDEV_LABEL_START_SIZE + VDEV_LABEL_END_SIZE
	draidRow        = 16 * mib     // VDEV_DRAID_ROWHEIGHT
	draidReserve    = 2 * draidRow // VDEV_DRAID_REFLOW_RESERVE
	zfsDeflateBlock = 128 * kib    // SPA_OLD_MAXBLOCKSIZE, from which the deflate ratio is taken
	zfsSector       = 512          // SPA_MINBLOCKSIZE
	zfsLeastSlop    = 128 * mib    // spa_min_slop
	zfsMostSlop     = 128 * gib    // spa_max_slop
	zfsSlopShift    = 5            // spa_slop_shift: 1/32
	metaslabUsual   = 29           // zfs_vdev_default_ms_shift [log2 bytes]
	metaslabLeast   = 24           // SPA_MAXBLOCKSHIFT
	metaslabMost    = 34           // zfs_vdev_max_ms_shift
	metaslabsFew    = 16           // zfs_vdev_min_ms_count
	metaslabsMany   = 200          // zfs_vdev_default_ms_count
	metaslabsLimit  = 131072       // zfs_vdev_ms_count_limit
)

// zfsLayout is one vdev: how many drives and how they share the blocks.
type zfsLayout struct {
	name   string
	kind   zfsKind
	parity int
	width  int // drives
	ashift int // log2 of the sector
	data   int // data drives of a dRAID group
	spares int // distributed spares of a dRAID vdev
}

// newZFSLayout describes a vdev of a level; data nil is OpenZFS's default for dRAID.
func newZFSLayout(name string, width, ashift int, data *int, spares int) zfsLayout {
	l := zfsLayout{name: name, width: width, ashift: ashift}
	for _, known := range zfsLevels {
		if known.name == name {
			l.kind, l.parity = known.kind, known.parity
		}
	}
	if l.kind == zfsDraid {
		l.spares = spares
		if data != nil {
			l.data = *data
		} else {
			l.data = min(8, width-l.parity-spares)
		}
	}
	return l
}

// tolerance is how many drives of the vdev may fail at once.
func (l zfsLayout) tolerance() int {
	if l.kind == zfsMirror {
		return l.width - 1
	}
	return l.parity
}

// alloc is the allocated size of a block of size bytes (vdev_psize_to_asize).
func (l zfsLayout) alloc(block int64) int64 {
	s := ceilDiv(block, 1<<l.ashift)
	switch l.kind {
	case zfsRaidz:
		p := int64(l.parity)
		s += p * ceilDiv(s, int64(l.width)-p)
		s = ceilDiv(s, p+1) * (p + 1)
	case zfsDraid:
		s = ceilDiv(s, int64(l.data)) * int64(l.data+l.parity)
	}
	return s << l.ashift
}

// zfsChild is what ZFS uses of a device of so many bytes.
func zfsChild(device int64) int64 { return device/zfsLabel*zfsLabel - zfsLabels }

// draidChild is what dRAID uses of that.
func draidChild(child int64) int64 { return (child - draidReserve) / draidRow * draidRow }

// zfsVdev is a vdev on its drives.
type zfsVdev struct {
	shift     int   // log2 of a metaslab
	metaslabs int64 // how many
	space     int64 // within metaslabs, before deflation [B]
	deflate   int64 // deflate ratio in 512ths
}

// vdev places a layout on drives of which ZFS uses child bytes each.
func (l zfsLayout) vdev(child int64) zfsVdev {
	asize := child
	switch l.kind {
	case zfsRaidz:
		asize = child * int64(l.width)
	case zfsDraid:
		group := int64(l.data+l.parity) * draidRow
		asize = draidChild(child) * int64(l.width-l.spares) / group * group
	}
	v := zfsVdev{shift: metaslabShift(asize)}
	v.metaslabs = asize >> v.shift
	v.space = v.metaslabs << v.shift
	if l.kind == zfsDraid {
		v.space = trimmed(v.metaslabs, 1<<v.shift, int64(l.data+l.parity)<<l.ashift)
	}
	v.deflate = zfsDeflateBlock / (l.alloc(zfsDeflateBlock) / zfsSector)
	return v
}

// metaslabShift is vdev_metaslab_set_size.
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

// trimmed is the space in n metaslabs of so many bytes when each begins and ends on a whole
// multiple of group (vdev_draid_metaslab_init): Σ ⌊(i+1) size/group⌋ - ⌈i size/group⌉. Every
// border inside that is no multiple costs one group, so the sum needs no loop.
func trimmed(n, size, group int64) int64 {
	if n == 0 {
		return 0
	}
	step := group / gcd(group, size) // every step-th border is a multiple
	cut := (n - 1) - (n-1)/step
	return (n*size/group - cut) * group
}

// zfsPool is the space of equal vdevs as zfs list has it.
type zfsPool struct {
	slop   int64 // [B]
	usable int64 // [B]
}

// pool joins n equal vdevs.
func (v zfsVdev) pool(n int64) zfsPool {
	space := n * (v.space / zfsSector * v.deflate)
	slop := min(space>>zfsSlopShift, zfsMostSlop)
	slop = max(slop, min(space>>1, zfsLeastSlop))
	return zfsPool{slop, space - slop}
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
