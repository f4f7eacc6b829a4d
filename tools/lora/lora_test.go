package lora

import (
	"math"
	"math/big"
	"slices"
	"testing"
)

// TestRequiredSNR compares the thresholds with the SX1276 data sheet, table 13. They are -7.5 dB at
// SF7 and 2.5 dB less per step, -20 dB at SF12.
func TestRequiredSNR(t *testing.T) {
	if len(requiredSNRs) != 13 {
		t.Fatalf("table ends at SF%d", len(requiredSNRs)-1)
	}
	for sf := 7; sf <= 12; sf++ {
		if want := -7.5 - 2.5*float64(sf-7); RequiredSNR(sf) != want {
			t.Errorf("SF%d: %g dB, want %g", sf, RequiredSNR(sf), want)
		}
	}
}

// TestSensitivityDataSheet compares SF7 to SF12 with the SX1272/73 data sheet, rev. 2, section
// 2.5.5, in whole dB. The formula with a noise figure of 6 dB is within 1 dB at 125 kHz. At 500 kHz
// the transceiver is up to 2.5 dB less sensitive.
func TestSensitivityDataSheet(t *testing.T) {
	for _, c := range []struct {
		bwKHz     float64
		tolerance float64
		printed   [6]float64
	}{
		{125, 1, [6]float64{-124, -127, -130, -133, -135, -137}},
		{250, 1.5, [6]float64{-122, -125, -128, -130, -132, -135}},
		{500, 2.6, [6]float64{-116, -119, -122, -125, -128, -129}},
	} {
		for i, printed := range c.printed {
			if got := Sensitivity(7+i, c.bwKHz, 6); math.Abs(got-printed) > c.tolerance {
				t.Errorf("SF%d, %g kHz: %.2f dBm, printed %g", 7+i, c.bwKHz, got, printed)
			}
		}
	}
}

// TestSensitivityMonotonic verifies that a higher spreading factor improves the sensitivity. It
// also verifies that a wider channel or a higher noise figure degrades it.
func TestSensitivityMonotonic(t *testing.T) {
	for sf := 7; sf <= 12; sf++ {
		for i, bw := range bandwidths {
			s := Sensitivity(sf, bw, 6)
			if sf < 12 && Sensitivity(sf+1, bw, 6) >= s {
				t.Errorf("SF%d at %g kHz is as good as SF%d", sf, bw, sf+1)
			}
			if i > 0 && Sensitivity(sf, bandwidths[i-1], 6) >= s {
				t.Errorf("SF%d: %g kHz is as good as %g kHz", sf, bw, bandwidths[i-1])
			}
			if Sensitivity(sf, bw, 7) <= s {
				t.Errorf("SF%d at %g kHz: the noise figure does not count", sf, bw)
			}
		}
	}
}

func TestBandwidths(t *testing.T) {
	want := []float64{7.81, 10.42, 15.63, 20.83, 31.25, 41.67, 62.5, 125, 250, 500, 203.125, 406.25,
		812.5, 1625}
	slices.Sort(want)
	if !slices.Equal(bandwidths, want) {
		t.Errorf("got %v, want %v", bandwidths, want)
	}
	// The bandwidths derive from a 32 MHz crystal. Below 1 GHz they are 500 kHz divided by 1, 2, 4,
	// 8, 12, 16 … 64. Above they are 1625 kHz divided by 1, 2, 4, 8.
	for _, bw := range bandwidths {
		exact := slices.ContainsFunc([]float64{1, 2, 4, 8, 12, 16, 24, 32, 48, 64},
			func(d float64) bool {
				return math.Abs(500/d-bw) < 0.006
			}) ||
			slices.ContainsFunc([]float64{1, 2, 4, 8}, func(d float64) bool { return 1625/d == bw })
		if !exact {
			t.Errorf("%g kHz is no fraction of 500 or 1625 kHz", bw)
		}
	}
}

// exactAirtime returns the symbols and the time on air [ms] by the formula of AN1200.13 in
// fractions.
func exactAirtime(payload, sf int, bwKHz float64, cr, preamble int,
	explicit, crc, lowRate bool) (int, float64) {
	top := int64(8*payload - 4*sf + 28)
	if crc {
		top += 16
	}
	if !explicit {
		top -= 20
	}
	bottom := int64(4 * sf)
	if lowRate {
		bottom = int64(4 * (sf - 2))
	}
	groups := new(big.Int)
	if top > 0 { // ceil(a/b) = -floor(-a/b)
		groups.Div(big.NewInt(-top), big.NewInt(bottom))
		groups.Neg(groups)
	}
	n := 8 + int(groups.Int64())*cr
	ms := big.NewRat(int64(4*preamble+17+4*n)*(1<<sf), 4)
	ms.Quo(ms, new(big.Rat).SetFloat64(bwKHz))
	f, _ := ms.Float64()
	return n, f
}

// TestAirtimeExact verifies that the airtime is the double nearest to the formula's value, for
// every spreading factor, bandwidth and coding rate.
func TestAirtimeExact(t *testing.T) {
	for sf := 7; sf <= 12; sf++ {
		for _, bw := range bandwidths {
			for cr := 5; cr <= 8; cr++ {
				for payload := 0; payload <= 255; payload += 3 {
					for flags := range 8 {
						f := Packet{
							Payload: payload, SF: sf, BwKHz: bw, CR: cr, Preamble: 8 + payload%9,
							ExplicitHeader: flags&1 != 0, CRC: flags&2 != 0,
							LowDataRate: flags&4 != 0,
						}
						n, ms := exactAirtime(payload, sf, bw, cr, f.Preamble, f.ExplicitHeader,
							f.CRC, f.LowDataRate)
						if f.PayloadSymbols() != n || f.AirtimeMS() != ms {
							t.Fatalf("%+v: %d symbols, %.17g ms; want %d, %.17g", f,
								f.PayloadSymbols(), f.AirtimeMS(), n, ms)
						}
					}
				}
			}
		}
	}
}

// TestAirtimeMonotonic verifies that a longer payload, a higher spreading factor, a stronger code
// and a narrower channel never shorten the airtime.
func TestAirtimeMonotonic(t *testing.T) {
	air := func(payload, sf, cr int, bw float64) float64 {
		return Packet{Payload: payload, SF: sf, BwKHz: bw, CR: cr, Preamble: 8,
			ExplicitHeader: true, CRC: true, LowDataRate: NeedsLowDataRate(sf, bw)}.AirtimeMS()
	}
	for sf := 7; sf <= 12; sf++ {
		for payload := 0; payload <= 255; payload++ {
			for cr := 5; cr <= 8; cr++ {
				a := air(payload, sf, cr, 125)
				if payload < 255 && air(payload+1, sf, cr, 125) < a {
					t.Errorf("SF%d 4/%d: %d bytes take longer than one more", sf, cr, payload)
				}
				if sf < 12 && air(payload, sf+1, cr, 125) <= a {
					t.Errorf("%d bytes: SF%d is not slower than SF%d", payload, sf+1, sf)
				}
				if cr < 8 && air(payload, sf, cr+1, 125) < a {
					t.Errorf("%d bytes, SF%d: 4/%d is faster than 4/%d", payload, sf, cr+1, cr)
				}
				if air(payload, sf, cr, 62.5) <= a {
					t.Errorf("%d bytes, SF%d: 62.5 kHz is as fast as 125", payload, sf)
				}
			}
		}
	}
}
