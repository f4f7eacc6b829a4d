package homelab

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"slipstick/tools/tooltest"
)

func TestRAIDIOPS(t *testing.T) {
	tooltest.Examples(t, RAIDIOPS)
	tooltest.Cases(t, RAIDIOPS, []tooltest.Case{
		{"a rebuild without the size of the drives",
			`{"raid_level":"raid5","drives":4,"rebuild_mb_s":200,"ure_rate":1e-15}`,
			`{"rebuild_time_h":null,"rebuild_error_pct":null,"warnings":["~rebuild_mb_s was ignored: it needs drive_size_tb","~ure_rate was ignored"]}`},
		{"raid0 has no rebuild",
			`{"raid_level":"raid0","drives":4,"drive_size_tb":4,"rebuild_mb_s":200}`,
			`{"rebuild_time_h":null,"warnings":["~drive_size_tb was ignored: raid0","~rebuild_mb_s was ignored","~loses all data"]}`},
		{"contract: raid5, 1440/(0.5 + 2); degraded 1260/(0.5 · 1.75 + 2)",
			`{"raid_level":"raid5","drives":8,"drive_type":"hdd_15k","read_pct":50}`,
			`{"raw_iops":1440,"effective_iops":576,"read_iops":288,"write_iops":288,"average_latency_ms":55.5555556,"write_penalty":4,"max_read_iops":1440,"max_write_iops":360,"fault_tolerance":1,
			"drive_service_time_ms":5.55555556,"throughput_mb_s":2.359296,"degraded_effective_iops":438.26086957,"utilization_pct":null,"response_time_ms":null,"warnings":[]}`},
		{"by hand: raid10, 640/(0.7 + 0.6); degraded 560/(0.7 + 0.3 · 1.75)",
			`{"raid_level":"raid10","drives":8}`,
			`{"effective_iops":492.30769231,"degraded_effective_iops":457.14285714,"fault_tolerance":1,"write_penalty":2}`},
		{"by hand: raid6, 480/2.5; M/M/1 at 100 of 192 IOPS",
			`{"raid_level":"raid6","drives":6,"workload_iops":100}`,
			`{"effective_iops":192.0,"write_penalty":6,"fault_tolerance":2,"utilization_pct":52.08333333,"response_time_ms":26.08695652,"drive_service_time_ms":12.5,"average_latency_ms":166.66666667}`},
		{"by hand: raid60 in two groups of six, 960/2.5; degraded 880/(0.7 · 16/12 + 1.8)",
			`{"raid_level":"raid60","drives":12,"groups":2}`,
			`{"effective_iops":384.0,"degraded_effective_iops":321.95121951,"fault_tolerance":2}`},
		{"by hand: two SSD mirrored, 100000/1.3; one left does 50000",
			`{"raid_level":"raid1","drives":2,"drive_type":"sata_ssd"}`,
			`{"effective_iops":76923.07692308,"write_penalty":2,"degraded_effective_iops":50000.0,"fault_tolerance":1}`},
		{"by hand: three copies", `{"raid_level":"raid1","drives":3,"read_pct":0}`, `{"write_penalty":3,"effective_iops":80.0,"fault_tolerance":2,"degraded_effective_iops":80.0}`},
		{"OpenZFS: a raidz vdev has the IOPS of one drive",
			`{"raid_level":"raidz2","drives":12,"groups":2,"read_pct":30}`,
			`{"raw_iops":960,"effective_iops":160,"write_penalty":null,"max_read_iops":160,"max_write_iops":160,"degraded_effective_iops":160,"fault_tolerance":2}`},
		{"PCIe 4.0 x4: 300000 operations of 128 KiB are 39322 MB/s, 7877 MB/s are 60096", `{"raid_level":"raid10","drives":4,"drive_type":"nvme_ssd","block_kib":128}`,
			`{"warnings":["~at most 60096"]}`},
		{"SATA: 50000 operations of 16 KiB are 819 MB/s, more than 600", `{"raid_level":"raid10","drives":4,"drive_type":"sata_ssd","block_kib":16}`,
			`{"warnings":["~819.2 MB/s"]}`},
		{"SATA: 50000 operations of 8 KiB are 410 MB/s", `{"raid_level":"raid10","drives":4,"drive_type":"sata_ssd","block_kib":8}`,
			`{"warnings":[]}`},
		{"hard drive: 80 operations of 4 MiB are 336 MB/s", `{"raid_level":"raid10","drives":4,"block_kib":4096}`,
			`{"warnings":["~335.5 MB/s"]}`},
		{"by hand: one drive of 1 MiB reads, never faster than itself", `{"raid_level":"raid0","drives":1,"drive_type":"custom","drive_iops":100,"read_pct":100,"block_kib":1024,"queue_depth":1}`,
			`{"effective_iops":100,"throughput_mb_s":104.8576,"average_latency_ms":10,"degraded_effective_iops":0,"fault_tolerance":0,"warnings":["~raid0"]}`},
		{"a thousand million IOPS, 4 TB/s of one drive at 4 KiB", `{"raid_level":"raid10","drives":4,"drive_type":"custom","drive_iops":1e9}`,
			`{"raw_iops":4e9,"warnings":["~usual are 50 to 400"]}`},
		{"the fastest drives are usual", `{"raid_level":"raid10","drives":4,"drive_type":"custom","drive_iops":5.5e6}`,
			`{"warnings":[]}`},
		{"an operation per second", `{"raid_level":"raid10","drives":4,"drive_type":"custom","drive_iops":1}`,
			`{"warnings":["~drive_iops: 1 IOPS of one drive"]}`},
		{"Little's law gives way to the service time",
			`{"raid_level":"raid0","drives":8,"queue_depth":1}`, `{"average_latency_ms":12.5}`},
		{"saturated exactly", `{"raid_level":"raid0","drives":2,"workload_iops":160}`,
			`{"utilization_pct":100,"response_time_ms":null,"warnings":["~saturated","~raid0"]}`},
		{"raid50 in one group", `{"raid_level":"raid50","drives":6}`,
			`{"write_penalty":4,"warnings":["~plain raid5;"]}`},
		{"groups on raid6", `{"raid_level":"raid6","drives":7,"groups":2}`,
			`{"warnings":["~no effect"]}`},
		{"500 IOPS fit 576 healthy and not 438.26 degraded", `{"raid_level":"raid5","drives":8,"drive_type":"hdd_15k","read_pct":50,"workload_iops":500}`,
			`{"utilization_pct":86.8056,"degraded_utilization_pct":114.0873,"warnings":["~exceeds the 438.2 IOPS of the degraded array"]}`},
		{"by hand: 400 IOPS fit both, 400/438.26", `{"raid_level":"raid5","drives":8,"drive_type":"hdd_15k","read_pct":50,"workload_iops":400}`, `{"degraded_utilization_pct":91.2698,"warnings":[]}`},
		{"by hand: raidz does not lose IOPS, 100/160",
			`{"raid_level":"raidz2","drives":12,"groups":2,"workload_iops":100}`,
			`{"degraded_utilization_pct":62.5,"warnings":[]}`},
		{"Harris, ZDNet 2007: seven drives of 2 TB in raid5, 62 %; 2 TB at 100 MB/s",
			`{"raid_level":"raid5","drives":7,"drive_size_tb":2}`,
			`{"rebuild_error_pct":6.2e1,"rebuild_time_h":5.5556,"warnings":["~12 TB"]}`},
		{"by hand: enterprise drives, 1 - exp(-0.096)", `{"raid_level":"raid5","drives":7,"drive_size_tb":2,"ure_rate":1e-15,"rebuild_mb_s":200}`, `{"rebuild_error_pct":9.1536,"rebuild_time_h":2.7778,"warnings":[]}`},
		{"by hand: a mirror reads one drive of 10 TB, 1 - exp(-0.8)",
			`{"raid_level":"raid10","drives":8,"drive_size_tb":10}`,
			`{"rebuild_error_pct":55.0671,"rebuild_time_h":27.778}`},
		{"raid6 still has a parity", `{"raid_level":"raid6","drives":8,"drive_size_tb":10}`,
			`{"rebuild_error_pct":0,"rebuild_time_h":27.778,"warnings":[]}`},
		{"by hand: raidz1 of two groups of four, 3 drives of 4 TB, 1 - exp(-0.96)",
			`{"raid_level":"raidz1","drives":8,"groups":2,"drive_size_tb":4}`,
			`{"rebuild_error_pct":61.7107}`},
		{"nothing to rebuild",
			`{"raid_level":"raid0","drives":2,"drive_size_tb":10,"workload_iops":10}`,
			`{"rebuild_time_h":null,"rebuild_error_pct":null,"degraded_utilization_pct":null}`},
		{"Super User, read errors of a rebuild: one mirror of 6 TB, 38 % at 1e-14",
			`{"raid_level":"raid1","drives":2,"drive_size_tb":6}`,
			`{"rebuild_error_pct":3.8e1}`},
		{"the same with enterprise drives of 1e-15, 4.7 %",
			`{"raid_level":"raid1","drives":2,"drive_size_tb":6,"ure_rate":1e-15}`,
			`{"rebuild_error_pct":4.7}`},
		{"the same source: raid10 of 3 TB reads one drive, 2.4 % at 1e-15",
			`{"raid_level":"raid10","drives":4,"drive_size_tb":3,"ure_rate":1e-15}`,
			`{"rebuild_error_pct":2.4}`},
		{"the same source: raid5 of 3+1 drives of 2 TB, 4.7 %",
			`{"raid_level":"raid5","drives":4,"drive_size_tb":2,"ure_rate":1e-15}`,
			`{"rebuild_error_pct":4.7}`},
		{"storagemath.org, table of rebuild speeds: 8 TB at 105 MB/s in 21 h",
			`{"raid_level":"raid6","drives":6,"drive_size_tb":8,"rebuild_mb_s":105}`,
			`{"rebuild_time_h":2.1e1}`},
		{"the same table: 8 TB at 175 MB/s in 13 h",
			`{"raid_level":"raid6","drives":6,"drive_size_tb":8,"rebuild_mb_s":175}`,
			`{"rebuild_time_h":1.3e1}`},
		{"the same table: 8 TB at 385 MB/s in 5.8 h",
			`{"raid_level":"raid6","drives":6,"drive_size_tb":8,"rebuild_mb_s":385}`,
			`{"rebuild_time_h":5.8}`},
	})
	tooltest.InvalidCases(t, RAIDIOPS, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"raid_level", "drives"}, "is required"},
		{"raid1 of one", `{"raid_level":"raid1","drives":1}`, []string{"drives"}, "at least 2"},
		{"raid5 of two", `{"raid_level":"raid5","drives":2}`, []string{"drives"}, "at least 3"},
		{"raid6 of three", `{"raid_level":"raid6","drives":3}`, []string{"drives"}, "at least 4"},
		{"raid10 of two", `{"raid_level":"raid10","drives":2}`, []string{"drives"}, "at least 4"},
		{"odd raid10", `{"raid_level":"raid10","drives":5}`, []string{"drives"}, "even"},
		{"groups that do not divide", `{"raid_level":"raid50","drives":10,"groups":3}`,
			[]string{"groups"}, "divide"},
		{"groups too small", `{"raid_level":"raid60","drives":6,"groups":2}`, []string{"groups"},
			"leaves 3"},
		{"custom without IOPS", `{"raid_level":"raid0","drives":1,"drive_type":"custom"}`,
			[]string{"drive_iops"}, "required"},
		{"101 % reads", `{"raid_level":"raid0","drives":1,"read_pct":101}`, []string{"read_pct"},
			"0 to 100"},
		{"half a drive, raid7", `{"raid_level":"raid7","drives":1.5}`,
			[]string{"raid_level", "drives"}, "whole"},
	})
}

// TestRAIDLevels verifies that the table has every level with its minimum number of drives, and
// that one drive fewer is rejected.
func TestRAIDLevels(t *testing.T) {
	names := RAIDIOPS.Input.Field("raid_level").Enum
	if len(names) != len(raidLevels) {
		t.Fatalf("%d names, %d levels", len(names), len(raidLevels))
	}
	for i, l := range raidLevels {
		if l.name != names[i] {
			t.Errorf("level %d is %s, want %s", i, l.name, names[i])
		}
		if _, err := (&raidIn{Level: l.name, Drives: l.least, Groups: 1,
			DriveType: "hdd_7200"}).array(); err != nil {
			t.Error(err)
		}
		if _, err := (&raidIn{Level: l.name, Drives: l.least - 1, Groups: 1,
			DriveType: "hdd_7200"}).array(); l.least > 1 && err == nil {
			t.Errorf("%s of %d drives is accepted", l.name, l.least-1)
		}
	}
	for i, name := range RAIDIOPS.Input.Field("drive_type").Enum {
		if name != "custom" && (driveTypes[i].name != name || i > 0 &&
			driveTypes[i].iops <= driveTypes[i-1].iops) {
			t.Errorf("drive type %d is %s of %g IOPS, want %s, rising", i, driveTypes[i].name,
				driveTypes[i].iops, name)
		}
	}
}

// TestRAIDLaws verifies that the drive operations of reads and writes add up to the raw IOPS. It
// also verifies that a failed drive never makes an array faster.
func TestRAIDLaws(t *testing.T) {
	for _, l := range raidLevels {
		for _, drives := range []int{4, 8, 12, 24} {
			for _, read := range []float64{0, 1, 37.5, 99, 100} {
				raw, err := RAIDIOPS.Run(context.Background(),
					fmt.Appendf(nil, `{"raid_level":%q,"drives":%d,"read_pct":%g}`, l.name,
						drives, read))
				if err != nil {
					t.Fatal(err)
				}
				var out raidOut
				if err := json.Unmarshal(raw, &out); err != nil {
					t.Fatal(err)
				}
				if out.Penalty != nil {
					if used := out.Read + out.Write**out.Penalty; math.Abs(used-out.Raw) >
						1e-9*out.Raw {
						t.Errorf("%s, %d drives, %g %%: %g drive operations of %g", l.name, drives,
							read, used, out.Raw)
					}
				}
				if out.Degraded > out.Effective*(1+1e-12) || out.Degraded < 0 {
					t.Errorf("%s, %d drives, %g %%: %g with a drive lost, %g before", l.name,
						drives, read, out.Degraded, out.Effective)
				}
			}
		}
	}
}
