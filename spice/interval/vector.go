package interval

// Vector is a column vector of intervals.
type Vector []I

// Matrix is a dense matrix stored by rows.
type Matrix struct {
	Rows, Cols int
	V          []I
}

// NewMatrix returns a zero matrix.
func NewMatrix(rows, cols int) *Matrix { return &Matrix{rows, cols, make([]I, rows*cols)} }

// At returns a pointer to the entry of row i and column j.
func (m *Matrix) At(i, j int) *I { return &m.V[i*m.Cols+j] }
