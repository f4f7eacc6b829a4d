package homelab

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/phys"
	"slipstick/tools/tolerance"
)

// RAIDIOPS computes the number of operations per second of a drive array.
var RAIDIOPS = tools.Define(tools.Spec{
	Name:    "raid_iops",
	Title:   "RAID IOPS",
	Summary: "Random IOPS, throughput and latency of a RAID or raidz array by read share, healthy and degraded",
	Method: "raw = drives · IOPS of one; effective = raw/(r + w · penalty), with penalty 1 " +
		"(raid0), the copies (raid1), 2 (raid10), 4 (raid5, raid50), 6 (raid6, raid60). raidz: " +
		"each group has the IOPS of one drive, reading and writing. Latency by Little's law: " +
		"max(queue depth/effective, service time); with a workload, ρ = workload/effective and " +
		"response = service/(1 - ρ). One drive lost of N: raw is that of N - 1. A read of a " +
		"parity array costs (N + n - 2)/N in groups of n (2 (n - 1)/n in one group), a raid10 " +
		"write 2 - 2/N, a raid1 write the remaining copies. Rebuild time = drive size / rebuild " +
		"rate. Probability of an unrecoverable read error = 1 - exp(-rate × bits read). The bits " +
		"are those of the other drives of a group with one parity, or of the copy of a mirror",
	Sources: []string{
		"P. M. Chen, E. K. Lee, G. A. Gibson, R. H. Katz and D. A. Patterson, RAID: High-Performance, Reliable Secondary Storage, ACM Computing Surveys 26(2), 1994",
		"J. D. C. Little, A Proof for the Queuing Formula L = λW, Operations Research 9(3), 1961",
		"G. Gibson, Redundant Disk Arrays (1992), chapter 5; R. Harris, Why RAID 5 stops working in 2009, ZDNet (2007) (read errors during a rebuild)",
		"OpenZFS documentation, Performance and Tuning: Pool Geometry (IOPS of a raidz vdev)",
	},
	Limits: []string{
		"Random, small operations without caches; a write cache or full-stripe writes do better",
		"All drives are equally busy and none waits for the controller",
		"The response time is that of a single server (M/M/1); a real array with many drives stays below it",
		"No rebuild traffic in the degraded figure; a busy array rebuilds several times slower",
		"Read errors: independent bits at the rate of the data sheet, which is an upper limit; field data are often better",
	},
	Aliases: []string{"raid calculator", "write penalty", "disk latency", "storage performance",
		"raid10"},
	Primary: []string{"effective_iops"},
	Examples: []tools.Example{{
		Title: "RAID 5 of eight 15k drives, half reads",
		In:    `{"raid_level": "raid5", "drives": 8, "drive_type": "hdd_15k", "read_pct": 50}`,
		Want:  `{"effective_iops": 576.0, "read_iops": 288.0, "write_iops": 288.0, "average_latency_ms": 55.556, "write_penalty": 4, "raw_iops": 1440}`,
		From:  "by hand: 1440/(0.5 + 0.5 · 4)",
	}, {
		Title: "RAID 10 of eight disks, 70 % reads",
		In:    `{"raid_level": "raid10", "drives": 8}`,
		Want:  `{"effective_iops": 492.31, "write_penalty": 2}`,
		From:  "by hand: 640/(0.7 + 0.3 · 2)",
	}, {
		Title: "RAID 5 of seven 2 TB desktop disks: a rebuild often fails",
		In:    `{"raid_level": "raid5", "drives": 7, "drive_size_tb": 2}`,
		Want:  `{"rebuild_error_pct": 61.7, "rebuild_time_h": 5.556}`,
		From:  "R. Harris, ZDNet 2007: 62 %",
	}},
}, raidIOPS)

type raidIn struct {
	Level     string   `json:"raid_level" enum:"raid0,raid1,raid5,raid6,raid10,raid50,raid60,raidz1,raidz2,raidz3" example:"raid5" label:"RAID level" doc:"Level of the array"`
	Drives    int      `json:"drives" unit:"1" min:"1" max:"10000" example:"8" label:"Number of drives" doc:"Drives in the array, without spares"`
	Groups    int      `json:"groups" unit:"1" min:"1" max:"10000" default:"1" label:"Number of groups" doc:"Number of spans of raid50 and raid60, or of vdevs of raidz"`
	DriveType string   `json:"drive_type" enum:"hdd_5400,hdd_7200,hdd_10k,hdd_15k,sata_ssd,nvme_ssd,custom" default:"hdd_7200" label:"Drive type" doc:"Type of drive, with 60, 80, 130, 180, 50000 or 300000 IOPS"`
	DriveIOPS *float64 `json:"drive_iops" unit:"IOPS" min:"0.001" max:"1000000000" label:"IOPS per drive" doc:"IOPS of one drive, in place of the type's; required for custom"`
	ReadPct   float64  `json:"read_pct" unit:"%" min:"0" max:"100" default:"70" label:"Read share" doc:"Share of reads"`
	Block     float64  `json:"block_kib" unit:"KiB" min:"0.001" max:"1048576" default:"4" label:"Block size" doc:"Size of an operation"`
	Queue     int      `json:"queue_depth" unit:"1" min:"1" max:"1000000" default:"32" label:"Queue depth" doc:"Number of outstanding operations"`
	Workload  *float64 `json:"workload_iops" unit:"IOPS" min:"0" max:"1000000000000" label:"Workload" doc:"IOPS required of the array"`
	SizeTB    *float64 `json:"drive_size_tb" unit:"TB" gt:"0" max:"1000000" label:"Drive size" doc:"Capacity of one drive, in 10^12 bytes; gives the rebuild time and the read-error risk"`
	RebuildMB float64  `json:"rebuild_mb_s" unit:"MB/s" gt:"0" max:"1000000" default:"100" label:"Rebuild rate" doc:"Write rate of the replacement drive"`
	URE       float64  `json:"ure_rate" unit:"1/bit" min:"0" max:"0.000001" default:"1e-14" label:"Unrecoverable read error rate" doc:"Unrecoverable read errors per bit read: 1e-14 for desktop, 1e-15 for enterprise drives, 1e-17 for many SSDs"`
}

type raidOut struct {
	Raw            float64     `json:"raw_iops" unit:"IOPS" label:"Raw IOPS" doc:"IOPS of all drives together"`
	Penalty        *float64    `json:"write_penalty" unit:"1" label:"Write penalty" doc:"Drive operations per write; null for raidz, where it does not apply"`
	Effective      float64     `json:"effective_iops" unit:"IOPS" label:"Effective IOPS" doc:"Host operations per second at this read share"`
	Read           float64     `json:"read_iops" unit:"IOPS" label:"Read IOPS" doc:"Reads among the effective IOPS"`
	Write          float64     `json:"write_iops" unit:"IOPS" label:"Write IOPS" doc:"Writes among the effective IOPS"`
	MaxRead        float64     `json:"max_read_iops" unit:"IOPS" label:"IOPS, reads only" doc:"IOPS with reads only"`
	MaxWrite       float64     `json:"max_write_iops" unit:"IOPS" label:"IOPS, writes only" doc:"IOPS with writes only"`
	Throughput     float64     `json:"throughput_mb_s" unit:"MB/s" label:"Throughput" doc:"Throughput at the block size"`
	Service        float64     `json:"drive_service_time_ms" unit:"ms" label:"Drive service time" doc:"Time of one operation on one drive"`
	Latency        float64     `json:"average_latency_ms" unit:"ms" label:"Average latency" doc:"Mean latency at the given queue depth"`
	Utilization    *float64    `json:"utilization_pct" unit:"%" label:"Utilization" doc:"workload_iops relative to the effective IOPS; null without it"`
	Response       *float64    `json:"response_time_ms" unit:"ms" label:"Response time" doc:"Response time at workload_iops; null without it and at or above saturation"`
	FaultTolerance int         `json:"fault_tolerance" unit:"1" label:"Fault tolerance" doc:"Number of arbitrary drives that may fail without data loss"`
	Degraded       float64     `json:"degraded_effective_iops" unit:"IOPS" label:"Degraded IOPS" doc:"Effective IOPS with one failed drive, at this read share; 0 when the failure loses the array"`
	DegradedPct    *float64    `json:"degraded_utilization_pct" unit:"%" label:"Degraded utilization" doc:"workload_iops relative to the degraded IOPS; null without it and when the array is lost"`
	RebuildH       *float64    `json:"rebuild_time_h" unit:"h" label:"Rebuild time" doc:"Time to write a full replacement drive; null without drive_size_tb and for raid0"`
	URERiskPct     *float64    `json:"rebuild_error_pct" unit:"%" label:"Read-error risk of a rebuild" doc:"Probability of an unrecoverable read error during a rebuild without remaining redundancy; 0 where parity remains, null without drive_size_tb and for raid0"`
	Curve          []raidPoint `json:"curve" plot:"read_pct" label:"IOPS over read share" doc:"Effective IOPS over the read share"`
	tools.Warnings
}

type raidPoint struct {
	ReadPct   float64 `json:"read_pct" unit:"%" label:"Read share" doc:"Share of reads"`
	Effective float64 `json:"effective_iops" unit:"IOPS" label:"Effective IOPS" doc:"Host operations per second"`
}

// Defaults of rebuild_mb_s and ure_rate.
const (
	defaultRebuildMB = 100
	defaultURE       = 1e-14
)

// raidLevel contains the costs of a RAID level. A penalty of 0 marks raid1, whose penalty is its
// number of drives, and raidz, to which a write penalty does not apply.
type raidLevel struct {
	name      string
	penalty   float64
	tolerance int
	least     int  // minimum drives per group
	grouped   bool // can have several groups
	parity    bool // lost blocks are read from the rest of the group
}

var raidLevels = []raidLevel{
	{"raid0", 1, 0, 1, false, false},
	{"raid1", 0, 0, 2, false, false}, // penalty and tolerance follow from the number of drives
	{"raid5", 4, 1, 3, false, true},
	{"raid6", 6, 2, 4, false, true},
	{"raid10", 2, 1, 4, false, false},
	{"raid50", 4, 1, 3, true, true},
	{"raid60", 6, 2, 4, true, true},
	{"raidz1", 0, 1, 2, true, false},
	{"raidz2", 0, 2, 3, true, false},
	{"raidz3", 0, 3, 4, true, false},
}

// driveTypes are typical random IOPS per drive at 4 KiB.
var driveTypes = []struct {
	name string
	iops float64
}{{"hdd_5400", 60}, {"hdd_7200", 80}, {"hdd_10k", 130}, {"hdd_15k", 180}, {"sata_ssd", 50000},
	{"nvme_ssd", 300000}}

func raidIOPS(_ context.Context, in raidIn) (raidOut, error) {
	var out raidOut
	a, err := in.array()
	if err != nil {
		return out, err
	}
	r := in.ReadPct / 100
	out.Raw = a.raw()
	if !a.raidz {
		out.Penalty = &a.writeCost
	}
	out.Effective = a.effective(r)
	out.Read, out.Write = out.Effective*r, out.Effective*(1-r)
	out.MaxRead, out.MaxWrite = a.effective(1), a.effective(0)
	out.Throughput = out.Effective * in.Block * phys.KiB / 1e6
	out.Service = 1e3 / a.each
	out.Latency = math.Max(float64(in.Queue)*1e3/out.Effective, out.Service)
	if in.Workload != nil {
		rho := *in.Workload / out.Effective
		pct := 100 * rho
		out.Utilization = &pct
		if rho < 1 {
			ms := out.Service / (1 - rho)
			out.Response = &ms
		} else {
			out.Warn(
				"workload_iops of %g is %g %% of the effective IOPS: the array is saturated and its queue grows without limit; add drives or use a level with a lower write penalty",
				*in.Workload, tolerance.RoundUp(pct, 4),
			)
		}
	}
	out.FaultTolerance = a.level.tolerance
	if out.FaultTolerance > 0 {
		out.Degraded = a.degraded().effective(r)
	}
	out.Curve = make([]raidPoint, 11)
	for i := range out.Curve {
		pct := 10 * float64(i)
		out.Curve[i] = raidPoint{pct, a.effective(pct / 100)}
	}
	in.rebuild(&out, a)
	in.warn(&out, a)
	return out, nil
}

// rebuild computes the time of a rebuild and the probability that a block is unreadable during it.
func (in *raidIn) rebuild(out *raidOut, a raidArray) {
	if in.SizeTB == nil || out.FaultTolerance == 0 {
		return
	}
	out.RebuildH = new(*in.SizeTB * 1e6 / in.RebuildMB / 3600)
	sources := 0.0 // number of drives that are read completely while no redundancy remains
	switch {
	case in.Level == "raid10" || out.FaultTolerance == 1 && in.Level == "raid1":
		sources = 1
	case out.FaultTolerance == 1:
		sources = a.drives/a.groups - 1
	}
	out.URERiskPct = new(-100 * math.Expm1(-in.URE*sources**in.SizeTB*8e12))
	if *out.URERiskPct > 10 {
		out.Warn(
			"a rebuild reads %.4g TB and meets an unrecoverable read error with a probability of %.3g %%: use a level with two parities, or drives with a lower ure_rate",
			sources**in.SizeTB, *out.URERiskPct,
		)
	}
}

// interfaceMBs are maximum rates per drive type [MB/s]. They are set by the outer tracks of hard
// drives, SATA at 6 Gbit/s (8b/10b), and PCIe 4.0 with four lanes (16 GT/s, 128b/130b).
var interfaceMBs = map[string]float64{
	"hdd_5400": 300, "hdd_7200": 300, "hdd_10k": 300, "hdd_15k": 300, "sata_ssd": 600,
	"nvme_ssd": 7877,
}

// Bounds of usual IOPS of one drive at 4 KiB. A hard drive of 5400 rpm has some 60. The fastest
// PCIe 6.0 drive of 2025 reads 5.5 million per second (Micron 9650).
const (
	leastIOPS = 10
	mostIOPS  = 1e7
)

func (in *raidIn) warn(out *raidOut, a raidArray) {
	limit, known := interfaceMBs[in.DriveType]
	if a.each < leastIOPS || a.each > mostIOPS {
		out.Warn(
			"drive_iops: %g IOPS of one drive; usual are 50 to 400 (hard drives), 10,000 to 100,000 (SATA SSDs) and up to 6,000,000 (NVMe SSDs), at 4 KiB",
			a.each)
	} else if rate := a.each * in.Block * phys.KiB / 1e6; known && tolerance.Above(rate, limit) {
		out.Warn(
			"at block_kib %g a drive would move %g MB/s, more than the %g MB/s of its interface: the IOPS are those of small blocks; give drive_iops for this block size, at most %.0f",
			in.Block, tolerance.RoundAbove(rate, limit, 4), limit,
			math.Floor(limit*1e6/(in.Block*phys.KiB)))
	}
	if in.Workload != nil && out.Degraded > 0 {
		out.DegradedPct = new(100 * *in.Workload / out.Degraded)
		if *in.Workload < out.Effective && *in.Workload >= out.Degraded {
			out.Warn(
				"workload_iops of %g exceeds the %g IOPS of the degraded array: it saturates when one drive fails; add drives, or use mirrors",
				*in.Workload, tolerance.RoundDown(out.Degraded, 4),
			)
		}
	}
	switch {
	case out.FaultTolerance == 0:
		choice.Ignored(&out.Warnings, in.Level+" has no rebuild",
			choice.Of("drive_size_tb", in.SizeTB != nil),
			choice.Of("rebuild_mb_s", in.RebuildMB != defaultRebuildMB),
			choice.Of("ure_rate", in.URE != defaultURE))
	case in.SizeTB == nil:
		choice.Ignored(&out.Warnings, "it needs drive_size_tb",
			choice.Of("rebuild_mb_s", in.RebuildMB != defaultRebuildMB),
			choice.Of("ure_rate", in.URE != defaultURE))
	}
	if in.Groups > 1 && !a.level.grouped {
		out.Warn("groups has no effect on %s; raid50, raid60 and raidz have groups", in.Level)
	}
	if (in.Level == "raid50" || in.Level == "raid60") && in.Groups == 1 {
		out.Warn("%s with one group is plain raid%c; give groups of 2 or more", in.Level,
			in.Level[4])
	}
	if in.Level == "raid0" {
		out.Warn("raid0 loses all data when any drive fails; keep backups, or use a level with redundancy")
	}
}

// array validates the combination of fields and returns the array.
func (in *raidIn) array() (raidArray, error) {
	var f tools.FieldErrors
	a := raidArray{drives: float64(in.Drives), groups: 1, readCost: 1}
	for _, l := range raidLevels {
		if l.name == in.Level {
			a.level = l
		}
	}
	groups := 1
	if a.level.grouped {
		groups = in.Groups
	}
	switch l := a.level; {
	case in.Drives%groups != 0:
		f.AddValue("groups", in.Groups, "must divide drives (%d) evenly", in.Drives)
	case groups > 1 && in.Drives/groups < l.least:
		f.AddValue("groups", in.Groups,
			"leaves %d drives for a group; %s needs at least %d (drives is %d)",
			in.Drives/groups, in.Level,
			l.least, in.Drives)
	case in.Drives < l.least:
		f.AddValue("drives", in.Drives, "must be at least %d for %s", l.least, in.Level)
	case in.Level == "raid10" && in.Drives%2 != 0:
		f.AddValue("drives", in.Drives, "must be even for raid10, which is made of pairs")
	}
	a.groups = float64(groups)
	for _, t := range driveTypes {
		if t.name == in.DriveType {
			a.each = t.iops
		}
	}
	switch {
	case in.DriveIOPS != nil:
		a.each = *in.DriveIOPS
	case in.DriveType == "custom":
		f.Add("drive_iops", "is required when drive_type is custom")
	}
	a.raidz = a.level.grouped && a.level.penalty == 0
	a.writeCost = a.level.penalty
	if in.Level == "raid1" {
		a.writeCost, a.level.tolerance = a.drives, in.Drives-1
	}
	return a, f.Err()
}

// raidArray counts drive operations. Costs are drive operations per host operation.
type raidArray struct {
	level     raidLevel
	drives    float64
	groups    float64
	each      float64 // IOPS per drive
	readCost  float64
	writeCost float64
	raidz     bool
}

func (a raidArray) raw() float64 { return a.drives * a.each }

// effective returns the host operations per second at a share r of reads. The mean cost of a mix is
// the weighted sum of the costs. Adding raw·r and raw·w/penalty would mix host and drive operations
// and yield too much.
func (a raidArray) effective(r float64) float64 {
	if a.raidz {
		return a.groups * a.each
	}
	return a.raw() / (r*a.readCost + (1-r)*a.writeCost)
}

// degraded returns the array with one failed drive.
func (a raidArray) degraded() raidArray {
	if a.raidz { // each group has the IOPS of one drive, degraded or not
		return a
	}
	n := a.drives
	a.drives = n - 1
	switch {
	case a.level.parity: // one block in n is reconstructed from the rest of its group
		a.readCost = (n + n/a.groups - 2) / n
	case a.level.name == "raid10": // two blocks in n have only one copy left
		a.writeCost = 2 - 2/n
	default: // raid1
		a.writeCost = n - 1
	}
	return a
}
