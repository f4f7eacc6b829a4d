package homelab

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/tolerance"
)

// ZFSRAM computes the memory that a ZFS server needs.
var ZFSRAM = tools.Define(tools.Spec{
	Name:    "zfs_ram",
	Title:   "ZFS memory",
	Summary: "Recommended RAM of a ZFS server with ARC, deduplication table, L2ARC headers and services, and SLOG size",
	Method: "ARC = max(4 GiB, pool TiB · 0.25, 0.5, 1, 2 or 2 GiB for archive, media, general, " +
		"vm or database), a rule of thumb. OpenZFS itself needs no RAM per TiB. Deduplication " +
		"table = unique blocks · 320 B; L2ARC headers = cached blocks · 96 B. total = 2 GiB for " +
		"the system + ARC + table + headers + services; minimum = max(8 GiB, 2 + 2 + table + " +
		"headers + services); recommended is the next common memory size. Default ARC limit = " +
		"max(RAM - 1 GiB, 5/8 RAM); dirty data limit = min(RAM/10, 4 GiB); SLOG = " +
		"min(synchronous rate · 15 s, 3 dirty data limits)",
	Sources: []string{
		"OpenZFS 2.3 source: arc_os.c (arc_default_max), arc.c (l2arc header), dsl_pool.c (zfs_dirty_data_max), txg.c (zfs_txg_timeout of 5 s)",
		"Oracle Technology Network, How to Size Main Memory for ZFS Deduplication (2011): 320 bytes for each block in the table",
		"FreeBSD Handbook, chapter The Z File System, Tuning: 5 GB of RAM for each TB to be deduplicated",
	},
	Limits: []string{
		"The ARC size is a rule of thumb; the hit rate of the real working set decides",
		"Deduplication table: the classic one, wholly in memory; fast dedup (OpenZFS 2.3) with a quota or on special vdevs needs less",
		"Linux before OpenZFS 2.3 limits the ARC to half of RAM by default",
	},
	Aliases: []string{"ARC size", "L2ARC", "truenas memory", "dedup ram", "slog size"},
	Primary: []string{"recommended_ram_gib"},
	Examples: []tools.Example{{
		Title: "50 TiB for virtual machines, 1000 GiB of L2ARC",
		In:    `{"pool_tib": 50, "workload": "vm", "l2arc_gib": 1000, "avg_block_kib": 16, "services_gib": 64}`,
		Want:  `{"arc_gib": 100, "l2arc_header_gib": 5.85938, "total_gib": 171.859, "recommended_ram_gib": 192}`,
	}, {
		Title: "10 TiB with deduplication of 64 KiB blocks",
		In:    `{"pool_tib": 10, "dedup_enabled": true, "avg_block_kib": 64}`,
		Want:  `{"dedup_table_gib": 50, "total_gib": 62, "recommended_ram_gib": 64, "warnings": ["deduplication holds 50 GiB in memory, 320 bytes a block: about 5 GiB for each TiB at 64 KiB; compression usually costs less"]}`,
		From:  "by hand: 10 · 2^40/2^16 blocks of 320 B are 50 GiB; 2 + 10 + 50",
	}, {
		Title: "Home server, 20 TiB of films",
		In:    `{"pool_tib": 20, "workload": "media"}`,
		Want:  `{"arc_gib": 10, "total_gib": 12, "recommended_ram_gib": 16, "slog_gib": 0}`,
		From:  "by hand: 20 · 0.5; 2 + 10",
	}},
}, zfsRAM)

type zfsRAMIn struct {
	Pool     float64  `json:"pool_tib" unit:"TiB" gt:"0" max:"1000000" example:"50" label:"Pool size" doc:"Usable pool size"`
	Workload string   `json:"workload" enum:"archive,media,general,vm,database" default:"general" label:"Workload" doc:"Use of the pool; sets the ARC per TiB"`
	Dedup    bool     `json:"dedup_enabled" default:"false" label:"Deduplication" doc:"Deduplication is on"`
	Unique   *float64 `json:"dedup_unique_tib" unit:"TiB" min:"0" max:"1000000" label:"Unique data" doc:"Data in the deduplication table, each block once; default: the whole pool"`
	Block    float64  `json:"avg_block_kib" unit:"KiB" min:"0.5" max:"16384" default:"128" label:"Average block size" doc:"Mean block size of the data, also in L2ARC"`
	L2ARC    float64  `json:"l2arc_gib" unit:"GiB" min:"0" max:"1000000000" default:"0" label:"L2ARC size" doc:"Size of the cache device"`
	Services float64  `json:"services_gib" unit:"GiB" min:"0" max:"1000000" default:"0" label:"Memory for services" doc:"Memory for virtual machines, containers and programs beside ZFS"`
	Sync     float64  `json:"sync_write_mb_s" unit:"MB/s" min:"0" max:"1000000" default:"0" label:"Synchronous write rate" doc:"Synchronous writes (NFS, databases, virtual machines)"`
}

type zfsRAMOut struct {
	ARC         float64  `json:"arc_gib" unit:"GiB" label:"ARC" doc:"Adaptive replacement cache, by a rule of thumb"`
	DedupTable  float64  `json:"dedup_table_gib" unit:"GiB" label:"Deduplication table" doc:"Deduplication table in memory"`
	L2ARCHeader float64  `json:"l2arc_header_gib" unit:"GiB" label:"L2ARC headers" doc:"Headers of the blocks in L2ARC"`
	Total       float64  `json:"total_gib" unit:"GiB" label:"Total memory" doc:"Total memory, with the services and 2 GiB for the system"`
	Minimum     float64  `json:"minimum_ram_gib" unit:"GiB" label:"Minimum RAM" doc:"Minimum memory, even with a small ARC"`
	Recommended *float64 `json:"recommended_ram_gib" unit:"GiB" label:"Recommended RAM" doc:"Next common memory size; null above 4096 GiB"`
	ARCMax      float64  `json:"arc_max_default_gib" unit:"GiB" label:"Default ARC limit" doc:"Default ARC limit with the recommended RAM in OpenZFS 2.3; half of RAM on Linux in earlier versions"`
	DirtyMax    float64  `json:"dirty_data_max_gib" unit:"GiB" label:"Default dirty data limit" doc:"Default limit of data not yet written to the drives"`
	SLOG        float64  `json:"slog_gib" unit:"GiB" label:"SLOG size" doc:"Largest amount of data on a log device; 0 without synchronous writes"`
	Breakdown   []ramUse `json:"breakdown" label:"Breakdown" doc:"Parts of total_gib"`
	Note        string   `json:"note" label:"Note" doc:"Basis of the figures"`
	tools.Warnings
}

type ramUse struct {
	Item string  `json:"item" label:"Use" doc:"system, arc, dedup_table, l2arc_headers or services"`
	GiB  float64 `json:"gib" unit:"GiB" label:"Memory" doc:"Memory"`
}

const (
	ramSystem   = 2.0 // operating system [GiB]
	ramLeastARC = 4.0 // [GiB]
	// ddtEntry is the memory [B] per unique block, as estimated in the OpenZFS and FreeBSD manuals.
	ddtEntry = 320.0
	// l2arcHeader is the memory [B] per block in L2ARC (sizeof arc_buf_hdr_t without its L1 part).
	l2arcHeader    = 96.0
	syncSeconds    = 15.0 // three transaction groups of 5 s: open, quiescing, syncing
	dirtyMostGiB   = 4.0  // zfs_dirty_data_max_max
	dirtyTxgsInLog = 3.0  // transaction groups whose data the log may contain
)

// arcPerTiB is a rule of thumb for the size of the ARC, in GiB per TiB of data.
var arcPerTiB = [...]struct {
	workload string
	gib      float64
}{{"archive", 0.25}, {"media", 0.5}, {"general", 1}, {"vm", 2}, {"database", 2}}

// ramSizes are common memory sizes [GiB].
var ramSizes = [...]float64{
	8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
}

func zfsRAM(_ context.Context, in zfsRAMIn) (zfsRAMOut, error) {
	var out zfsRAMOut
	for _, w := range arcPerTiB {
		if w.workload == in.Workload {
			out.ARC = math.Max(ramLeastARC, in.Pool*w.gib)
		}
	}
	if in.Dedup {
		unique := in.Pool
		if in.Unique != nil {
			unique = *in.Unique
		}
		out.DedupTable = unique * (phys.TiB / phys.GiB) / (in.Block * phys.KiB) * ddtEntry
		out.Warn(
			"deduplication holds %.4g GiB in memory, 320 bytes a block: about 5 GiB for each TiB at 64 KiB; compression usually costs less",
			out.DedupTable,
		)
	} else if in.Unique != nil {
		out.Warn("dedup_unique_tib has no effect while dedup_enabled is false")
	}
	out.L2ARCHeader = in.L2ARC / (in.Block * phys.KiB) * l2arcHeader
	fixed := out.DedupTable + out.L2ARCHeader + in.Services
	out.Total = ramSystem + out.ARC + fixed
	out.Minimum = math.Max(8, ramSystem+2+fixed)
	out.Breakdown = []ramUse{
		{"system", ramSystem}, {"arc", out.ARC}, {"dedup_table", out.DedupTable},
		{"l2arc_headers", out.L2ARCHeader}, {"services", in.Services},
	}
	ram := out.Total
	for _, size := range ramSizes {
		if !tolerance.Above(out.Total, size) {
			ram, out.Recommended = size, &size
			break
		}
	}
	out.ARCMax = math.Max(ram-1, ram*5/8)
	out.DirtyMax = math.Min(ram/10, dirtyMostGiB)
	out.SLOG = math.Min(in.Sync*1e6*syncSeconds/phys.GiB, dirtyTxgsInLog*out.DirtyMax)
	out.Note = "The ARC is a rule of thumb: OpenZFS needs no RAM per TiB. arc_max_default_gib is that of OpenZFS 2.3; Linux before it stops at half of RAM."
	in.warn(&out, ram)
	return out, nil
}

func (in *zfsRAMIn) warn(out *zfsRAMOut, ram float64) {
	if largest := ramSizes[len(ramSizes)-1]; out.Recommended == nil {
		out.Warn(
			"%g GiB is above the largest common memory, %g GiB; the limits below are computed for the total itself",
			tolerance.RoundAbove(out.Total, largest, 5), largest,
		)
	}
	if out.L2ARCHeader > out.ARC/4 {
		out.Warn(
			"the L2ARC headers (%.4g GiB) take more than a quarter of the ARC (%.4g GiB): a smaller L2ARC or larger blocks serve better",
			out.L2ARCHeader, out.ARC,
		)
	}
	if in.L2ARC > 0 && ram < 64 {
		out.Warn("L2ARC with %g GiB of RAM: below 64 GiB more RAM helps more than a cache device",
			ram)
	}
	if in.Sync == 0 && (in.Workload == "vm" || in.Workload == "database") {
		out.Warn(
			"a SLOG is useless without synchronous writes, and sync_write_mb_s is 0; workload %s usually writes synchronously, so give the rate to size one",
			in.Workload,
		)
	}
}
