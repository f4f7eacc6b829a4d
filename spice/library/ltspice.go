package library

// ltspiceTexts returns the netlist texts of the amplifiers that LTspice installs with its symbols,
// by the names in its netlists. They are not listed as parts, and have the parameters of LTspice.
//
// level.1 is the universal amplifier without limits, level.2 and level.3 are that with slew rate,
// output current and output swing. opamp.3 is the amplifier with three pins of opamp.sub, which has
// one pole and no supplies.
func ltspiceTexts() map[string]string {
	const pole = "RIN inp inn {rin}\nRA a 0 1\nCA a 0 {avol/(2*3.14159265359*gbw)}\n" +
		"GA 0 a inp inn {avol}\nIA 0 a {avol*vos}\nEO o 0 a 0 1\nRO o out 1m\n.ends\n"
	const head = " inp inn vcc vee out params: avol=1meg gbw=10meg vos=0 rin=500meg"
	const limits = head + " slew=10meg ilimit=25m rail=0\n.param gain={avol} " +
		"high={max(rail,10m)} low={max(rail,10m)} short={ilimit} supply=0\n" +
		"IV 0 a {10*2*3.14159265359*gbw/slew/10k*vos}\n" + opampBody + ".ends\n"
	texts := map[string]string{
		"level.1": ".subckt level.1" + head + "\n" + pole,
		"opamp.3": ".subckt opamp.3 inn inp out params: aol=100k gbw=10meg\n" +
			".param avol={aol} vos=0 rin=1e12\n" + pole,
	}
	for _, name := range [...]string{"level.2", "level.3", "level.3a", "level.3b"} {
		texts[name] = ".subckt " + name + limits
	}
	return texts
}
