package device

import (
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// Limits of the temperature of a device [°C].
const (
	lowestCelsius  = -270
	highestCelsius = 1000
)

// minFactor is the least factor by which temperature coefficients of a model change a resistance.
const minFactor = 1e-3

// factorLimit applies temperature coefficients with minFactor. limited reports whether the limit
// applied. Devices embed it and set it to the zero value before they compute their temperature.
type factorLimit struct{ limited bool }

// FactorLimited implements FactorLimiter.
func (f *factorLimit) FactorLimited() bool { return f.limited }

// FactorLimiter is a device that limits the temperature factors of its resistances.
type FactorLimiter interface {
	// FactorLimited reports whether a factor is limited at the present temperature.
	FactorLimited() bool
}

// scale returns the value v, such as a resistance [ohm], times 1 + t1·dt + t2·dt², where dt is the
// difference from the nominal temperature [K]. The factor is at least minFactor.
func (f *factorLimit) scale(v, dt, t1, t2 float64) float64 {
	factor := 1 + dt*(t1+dt*t2)
	if factor < minFactor && v != 0 {
		f.limited = true
	}
	return v * max(factor, minFactor)
}

// hasTemperature reports whether elements of this kind depend on the temperature and take temp=.
func hasTemperature(kind byte) bool {
	switch kind {
	case 'r', 'c', 'l', 'd', 'q', 'm', 'j':
		return true
	}
	return false
}

// isTemperature reports whether a parameter of an element sets its temperature. temp is in °C,
// dtemp and trise are above that of the circuit [K], and a model of R, C or L has tnom [°C].
func isTemperature(kind byte, name string) bool {
	switch name {
	case "temp", "dtemp", "trise":
		return hasTemperature(kind)
	case "tnom":
		return kind == 'r' || kind == 'c' || kind == 'l'
	}
	return false
}

// isModelTemperature reports whether a parameter of a model sets a temperature. tnom and, in
// PSpice, t_measured are those of the model parameters. t_abs is that of the device, and
// t_rel_global is above that of the circuit.
func isModelTemperature(name string) bool {
	switch name {
	case "tnom", "t_measured", "t_abs", "t_rel_global":
		return true
	}
	return false
}

// Of returns the environment of one element in the environment of the circuit. As in ngspice, temp
// takes precedence over dtemp.
func (e Env) Of(element *netlist.Element) Env {
	if !hasTemperature(element.Kind) {
		return e
	}
	if element.Model != nil {
		for _, q := range element.Model.Params {
			switch q.Name {
			case "tnom", "t_measured":
				e.Tnom = q.Value + Zero
			case "t_abs":
				e.Temp = q.Value + Zero
			case "t_rel_global":
				e.Temp += q.Value
			}
		}
	}
	absolute := false
	for _, q := range element.Params {
		switch q.Name {
		case "temp":
			e.Temp, absolute = q.Value+Zero, true
		case "dtemp", "trise":
			if !absolute {
				e.Temp += q.Value
			}
		case "tnom":
			e.Tnom = q.Value + Zero
		}
	}
	return e
}

// checkTemperatures reports temperatures of the element and its model that are out of range.
func (m *cardReader) checkTemperatures() {
	if !hasTemperature(m.e.Kind) {
		return
	}
	check := func(what string, q netlist.Param) {
		if !(q.Value >= lowestCelsius && q.Value <= highestCelsius) {
			m.fail(diag.BadValue, "%s: %s must be from %d to %d °C, not %g", what, q.Name,
				lowestCelsius, highestCelsius, q.Value)
		}
	}
	for _, q := range m.e.Params {
		if isTemperature(m.e.Kind, q.Name) {
			check(m.e.Name, q)
		}
	}
	if m.e.Model == nil {
		return
	}
	for _, q := range m.e.Model.Params {
		if isModelTemperature(q.Name) {
			check("model "+m.e.Model.Name, q)
		}
	}
}
