package mesh

import (
	"slices"
	"strings"
	"testing"

	"slipstick/tools/lora"
	"slipstick/tools/meshnet"
)

// TestTablesComplete verifies that the tools accept exactly the presets and devices of the tables.
func TestTablesComplete(t *testing.T) {
	var presetIDs, deviceIDs []string
	for _, p := range meshnet.Presets() {
		presetIDs = append(presetIDs, p.ID)
		if p.Name == "" || p.SF < 7 || p.SF > 12 || !slices.Contains(lora.Bandwidths(), p.BwKHz) ||
			p.CR < 5 || p.CR > 8 {
			t.Errorf("preset %+v", p)
		}
		if got, ok := meshnet.FindPreset(p.ID); !ok || got != p {
			t.Errorf("preset %s is not found", p.ID)
		}
	}
	for _, d := range meshnet.Devices() {
		deviceIDs = append(deviceIDs, d.ID)
		c := d.Draw
		if d.Name == "" || !(c.Tx > c.Rx && c.Rx > c.Sleep && c.Sleep > 0 && c.BLE > 0 &&
			c.GPS > c.BLE && c.Display > 0) {
			t.Errorf("device %+v: transmitting draws most, sleeping least", d)
		}
		if got, ok := meshnet.FindDevice(d.ID); !ok || got != d {
			t.Errorf("device %s is not found", d.ID)
		}
	}
	for _, c := range []struct {
		what      string
		enum, ids []string
	}{
		{"meshnet_power.device", MeshnetPower.Input.Field("device").Enum, deviceIDs},
		{"meshnet_power.channel_preset", MeshnetPower.Input.Field("channel_preset").Enum,
			presetIDs},
		{"meshnet_range.device", MeshnetRange.Input.Field("device").Enum,
			append(deviceIDs, "custom")},
		{"meshnet_range.channel_preset", MeshnetRange.Input.Field("channel_preset").Enum,
			append(presetIDs, "custom")},
	} {
		if !slices.Equal(c.enum, c.ids) {
			t.Errorf("%s accepts %v, the table has %v", c.what, c.enum, c.ids)
		}
	}
	if _, ok := meshnet.FindPreset("custom"); ok {
		t.Error("custom is a preset")
	}
	if _, ok := meshnet.FindDevice("custom"); ok {
		t.Error("custom is a device")
	}
}

// TestPresetNames verifies that presets named for a longer range have a lower threshold. It also
// verifies that the faster of two presets for the same range has the higher bit rate.
func TestPresetNames(t *testing.T) {
	rate := func(p meshnet.Preset) float64 {
		return lora.Packet{SF: p.SF, BwKHz: p.BwKHz, CR: p.CR}.BitRate()
	}
	ranges := []string{"short", "medium", "long", "very_long"}
	for _, a := range meshnet.Presets() {
		for _, b := range meshnet.Presets() {
			if strings.HasSuffix(a.ID, "turbo") || strings.HasSuffix(b.ID, "turbo") {
				// Despite its name, long_turbo has a threshold 0.5 dB above medium_slow.
				continue
			}
			ra := slices.IndexFunc(ranges, func(r string) bool {
				return strings.HasPrefix(a.ID, r+"_")
			})
			rb := slices.IndexFunc(ranges, func(r string) bool {
				return strings.HasPrefix(b.ID, r+"_")
			})
			if ra < 0 || rb < 0 {
				t.Fatalf("%s or %s names no range", a.ID, b.ID)
			}
			if ra < rb && (lora.Sensitivity(a.SF, a.BwKHz, 6) <= lora.Sensitivity(b.SF, b.BwKHz,
				6) || rate(a) <= rate(b)) {
				t.Errorf("%s should reach less far and be faster than %s", a.ID, b.ID)
			}
			if ra == rb && strings.HasSuffix(a.ID, "_fast") && strings.HasSuffix(b.ID, "_slow") &&
				rate(a) <= rate(b) {
				t.Errorf("%s is not faster than %s", a.ID, b.ID)
			}
		}
	}
}
