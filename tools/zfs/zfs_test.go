package zfs

import (
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/phys"
)

// TestTrimmedMetaslabs compares the closed form of the sum with the loop of
// vdev_draid_metaslab_init.
func TestTrimmedMetaslabs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		group := rapid.Int64Range(2, 255).Draw(t, "group") << rapid.IntRange(9,
			16).Draw(t, "ashift")
		size := int64(1) << rapid.IntRange(24, 36).Draw(t, "shift")
		n := rapid.Int64Range(0, 3000).Draw(t, "n")
		var sum int64
		for i := range n {
			start := (i*size + group - 1) / group * group
			sum += ((i+1)*size - start) / group * group
		}
		if got := trimmed(n, size, group); got != sum {
			t.Errorf("%d metaslabs of %d, group %d: %d, the loop says %d", n, size, group, got, sum)
		}
	})
}

// TestMetaslabShift compares vdev_metaslab_set_size with values by hand at its thresholds.
func TestMetaslabShift(t *testing.T) {
	for _, c := range []struct {
		name  string
		asize int64
		want  int
	}{
		{"the least", 60 * phys.MiB, 24},
		{"15 of 512 MiB: 7.5 GiB/16 has 29 bits", 15 * 512 * phys.MiB, 29},
		{"16 of 512 MiB", 16 * 512 * phys.MiB, 29},
		{"200 of 512 MiB", 200 * 512 * phys.MiB, 29},
		{"201 of 512 MiB: a 200th is just above 2^29", 201 * 512 * phys.MiB, 30},
		{"4 GiB: a 16th is 2^28", 4 * phys.GiB, 29},
		{"2 GiB: a 16th is 2^27", 2 * phys.GiB, 28},
		{"1 TiB: a 200th is 5.1 GiB", phys.TiB, 33},
		{"100 TiB: not above 16 GiB", 100 * phys.TiB, 34},
		{"131072 of 16 GiB", 131072 << 34, 34},
		{"131073 of 16 GiB", 131073 << 34, 35},
	} {
		if got := metaslabShift(c.asize); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestRaidzAlloc compares Alloc with the sector counts of small blocks in Ahrens 2014, RAIDZ stripe
// width. The vdev is a raidz1 of 5 drives with sectors of 4 KiB.
func TestRaidzAlloc(t *testing.T) {
	l := New("raidz1", 5, 12, nil, 0)
	for sectors, want := range map[int64]int64{1: 2, 2: 4, 3: 4, 4: 6, 5: 8, 8: 10,
		16: 20, 32: 40} {
		if got := l.Alloc(sectors*4096) / 4096; got != want {
			t.Errorf("%d sectors take %d, want %d", sectors, got, want)
		}
	}
	if got := l.Alloc(1); got != 8192 {
		t.Errorf("one byte takes %d", got)
	}
	if New("draid2", 24, 12, nil, 0).Alloc(4096) != 10*4096 {
		t.Error("a dRAID block takes a whole group")
	}
}
