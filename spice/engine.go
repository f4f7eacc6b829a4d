package spice

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
)

// Engine identifies the floating-point arithmetic of this program on this machine, for example
// "amd64-5b1c2f07". For the same request, results of the same program version and engine are
// bit-identical, unless a time limit ends the simulation.
//
// Results differ in the last digits between architectures, GOAMD64 levels, processors and Go
// versions. A fused multiply-add (FMA) rounds once instead of twice, and package math uses assembly
// for some functions. The adaptive step size turns such a difference into different time points.
// The second part of the name is therefore a hash of the results of operations that reveal each of
// these differences.
func Engine() string {
	h := fnv.New32a()
	var b [8]byte
	add := func(v float64) {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		h.Write(b[:]) // never fails
	}
	add(productSum(1+0x1p-27, 1-0x1p-27, -1)) // -0x1p-54 if the operations are fused, otherwise 0
	// The golden ratio spreads the arguments over the range used in device equations.
	for k := 1.0; k <= 200; k++ {
		x := math.Mod(k*math.Phi, 1)
		for _, v := range [...]float64{math.Exp(60 * (x - 0.5)), math.Log(x), math.Pow(x, 0.33),
			math.Sqrt(x), math.Cbrt(x), math.Sin(20 * x), math.Tanh(x), math.Atan(5 * x)} {
			add(v)
		}
	}
	return fmt.Sprintf("%s-%08x", runtime.GOARCH, h.Sum32())
}

// productSum returns x·y + z. The compiler may fuse both operations on some architectures.
//
//go:noinline
func productSum(x, y, z float64) float64 { return x*y + z }
