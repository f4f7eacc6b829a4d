package compare

import (
	"context"
	"fmt"
	"os"
	"slipstick/spice"
	"strconv"
	"strings"
	"testing"
)

func TestDebug(t *testing.T) {
	f := os.Getenv("CIR")
	if f == "" {
		t.Skip()
	}
	kind := os.Getenv("KIND")
	vn := os.Getenv("VEC")
	b, _ := os.ReadFile(f)
	text := string(b)
	got, err := spice.Simulate(context.Background(), spice.Request{Netlist: text, Analysis: kind})
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := reference(find(t), text, kind, directives{reltol: 1e-6, step: 1})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(got.Warnings)
	var gv []float64
	for _, v := range got.Vectors {
		if v.Name == vn {
			gv = v.Values
		}
	}
	for _, w := range want {
		if w.name != vn {
			continue
		}
		if kind != "tran" {
			for i := range gv {
				fmt.Println(i, want[0].real[i], gv[i], w.real[i])
			}
			return
		}
		lo, hi := extremes(w.real)
		time := got.Vectors[0].Values
		k := 0
		n := 0
		skip, _ := strconv.Atoi(os.Getenv("SKIP"))
		for i, tw := range want[0].real {
			for k+2 < len(time) && time[k+1] < tw {
				k++
			}
			fr := (tw - time[k]) / (time[k+1] - time[k])
			now := gv[k] + fr*(gv[k+1]-gv[k])
			d := (now - w.real[i]) / (hi - lo)
			if d > 0.005 || d < -0.005 {
				n++
				if n > skip && n < skip+40 {
					fmt.Printf("t=%.8g ours %.6g ref %.6g (%.3g%%) our step %.3g ref step %.3g\n", tw, now, w.real[i], 100*d, time[k+1]-time[k], tw-want[0].real[max(i-1, 0)])
				}
			}
		}
		fmt.Println("span", lo, hi, "bad", n, "of", len(want[0].real))
	}
	if vn == "" {
		for _, v := range got.Vectors {
			for _, w := range want {
				if w.name == v.Name {
					fmt.Println(v.Name, v.Values[0], w.real[0], strings.Repeat("*", map[bool]int{true: 1}[(v.Values[0]-w.real[0]) > 1e-3*w.real[0] || (v.Values[0]-w.real[0]) < -1e-3*w.real[0]]))
				}
			}
		}
	}
}
