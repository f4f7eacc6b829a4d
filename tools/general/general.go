// Package general contains the tools of everyday mathematics: numbers and their notation,
// percentages, roots and logarithms, geometry, statistics, money, dates and units.
package general

import "slipstick/tools"

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
