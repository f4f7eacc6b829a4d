package fab

import "testing"

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
