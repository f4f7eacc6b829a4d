package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/special"
)

// tailReferences were computed outside this program with mpmath 1.3 at 60 digits. The methods are
// incomplete gamma functions, Lentz continued fractions of the incomplete gamma and beta functions
// (DLMF 8.9.2 and 8.17.22), and erfc. The method for t with 10^12 degrees of freedom is Fisher's
// expansion about the normal.
var tailReferences = []struct {
	kind                  string
	df1, df2, statistic   float64
	log10Right, log10Left float64
}{
	{"chi2", 0.01, 0, 1e-5, -1.2479087122476067, -0.025260661034551183},
	{"chi2", 0.5, 0, 3, -1.4760397652234319, -0.014760597639361233},
	{"chi2", 1, 0, 3.841458820694124, -1.3010299956639807, -0.02227639471115226},
	{"chi2", 1, 0, 1380, -301.33150613301354, 0},
	{"chi2", 2.5, 0, 1e-12, -1.6116313988160477e-16, -15.430518591303661},
	{"chi2", 3, 0, 0.2, -0.0098435615496606592, -1.6495445346535886},
	{"chi2", 5, 0, 1400, -299.86119617380177, 0},
	{"chi2", 10, 0, 25.188, -2.3010022666452318, -0.0021770586005481329},
	{"chi2", 30, 0, 12, -0.00060859216424955341, -2.8537622154210543},
	{"chi2", 100, 0, 1e-3, 0.0, -229.53478754510294},
	{"chi2", 100, 0, 2000, -350.05679076569473, 0},
	{"chi2", 1000, 0, 1100, -1.8352187685849598, -0.006393792188460412},
	{"chi2", 1000000, 0, 1002000, -1.1039222997083236, -0.035607725775402356},
	{"chi2", 1000000, 0, 995000, -8.6575618282413568e-5, -3.7004319966307305},
	{"chi2", 1000000000, 0, 1000100000, -1.8970310631893313, -0.0055401352991299869},
	{"f", 1, 0.5, 1e6, -1.6928697560679947, -0.0088993157270030898},
	{"f", 1, 1, 161.4476387975, -1.3010299956638626, -0.022276394711158473},
	{"f", 1, 10, 4.963984, -1.3009277589943538, -0.022281776255245697},
	{"f", 1, 10, 1e30, -145.60889941585827, 0},
	{"f", 1, 3, 1e200, -299.65652925400634, 0},
	{"f", 1, 1000000, 3.5, -1.2120500974476144, -0.027505162485100025},
	{"f", 1, 1000000000, 1400, -305.67735783897426, 0},
	{"f", 4, 170, 30, -18.157294013963382, -3.0233630241781628e-19},
	{"f", 0.1, 3, 1e-9, -0.16013797440336129, -0.51090142076365811},
	{"f", 2, 2, 1, -0.3010299956639812, -0.3010299956639812},
	{"f", 3, 7, 0.01, -0.00065399808337884926, -2.8225347937337646},
	{"f", 5, 30, 1e-60, 0.0, -149.47471151382348},
	{"f", 10, 10, 2.9782, -1.301013945584733, -0.02227723946859648},
	{"f", 30, 5, 1e8, -19.474711522871285, -1.4557030382262133e-20},
	{"f", 100, 120, 1.3, -1.0738650957604381, -0.038275089733855459},
	{"f", 100, 120, 60, -71.413344081243421, 0},
	{"f", 1000, 1000, 0.5, -4.3255854313827438e-28, -27.001739417438889},
	{"f", 1000000, 1000, 1.05, -0.84450928770844605, -0.067044992658969775},
	{"f", 1000000, 1000000, 1.01, -6.4868102786332901, -1.4157093601014372e-7},
	{"f", 1000000000, 1000000000, 0.9999, -0.025448754152897747, -1.244780028733843},
	{"f", 7, 1000000000, 0.1, -0.00072338242596766835, -2.7787779986135396},
	{"z", 0, 0, 0.001, -0.30137665078193906, -0.30068361702647339},
	{"z", 0, 0, 1.96, -1.6020965578878513, -0.010994446737846391},
	{"z", 0, 0, 5, -6.5426456723906545, -1.2449121373882917e-7},
	{"z", 0, 0, -7, -5.5581552568053713e-13, -11.89285363747549},
	{"z", 0, 0, 10, -23.118053405486076, -3.3092601213067223e-24},
	{"z", 0, 0, 37, -299.24218117860992, 0},
	{"z", 0, 0, 38.5, -323.85134106847942, 0},
	{"z", 0, 0, 100, -2173.8715428690344, 0},
	{"z", 0, 0, 1e10, -2.1714724095162591e+19, 0},
	{"z", 0, 0, 1e150, -2.1714724095162591e+299, 0},
	{"t", 10, 0, 2.228, -1.6019577546583352, -0.010998006071024698},
	{"t", 10, 0, -2.228, -0.010998006071024698, -1.6019577546583352},
	{"t", 3, 0, 1e50, -149.95755924967032, 0},
	{"t", 1, 0, 1, -0.60205999132796239, -0.12493873660829995},
	{"t", 0.1, 0, 1e3, -0.6794680399862506, -0.1019254774552835},
	{"t", 5, 0, 1e-8, -0.30102999896120302, -0.30102999236675939},
	{"t", 1000000, 0, 6, -9.0057158909712568, -4.2861604101715594e-10},
	{"t", 2.5, 0, -40, -3.0826522215421049e-5, -4.1488751931869698},
	{"t", 1e12, 0, 8, -15.206142550558636, -2.7017288523963468e-16},
}

// distributionOf returns the distribution of a row.
func distributionOf(kind string, df1, df2 float64) Distribution {
	switch kind {
	case "z":
		return Normal()
	case "t":
		return Student(df1)
	case "chi2":
		return ChiSquared(df1)
	}
	return F(df1, df2)
}

func TestTailsAgainstHighPrecision(t *testing.T) {
	for _, r := range tailReferences {
		got := distributionOf(r.kind, r.df1, r.df2).Tails(r.statistic)
		for _, side := range []struct {
			name      string
			got, want float64
		}{{"right", got.Above, r.log10Right * math.Ln10},
			{"left", got.Below, r.log10Left * math.Ln10}} {
			// An error of the logarithm equals the relative error of the probability.
			tolerance := 2e-12 + 1e-14*math.Abs(side.want)
			if side.want < -1e6 { // below the range of doubles: the logarithm to 13 digits
				tolerance = -1e-13 * side.want
			}
			if e := math.Abs(side.got - side.want); !(e <= tolerance) {
				t.Errorf("%s(%g, %g) at %g, %s: ln p = %.17g, want %.17g", r.kind, r.df1, r.df2,
					r.statistic, side.name, side.got, side.want)
			}
		}
	}
}

var manyParameters = []float64{1e-6, 0.001, 0.5, 1, 2.5, 10, 1e3, 1e6, 1e10, 5e14}

// manyLaws returns the gamma and beta laws for all combinations of manyParameters, which cover very
// wide to very narrow distributions.
func manyLaws() []tailLaw {
	var laws []tailLaw
	for _, a := range manyParameters {
		laws = append(laws, gammaLaw{a})
		for _, b := range manyParameters {
			laws = append(laws, betaLaw{a, b})
		}
	}
	return laws
}

// TestTailsAddUpToOne verifies that the tails sum to one. Each side of the mode is integrated
// separately, so the sum tests both and the normalization.
func TestTailsAddUpToOne(t *testing.T) {
	for _, l := range manyLaws() {
		sum := math.Exp(logTail(l, -1, 0)) + math.Exp(logTail(l, 1, 0))
		if !(math.Abs(sum-1) < 1e-13) {
			t.Errorf("%#v: the tails add up to 1 %+g", l, sum-1)
		}
	}
}

func TestPointsUndoTails(t *testing.T) {
	for _, l := range manyLaws() {
		for _, p := range []float64{1e-300, 1e-20, 0.001, 0.025, 0.3, 0.5, 0.8, 0.975} {
			// Beyond this limit the point itself is outside the range of doubles.
			if u := upperPoint(l, p); math.Abs(u) < 1e4 {
				if got := tailsAt(l, u).Above; !(math.Abs(got-math.Log(p)) < 1e-11) {
					t.Errorf("%#v: above the upper point of %g lies %g", l, p, math.Exp(got))
				}
			}
			if u := lowerPoint(l, p); math.Abs(u) < 1e4 {
				if got := tailsAt(l, u).Below; !(math.Abs(got-math.Log(p)) < 1e-11) {
					t.Errorf("%#v: below the lower point of %g lies %g", l, p, math.Exp(got))
				}
			}
		}
	}
}

func TestClosedForms(t *testing.T) {
	near := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-13*math.Abs(want)) {
			t.Errorf("%s: %.17g, want %.17g", name, got, want)
		}
	}
	// Chi-squared with 2 degrees of freedom is exponential, and F(2, 2) at F has the upper tail
	// 1/(1+F). t with 1 degree of freedom is the Cauchy distribution, and with 2 it is algebraic.
	near("chi2(2)", tailsAt(gammaLaw{1}, math.Log(40)).Above, -40)
	near("F(2, 2)", tailsAt(betaLaw{1, 1}, math.Log(1e9)).Above, -math.Log1p(1e9))
	near("Cauchy, 97.5 %", Student(1).Upper(0.025), 1/math.Tan(math.Pi*0.025))
	near("t(2), 97.5 %", Student(2).Upper(0.025), 0.95*math.Sqrt(2/(1-0.95*0.95)))
	x, y := BetaQuantile(1, 5, 0.01)
	near("beta(1, 5)", x, -math.Expm1(math.Log(0.99)/5))
	near("beta(1, 5), complement", y, math.Pow(0.99, 0.2))
}

func TestSmallDifferences(t *testing.T) {
	for _, c := range []struct{ x, exp, log float64 }{
		// The series are x²/2 + x³/6 + x⁴/24 and -x²/2 + x³/3 - x⁴/4. Their next terms are about
		// 1e-13 of the sums.
		{1e-4, 1e-8/2 + 1e-12/6 + 1e-16/24, -1e-8/2 + 1e-12/3 - 1e-16/4},
		{0.5, math.Sqrt(math.E) - 1.5, math.Log(1.5) - 0.5},
		{-0.5, 1/math.Sqrt(math.E) - 0.5, -math.Ln2 + 0.5},
		{2, math.E*math.E - 3, math.Log(3) - 2},
	} {
		if got := special.Expm1mx(c.x); !(math.Abs(got/c.exp-1) < 2e-12) {
			t.Errorf("e^x - 1 - x at %g: %.17g, want %.17g", c.x, got, c.exp)
		}
		if got := special.Log1pmx(c.x); !(math.Abs(got/c.log-1) < 2e-12) {
			t.Errorf("ln(1+x) - x at %g: %.17g, want %.17g", c.x, got, c.log)
		}
	}
}

// expansionError returns the relative error of the expansion compared with the integral; ok is
// false where the expansion fails.
func expansionError(l tailLaw, side, u float64) (gap float64, ok bool) {
	got, ok := l.expansion(side, u)
	if !ok || l.depth(u) > 1e300 {
		return 0, false
	}
	return math.Abs(got/millsIntegral(l, side, u) - 1), true
}

// TestExpansionsAreTheIntegral compares expansions that converge with the integral.
func TestExpansionsAreTheIntegral(t *testing.T) {
	tried, ended := 0, 0
	for _, l := range manyLaws() {
		for _, u := range []float64{0, 1e-12, 1e-5, 1e-3, 0.03, 0.3, 1, 3, 10, 100, 500} {
			for _, side := range []float64{-1, 1} {
				tried++
				gap, ok := expansionError(l, side, side*u)
				if ok {
					ended++
				}
				if !(gap < 1e-12) {
					t.Errorf("%#v beyond %g: they differ by %g", l, side*u, gap)
				}
			}
		}
	}
	if ended < tried/4 || ended == tried {
		t.Errorf("%d of %d expansions ended", ended, tried)
	}
}

func TestExpansionsOfRandomLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := math.Exp(rapid.Float64Range(-3, 12).Draw(t, "ln a")),
			math.Exp(rapid.Float64Range(-3, 12).Draw(t, "ln b"))
		u := math.Exp(rapid.Float64Range(-12, 4).Draw(t, "ln u"))
		for _, l := range []tailLaw{gammaLaw{a}, betaLaw{a, b}} {
			for _, side := range []float64{-1, 1} {
				if gap, _ := expansionError(l, side, side*u); !(gap < 1e-12) {
					t.Fatalf("%#v beyond %g: they differ by %g", l, side*u, gap)
				}
			}
		}
	})
}
