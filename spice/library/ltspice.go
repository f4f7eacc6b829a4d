package library

import "strings"

// ltspiceTexts returns the netlist texts of the amplifiers that LTspice installs with its symbols.
// They are not listed as parts.
//
// level.1 is the universal amplifier without limits. level.2, level.3, level.3a and level.3b are
// those with slew rate, output current and output swing. They have the parameters of LTspice except
// for the phase margin and the noise. opamp.3 is the amplifier of LTspice's opamp.sub with three
// pins, which has one pole and no supplies.
func ltspiceTexts() map[string]string {
	const pole = "RIN inp inn {rin}\nRA a 0 {avol}\nCA a 0 {1/(2*3.14159265359*gbw)}\n" +
		"GA 0 a inp inn 1\nIA 0 a {vos}\nEO o 0 a 0 1\nRO o out 1m\n"
	const head = " inp inn vcc vee out params: avol=1meg gbw=10meg vos=0 rin=500meg"
	// The current limit of the input stage is that of slew=10meg and 30 pF at every slew rate.
	const limits = head + " slew=10meg ilimit=25m rail=0\n.param gain={avol} " +
		"high={max(rail,10m)} low={max(rail,10m)} short={ilimit} supply=0\n" +
		"IV 0 a {10*2*3.14159265359*gbw/slew/10k*vos}\n"
	texts := map[string]string{
		// The supplies may be open.
		"level.1": ".subckt level.1" + head + "\n" + pole + "RP vcc 0 1g\nRM vee 0 1g\n.ends\n",
		"opamp.3": ".subckt opamp.3 inn inp out params: aol=100k gbw=10meg\n" +
			".param avol={aol} vos=0 rin=1e12\n" + pole + ".ends\n",
	}
	body := strings.Replace(opampBody, "cc=30p", "cc={300u/slew}", 1)
	for _, name := range [...]string{"level.2", "level.3", "level.3a", "level.3b"} {
		texts[name] = ".subckt " + name + limits + body + ".ends\n"
	}
	return texts
}
