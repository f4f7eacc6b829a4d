package analysis

// predict writes the initial guess of Newton's method for a step of h [s] into x. It extrapolates
// the polynomial of the given order through the last points. After a breakpoint it extrapolates
// linearly, or leaves x unchanged if there are fewer than three points. The chord control keeps the
// linear extrapolation.
func (st *stepper) predict(h float64, order int) {
	q, p := &st.charges, &st.charges.past
	if p.points < 3 {
		return
	}
	f := h / p.h[0]
	n := len(st.x)
	line, next := st.chord.line[:n], st.x
	x1, x2 := p.x(0)[:n], p.x(1)[:n]
	d := min(order, p.points-2)
	if d < 2 || h >= 2*p.h[0] {
		for i, x := range x1 {
			line[i] = x + f*(x-x2[i])
		}
		copy(next, line)
		return
	}
	w := &q.weights
	if d != q.degree {
		a := p.extrapolation(h, d)
		w = &a
	}
	w2, w3, w4, w5 := w[2], w[3], w[4], w[5]
	x3, x4, x5 := p.x(2)[:n], p.x(3)[:n], p.x(4)[:n]
	for i, x := range x1 {
		b := x - x2[i]
		line[i] = x + f*b
		next[i] = x - w2*b + w3*(x3[i]-x) + w4*(x4[i]-x) + w5*(x5[i]-x)
	}
	next[0] = 0
}
