package meshnet

import "testing"

// TestCurrents compares the currents with a second copy, which contains the sums and measurements
// that Currents describes.
func TestCurrents(t *testing.T) {
	want := map[string]Currents{
		"device_1": {158, 45.3, 2.8, 12, 30, 10, 55, 8}, "device_2": {165, 56.5, 8, 13, 40, 10, 13,
			10.5}, "device_3": {121.3, 8.6, 1.4, 0.4, 30, 10, 0.4, 1.4},
		"device_4": {121.3, 8.6, 1.5, 0.4, 25, 0.5, 0.4, 1.5}, "device_5": {700, 60.3, 20, 12, 30,
			10, 12, 20},
	}
	for _, d := range devices {
		if d.Draw != want[d.ID] {
			t.Errorf("%s: %+v, want %+v", d.ID, d.Draw, want[d.ID])
		}
	}
}
