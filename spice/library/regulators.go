package library

import "fmt"

// regulatorSheet holds the data-sheet values of one linear voltage regulator.
type regulatorSheet struct {
	name        string
	volts       float64 // voltage [V] of the output, or from out to adj if adjustable
	line        float64 // line regulation [V/V]: change of the output with the input
	load        float64 // output resistance [ohm] from the load regulation
	dropout     float64 // dropout voltage [V] at amps
	amps        float64 // rated current [A]
	limit       float64 // current limit [A]
	bias        float64 // quiescent current [A] to com, or to out if adjustable
	adjust      float64 // current [A] out of adj; 0 for a fixed regulator
	negative    bool
	description string
	sheet       string
}

var regulatorSheets = []regulatorSheet{
	{"lm7805", 5, 4e-3 / 18, 9e-3 / 1.495, 2, 1, 2.2, 5e-3, 0, false,
		"Regulator 5 V: drops out below 2 V at 1 A, limit 2.2 A, takes 5 mA",
		"Fairchild LM78XX, rev. 1.3.1"},
	{"lm7812", 12, 3.8e-3 / 15.2, 1.1e-3, 2, 1, 2.2, 3.4e-3, 0, false,
		"Regulator 12 V: drops out below 2 V at 1 A, limit 2.2 A, takes 3.4 mA",
		"onsemi MC7800 series, MC7812A"},
	{"lm7905", 5, 7e-3 / 17.5, 11e-3 / 1.495, 2, 1, 2.1, 4.4e-3, 0, true,
		"Regulator -5 V: drops out below 2 V at 1 A, limit 2.1 A, takes 4.4 mA",
		"onsemi MC7900 series, MC7905AC; limit: Texas Instruments µA7905 (SLVS058)"},
	{"lm78l05", 5, 32e-3 / 13, 15e-3 / 99e-3, 1.7, 40e-3, 140e-3, 3.8e-3, 0, false,
		"Regulator 5 V, 100 mA: drops out below 1.7 V at 40 mA, limit 140 mA, takes 3.8 mA",
		"Texas Instruments µA78L05 (SLVS010); limit: LM78L05 (SNVS754)"},
	{"lm317", 1.25, 1.25e-4, 1.25e-3 / 1.49, 2, 1, 2.2, 3.5e-3, 50e-6, false,
		"Adjustable regulator: 1.25 V from adj to out, 50 µA out of adj, at least 3.5 mA of load, drops out below 2 V at 1 A, limit 2.2 A", "Texas Instruments LM317 (SLVS044), LM317-N (SNVS774)"},
	{"ams1117_33", 3.3, 3.3 * 3e-4, 3.3 * 2e-3, 1.1, 0.8, 1.1, 5e-3, 0, false,
		"Regulator 3.3 V: drops out below 1.1 V at 0.8 A, limit 1.1 A, takes 5 mA",
		"Advanced Monolithic Systems AMS1117"},
	{"ams1117_50", 5, 5 * 3e-4, 5 * 2e-3, 1.1, 0.8, 1.1, 5e-3, 0, false,
		"Regulator 5 V: drops out below 1.1 V at 0.8 A, limit 1.1 A, takes 5 mA",
		"Advanced Monolithic Systems AMS1117"},
}

func regulatorParts() []Part {
	var out []Part
	for _, r := range regulatorSheets {
		p := Part{Name: r.name, Kind: "regulator", Use: "X1 in com out " + r.name,
			Pins:        []string{"input in", "common com", "output out"},
			Description: r.description, Sheet: r.sheet}
		body := regulatorBody
		switch {
		case r.negative:
			body = negativeRegulatorBody
		case r.adjust > 0:
			body = adjustableRegulatorBody
			p.Use, p.Pins[1] = "X1 in adj out "+r.name, "adjustment adj"
		}
		com := p.Pins[1][len(p.Pins[1])-3:]
		p.text = fmt.Sprintf(".subckt %s in %s out params: volts=%g line=%g rout=%g drop=%g rdrop=%g imax=%g bias=%g adjust=%g\n%s.ends\n",
			r.name, com, r.volts, r.line, r.load, dropoutOffset*r.dropout,
			(1-dropoutOffset)*r.dropout/r.amps, r.limit, r.bias, r.adjust, body)
		out = append(out, p)
	}
	return out
}

// dropoutOffset is the fraction of the dropout voltage that does not depend on the current. It
// represents two junctions of a Darlington stage, as in the curves of the data sheets.
const dropoutOffset = 0.85

// These are the netlists of the regulators. BP is the pass transistor. Its current is the minimum
// of three: the dropout current, the current limit, and the deviation of the output voltage divided
// by the output resistance. It never flows backward. RL discharges an unloaded output. BQ is the
// quiescent current, which decreases with the input voltage below the dropout voltage.
//
// The model has no dynamics: output capacitors are unnecessary, and the ripple rejection equals the
// rejection of slow input changes. The current limit has no foldback, and there is no thermal
// shutdown.
const (
	regulatorBody = `BP in out I={max(0,min(imax,min((volts+line*(v(in,com)-volts-5)-v(out,com))/rout,(v(in,out)-drop)/rdrop)))}
BQ in com I={bias*min(1,max(0,v(in,com)/drop))}
RL out com 100k
`
	negativeRegulatorBody = `BP out in I={max(0,min(imax,min((volts+line*(v(com,in)-volts-5)-v(com,out))/rout,(v(out,in)-drop)/rdrop)))}
BQ com in I={bias*min(1,max(0,v(com,in)/drop))}
RL out com 100k
`
	adjustableRegulatorBody = `BP in out I={max(0,min(imax-bias,min((volts+line*(v(in,out)-5)-v(out,adj))/rout,(v(in,out)-drop)/rdrop)))}
BQ in out I={bias*min(1,max(0,v(in,out)/drop))}
BA in adj I={adjust*min(1,max(0,v(in,out)/drop))}
RL out adj 1meg
`
)
