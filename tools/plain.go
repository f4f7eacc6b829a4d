package tools

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sentence formats a message of a tool. The verb %g prints numbers without an exponent, such as
// 2690 for 2.69e+03, unless they are below 1e-4 or at least 1e9. An overflow is ∞.
func sentence(format string, args ...any) string {
	for i, a := range args {
		if v, ok := a.(float64); ok {
			args[i] = plainNumber(v)
		}
	}
	return fmt.Sprintf(format, args...)
}

// plainNumber is a number that sentence formats without an exponent.
type plainNumber float64

// Format writes the number for a verb of package fmt.
func (n plainNumber) Format(s fmt.State, verb rune) {
	text := fmt.Sprintf(fmt.FormatString(s, verb), float64(n))
	if v := math.Abs(float64(n)); verb == 'g' && v >= 1e-4 && v < 1e9 &&
		strings.Contains(text, "e") {
		if rounded, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			text = strconv.FormatFloat(rounded, 'f', -1, 64)
		}
	}
	if math.IsInf(float64(n), 0) {
		text = strings.NewReplacer("+Inf", "∞", "Inf", "∞").Replace(text)
	}
	_, _ = s.Write([]byte(text)) // fmt.State retains write errors
}
