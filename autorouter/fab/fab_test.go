package fab

import (
	"math"
	"testing"
)

// TestRotation verifies that the first matching prefix of the footprint name, without its library
// nickname, gives the rotation.
func TestRotation(t *testing.T) {
	jlcpcb, generic := Find("jlcpcb"), Find("")
	for _, c := range []struct {
		footprint string
		want      float64
	}{
		{"SOT-23", 180}, {"Package_TO_SOT_SMD:SOT-23-5", 180}, {"SOT-223", 180},
		{"Package_SO:SOIC-8_3.9x4.9mm_P1.27mm", 270}, {"SOIC-8", 270}, {"TQFP-32", 270},
		{"SOP-4_3.8x4.1mm_P2.54mm", 0}, {"SOP-8_3.9x4.9mm_P1.27mm", 270}, {"CP_TANT_A", 180},
		{"R_0805", 0}, {"DIP-8", 0}, {"PinHeader_1x04", 0},
	} {
		if got := jlcpcb.Rotation(c.footprint); got != c.want {
			t.Errorf("%s: %g°, want %g°", c.footprint, got, c.want)
		}
		if got := generic.Rotation(c.footprint); got != 0 {
			t.Errorf("%s: %g° without a manufacturer", c.footprint, got)
		}
	}
}

// TestAngle compares the angles of bottom parts with those of public tools, which begin with
// KiCad's angle φ of the same pads. KiCad 6 with the library footprint flipped has φ = θ + 180°.
// For jlcpcb, bennymeg/Fabrication-Toolkit (plugins/process.py, 038cd1d) and
// Bouni/kicad-jlcpcb-tools (fabrication.py, 001a864) compute 180° - φ plus the angle of their list.
// PCBWay's plug-in writes φ (plugins/process.py, bec98ce).
func TestAngle(t *testing.T) {
	for _, c := range []struct {
		footprint                           string
		theta, phi, generic, jlcpcb, pcbway float64
	}{
		{"LED_0805_2012Metric", 90, 270, 90, 270, 270},
		{"LED_0805_2012Metric", 0, 180, 0, 0, 180},
		{"D_SOD-123", 270, 90, 270, 90, 90},
		{"SOIC-8_3.9x4.9mm_P1.27mm", 90, 270, 90, 180, 270},
		{"R_0603_1608Metric", 30.1, 210.1, 30.1, 329.9, 210.1},
	} {
		jlcpcb := Find("jlcpcb")
		if want := math.Mod(180-c.phi+360+jlcpcb.Rotation(c.footprint), 360); math.Abs(
			want-c.jlcpcb) > 1e-9 {
			t.Errorf("%s: the tools write %g°, not %g°", c.footprint, want, c.jlcpcb)
		}
		for name, want := range map[string]float64{"generic": c.generic, "jlcpcb": c.jlcpcb,
			"pcbway": c.pcbway} {
			profile := Find(name)
			if got := profile.Angle(c.footprint, c.theta, true); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s at %g° on the bottom for %s: %g°, want %g°", c.footprint, c.theta,
					name, got, want)
			}
			want = math.Mod(c.theta+profile.Rotation(c.footprint), 360)
			if got := profile.Angle(c.footprint, c.theta, false); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s at %g° on the top for %s: %g°, want %g°", c.footprint, c.theta, name,
					got, want)
			}
		}
	}
}

// TestProfiles verifies that profile names are unique and that an unknown name selects the first
// profile.
func TestProfiles(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Profiles() {
		if seen[p.Name] || Find(p.Name).TrackMM != p.TrackMM {
			t.Errorf("profile %s", p.Name)
		}
		seen[p.Name] = true
	}
	if got := Find("nobody").Name; got != "generic" {
		t.Errorf("an unknown profile is %s", got)
	}
}
