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
	summaryPoints, err := c.Number("points per summary")
	if err != nil {
		return err
	}
	if !(summaryPoints >= 0) {
		return c.Fail(diag.BadValue, "the points per summary must not be negative, not %g",
			summaryPoints)
	}
	if summaryPoints > 1 {
		c.Warn("the contributions of the sources are given at every point, not at every " +
			short(summaryPoints))
	}
	a.Params = summaryPoints > 0
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

// noiseRun is the state of a .noise analysis.
type noiseRun struct {
	*sim
	freqs        []float64         // frequencies [Hz]
	input        []device.RHSEntry // right-hand side of an input of 1 V or 1 A
	outputVector []complex128      // factors of the unknowns in the output
	report       *Noise
	sources      []*noiseSource
	vectors      []*Vector // frequency, output, input, and the spectra of the sources if requested
	traces       []Trace
	total        noiseIntegral
	// traceValues are those of noiseTraces.
	traceValues []func(f, power, squaredGain float64) float64
	// squaredGains holds the squared gain from the input to the output at each frequency, and
	// densities the output noise [V²/Hz or A²/Hz] of each source.
	squaredGains []float64
	densities    [][]float64
}

// noise runs the .noise analysis. At each frequency one solution of the transposed system gives the
// transfer function from every node to the output. See Rohrer, Nagel, Meyer and Weber,
// Computationally efficient electronic-circuit noise calculations, IEEE JSSC 6, 1971. Between two
// frequencies a density is interpolated by a power law, as in SPICE3.
func (s *sim) noise() (*Output, error) {
	r, err := s.newNoiseRun()
	if err != nil {
		return nil, err
	}
	if _, _, err := s.overFrequencies(r.freqs, r.solve, r.record); err != nil {
		return nil, err
	}
	return r.finish()
}

// newNoiseRun finds the operating point and prepares the noise sources and the empty result.
func (s *sim) newNoiseRun() (*noiseRun, error) {
	a := s.job.Analysis
	freqs, err := s.frequencies()
	if err != nil {
		return nil, err
	}
	plus, minus, err := s.output(a.Output)
	if err != nil {
		return nil, err
	}
	input, kind, err := s.input(a.Input)
	if err != nil {
		return nil, err
	}
	if err := s.operatingPoint(); err != nil {
		return nil, err
	}
	r := &noiseRun{sim: s, freqs: freqs, input: input, sources: s.noiseSources(),
		outputVector: make([]complex128, s.n+1), squaredGains: make([]float64, len(freqs)),
		densities: make([][]float64, len(freqs))}
	r.outputVector[plus]++
	r.outputVector[minus]--
	r.outputVector[0] = 0
	units := map[byte]string{'v': "V", 'i': "A"}
	r.report = &Noise{Output: a.Output.Text, Input: a.Input, InputUnit: units[kind]}
	r.vectors = []*Vector{{Name: "frequency", Unit: "Hz"},
		{Name: "onoise_spectrum", Unit: units[a.Output.Kind] + "/√Hz"},
		{Name: "inoise_spectrum", Unit: r.report.InputUnit + "/√Hz"}}
	if perSource, _ := a.Params.(bool); perSource {
		for _, n := range r.sources {
			n.output = &Vector{Name: "onoise_" + n.element.Name + "_" + n.Name,
				Unit: r.vectors[1].Unit}
			r.vectors = append(r.vectors, n.output)
		}
	}
	r.traces, r.traceValues = s.noiseTraces(r.sources)
	if n := len(freqs) * (len(r.vectors) + len(r.traces)); !s.allowsValues(n) {
		return nil, s.tooManyNumbers(n, fewerPoints)
	}
	return r, nil
}

// solve computes the squared gain and the output noise of each source at frequency k.
func (r *noiseRun) solve(l *smallSignal, k int) error {
	f, adjoint := r.freqs[k], l.x
	if err := l.at(f); err != nil {
		return err
	}
	l.lu.SolveTransposed(r.outputVector, adjoint)
	gain := complex128(0)
	for _, e := range r.input {
		gain += complex(e.Value, 0) * adjoint[e.Row]
	}
	r.squaredGains[k] = real(gain)*real(gain) + imag(gain)*imag(gain)
	r.densities[k] = make([]float64, len(r.sources))
	for i, n := range r.sources {
		h := adjoint[n.From] - adjoint[n.To]
		// The pins of m parallel instances multiply the current of one by m, and thus its power by
		// m². The noise of the instances is uncorrelated and has only m times the power.
		r.densities[k][i] = (real(h)*real(h) + imag(h)*imag(h)) * (n.White + n.Flicker/f) /
			n.parallel
	}
	return nil
}

// record adds frequency k to the integrals, the vectors and the traces.
func (r *noiseRun) record(k int) error {
	f, squaredGain := r.freqs[k], r.squaredGains[k]
	power := r.total.add(f, squaredGain, r.sources, r.densities[k])
	if math.IsNaN(power) || math.IsInf(power, 0) {
		return diag.At(diag.Singular, r.job.Analysis.Line, "the noise at %s Hz is not finite",
			short(f))
	}
	r.densities[k] = nil
	referred := 0.0
	if squaredGain > 0 {
		referred = math.Sqrt(power / squaredGain)
	}
	for i, v := range [...]float64{f, math.Sqrt(power), referred} {
		r.vectors[i].Values = append(r.vectors[i].Values, v)
	}
	for i := range r.traces {
		r.traces[i].Real = append(r.traces[i].Real, r.traceValues[i](f, power, squaredGain))
	}
	return nil
}

// finish returns the result after the last frequency.
func (r *noiseRun) finish() (*Output, error) {
	a := r.job.Analysis
	if r.total.zeroGain {
		r.warn(fmt.Sprintf("%s does not reach %s at every frequency: the input-referred noise is "+
			"given as 0 there, and its integral is left out", a.Input, a.Output.Text))
	}
	if len(r.vectors[0].Values) == 1 {
		r.warn("one frequency has no bandwidth: the integrated noise and the shares are 0")
	}
	out := &Output{Detail: r.report, Points: r.devicePoints(), Traces: r.traces}
	for _, v := range r.vectors {
		out.Vectors = append(out.Vectors, *v)
	}
	r.report.sum(r.sources, r.total.zeroGain)
	if math.IsInf(r.report.OutputRMS, 0) || r.report.InputRMS != nil &&
		math.IsInf(*r.report.InputRMS, 0) {
		return nil, diag.At(diag.Singular, a.Line, "the integrated noise is not finite")
	}
	return out, nil
}

// noiseIntegral integrates the noise of all sources from one frequency to the next.
type noiseIntegral struct {
	lastFreq    float64 // last frequency [Hz], or 0 at first
	lastLogGain float64 // natural logarithm of the squared gain at the last frequency
	zeroGain    bool    // the gain was 0 at a frequency
}

// add adds the output densities of the sources at a frequency f [Hz] and returns their sum.
func (t *noiseIntegral) add(f, squaredGain float64, sources []*noiseSource,
	outputs []float64) (sum float64) {
	t.zeroGain = t.zeroGain || squaredGain == 0
	logGain, logRatio := math.Log(squaredGain), 0.0
	if t.lastFreq > 0 {
		logRatio = math.Log(f / t.lastFreq)
	}
	for i, n := range sources {
		output := outputs[i]
		densities, logOutput := [2]float64{output, output / squaredGain}, math.Log(output)
		if t.lastFreq > 0 {
			change := logOutput - n.lastLog
			n.total[0] += powerLaw(t.lastFreq, f, n.last[0], densities[0], logRatio, change)
			n.total[1] += powerLaw(t.lastFreq, f, n.last[1], densities[1], logRatio,
				change-(logGain-t.lastLogGain))
		}
		n.last, n.lastLog = densities, logOutput
		sum += output
		if n.output != nil {
			n.output.Values = append(n.output.Values, math.Sqrt(output))
		}
	}
	t.lastFreq, t.lastLogGain = f, logGain
	return sum
}

// noiseTraces returns empty traces for the frequency and for each name in Job.Traces. Its functions
// return their values at a frequency from the power density at the output and the squared gain. The
// names are v(onoise), v(inoise), v(gain), v(onoise_r1_thermal) for a noise source, and
// v(r1) for the sum of those of a device. Both results are nil without valid names.
func (s *sim) noiseTraces(sources []*noiseSource) (traces []Trace,
	values []func(f, power, squaredGain float64) float64) {
	for _, name := range s.job.Traces {
		vector, ok := strings.CutPrefix(name, "v(")
		if vector = strings.TrimSuffix(vector, ")"); !ok {
			continue
		}
		var value func(f, power, squaredGain float64) float64
		switch vector {
		case "onoise":
			value = func(_, power, _ float64) float64 { return math.Sqrt(power) }
		case "inoise":
			value = func(_, power, squaredGain float64) float64 {
				if squaredGain == 0 {
					return 0
				}
				return math.Sqrt(power / squaredGain)
			}
		case "gain":
			value = func(_, _, squaredGain float64) float64 {
				return math.Sqrt(squaredGain)
			}
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
