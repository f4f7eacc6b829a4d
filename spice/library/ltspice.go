package library

import "strings"

// ltspiceTexts returns the netlist texts of the amplifiers that LTspice installs with its symbols.
// They are not listed as parts.
//
// level1 is the universal amplifier without limits. level2, level3, level3a, level3b and level4
// have slew rate, output current and output swing. The names with a dot, such as level.2, are those
// of LTspice XVII. All levels accept the parameters of all symbols, because the level is an
// attribute of a symbol. opamp.3 is the amplifier of LTspice's opamp.sub with three pins, which has
// one pole and no supplies.
func ltspiceTexts() map[string]string {
	const pole = "RIN inp inn {rin}\nRA a 0 {avol}\nCA a 0 {1/(2*3.14159265359*gbw)}\n" +
		"GA 0 a inp inn 1\nIA 0 a {vos}\nEO o 0 a 0 1\nRO o out 1m\n"
	const head = " inp inn vcc vee out params: avol=1meg gbw=10meg vos=0 rin=500meg en=0 enk=0 " +
		"in=0 ink=0 slew=10meg ilimit=25m rail=0 phimargin=45"
	// The current limit of the input stage is that of slew=10meg and 30 pF at every slew rate.
	// stage is its current per volt of the input.
	const limits = "\n.param gain={avol} high={max(rail,10m)} low={max(rail,10m)} " +
		"short={ilimit} supply=0 stage={10*2*3.14159265359*gbw/slew/10k}\nIV 0 a {stage*vos}\n"
	// A pole at f2 = gbw·sin(phimargin)·tan(phimargin) reduces the frequency of gain 1 to
	// gbw·sin(phimargin), where its phase shift is 90° - phimargin.
	const secondPole = ".param rad={phimargin*3.14159265359/180}\n.if (phimargin<90)\n" +
		"CA a 0 {1/(2*3.14159265359*gbw*sin(rad)*tan(rad)*10k)}\n.endif\n"
	texts := map[string]string{
		// The supplies may be open.
		"level1": ".subckt level1" + head + "\n" + pole + "RP vcc 0 1g\nRM vee 0 1g\n" +
			noise("1") + ".ends\n",
		"opamp.3": ".subckt opamp.3 inn inp out params: aol=100k gbw=10meg\n" +
			".param avol={aol} vos=0 rin=1e12\n" + pole + ".ends\n",
	}
	body := strings.Replace(opampBody, "cc=30p", "cc={300u/slew}", 1)
	add := func(name, params, elements string) {
		texts[name] = ".subckt " + name + head + params + limits + body + elements +
			noise("stage") + ".ends\n"
	}
	add("level2", "", "")
	add("level3", "", secondPole)
	add("level3a", "", secondPole)
	add("level3b", "", secondPole)
	add("level4", " ccm=1p cdiff=2p", secondPole+"CD inp inn {cdiff}\nCP inp 0 {ccm}\n"+
		"CN inn 0 {ccm}\n")
	for _, name := range [...]string{"level1", "level2", "level3", "level3a", "level3b"} {
		dotted := "level." + name[len("level"):]
		texts[dotted] = strings.Replace(texts[name], name, dotted, 1)
	}
	return texts
}

// noise returns the elements of the input noise. The voltage en [V/√Hz] has the corner enk [Hz] of
// its flicker noise. The current in [A/√Hz] between the inputs has the corner ink. stage is the
// current into node a per volt of the input.
//
// The saturation currents of two reverse-biased diodes have the shot noise 2q·IS each and, with
// KF = 2q·corner, flicker noise. Their difference has no direct current. With a large emission
// coefficient IS does not depend on the temperature.
func noise(stage string) string {
	const pair = ".if (NAME>0)\nVNAME1 pNAME 0 -1k\nVNAME2 nNAME 0 -1k\nDNAME1 pNAME 0 dNAME\n" +
		"DNAME2 nNAME 0 dNAME\n" +
		".model dNAME d(is=1m n=1k eg=0.1 xti=0 kf={2*echarge*NAMEk} af=1)\n" +
		"FNAME1 PLUS MINUS VNAME1 {GAIN*NAME/sqrt(4*echarge*1m)}\n" +
		"FNAME2 MINUS PLUS VNAME2 {GAIN*NAME/sqrt(4*echarge*1m)}\n.endif\n"
	fill := func(name, plus, minus, gain string) string {
		return strings.NewReplacer("NAME", name, "PLUS", plus, "MINUS", minus, "GAIN", gain).
			Replace(pair)
	}
	return fill("en", "0", "a", stage) + fill("in", "inp", "inn", "1")
}
