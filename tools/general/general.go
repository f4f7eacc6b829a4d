// Package general contains the tools of everyday mathematics: numbers and their notation,
// percentages, roots and logarithms, geometry, statistics, money, dates and units.
package general

import (
	"math"

	"slipstick/tools"
	"slipstick/tools/decimal"
)

// Category lists the tools in display order.
func Category() tools.Category {
	return tools.Category{Name: "general", Title: "General", Tools: []*tools.Tool{
		LogCalc,
		SigFigs,
		ScientificNotation,
		PercentageCalc,
		PercentageIncrease,
		ExponentCalc,
		SquareRoot,
		Circumference,
		SlopeCalc,
		PythagoreanTheorem,
		PValue,
		ConfidenceInterval,
		SalesTax,
		SalaryToHourly,
		LoanAmortization,
		CompoundInterest,
		TestGrade,
		SquareFootage,
		UnitConvert,
		HexConverter,
		TimestampConverter,
		BMICalculator,
		TipCalculator,
		DateDifference,
	}}
}

// nearestDouble returns the double nearest to a result. It returns nil and adds a warning if the
// result is not 0 and underflows to 0.
func nearestDouble(w *tools.Warnings, result decimal.Fraction) *float64 {
	if result.Sign() == 0 {
		return new(0.0)
	}
	return w.Nonzero("the result", result.Float())
}

// inRange returns a result. It returns nil and adds a warning with the name of the result if the
// result is outside the range of a double. A 0 that is not exact has underflowed.
func inRange(w *tools.Warnings, name string, x float64, exactZero bool) *float64 {
	if x == 0 && !exactZero {
		return w.Nonzero(name, x)
	}
	if math.IsInf(x, 0) {
		w.Warn("%s is above the range of a double and was left out", name)
	}
	return tools.Finite(x)
}
