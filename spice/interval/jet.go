package interval

// Vars is the number of variables of a Jet.
const Vars = 3

// Jet bounds a function of up to three variables over a box by forward-mode differentiation on
// intervals. See Moore, Methods and Applications of Interval Analysis, SIAM 1979. V is the value, D
// the gradient and H the second derivatives in the order 00, 01, 02, 11, 12, 22.
type Jet struct {
	V I
	D [Vars]I
	H [6]I
}

// at lists the pair of variables of each second derivative.
var at = [6][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}

// Constant returns a constant function with a value in a.
func Constant(a I) Jet { return Jet{V: a} }

// Variable returns variable i with values in a.
func Variable(i int, a I) Jet {
	j := Jet{V: a}
	j.D[i] = Point(1)
	return j
}

// Add returns j + k.
func (j Jet) Add(k Jet) Jet {
	j.V = j.V.Add(k.V)
	for i := range j.D {
		j.D[i] = j.D[i].Add(k.D[i])
	}
	for i := range j.H {
		j.H[i] = j.H[i].Add(k.H[i])
	}
	return j
}

// Neg returns -j.
func (j Jet) Neg() Jet { return j.Scale(Point(-1)) }

// Sub returns j - k.
func (j Jet) Sub(k Jet) Jet { return j.Add(k.Neg()) }

// Scale returns a·j for a constant in a.
func (j Jet) Scale(a I) Jet {
	j.V = j.V.Mul(a)
	for i := range j.D {
		j.D[i] = j.D[i].Mul(a)
	}
	for i := range j.H {
		j.H[i] = j.H[i].Mul(a)
	}
	return j
}

// Shift returns j + a for a constant in a.
func (j Jet) Shift(a I) Jet {
	j.V = j.V.Add(a)
	return j
}

// Mul returns j · k.
func (j Jet) Mul(k Jet) Jet {
	r := Jet{V: j.V.Mul(k.V)}
	for i := range r.D {
		r.D[i] = j.D[i].Mul(k.V).Add(j.V.Mul(k.D[i]))
	}
	for i, p := range at {
		r.H[i] = j.H[i].Mul(k.V).Add(j.V.Mul(k.H[i])).Add(j.D[p[0]].Mul(k.D[p[1]])).Add(
			j.D[p[1]].Mul(k.D[p[0]]))
	}
	return r
}

// Chain returns f(j) for a function f of one variable. f, f1 and f2 bound the value and the first
// two derivatives of f over j.V.
func (j Jet) Chain(f, f1, f2 I) Jet {
	r := Jet{V: f}
	for i := range r.D {
		r.D[i] = f1.Mul(j.D[i])
	}
	for i, p := range at {
		r.H[i] = f1.Mul(j.H[i]).Add(f2.Mul(j.D[p[0]].Mul(j.D[p[1]])))
	}
	return r
}

// Recip returns 1/j.
func (j Jet) Recip() Jet {
	r := Point(1).Div(j.V)
	s := r.Sqr()
	return j.Chain(r, s.Neg(), s.Mul(r).Scale(2))
}

// Sqr returns j².
func (j Jet) Sqr() Jet { return j.Chain(j.V.Sqr(), j.V.Scale(2), Point(2)) }

// Sqrt returns the square root of j, which must be positive.
func (j Jet) Sqrt() Jet {
	s := j.V.Sqrt()
	f1 := Point(0.5).Div(s)
	return j.Chain(s, f1, f1.Div(j.V).Scale(-0.5))
}

// Hull bounds a function that equals either j or k.
func (j Jet) Hull(k Jet) Jet {
	j.V = j.V.Hull(k.V)
	for i := range j.D {
		j.D[i] = j.D[i].Hull(k.D[i])
	}
	for i := range j.H {
		j.H[i] = j.H[i].Hull(k.H[i])
	}
	return j
}
