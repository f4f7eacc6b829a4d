package device

import (
	"math"
	"testing"
)

// TestMESFETCapacitances compares the capacitances with difference quotients of the gate charge in
// equation 17 of Statz et al., which is continued linearly above fc·pb.
func TestMESFETCapacitances(t *testing.T) {
	d := &mesfet{junctionFET: junctionFET{area: 2, vto: -1.3, cgs: 0.5e-12, cgd: 0.2e-12, pb: 0.8,
		fc: 0.5}, alpha: 3}
	charge := func(vgs, vgd float64) float64 {
		w := math.Sqrt((vgs-vgd)*(vgs-vgd) + 1/(d.alpha*d.alpha))
		high, low := (vgs+vgd+w)/2, (vgs+vgd-w)/2
		v := (high + d.vto + math.Sqrt((high-d.vto)*(high-d.vto)+0.04)) / 2
		most := d.fc * d.pb
		q := 2 * d.pb * (1 - math.Sqrt(1-min(v, most)/d.pb))
		if v > most {
			q += (v - most) / math.Sqrt(1-d.fc)
		}
		return d.area * (d.cgs*q + d.cgd*low)
	}
	const h = 1e-5
	for _, v := range [][2]float64{{-3, -5}, {-1.3, -1.3}, {-1, -3}, {0, 0}, {0.2, -4}, {-4, 0.2},
		{0.7, 0.7}, {0.6, -1}} {
		c := d.capacitances(v[0], v[1])
		want := [2]float64{(charge(v[0]+h, v[1]) - charge(v[0]-h, v[1])) / (2 * h),
			(charge(v[0], v[1]+h) - charge(v[0], v[1]-h)) / (2 * h)}
		for k := range c {
			if math.Abs(c[k]-want[k]) > 1e-6*1e-12 {
				t.Errorf("vgs, vgd = %v V: capacitance %d is %g F, want %g", v, k, c[k], want[k])
			}
		}
	}
}

// TestMESFETChannel compares the derivatives with difference quotients of the current. It also
// verifies one current: calculated by hand, it is 1.4 mA/V²·0.8²/(1+0.6·0.8)·(1+0.03) = 623.57 uA,
// as in ngspice 39.
func TestMESFETChannel(t *testing.T) {
	d := &mesfet{junctionFET: junctionFET{area: 1, vto: -1.3, beta: 1.4e-3, lambda: 0.03}, b: 0.6,
		alpha: 3}
	if i, _, _ := d.evaluate(-0.5, 1); math.Abs(i-623.5676e-6) > 1e-9 {
		t.Errorf("%g A, want 623.57 uA", i)
	}
	const h = 1e-6
	for _, v := range [][2]float64{{-0.5, 0.3}, {-0.5, 0.99}, {-0.5, 4}, {-0.5, -0.2}, {-1.5, -1},
		{0.3, 0}, {-2, 3}} {
		_, gm, gds := d.evaluate(v[0], v[1])
		up, _, _ := d.evaluate(v[0]+h, v[1])
		down, _, _ := d.evaluate(v[0]-h, v[1])
		right, _, _ := d.evaluate(v[0], v[1]+h)
		left, _, _ := d.evaluate(v[0], v[1]-h)
		if math.Abs(gm-(up-down)/(2*h)) > 1e-8 || math.Abs(gds-(right-left)/(2*h)) > 1e-8 {
			t.Errorf("vgs, vds = %v V: gm %g, gds %g; differences %g, %g", v, gm, gds,
				(up-down)/(2*h), (right-left)/(2*h))
		}
	}
}
