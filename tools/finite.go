package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"slipstick/tools/schema"
)

// Finite returns x as a nullable result. It returns nil if x is not finite.
func Finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	x += 0 // normalizes -0 to 0
	return &x
}

// Nonzero returns a computed number that is not 0 in exact arithmetic as a nullable result. It
// returns nil and adds a warning if x has underflowed to 0. what names the number in the warning.
func (w *Warnings) Nonzero(what string, x float64) *float64 {
	if x == 0 {
		w.Warn("%s is below the range of a double and was left out", what)
		return nil
	}
	return &x
}

// An input of at least extremeDecades decades above or below 1 is far outside the range of physical
// quantities in the units of the fields. Of such inputs an error names at most maxExtreme.
const (
	extremeDecades = 12
	maxExtreme     = 5
)

// inputNumber is a number of a JSON body. decades is its distance from 1, negative below 1.
type inputNumber struct {
	path           string
	value, decades float64
}

// notFinite returns the error for a computation whose result is not a finite number. Overflow and
// division by zero have no single cause, so the error names all extreme inputs. These are the
// inputs at least extremeDecades from 1. If there are none, it names the zeros, and without zeros
// the input farthest from 1.
func notFinite(result string, body []byte, in *schema.Node) error {
	var given map[string]any
	_ = json.Unmarshal(body, &given) // the body is valid, or no tool would have run
	var numbers []inputNumber
	for _, f := range in.Fields {
		numbers = appendNumbers(numbers, f.Name, given[f.Name])
	}
	slices.SortStableFunc(numbers, func(a, b inputNumber) int {
		return cmp.Compare(math.Abs(b.decades), math.Abs(a.decades))
	})
	var extreme, zero []inputNumber
	for _, n := range numbers {
		switch {
		case n.value == 0:
			zero = append(zero, n)
		case math.Abs(n.decades) >= extremeDecades:
			extreme = append(extreme, n)
		}
	}
	named := numbers[:min(len(numbers), 1)]
	if len(extreme) > 0 {
		named = extreme
	} else if len(zero) > 0 {
		named = zero
	}
	var errs FieldErrors
	for _, n := range named[:min(len(named), maxExtreme)] {
		size := "is too large"
		switch {
		case n.decades < 0:
			size = "is too small"
		case n.value < 0:
			size += " in magnitude"
		}
		errs.AddValue(n.path, n.value, "%s: it leads to a result that is not a finite number (%s)",
			size, result)
	}
	if len(named) == 0 {
		errs.Add("", "these inputs lead to a result that is not a finite number (%s)", result)
	}
	return errs.Err()
}

// appendNumbers appends the numbers of a decoded JSON value at path.
func appendNumbers(list []inputNumber, path string, value any) []inputNumber {
	switch v := value.(type) {
	case float64:
		decades := math.Log10(math.Abs(v)) // -Inf for 0
		return append(list, inputNumber{path, v, decades})
	case []any:
		for i, e := range v {
			list = appendNumbers(list, fmt.Sprintf("%s[%d]", path, i), e)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = appendNumbers(list, path+"."+name, v[name])
		}
	}
	return list
}
