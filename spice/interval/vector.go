package interval

// Vector is a column of intervals.
type Vector []I

// Matrix is a dense matrix by rows.
type Matrix struct {
	Rows, Cols int
	V          []I
}

// NewMatrix returns a matrix of zeros.
func NewMatrix(rows, cols int) *Matrix { return &Matrix{rows, cols, make([]I, rows*cols)} }

// At returns the entry of row i and column j.
func (m *Matrix) At(i, j int) *I { return &m.V[i*m.Cols+j] }

// Row returns row i without a copy.
func (m *Matrix) Row(i int) Vector { return m.V[i*m.Cols : (i+1)*m.Cols] }

// Mul returns m·x.
func (m *Matrix) Mul(x Vector) Vector {
	y := make(Vector, m.Rows)
	for i := range y {
		y[i] = Dot(m.Row(i), x)
	}
	return y
}

// Dot returns the sum of the products of a and b, accumulated in double-double.
func Dot(a, b Vector) I {
	var s Wide
	for i := range a {
		if a[i] == (I{}) || b[i] == (I{}) {
			continue
		}
		s = s.Add(WideOf(a[i]).Mul(WideOf(b[i])))
	}
	return s.Interval()
}

// NormUp bounds the weighted maximum norm, the largest |x_i|/w_i, for positive weights.
func NormUp(x Vector, w []float64) float64 {
	worst := 0.0
	for i := range x {
		worst = max(worst, DivUp(x[i].Mag(), w[i]))
	}
	return worst
}
