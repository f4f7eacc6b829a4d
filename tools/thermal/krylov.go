package thermal

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// linear is a system A x = b defined by its operators. apply sets dst to A src. precondition sets
// dst to an approximate solution of A dst = src. dst and src must not overlap.
type linear struct {
	apply        func(dst, src []float64)
	precondition func(dst, src []float64)
}

// conjugateGradients improves x until the 2-norm of the residual is below tolerance or the maximum
// number of steps is reached. A and the preconditioner must be symmetric and positive definite.
// gonum has no iterative solvers.
func conjugateGradients(
	ctx context.Context, l linear, x, b []float64, tolerance float64, steps int,
) error {
	n := len(x)
	r, z, p, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	l.apply(r, x)
	floats.SubTo(r, b, r)
	rho := 1.0
	for i := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if floats.Norm(r, 2) <= tolerance {
			return nil
		}
		l.precondition(z, r)
		next := floats.Dot(r, z)
		if i == 0 {
			copy(p, z)
		} else {
			floats.AddScaledTo(p, z, next/rho, p)
		}
		rho = next
		l.apply(q, p)
		pq := floats.Dot(p, q)
		if !(pq > 0) {
			return nil
		}
		floats.AddScaled(x, rho/pq, p)
		floats.AddScaled(r, -rho/pq, q)
	}
	return nil
}

// restart is the number of directions that GMRES keeps.
const restart = 40

// gmres is the variant of conjugateGradients for a system that is not symmetric: restarted GMRES
// (Saad and Schultz 1986). It is right-preconditioned, so it monitors the true residual. It returns
// the number of steps.
func gmres(
	ctx context.Context, l linear, x, b []float64, tolerance float64, steps int,
) (done int, err error) {
	n := len(x)
	r, z := make([]float64, n), make([]float64, n)
	v := make([][]float64, 0, restart+1)
	h := mat.NewDense(restart+1, restart, nil)
	cs, sn := make([]float64, restart), make([]float64, restart)
	g := make([]float64, restart+1)
	for done < steps {
		l.apply(r, x)
		floats.SubTo(r, b, r)
		beta := floats.Norm(r, 2)
		if beta <= tolerance {
			return done, nil
		}
		clear(g)
		g[0] = beta
		v = keep(v, 0, r, 1/beta)
		k := 0
		for k < restart && done < steps && math.Abs(g[k]) > tolerance {
			if err := ctx.Err(); err != nil {
				return done, err
			}
			l.precondition(z, v[k])
			l.apply(r, z)
			for i := range k + 1 {
				dot := floats.Dot(r, v[i])
				h.Set(i, k, dot)
				floats.AddScaled(r, -dot, v[i])
			}
			norm := floats.Norm(r, 2)
			for i := range k { // applies the previous rotations
				a, c := h.At(i, k), h.At(i+1, k)
				h.Set(i, k, cs[i]*a+sn[i]*c)
				h.Set(i+1, k, -sn[i]*a+cs[i]*c)
			}
			length := math.Hypot(h.At(k, k), norm)
			if length == 0 { // the direction is linearly dependent
				break
			}
			cs[k], sn[k] = h.At(k, k)/length, norm/length
			h.Set(k, k, length)
			g[k+1] = -sn[k] * g[k]
			g[k] *= cs[k]
			k++
			done++
			if norm == 0 {
				break
			}
			v = keep(v, k, r, 1/norm)
		}
		clear(r)
		for i := k - 1; i >= 0; i-- {
			for j := i + 1; j < k; j++ {
				g[i] -= h.At(i, j) * g[j]
			}
			g[i] /= h.At(i, i)
			floats.AddScaled(r, g[i], v[i])
		}
		l.precondition(z, r)
		floats.Add(x, z)
	}
	return done, nil
}

// keep stores scale·r as vector i of v, in the memory of an earlier cycle if there is one, and
// returns v.
func keep(v [][]float64, i int, r []float64, scale float64) [][]float64 {
	if i == len(v) {
		v = append(v, make([]float64, len(r)))
	}
	floats.ScaleTo(v[i], scale, r)
	return v
}
