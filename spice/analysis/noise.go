package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// Noise is the result of .noise, integrated from the first to the last frequency.
type Noise struct {
	Output, Input string  // output, such as v(out), and input source, as written on the card
	InputUnit     string  // unit of the input: "V" or "A"
	OutputRMS     float64 // integrated output noise [V or A]
	// integrated input noise in InputUnit; nil if the gain is 0 at any frequency
	InputRMS      *float64
	Contributions []NoiseContribution
}

// NoiseContribution is the contribution of one noise source of a device. Lists are sorted by
// decreasing OutputRMS.
type NoiseContribution struct {
	Device, Source, Kind string  // for example q1, rb, thermal
	OutputRMS            float64 // integrated noise [V or A] at the output
	Share                float64 // fraction of the output noise power, 0 to 1
}

// readNoise parses .noise v(out[,ref]) SOURCE dec|oct|lin N f1 f2 [points per summary], or the form
// of PSpice without frequencies.
func readNoise(c *netlist.CardReader, a *netlist.Analysis) error {
	if err := readOutputAndInput(c, a); err != nil {
		return err
	}
	done, err := c.FrequenciesOfAC(a)
	if err == nil && !done {
		err = c.Frequencies(a)
	}
	if err != nil {
		return err
	}
	if a.From == 0 {
		return c.Fail(diag.BadValue,
			"the start frequency must be above 0: flicker noise has no value at 0 Hz")
	}
	if !c.More() {
		return nil
	}
	every, err := c.Number("points per summary")
	if err != nil {
		return err
	}
	if !(every >= 0) {
		return c.Fail(diag.BadValue, "the points per summary must not be negative, not %g", every)
	}
	if every > 1 {
		c.Warn("the contributions of the sources are given at every point, not at every " +
			short(every))
	}
	a.Params = every > 0
	return nil
}

// noiseSource is a noise source with its accumulated integral.
type noiseSource struct {
	device.NoiseSource
	element  *netlist.Element
	parallel float64 // multiplicity of the enclosing subcircuits (parameter m)
	output   *Vector // spectrum [V/√Hz or A/√Hz]; nil if not requested
	// last holds the power densities [V²/Hz or A²/Hz] at the last frequency, and total their
	// integrals [V² or A²]. Index 0 is the output, and index 1 is the input.
	last, total [2]float64
	lastLog     float64 // natural logarithm of last[0]
}

// noise runs the .noise analysis. At each frequency one solution of the transposed system gives the
// transfer function from every node to the output (Rohrer, Nagel, Meyer, Weber: Computationally
// efficient electronic-circuit noise calculations, IEEE JSSC 6, 1971). Between two frequencies a
// density is interpolated by a power law, as in SPICE3.
func (s *sim) noise() (*Output, error) {
	a := s.job.Analysis
	freqs, err := s.frequencies()
	if err != nil {
		return nil, err
	}
	plus, minus, err := s.output(a.Output)
	if err != nil {
		return nil, err
	}
	entries, kind, err := s.input(a.Input)
	if err != nil {
		return nil, err
	}
	if err := s.operatingPoint(); err != nil {
		return nil, err
	}
	units := map[byte]string{'v': "V", 'i': "A"}
	report := &Noise{Output: a.Output.Text, Input: a.Input, InputUnit: units[kind]}
	vecs := []*Vector{{Name: "frequency", Unit: "Hz"},
		{Name: "onoise_spectrum", Unit: units[a.Output.Kind] + "/√Hz"},
		{Name: "inoise_spectrum", Unit: report.InputUnit + "/√Hz"}}
	sources := s.noiseSources()
	if each, _ := a.Params.(bool); each {
		for _, n := range sources {
			n.output = &Vector{Name: "onoise_" + n.element.Name + "_" + n.Name, Unit: vecs[1].Unit}
			vecs = append(vecs, n.output)
		}
	}
	traces, values := s.noiseTraces(sources)
	if n := len(freqs) * (len(vecs) + len(traces)); !s.stores(n) {
		return nil, s.tooManyNumbers(n, fewerPoints)
	}
	selected := make([]complex128, s.n+1)
	selected[plus]++
	selected[minus]--
	selected[0] = 0
	powers := make([]float64, len(freqs))      // squared gain from the input to the output
	densities := make([][]float64, len(freqs)) // output noise of the sources [V²/Hz or A²/Hz]
	solve := func(l *smallSignal, k int) error {
		f, adjoint := freqs[k], l.x
		if err := l.at(f); err != nil {
			return err
		}
		l.lu.SolveTransposed(selected, adjoint)
		gain := complex128(0)
		for _, e := range entries {
			gain += complex(e.Value, 0) * adjoint[e.Row]
		}
		powers[k] = real(gain)*real(gain) + imag(gain)*imag(gain)
		densities[k] = make([]float64, len(sources))
		for i, n := range sources {
			h := adjoint[n.From] - adjoint[n.To]
			densities[k][i] = (real(h)*real(h) + imag(h)*imag(h)) * (n.White + n.Flicker/f) /
				n.parallel
		}
		return nil
	}
	var total noiseIntegral
	_, _, err = s.overFrequencies(freqs, solve, func(k int) error {
		f, power := freqs[k], powers[k]
		sum := total.add(f, power, sources, densities[k])
		if math.IsNaN(sum) || math.IsInf(sum, 0) {
			return diag.At(diag.Singular, a.Line, "the noise at %s Hz is not finite", short(f))
		}
		densities[k] = nil
		referred := 0.0
		if power > 0 {
			referred = math.Sqrt(sum / power)
		}
		for k, v := range [...]float64{f, math.Sqrt(sum), referred} {
			vecs[k].Values = append(vecs[k].Values, v)
		}
		for k := range traces {
			traces[k].Real = append(traces[k].Real, values[k](f, sum, power))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if total.zeroGain {
		s.warn(fmt.Sprintf("%s does not reach %s at every frequency: the input-referred noise is "+
			"given as 0 there, and its integral is left out", a.Input, a.Output.Text))
	}
	if len(vecs[0].Values) == 1 {
		s.warn("one frequency has no bandwidth: the integrated noise and the shares are 0")
	}
	out := &Output{Detail: report, Points: s.devicePoints(), Traces: traces}
	for _, v := range vecs {
		out.Vectors = append(out.Vectors, *v)
	}
	report.sum(sources, total.zeroGain)
	if math.IsInf(report.OutputRMS, 0) || report.InputRMS != nil &&
		math.IsInf(*report.InputRMS, 0) {
		return nil, diag.At(diag.Singular, a.Line, "the integrated noise is not finite")
	}
	return out, nil
}

// noiseIntegral integrates the noise of all sources from one frequency to the next.
type noiseIntegral struct {
	before         float64 // last frequency [Hz], or 0 at first
	logPowerBefore float64 // natural logarithm of the squared gain at the last frequency
	zeroGain       bool    // the gain was 0 at a frequency
}

// add adds the output densities of the sources at a frequency f [Hz] and returns their sum. power
// is the squared gain.
func (t *noiseIntegral) add(f, power float64, sources []*noiseSource,
	densities []float64) (sum float64) {
	t.zeroGain = t.zeroGain || power == 0
	logPower, logRatio := math.Log(power), 0.0
	if t.before > 0 {
		logRatio = math.Log(f / t.before)
	}
	for i, n := range sources {
		density := densities[i]
		at, logDensity := [2]float64{density, density / power}, math.Log(density)
		if t.before > 0 {
			change := logDensity - n.lastLog
			n.total[0] += powerLaw(t.before, f, n.last[0], at[0], logRatio, change)
			n.total[1] += powerLaw(t.before, f, n.last[1], at[1], logRatio,
				change-(logPower-t.logPowerBefore))
		}
		n.last, n.lastLog = at, logDensity
		sum += density
		if n.output != nil {
			n.output.Values = append(n.output.Values, math.Sqrt(density))
		}
	}
	t.before, t.logPowerBefore = f, logPower
	return sum
}

// noiseTraces returns empty traces for the frequency and for each name in Job.Traces. Its functions
// return their values at a frequency from the power density at the output and the squared gain. The
// names are v(onoise), v(inoise), v(gain), v(onoise_r1_thermal) for a noise source, and
// v(r1) for the sum of those of a device. Both results are nil without valid names.
func (s *sim) noiseTraces(sources []*noiseSource) (traces []Trace,
	values []func(f, power, gain float64) float64) {
	for _, name := range s.job.Traces {
		vector, ok := strings.CutPrefix(name, "v(")
		if vector = strings.TrimSuffix(vector, ")"); !ok {
			continue
		}
		var value func(f, power, gain float64) float64
		switch vector {
		case "onoise":
			value = func(_, power, _ float64) float64 { return math.Sqrt(power) }
		case "inoise":
			value = func(_, power, gain float64) float64 {
				if gain == 0 {
					return 0
				}
				return math.Sqrt(power / gain)
			}
		case "gain":
			value = func(_, _, gain float64) float64 { return math.Sqrt(gain) }
		default:
			var of []*noiseSource
			for _, n := range sources {
				if n.element.Name == vector || "onoise_"+n.element.Name+"_"+n.Name == vector {
					of = append(of, n)
				}
			}
			if of == nil {
				continue
			}
			value = func(_, _, _ float64) float64 {
				sum := 0.0
				for _, n := range of {
					sum += n.last[0]
				}
				return math.Sqrt(sum)
			}
		}
		if traces == nil {
			traces = []Trace{{Name: "frequency"}}
			values = append(values, func(f, _, _ float64) float64 { return f })
		}
		traces, values = append(traces, Trace{Name: name}), append(values, value)
	}
	return traces, values
}

// noiseSources returns the noise sources of all devices at the operating point.
func (s *sim) noiseSources() (list []*noiseSource) {
	env := s.environment(s.opt.TempC)
	bias := &device.Bias{X: s.x, Gmin: s.opt.Gmin}
	for _, d := range s.devices {
		noisy, ok := d.(device.Noisy)
		if !ok {
			if e := d.Element(); e.Kind == 'o' {
				s.warn(e.Name + ": the thermal noise of a lossy line is not computed; sections of " +
					"resistors have it")
			}
			continue
		}
		e := d.Element()
		parallel := 1.0
		if e.Parallel > 0 {
			parallel = e.Parallel
		}
		bias.T = env.Of(e).Temp
		for _, n := range noisy.Noise(bias) {
			if n.White > 0 || n.Flicker > 0 {
				list = append(list, &noiseSource{NoiseSource: n, element: e, parallel: parallel})
			}
		}
	}
	return list
}

// sum computes the integrated noise and the contribution of each source. If zeroGain is set,
// InputRMS remains nil.
func (r *Noise) sum(sources []*noiseSource, zeroGain bool) {
	var total [2]float64
	for _, n := range sources {
		for k, v := range n.total {
			total[k] += v
		}
	}
	r.OutputRMS = math.Sqrt(total[0])
	if !zeroGain {
		input := math.Sqrt(total[1])
		r.InputRMS = &input
	}
	r.Contributions = make([]NoiseContribution, 0, len(sources))
	for _, n := range sources {
		c := NoiseContribution{Device: n.element.Name, Source: n.Name, Kind: n.Kind,
			OutputRMS: math.Sqrt(n.total[0])}
		if total[0] > 0 {
			c.Share = n.total[0] / total[0]
		}
		r.Contributions = append(r.Contributions, c)
	}
	slices.SortStableFunc(r.Contributions, func(a, b NoiseContribution) int {
		return cmp.Compare(b.OutputRMS, a.OutputRMS)
	})
}

// PowerLaw integrates the power law through (x0, y0) and (x1, y1) from x0 to x1. If y0 or y1 is 0,
// it integrates the straight line instead.
func PowerLaw(x0, x1, y0, y1 float64) float64 {
	return powerLaw(x0, x1, y0, y1, math.Log(x1/x0), math.Log(y1/y0))
}

// powerLaw is PowerLaw with the logarithms of x1/x0 and of y1/y0, which sources at the same
// frequencies share. With u = ln(x1·y1/(x0·y0)), the integral is x0·y0·ln(x1/x0)·(exp(u) - 1)/u.
// For a small u a series avoids the cancellation in exp(u) - 1. Its first omitted term is below
// 3e-14.
func powerLaw(x0, x1, y0, y1, logX, logY float64) float64 {
	if !(y0 > 0) || !(y1 > 0) || !(x1 > x0) {
		return (y0 + y1) / 2 * (x1 - x0)
	}
	u := logX + logY
	if math.Abs(u) < 0.1 {
		return y0 * x0 * logX *
			(1 + u/2*(1+u/3*(1+u/4*(1+u/5*(1+u/6*(1+u/7*(1+u/8)))))))
	}
	return (y1*x1 - y0*x0) / u * logX
}
