package homelab

import (
	"context"
	"errors"
	"fmt"
	"math"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/zfs"
)

// ZFSCapacity computes the capacity of a pool of equal drives.
var ZFSCapacity = tools.Define(tools.Spec{
	Name:    "zfs_capacity",
	Title:   "ZFS pool capacity",
	Summary: "Usable capacity of a ZFS pool by RAID level, drives and record size, byte for byte as OpenZFS reports it",
	Method: "As OpenZFS computes it, in whole bytes. Per drive: size less swap, down to 256 KiB, " +
		"less 4.5 MiB of labels. asize of a vdev: one drive (stripe, mirror) or n drives " +
		"(raidz). For dRAID: a drive less 32 MiB, down to 16 MiB, times (n - spares), down to a " +
		"group of (data + parity) · 16 MiB. Metaslabs of 512 MiB, larger above 200 of them (up " +
		"to 16 GiB, beyond only above 131072 metaslabs) and smaller below 16 (from 16 MiB). The " +
		"remainder is lost. A block of p bytes takes s = ⌈p/2^ashift⌉ sectors. raidz adds parity " +
		"· ⌈s/(n - parity)⌉ and rounds up to a multiple of parity + 1. dRAID takes ⌈s/data⌉ " +
		"(data + parity). deflate_ratio = ⌊131072/(alloc(128 KiB)/512)⌋/512, whatever the record " +
		"size. usable = metaslabs · deflate_ratio - slop, slop = 1/32 between 128 MiB and 128 " +
		"GiB, at most half of a tiny pool: USED + AVAIL of zfs list. effective = " +
		"usable/deflate_ratio · recordsize/alloc(recordsize) · compression. Resilver = data of a " +
		"drive / rate; dRAID to spares: the same · (data + 1)/(n - 1). Special vdev: 2 · 128 B " +
		"per record",
	Sources: []string{
		"OpenZFS 2.2 source: vdev.c (vdev_open, vdev_metaslab_set_size, vdev_set_deflate_ratio), vdev_raidz.c (vdev_raidz_asize), vdev_draid.c (vdev_draid_asize, vdev_draid_metaslab_init), spa_misc.c (spa_get_slop_space)",
		"OpenZFS issue 15467 (2023): dRAID usable capacity, with the bytes of a real pool",
	},
	Limits: []string{
		"resilver_time_h and draid_rebuild_time_h: the drives are the limit; a busy or fragmented pool takes several times longer",
		"Partition tables are not subtracted: on Linux a whole disk loses about 10 MiB more",
		"The metaslab that each large vdev keeps for the intent log is counted as slop, which OpenZFS lowers by as much, up to half",
		"No metadata or snapshots. Log, cache and special vdevs add nothing to the capacity for files; leave them out of extra_vdevs. raidz expansion keeps the old deflate ratio",
	},
	Aliases: []string{"raidz calculator", "zpool size", "truenas capacity", "draid", "usable space",
		"ZFS calculator"},
	Primary: []string{"pool_usable_tib"},
	Examples: []tools.Example{{
		Title: "Two raidz2 vdevs of seven 18 TB drives",
		In:    `{"raid_level": "raidz2", "drive_size_tb": 18, "drives_per_vdev": 7, "vdev_count": 2}`,
		Want:  `{"usable_tib": 152.517, "deflate_ratio": 0.666016, "effective_data_tib": 152.667, "total_drives": 14, "fault_tolerance_per_vdev": 2, "warnings": []}`,
	}, {
		Title: "dRAID of twenty-four 1 TB drives",
		In:    `{"raid_level": "draid2", "drive_size_tb": 1, "drives_per_vdev": 24, "draid_data": 6}`,
		Want:  `{"usable_bytes": 15835678638080, "metaslab_count": 1396, "metaslab_size_gib": 16}`,
		From:  "zfs list -p of a real pool, OpenZFS issue 15467",
	}, {
		Title: "A raidz2 of eight 18 TB drives, extended by one of six 20 TB drives",
		In:    `{"raid_level": "raidz2", "drive_size_tb": 18, "drives_per_vdev": 8, "extra_vdevs": [{"raid_level": "raidz2", "drive_size_tb": 20, "drives_per_vdev": 6}]}`,
		Want:  `{"usable_tib": 92.97, "pool_usable_tib": 165.65, "resilver_time_h": 40.0}`,
		From:  "the sum of both vdevs alone, with one slop; 18 TB · 80 % at 100 MB/s",
	}},
}, zfsCapacity)

type zfsCapacityIn struct {
	Level       string  `json:"raid_level" enum:"stripe,mirror,raidz1,raidz2,raidz3,draid1,draid2,draid3" example:"raidz2" label:"Redundancy" doc:"Redundancy of each vdev; stripe: single drives"`
	Size        float64 `json:"drive_size_tb" unit:"TB" gt:"0" max:"1000" example:"18" unitFrom:"drive_size_unit *" label:"Drive size" doc:"Nominal size of one drive"`
	SizeUnit    string  `json:"drive_size_unit" enum:"TB,TiB" default:"TB" label:"Drive size unit" doc:"TB is 10^12 bytes, as on the label; TiB is 2^40 bytes"`
	Width       *int    `json:"drives_per_vdev" unit:"1" min:"1" max:"255" example:"7" label:"Drives per vdev" doc:"Drives in each vdev; required except for stripe, where it is 1"`
	Vdevs       int     `json:"vdev_count" unit:"1" min:"1" max:"10000" default:"1" label:"Number of vdevs" doc:"Number of equal vdevs in the pool"`
	Ashift      int     `json:"ashift" unit:"1" min:"9" max:"16" default:"12" label:"Sector size exponent" doc:"ashift: binary logarithm of the sector size; 12 is 4 KiB"`
	Recordsize  int     `json:"recordsize_kib" unit:"KiB" min:"4" max:"16384" default:"128" label:"Record size" doc:"recordsize or volblocksize of the data; a power of two"`
	DraidData   *int    `json:"draid_data" unit:"1" min:"1" max:"255" label:"dRAID data drives" doc:"Data drives per dRAID group; default: 8, or the vdev width minus parity and spares if smaller"`
	DraidSpares int     `json:"draid_spares" unit:"1" min:"0" max:"100" default:"0" label:"dRAID spares" doc:"Distributed spares in each dRAID vdev"`
	HotSpares   int     `json:"hot_spares" unit:"1" min:"0" max:"10000" default:"0" label:"Hot spares" doc:"Idle drives outside the vdevs; they hold no data"`
	Swap        float64 `json:"swap_gib" unit:"GiB" min:"0" max:"1000000" default:"0" label:"Swap partition" doc:"Swap partition on every drive"`
	Reserve     float64 `json:"reserve_pct" unit:"%" min:"0" max:"90" default:"20" label:"Free space reserve" doc:"Share of the pool to keep free"`
	Compression float64 `json:"compression_ratio" unit:"1" min:"1" max:"1000" default:"1" label:"Compression ratio" doc:"Compression ratio of the data; 1 is none"`

	Resilver float64    `json:"resilver_mb_s" unit:"MB/s" gt:"0" max:"1000000" default:"100" label:"Resilver rate" doc:"Write rate per drive during a resilver"`
	Extra    []zfsExtra `json:"extra_vdevs" maxItems:"32" default:"[]" label:"Further vdevs" doc:"Vdevs of other widths, drives or levels in the same pool"`
}

type zfsExtra struct {
	Level string  `json:"raid_level" enum:"stripe,mirror,raidz1,raidz2,raidz3,draid1,draid2,draid3" label:"Redundancy" doc:"Redundancy of each vdev"`
	Size  float64 `json:"drive_size_tb" unit:"TB" gt:"0" max:"1000" unitFrom:"drive_size_unit *" label:"Drive size" doc:"Nominal size of one drive, in drive_size_unit"`
	Width *int    `json:"drives_per_vdev" unit:"1" min:"1" max:"255" label:"Drives per vdev" doc:"Drives in each vdev; required except for stripe"`
	Vdevs int     `json:"vdev_count" unit:"1" min:"1" max:"10000" default:"1" label:"Number of vdevs" doc:"Number of such vdevs"`
}

type zfsCapacityOut struct {
	RawBytes         int64      `json:"raw_bytes" unit:"B" label:"Raw capacity (B)" doc:"Nominal capacity of all vdev drives, without hot spares"`
	RawTB            float64    `json:"raw_tb" unit:"TB" label:"Raw capacity" doc:"Raw capacity in 10^12 bytes"`
	RawTiB           float64    `json:"raw_tib" unit:"TiB" label:"Raw capacity (TiB)" doc:"Raw capacity in 2^40 bytes"`
	UsableBytes      int64      `json:"usable_bytes" unit:"B" label:"Usable capacity (B)" doc:"USED + AVAIL of zfs list on the empty pool"`
	UsableTB         float64    `json:"usable_tb" unit:"TB" label:"Usable capacity" doc:"Usable capacity in 10^12 bytes"`
	UsableTiB        float64    `json:"usable_tib" unit:"TiB" label:"Usable capacity (TiB)" doc:"Usable capacity in 2^40 bytes"`
	RecommendedTiB   float64    `json:"recommended_max_tib" unit:"TiB" label:"Recommended fill limit" doc:"Usable capacity minus the reserve"`
	SlopBytes        int64      `json:"slop_bytes" unit:"B" label:"Slop space" doc:"Space that ZFS reserves for itself"`
	DeflateRatio     float64    `json:"deflate_ratio" unit:"1" label:"Deflate ratio" doc:"Bytes reported by ZFS per byte on the drives, from blocks of 128 KiB"`
	MetaslabCount    int64      `json:"metaslab_count" unit:"1" label:"Metaslabs per vdev" doc:"Metaslabs of one vdev"`
	MetaslabGiB      float64    `json:"metaslab_size_gib" unit:"GiB" label:"Metaslab size" doc:"Size of a metaslab"`
	EfficiencyPct    float64    `json:"efficiency_pct" unit:"%" label:"Storage efficiency" doc:"Usable divided by raw capacity"`
	TotalDrives      int        `json:"total_drives" unit:"1" label:"Total drives" doc:"Number of drives, with hot spares"`
	FaultTolerance   int        `json:"fault_tolerance_per_vdev" unit:"1" label:"Fault tolerance per vdev" doc:"Number of drives of one vdev that may fail at the same time"`
	AllocatedRecord  int64      `json:"allocated_bytes_per_record" unit:"B" label:"Allocated per record" doc:"Allocated size of one full record, with parity and padding, without mirror copies"`
	RecordEfficiency float64    `json:"record_efficiency_pct" unit:"%" label:"Record efficiency" doc:"Record size divided by its allocated size"`
	EffectiveTiB     float64    `json:"effective_data_tib" unit:"TiB" label:"Effective data capacity" doc:"Data capacity for full records, with compression"`
	Breakdown        []zfsShare `json:"breakdown" label:"Breakdown" doc:"Use of raw_bytes: rounding (with labels, reserves and swap), distributed_spares, redundancy, padding, slop, usable"`
	Levels           []zfsLevel `json:"levels" label:"Redundancy levels compared" doc:"All levels possible with the same drives; the drives of a stripe are compared as one vdev"`
	PoolTiB          float64    `json:"pool_usable_tib" unit:"TiB" label:"Usable capacity of the pool" doc:"Usable capacity with extra_vdevs"`
	ResilverH        *float64   `json:"resilver_time_h" unit:"h" label:"Resilver time" doc:"Time to write the data of one drive to its replacement, with the pool filled to the reserve; null for stripe"`
	RebuildH         *float64   `json:"draid_rebuild_time_h" unit:"h" label:"dRAID rebuild time" doc:"Time to write the data of one drive to the distributed spares; null without draid_spares"`
	SpecialGiB       float64    `json:"special_vdev_gib" unit:"GiB" label:"Special vdev" doc:"Minimum size of a special vdev without small files: indirect blocks of the full pool without extra_vdevs, two copies of 128 bytes per record"`
	tools.Warnings
}

type zfsShare struct {
	Level string `json:"level" enum:"rounding,distributed_spares,redundancy,padding,slop,usable" label:"Use" doc:"Use of the bytes"`
	Bytes int64  `json:"bytes" unit:"B" label:"Size" doc:"Size"`
}

type zfsLevel struct {
	Level          string  `json:"raid_level" label:"Redundancy" doc:"Redundancy"`
	UsableTiB      float64 `json:"usable_tib" unit:"TiB" label:"Usable capacity" doc:"USED + AVAIL of zfs list"`
	FaultTolerance int     `json:"fault_tolerance_per_vdev" unit:"1" label:"Fault tolerance per vdev" doc:"Number of drives of one vdev that may fail at the same time"`
}

func zfsCapacity(_ context.Context, in zfsCapacityIn) (zfsCapacityOut, error) {
	var out zfsCapacityOut
	drive, child, layout, err := in.layout()
	if err != nil {
		return out, err
	}
	vdev := layout.Vdev(child)
	pool := zfs.NewPool(int64(in.Vdevs) * vdev.Deflated())
	record := int64(in.Recordsize) * phys.KiB

	drives := int64(layout.Width) * int64(in.Vdevs)
	out.RawBytes = drives * drive
	out.RawTB, out.RawTiB = float64(out.RawBytes)/1e12, float64(out.RawBytes)/phys.TiB
	out.UsableBytes, out.SlopBytes = pool.Usable, pool.Slop
	out.UsableTB, out.UsableTiB = float64(pool.Usable)/1e12, float64(pool.Usable)/phys.TiB
	out.RecommendedTiB = out.UsableTiB * (100 - in.Reserve) / 100
	out.DeflateRatio = float64(vdev.Deflate) / 512
	out.MetaslabCount, out.MetaslabGiB = vdev.Metaslabs, math.Ldexp(1, vdev.Shift)/phys.GiB
	out.EfficiencyPct = 100 * float64(pool.Usable) / float64(out.RawBytes)
	out.TotalDrives = int(drives) + in.HotSpares
	out.FaultTolerance = layout.Tolerance()
	out.AllocatedRecord = layout.Alloc(record)
	fill := float64(record) / float64(out.AllocatedRecord)
	out.RecordEfficiency = 100 * fill
	out.EffectiveTiB = out.UsableTiB / out.DeflateRatio * fill * in.Compression
	out.Breakdown = breakdown(layout, child, out.RawBytes, int64(in.Vdevs), vdev, pool)
	out.Levels = in.levels(child)
	out.SpecialGiB = 2 * blockPointer * out.EffectiveTiB * (phys.TiB / phys.GiB) / float64(record)
	in.resilver(&out, layout, child)
	if err := in.extend(&out, vdev.Deflated(), layout); err != nil {
		return out, err
	}
	in.warn(&out, layout)
	return out, nil
}

// blockPointer is the size of blkptr_t [B] (OpenZFS, spa.h). redundant_metadata stores two copies
// of the blocks that contain these pointers.
const blockPointer = 128

// resilver sets the times for restoring the data of one drive.
func (in *zfsCapacityIn) resilver(out *zfsCapacityOut, l zfs.Layout, child int64) {
	hours := float64(child) * (100 - in.Reserve) / 100 / (in.Resilver * 1e6) / 3600
	if l.Kind != zfs.Stripe {
		out.ResilverH = &hours
	}
	if l.Spares > 0 {
		// Each block is read from the data drives of its group and written once. All drives but one
		// share this work.
		out.RebuildH = new(hours * float64(l.Data+1) / float64(l.Width-1))
	}
}

// extend adds the additional vdevs. space is the deflated space of one main vdev.
func (in *zfsCapacityIn) extend(out *zfsCapacityOut, space int64, main zfs.Layout) error {
	total, raw := int64(in.Vdevs)*space, float64(out.RawBytes)
	for i, e := range in.Extra {
		other := *in
		other.Level, other.Size, other.Width, other.Vdevs = e.Level, e.Size, e.Width, e.Vdevs
		other.DraidData, other.DraidSpares = nil, 0
		drive, child, layout, err := other.layout()
		if err != nil {
			var input *tools.InputError
			if errors.As(err, &input) {
				for k := range input.Fields {
					input.Fields[k].Path = fmt.Sprintf("extra_vdevs[%d].%s", i,
						input.Fields[k].Path)
				}
			}
			return err
		}
		if raw += float64(drive) * float64(layout.Width) * float64(e.Vdevs); raw > 1<<60 {
			return tools.Invalid(fmt.Sprintf("extra_vdevs[%d].vdev_count", i),
				"makes a pool of %.3g bytes; at most 2^60 (1 EiB) are computed", raw)
		}
		total += int64(e.Vdevs) * layout.Vdev(child).Deflated()
		if layout.Tolerance() != main.Tolerance() || layout.Kind != main.Kind {
			out.Warn(
				"extra_vdevs[%d], %s, survives %d failed drives, the main vdevs, %s, %d: zpool refuses a mismatched replication level without -f, and the weaker vdev decides the safety of the pool",
				i, e.Level, layout.Tolerance(), in.Level, main.Tolerance(),
			)
		}
	}
	out.PoolTiB = float64(zfs.NewPool(total).Usable) / phys.TiB
	if len(in.Extra) > 0 {
		out.Warn(
			"only pool_usable_tib counts extra_vdevs: the drives, the raw and usable capacity, the breakdown and the levels are those of the main vdevs")
	}
	return nil
}

// warn adds warnings about known problems of such pools.
func (in *zfsCapacityIn) warn(out *zfsCapacityOut, layout zfs.Layout) {
	record := int64(in.Recordsize) * phys.KiB
	if in.Level == "raidz1" && in.driveBytes() > 4e12 {
		out.Warn(
			"raidz1 with drives over 4 TB: a second failure during the long resilver loses the pool; raidz2 is safer",
		)
	}
	if layout.Width > 12 && layout.Kind == zfs.RAIDZ {
		out.Warn(
			"%d drives in a raidz vdev: over 12, resilvering is slow and a vdev has the IOPS of one drive; more and narrower vdevs, or dRAID, are better",
			layout.Width,
		)
	}
	if out.RecordEfficiency < 60 {
		out.Warn(
			"a record of %d KiB takes %g KiB on the drives (%.1f %%): larger records or another width waste less",
			in.Recordsize, float64(out.AllocatedRecord)/phys.KiB, out.RecordEfficiency,
		)
	}
	if layout.Kind == zfs.DRAID {
		if least := int64(layout.Data) << layout.Ashift; 2*least > record {
			out.Warn(
				"dRAID allocates at least %d KiB of data at once (%d data drives of %d bytes), more than half of a record of %d KiB: small and compressed blocks waste the rest",
				least/phys.KiB, layout.Data, 1<<layout.Ashift, in.Recordsize,
			)
		}
	}
	if plain := out.EffectiveTiB / in.Compression; math.Abs(plain-out.UsableTiB) >
		0.01*out.UsableTiB {
		out.Warn(
			"zfs list shows %.4g TiB because it assumes blocks of 128 KiB; in full records of %d KiB the pool holds %.4g TiB before compression",
			out.UsableTiB, in.Recordsize, plain,
		)
	}
	if in.Reserve < 20 {
		out.Warn(
			"reserve_pct of %g plans for a pool above 80 %% full, where fragmentation slows writes; keep 20 %% free",
			in.Reserve)
	}
}

// driveBytes returns the size of a drive in bytes.
func (in *zfsCapacityIn) driveBytes() int64 {
	if in.SizeUnit == "TiB" {
		return int64(math.Round(in.Size * phys.TiB))
	}
	return int64(math.Round(in.Size * 1e12))
}

// layout validates the combination of fields. drive is the nominal size of a drive in bytes, child
// the size that ZFS uses.
func (in *zfsCapacityIn) layout() (drive, child int64, layout zfs.Layout, err error) {
	var f tools.FieldErrors
	if in.Recordsize&(in.Recordsize-1) != 0 {
		f.AddValue("recordsize_kib", in.Recordsize, "must be a power of two from 4 to 16384")
	}
	drive = in.driveBytes()
	swap := int64(math.Round(in.Swap * phys.GiB))
	switch {
	case drive < zfs.MinDevice:
		f.AddValue("drive_size_tb", in.Size, "makes %d bytes; ZFS takes no drive below 64 MiB",
			drive)
	case drive-swap < zfs.MinDevice:
		f.AddValue("swap_gib", in.Swap,
			"takes %d of the %d bytes of drive_size_tb; at least 64 MiB must be left", swap, drive)
	}
	child = zfs.Child(drive - swap)
	width := 1
	switch {
	case in.Level == "stripe":
		if in.Width != nil && *in.Width != 1 {
			f.AddValue("drives_per_vdev", *in.Width,
				"must be 1 for a stripe (raid_level), which has a vdev for each drive: use vdev_count")
		}
	case in.Width == nil:
		f.Add("drives_per_vdev", "is required for %s", in.Level)
		return 0, 0, layout, f.Err()
	default:
		width = *in.Width
	}
	layout = zfs.New(in.Level, width, in.Ashift, in.DraidData, in.DraidSpares)
	if field, wrong := wrongField(layout, in.DraidData != nil); wrong != "" {
		f.AddValue(field, in.value(field, width), "%s", wrong)
	}
	if raw := float64(drive) * float64(width) * float64(in.Vdevs); raw > 1<<60 {
		f.AddValue(
			"vdev_count", in.Vdevs,
			"makes a pool of %.3g bytes with drive_size_tb and drives_per_vdev; at most 2^60 (1 EiB) are computed",
			raw,
		)
	}
	return drive, child, layout, f.Err()
}

func (in *zfsCapacityIn) value(field string, width int) int {
	if field == "draid_data" {
		return *in.DraidData
	}
	return width
}

// levels computes the capacity of every RAID level that is possible with the same drives.
func (in *zfsCapacityIn) levels(child int64) []zfsLevel {
	width, vdevs := in.Vdevs, 1
	if in.Level != "stripe" {
		width, vdevs = *in.Width, in.Vdevs
	}
	list := make([]zfsLevel, 0, len(zfs.Levels()))
	for _, l := range zfs.Levels() {
		w, v := width, vdevs
		if l.Kind == zfs.Stripe {
			w, v = 1, width*vdevs
		}
		layout := zfs.New(l.Name, w, in.Ashift, in.DraidData, in.DraidSpares)
		if _, wrong := wrongField(layout, in.DraidData != nil); wrong != "" {
			continue
		}
		pool := zfs.NewPool(int64(v) * layout.Vdev(child).Deflated())
		list = append(list, zfsLevel{l.Name, float64(pool.Usable) / phys.TiB, layout.Tolerance()})
	}
	return list
}

// breakdown splits the raw bytes. Redundancy is the nominal cost of the level; padding is the
// additional cost of incomplete sector stripes.
func breakdown(l zfs.Layout, child, raw, vdevs int64, v zfs.Vdev, p zfs.Pool) []zfsShare {
	inUse := vdevs * v.Space // bytes on the drives within metaslabs
	var spares, redundancy int64
	switch l.Kind {
	case zfs.Mirror:
		redundancy = inUse * int64(l.Width-1)
		inUse += redundancy
	case zfs.RAIDZ:
		redundancy = inUse / int64(l.Width) * int64(l.Parity)
	case zfs.DRAID:
		spares = vdevs * int64(l.Spares) * zfs.DRAIDChild(child)
		redundancy = inUse / int64(l.Data+l.Parity) * int64(l.Parity)
	}
	return []zfsShare{
		{"rounding", raw - inUse - spares},
		{"distributed_spares", spares},
		{"redundancy", redundancy},
		{"padding", inUse - redundancy - p.Usable - p.Slop},
		{"slop", p.Slop},
		{"usable", p.Usable},
	}
}

// wrongField returns the field that makes the layout invalid and the reason. It returns "" for a
// valid layout.
func wrongField(l zfs.Layout, dataGiven bool) (field, why string) {
	switch {
	case l.Width > 255:
		return "drives_per_vdev", "must be at most 255"
	case l.Kind == zfs.Mirror && l.Width < 2:
		return "drives_per_vdev", "must be at least 2 for a mirror"
	case l.Kind == zfs.RAIDZ && l.Width < l.Parity+1:
		return "drives_per_vdev", fmt.Sprintf("must be at least %d for %s: parity + 1", l.Parity+1,
			l.Name)
	case l.Kind == zfs.DRAID && l.Data < 1:
		return "drives_per_vdev", fmt.Sprintf(
			"must be at least %d for %s: one data drive, parity and draid_spares (%d)",
			1+l.Parity+l.Spares,
			l.Name, l.Spares,
		)
	case l.Kind == zfs.DRAID && l.Width < l.Data+l.Parity+l.Spares && dataGiven:
		return "draid_data", fmt.Sprintf(
			"does not fit: with parity %d and draid_spares %d it needs %d drives, drives_per_vdev is %d",
			l.Parity, l.Spares, l.Data+l.Parity+l.Spares, l.Width,
		)
	}
	return "", ""
}
