package device

import (
	"fmt"
	"slices"
	"testing"
)

// TestOnlyCharges loads devices at DC with two values of each parameter in chargeParams. All
// equations must be the same.
func TestOnlyCharges(t *testing.T) {
	cards := map[byte][]string{
		'd': {"D1 a 0 x\n.model x d(is=1e-14 isr=1e-12 nr=2 rs=1 bv=5 %s)"},
		'q': {"Q1 a b 0 x\n.model x npn(rb=10 rc=1 re=1 vaf=50 ikf=1m %s)",
			"Q1 a b 0 c x\n.model x pnp(ise=1e-14 %s)"},
		'm': {"M1 a b 0 c x ad=1e-9 as=1e-9 pd=1e-4 ps=1e-4\n.model x nmos(vto=0.7 js=1e-5 %s)",
			"M1 a b 0 c x\n.model x nmos(level=2 tox=20n nsub=1e16 %s)",
			"M1 a b 0 c x\n.model x pmos(level=3 tox=20n nsub=1e16 %s)"},
	}
	for kind, parameters := range chargeParams {
		for _, body := range cards[kind] {
			for _, p := range parameters {
				residual := func(value string) []float64 {
					k := part(t, fmt.Sprintf(body, p+"="+value), 50)
					if !OnlyCharges(k.d.Element(), p) {
						t.Fatalf("%c: %s is not found", kind, p)
					}
					for i := range k.l.X[1:] {
						k.l.X[i+1] = 0.6 + 0.3*float64(i%3)
					}
					return k.at()
				}
				if f, g := residual("0.2"), residual("0.4"); !slices.Equal(f, g) {
					t.Errorf("%c: %s changes the residual from %v to %v", kind, p, f, g)
				}
			}
		}
	}
}
