package general

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestPValue(t *testing.T) {
	tooltest.Examples(t, PValue)
	tooltest.Cases(t, PValue, []tooltest.Case{
		{"Abramowitz & Stegun table 26.1: Φ(1) = 0.841344746068543", `{"distribution":"z","statistic":1,"tail":"left"}`,
			`{"p_value":0.841344746068543,"p_right":0.158655253931457,"p_two_sided":0.317310507862914,"tail":"left","critical_value":-1.644853626951473,"critical_value_lower":null}`},
		{"table of t: 2.228139 for 10 degrees of freedom, 95 %", `{"distribution":"t","statistic":2.2281388519862748,"df":10}`,
			`{"p_value":0.050000000000,"critical_value":2.228138852,"critical_value_lower":-2.228138852}`},
		{"table of t: 1.812 for 10 degrees of freedom, one-sided", `{"distribution":"t","statistic":-1.8124611228,"df":10,"tail":"left"}`,
			`{"p_value":0.0500000000,"critical_value":-1.812461123,"warnings":[]}`},
		{"table of chi-squared: 18.307 for 10 degrees of freedom", `{"distribution":"chi2","statistic":18.307,"df":10}`,
			`{"p_value":0.0500,"tail":"right","critical_value":18.307,"critical_value_lower":null}`},
		{"table of chi-squared: 3.247 and 20.483 hold 95 % for 10 degrees of freedom", `{"distribution":"chi2","statistic":20.483,"df":10,"tail":"two_sided"}`,
			`{"p_value":0.0500,"critical_value":20.483,"critical_value_lower":3.247,"warnings":["~right tail"]}`},
		{"chi-squared with 2 degrees of freedom is e^(-x/2): e^-5", `{"distribution":"chi2","statistic":10,"df":2}`,
			`{"p_value":0.006737946999085,"p_left":0.993262053000915,"log10_p":-2.171472409516}`},
		{"table of F: 3.10 for (3, 20) at 5 %", `{"distribution":"f","statistic":3.0983912121,"df1":3,"df2":20}`,
			`{"p_value":0.0500000000,"critical_value":3.09839}`},
		{"F(2, 2) has the upper tail 1/(1 + F)", `{"distribution":"f","statistic":3,"df1":2,"df2":2,"tail":"left","alpha":0.2}`,
			`{"p_value":0.75000000000000,"p_right":0.25000000000000,"critical_value":0.25000000000000,"significant":false,"alpha":0.2}`},
		{"Cauchy: half of atan", `{"distribution":"t","statistic":1,"df":1,"tail":"right"}`, `{"p_value":0.25000000000000,"p_left":0.75000000000000}`},
		{"particle physics: 5 sigma, one-sided", `{"distribution":"z","statistic":5,"tail":"right"}`, `{"p_value":2.866515719e-7}`},
		{"p = 1 at the centre", `{"distribution":"z","statistic":0}`, `{"p_value":1,"log10_p":0,"significant":false}`},
		{"z = 100: -z²/2 - ln(z √(2π)) - 1/z² + 5/(2 z⁴) + ln 2 = -5004.831061513643", `{"distribution":"z","statistic":100}`,
			`{"log10_p":-2173.5705128734,"significant":true,"warnings":["~log10_p"]}`},
		{"beyond every logarithm: z²/2 is no double", `{"distribution":"z","statistic":1e200}`, `{"p_value":0,"log10_p":null,"warnings":["~below 1e-300"]}`},
		{"the upper point at 1e-300, to 20 digits 37.047096299361199237", `{"distribution":"z","statistic":1,"tail":"right","alpha":1e-300}`, `{"critical_value":37.0470962993612}`},
		{"chi-squared of 0", `{"distribution":"chi2","statistic":0,"df":3,"tail":"left"}`, `{"p_value":0,"p_right":1,"log10_p":null}`},
		{"fractional degrees of freedom below 1", `{"distribution":"chi2","statistic":3,"df":0.5}`, `{"log10_p":-1.476039765223432,"warnings":["~df is below 1"]}`},
		{"so wide that the point is no double: t(0.001) above 10^1000", `{"distribution":"t","statistic":1,"df":0.001}`, `{"critical_value":null,"warnings":["~df","~left out"]}`},
		{"degrees of freedom that z does not have", `{"distribution":"z","statistic":1,"df":3}`, `{"warnings":["~df was ignored"]}`},
		{"alpha at a half", `{"distribution":"t","statistic":1,"df":4,"tail":"right","alpha":0.5}`, `{"critical_value":0}`},
		{"alpha above a half mirrors it: z(0.025) = 1.96", `{"distribution":"z","statistic":1,"tail":"right","alpha":0.975}`, `{"critical_value":-1.959963984540}`},
		{"R, t.test of the sleep data: Welch t = -1.8608, df = 17.776, p = 0.07939", `{"distribution":"t","data":[0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0.0,2.0],"data2":[1.9,0.8,1.1,0.1,-0.1,4.4,5.5,1.6,4.6,3.4]}`,
			`{"statistic":-1.8608,"df":17.776,"p_value":0.07939,"estimate":-1.580,"significant":false,"warnings":[]}`},
		{"R, the same paired: t = -4.0621, df = 9, p = 0.002833", `{"distribution":"t","data":[0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0.0,2.0],"data2":[1.9,0.8,1.1,0.1,-0.1,4.4,5.5,1.6,4.6,3.4],"paired":true}`,
			`{"statistic":-4.0621,"df":9,"p_value":0.002833,"estimate":-1.5800,"significant":true}`},
		{"R, Cookbook: one sample, t = 3.413, df = 19, p = 0.002918", `{"distribution":"t","data":[0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0.0,2.0,1.9,0.8,1.1,0.1,-0.1,4.4,5.5,1.6,4.6,3.4]}`,
			`{"statistic":3.413,"df":19,"p_value":0.002918,"estimate":1.5400}`},
		{"by hand: at the mean t is 0", `{"distribution":"t","data":[1,2,3],"null_mean":2}`, `{"statistic":0,"p_value":1,"standard_error":0.577350}`},
		{"a null mean without data", `{"distribution":"z","statistic":1,"null_mean":2}`, `{"estimate":null,"df":null,"warnings":["~null_mean was ignored"]}`},
	})
	tooltest.InvalidCases(t, PValue, []tooltest.InvalidCase{
		{"nothing to test", `{"distribution":"t","df":3}`, []string{"statistic"}, "is required"},
		{"data and a statistic", `{"distribution":"t","data":[1,2],"statistic":1,"df":1}`, []string{"statistic", "df"}, "contradicts data"},
		{"data for F", `{"distribution":"f","data":[1,2]}`, []string{"distribution"}, "must be t"},
		{"no spread", `{"distribution":"t","data":[2,2,2]}`, []string{"data"}, "no spread"},
		{"pairs of different length", `{"distribution":"t","data":[1,2],"data2":[1,2,3],"paired":true}`, []string{"data2"}, "as many numbers"},
		{"pairs of one", `{"distribution":"t","data":[1,2],"paired":true}`, []string{"paired"}, "needs data2"},
		{"a second sample alone", `{"distribution":"t","statistic":1,"df":2,"data2":[1,2]}`, []string{"data2"}, "needs data"},
		{"no degrees of freedom", `{"distribution":"t","statistic":2}`, []string{"df"}, "is required"},
		{"none of both", `{"distribution":"f","statistic":2,"df":3}`, []string{"df1", "df2"}, "is required"},
		{"zero degrees of freedom", `{"distribution":"chi2","statistic":2,"df":0}`, []string{"df"}, "greater than 0"},
		{"next to no degrees of freedom", `{"distribution":"t","statistic":2,"df":5e-324}`, []string{"df"}, "1e-300"},
		{"negative chi-squared", `{"distribution":"chi2","statistic":-2,"df":3}`, []string{"statistic"}, "at least 0"},
		{"two faults at once", `{"distribution":"f","statistic":-2,"df2":3}`, []string{"statistic", "df1"}, ""},
		{"unknown distribution", `{"distribution":"normal","statistic":2}`, []string{"distribution"}, "one of z, t, chi2, f"},
		{"alpha of 1", `{"distribution":"z","statistic":2,"alpha":1}`, []string{"alpha"}, "less than 1"},
		{"alpha of 0", `{"distribution":"z","statistic":2,"alpha":0}`, []string{"alpha"}, "greater than 0"},
	})
}
