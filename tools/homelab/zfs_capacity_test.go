package homelab

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
	"slipstick/tools/zfs"
)

func TestZFSCapacity(t *testing.T) {
	tooltest.Examples(t, ZFSCapacity)
	tooltest.Cases(t, ZFSCapacity, []tooltest.Case{
		{"contract: raidz2, 2 x 7 x 18 TB",
			`{"raid_level":"raidz2","drive_size_tb":18,"drives_per_vdev":7,"vdev_count":2}`,
			`{"usable_bytes":167694716370944,"usable_tib":152.5174560546875,"usable_tb":167.694716,"deflate_ratio":0.666015625,"metaslab_count":7334,"effective_data_tib":152.66654447702834,
			"slop_bytes":137438953472,"raw_bytes":252000000000000,"raw_tb":252,"raw_tib":229.192665,"efficiency_pct":66.545522,"recommended_max_tib":122.01396484375,
			"breakdown":[{"level":"rounding","bytes":5678809088},{"level":"distributed_spares","bytes":0},{"level":"redundancy","bytes":71998377483116},
			{"level":"padding","bytes":12163788383380},{"level":"slop","bytes":137438953472},{"level":"usable","bytes":167694716370944}]}`},
		{"contract: eight 3-wide raidz1 of 18 TB", `{"raid_level":"raidz1","drive_size_tb":18,"drives_per_vdev":3,"vdev_count":8,"hot_spares":2}`,
			`{"usable_tib":261.536,"total_drives":26,"warnings":["~raidz1"]}`},
		{"OpenZFS issue 15467, byte for byte",
			`{"raid_level":"draid2","drive_size_tb":1,"drives_per_vdev":24,"draid_data":6}`,
			`{"usable_bytes":15835678638080,"metaslab_count":1396,"deflate_ratio":0.666015625}`},
		{"OpenZFS issue 13727: 574804246033080 B are left of draid1:16d:36c:2s, after a few MB of its own", `{"raid_level":"draid1","drive_size_tb":18.000207937536,"drives_per_vdev":36,"draid_data":16,"draid_spares":2}`,
			`{"usable_tb":574.80425,"fault_tolerance_per_vdev":1,"warnings":[]}`},
		{"OpenZFS issue 13727: df -h rounds up to 523T", `{"raid_level":"raidz1","drive_size_tb":18.000207937536,"drives_per_vdev":17,"vdev_count":2}`,
			`{"usable_tib":522.8,"warnings":["~4 TB","~17 drives"]}`},
		{"OpenZFS issue 13727: df -h rounds up to 457T", `{"raid_level":"raidz2","drive_size_tb":18.000207937536,"drives_per_vdev":17,"vdev_count":2}`, `{"usable_tib":456.5}`},
		{"OpenZFS issue 1089: 10.7T (of 1/100 TiB, cut off)",
			`{"raid_level":"raidz2","drive_size_tb":3.000592982016,"drives_per_vdev":6}`,
			`{"usable_tib":10.77}`},
		{"by hand: 3 mirrors, 232 metaslabs of 16 GiB each, (3·232·16 - 128) GiB",
			`{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":3}`,
			`{"usable_bytes":11819749998592,"usable_tib":10.75,"effective_data_tib":10.75,"metaslab_count":232,"metaslab_size_gib":16,"deflate_ratio":1,"record_efficiency_pct":100,"fault_tolerance_per_vdev":1}`},
		{"by hand: stripe, 116 metaslabs of 8 GiB, 4·116·8·(1 - 1/32) = 3596 GiB",
			`{"raid_level":"stripe","drive_size_tb":1,"vdev_count":4}`,
			`{"usable_bytes":3861175599104,"metaslab_count":116,"metaslab_size_gib":8,"total_drives":4,"fault_tolerance_per_vdev":0,
			"levels":[{"raid_level":"stripe","usable_tib":3.51171875},{"raid_level":"mirror"},{"raid_level":"raidz1","fault_tolerance_per_vdev":1},{"raid_level":"raidz2"},{"raid_level":"raidz3"},
			{"raid_level":"draid1"},{"raid_level":"draid2"},{"raid_level":"draid3"}]}`},
		{"by hand: 100 MB mirror, 5 metaslabs of 16 MiB, half of it slop",
			`{"raid_level":"mirror","drive_size_tb":0.0001,"drives_per_vdev":2}`,
			`{"metaslab_count":5,"metaslab_size_gib":0.015625,"slop_bytes":41943040,"usable_bytes":41943040}`},
		{"by hand: raidz3 of 11, alloc(128 KiB) = 44 sectors, alloc(1 MiB) = 352",
			`{"raid_level":"raidz3","drive_size_tb":20,"drives_per_vdev":11,"recordsize_kib":1024}`,
			`{"deflate_ratio":0.7265625,"allocated_bytes_per_record":1441792,"record_efficiency_pct":72.7272727,"usable_tib":145.2442626953125}`},
		{"by hand: ashift 9, 256 + 64 sectors; 4096/5120",
			`{"raid_level":"raidz1","drive_size_tb":1,"drives_per_vdev":5,"ashift":9}`,
			`{"deflate_ratio":0.798828125,"allocated_bytes_per_record":163840,"record_efficiency_pct":80}`},
		{"by hand: 4 KiB records in raidz2 take 3 sectors", `{"raid_level":"raidz2","drive_size_tb":8,"drives_per_vdev":4,"recordsize_kib":4,"compression_ratio":2,"reserve_pct":5}`,
			`{"allocated_bytes_per_record":12288,"record_efficiency_pct":33.33333333,"deflate_ratio":0.484375,"usable_tib":13.96728515625,"effective_data_tib":19.22379032,
			"warnings":["~record of 4 KiB","~128 KiB","~80 %"]}`},
		{"independently: swap of 2 GiB on 4 TiB drives", `{"raid_level":"raidz2","drive_size_tb":4,"drive_size_unit":"TiB","drives_per_vdev":6,"swap_gib":2}`,
			`{"usable_bytes":17426125160448,"metaslab_count":1535}`},
		{"dRAID of 8 + 2 by default; small records waste",
			`{"raid_level":"draid2","drive_size_tb":1,"drives_per_vdev":24,"recordsize_kib":32}`,
			`{"usable_bytes":19020897230368,"warnings":["~more than half of a record"]}`},
		{"by hand: 14.4 TB at 100 MB/s",
			`{"raid_level":"mirror","drive_size_tb":18,"drives_per_vdev":2}`,
			`{"resilver_time_h":40.00,"draid_rebuild_time_h":null}`},
		{"by hand: 200 MB/s to 90 %", `{"raid_level":"raidz1","drive_size_tb":4,"drives_per_vdev":5,"resilver_mb_s":200,"reserve_pct":10}`, `{"resilver_time_h":5.000}`},
		{"by hand: dRAID, 40 h · (8 + 1)/(24 - 1)",
			`{"raid_level":"draid2","drive_size_tb":18,"drives_per_vdev":24,"draid_spares":2}`,
			`{"resilver_time_h":40.00,"draid_rebuild_time_h":15.65}`},
		{"a stripe has nothing to resilver from", `{"raid_level":"stripe","drive_size_tb":18}`,
			`{"resilver_time_h":null,"draid_rebuild_time_h":null}`},
		{"by hand: 10.75 TiB in records of 128 KiB, 2 · 128/131072",
			`{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":3}`,
			`{"special_vdev_gib":21.5000,"pool_usable_tib":10.75}`},
		{"by hand: twice the records with compression 2", `{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":3,"compression_ratio":2}`, `{"special_vdev_gib":43.0000}`},
		{"by hand: records of 1 MiB need an eighth", `{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":3,"recordsize_kib":1024}`, `{"special_vdev_gib":2.6875}`},
		{"the same three mirrors, one of them as an extra vdev", `{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":2,"extra_vdevs":[{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2}]}`, `{"pool_usable_tib":10.75,"warnings":["~only pool_usable_tib"]}`},
		{"by hand: (2·232·16 + 1·116·8 - 128) GiB with a single 1 TB drive", `{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":2,"extra_vdevs":[{"raid_level":"stripe","drive_size_tb":1}]}`, `{"pool_usable_tib":8.03125,"warnings":["~mismatched replication","~only pool_usable_tib"]}`},
		{"two drives allow four levels",
			`{"raid_level":"mirror","drive_size_tb":2,"drives_per_vdev":2}`,
			`{"levels":[{"raid_level":"stripe"},{"raid_level":"mirror"},{"raid_level":"raidz1"},{"raid_level":"draid1"}]}`},
		{"storagemath.org, table of rebuild speeds: a full 8 TB drive at 105 MB/s in 21 h",
			`{"raid_level":"raidz2","drive_size_tb":8,"drives_per_vdev":6,"resilver_mb_s":105,"reserve_pct":0}`,
			`{"resilver_time_h":2.1e1}`},
		{"the same table: 8 TB at 385 MB/s in 5.8 h",
			`{"raid_level":"mirror","drive_size_tb":8,"drives_per_vdev":2,"resilver_mb_s":385,"reserve_pct":0}`,
			`{"resilver_time_h":5.8}`},
		{"by hand: 18 TB · 0.8 at 250 MB/s; dRAID 16 h · (4 + 1)/(12 - 1)",
			`{"raid_level":"draid1","drive_size_tb":18,"drives_per_vdev":12,"draid_data":4,"draid_spares":1,"resilver_mb_s":250}`,
			`{"resilver_time_h":16.00,"draid_rebuild_time_h":7.27}`},
		{"by hand: 10 TB at 100 MB/s, 27.778 h · (8 + 1)/(36 - 1)",
			`{"raid_level":"draid2","drive_size_tb":10,"drives_per_vdev":36,"draid_data":8,"draid_spares":1,"reserve_pct":0}`,
			`{"resilver_time_h":27.78,"draid_rebuild_time_h":7.143}`},
		{"three mirrors of 4 TB, two of them as extra vdevs",
			`{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":1,"extra_vdevs":[{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":2}]}`,
			`{"pool_usable_tib":10.75}`},
		{"by hand: (3 + 2) mirrors of 232 metaslabs of 16 GiB less 128 GiB",
			`{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":3,"extra_vdevs":[{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":2}]}`,
			`{"pool_usable_tib":18.000}`},
		{"by hand: two single drives of 1 TB, (2·232·16 + 2·116·8 - 128) GiB",
			`{"raid_level":"mirror","drive_size_tb":4,"drives_per_vdev":2,"vdev_count":2,"extra_vdevs":[{"raid_level":"stripe","drive_size_tb":1,"vdev_count":2}]}`,
			`{"pool_usable_tib":8.9375}`},
	})
	tooltest.InvalidCases(t, ZFSCapacity, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"raid_level", "drive_size_tb"}, "is required"},
		{"no width", `{"raid_level":"raidz1","drive_size_tb":1}`, []string{"drives_per_vdev"},
			"required for raidz1"},
		{"a wide stripe", `{"raid_level":"stripe","drive_size_tb":1,"drives_per_vdev":2}`,
			[]string{"drives_per_vdev"}, "vdev_count"},
		{"raidz2 of two", `{"raid_level":"raidz2","drive_size_tb":1,"drives_per_vdev":2}`,
			[]string{"drives_per_vdev"}, "at least 3"},
		{"mirror of one", `{"raid_level":"mirror","drive_size_tb":1,"drives_per_vdev":1}`,
			[]string{"drives_per_vdev"}, "at least 2"},
		{"dRAID without room",
			`{"raid_level":"draid2","drive_size_tb":1,"drives_per_vdev":4,"draid_spares":2}`,
			[]string{"drives_per_vdev"}, "at least 5"},
		{"dRAID group too wide", `{"raid_level":"draid2","drive_size_tb":1,"drives_per_vdev":10,"draid_data":8,"draid_spares":1}`, []string{"draid_data"}, "needs 11 drives"},
		{"256 wide", `{"raid_level":"draid1","drive_size_tb":1,"drives_per_vdev":256}`,
			[]string{"drives_per_vdev"}, "255"},
		{"a record of 100 KiB", `{"raid_level":"stripe","drive_size_tb":1,"recordsize_kib":100}`,
			[]string{"recordsize_kib"}, "power of two"},
		{"swap takes all", `{"raid_level":"stripe","drive_size_tb":1,"swap_gib":1000}`,
			[]string{"swap_gib"}, "64 MiB"},
		{"a tiny drive", `{"raid_level":"stripe","drive_size_tb":0.00001}`,
			[]string{"drive_size_tb"}, "64 MiB"},
		{"a huge pool",
			`{"raid_level":"mirror","drive_size_tb":1000,"drives_per_vdev":255,"vdev_count":10000}`, []string{"vdev_count"}, "1 EiB"},
		{"an extra vdev too narrow", `{"raid_level":"mirror","drive_size_tb":1,"drives_per_vdev":2,"extra_vdevs":[{"raid_level":"raidz2","drive_size_tb":1,"drives_per_vdev":2}]}`, []string{"extra_vdevs[0].drives_per_vdev"}, "at least 3"},
		{"a huge extra vdev", `{"raid_level":"mirror","drive_size_tb":1,"drives_per_vdev":2,"extra_vdevs":[{"raid_level":"mirror","drive_size_tb":1000,"drives_per_vdev":100,"vdev_count":10},{"raid_level":"mirror","drive_size_tb":1000,"drives_per_vdev":100,"vdev_count":10}]}`, []string{"extra_vdevs[1].vdev_count"}, "1 EiB"},
		{"several at once",
			`{"raid_level":"raidz3","drive_size_tb":1,"drives_per_vdev":3,"recordsize_kib":5}`,
			[]string{"drives_per_vdev", "recordsize_kib"}, "power of two"},
		{"compression below 1, ashift 8",
			`{"raid_level":"stripe","drive_size_tb":1,"compression_ratio":0.5,"ashift":8}`,
			[]string{"compression_ratio", "ashift"}, "at"},
	})
}

// TestZFSCapacityLaws verifies that the breakdown of every pool adds up without negative parts. It
// also verifies that no efficiency exceeds 100 %, and that the comparison contains the requested
// level.
func TestZFSCapacityLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.SampledFrom(zfs.Levels()).Draw(t, "level")
		width := rapid.IntRange(level.Parity+2, 60).Draw(t, "width")
		in := fmt.Sprintf(`{"raid_level":%q,"drive_size_tb":%g,"drives_per_vdev":%d,"vdev_count":%d,"ashift":%d,"recordsize_kib":%d}`, level.Name,
			rapid.Float64Range(0.0001, 30).Draw(t, "size"), width,
			rapid.IntRange(1, 9).Draw(t, "vdevs"),
			rapid.IntRange(9, 16).Draw(t, "ashift"), 4<<rapid.IntRange(0, 12).Draw(t, "record"))
		if level.Kind == zfs.Stripe {
			in = fmt.Sprintf(`{"raid_level":"stripe","drive_size_tb":%g,"vdev_count":%d}`,
				rapid.Float64Range(0.0001, 30).Draw(t, "size"), width)
		}
		raw, err := ZFSCapacity.Run(context.Background(), []byte(in))
		if err != nil {
			t.Fatal(err)
		}
		var out zfsCapacityOut
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, b := range out.Breakdown {
			sum += b.Bytes
			if b.Bytes < 0 {
				t.Errorf("%s: %s is %d", in, b.Level, b.Bytes)
			}
		}
		if sum != out.RawBytes {
			t.Errorf("%s: the breakdown adds up to %d, raw is %d", in, sum, out.RawBytes)
		}
		found := false
		for _, l := range out.Levels {
			found = found || l.Level == level.Name && l.UsableTiB == out.UsableTiB
		}
		if !found {
			t.Errorf("%s: %g TiB are not in the levels %v", in, out.UsableTiB, out.Levels)
		}
		if out.EfficiencyPct > 100 || out.RecordEfficiency > 100 || out.UsableBytes <= 0 {
			t.Errorf("%s: efficiency %g, record %g, usable %d", in, out.EfficiencyPct,
				out.RecordEfficiency, out.UsableBytes)
		}
	})
}
