package homelab

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestZFSRAM(t *testing.T) {
	tooltest.Examples(t, ZFSRAM)
	tooltest.Cases(t, ZFSRAM, []tooltest.Case{
		{"contract",
			`{"pool_tib":50,"workload":"vm","l2arc_gib":1000,"avg_block_kib":16,"services_gib":64}`,
			`{"arc_gib":100,"l2arc_header_gib":5.859375,"total_gib":171.859375,"recommended_ram_gib":192,"minimum_ram_gib":73.859375,"arc_max_default_gib":191,"dirty_data_max_gib":4,"slog_gib":0,
			"breakdown":[{"item":"system","gib":2},{"item":"arc","gib":100},{"item":"dedup_table","gib":0},{"item":"l2arc_headers","gib":5.859375},{"item":"services","gib":64}],"warnings":["~SLOG"]}`},
		{"by hand: a small archive, 4 GiB of ARC at the least, 8 GiB of RAM",
			`{"pool_tib":8,"workload":"archive"}`,
			`{"arc_gib":4,"total_gib":6,"minimum_ram_gib":8,"recommended_ram_gib":8,"arc_max_default_gib":7,"dirty_data_max_gib":0.8,"warnings":[]}`},
		{"by hand: media 0.5 GiB/TiB", `{"pool_tib":100,"workload":"media"}`,
			`{"arc_gib":50,"total_gib":52,"recommended_ram_gib":64}`},
		{"by hand: general 1 GiB/TiB, exactly 32", `{"pool_tib":30}`,
			`{"arc_gib":30,"total_gib":32,"recommended_ram_gib":32}`},
		{"FreeBSD Handbook: 5 GiB for each TiB of 64 KiB blocks",
			`{"pool_tib":10,"dedup_enabled":true,"dedup_unique_tib":1,"avg_block_kib":64}`,
			`{"dedup_table_gib":5,"total_gib":17,"recommended_ram_gib":24,"minimum_ram_gib":9}`},
		{"by hand: 200 MB/s · 15 s = 2.79397 GiB of log",
			`{"pool_tib":100,"workload":"database","sync_write_mb_s":200}`,
			`{"slog_gib":2.79396772,"total_gib":202,"recommended_ram_gib":256,"warnings":[]}`},
		{"by hand: the log holds three dirty data limits of 1.6 GiB",
			`{"pool_tib":10,"sync_write_mb_s":5000}`,
			`{"recommended_ram_gib":16,"dirty_data_max_gib":1.6,"slog_gib":4.8}`},
		{"L2ARC on a small machine", `{"pool_tib":4,"l2arc_gib":2000,"avg_block_kib":16}`, `{"l2arc_header_gib":11.71875,"recommended_ram_gib":24,"warnings":["~quarter of the ARC","~below 64 GiB"]}`},
		{"above every board", `{"pool_tib":5000}`, `{"total_gib":5002,"recommended_ram_gib":null,"arc_max_default_gib":5001,"warnings":["~4096"]}`},
		{"unique data without deduplication", `{"pool_tib":5,"dedup_unique_tib":1}`,
			`{"dedup_table_gib":0,"warnings":["~no effect"]}`},
	})
	tooltest.InvalidCases(t, ZFSRAM, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"pool_tib"}, "is required"},
		{"no pool", `{"pool_tib":0}`, []string{"pool_tib"}, "greater than 0"},
		{"unknown workload", `{"pool_tib":1,"workload":"web"}`, []string{"workload"}, "archive"},
		{"negative cache, no block", `{"pool_tib":1,"l2arc_gib":-1,"avg_block_kib":0}`,
			[]string{"l2arc_gib", "avg_block_kib"}, "0.5 to 16384"},
		{"dedup as a word", `{"pool_tib":1,"dedup_enabled":"yes"}`, []string{"dedup_enabled"},
			"true or false"},
	})
}

func TestRAMTables(t *testing.T) {
	for i := 1; i < len(ramSizes); i++ {
		if ramSizes[i] <= ramSizes[i-1] {
			t.Errorf("%g GiB is out of order", ramSizes[i])
		}
	}
	workloads := ZFSRAM.Input.Field("workload").Enum
	if len(workloads) != len(arcPerTiB) {
		t.Fatalf("%d workloads, %d rules", len(workloads), len(arcPerTiB))
	}
	for i, w := range workloads {
		if arcPerTiB[i].workload != w || i > 0 && arcPerTiB[i].gib < arcPerTiB[i-1].gib {
			t.Errorf("rule %d is for %s, want %s, rising", i, arcPerTiB[i].workload, w)
		}
	}
}
