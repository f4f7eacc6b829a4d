package cmd

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"slipstick/tools/catalog"
)

func TestRounded(t *testing.T) {
	for _, c := range []struct {
		f      float64
		digits int
		want   string
	}{
		{105.65560518993271, 9, "105.655605"},
		{0.32764203060109287, 9, "0.327642031"},
		{0, 9, "0"},
		{-2.5, 9, "-2.5"},
		{1709210096, 9, "1709210096"},
		{1709210096.125, 9, "1709210096.125"},
		{83778638741504, 9, "83778638741504"},
		{9007199254740992, 9, "9007199254740992"},
		{1e100, 9, "1e+100"},
		{6.02214076e23, 9, "6.02214076e+23"},
		{12345678.91, 9, "12345678.91"},
		{123456789.123456, 9, "123456789.12"},
		{123456789.999999, 9, "123456790"},
		{1234567.123456, 9, "1234567.12"},
		{1e-12, 9, "1e-12"},
		{1.23456789012e-5, 9, "1.23456789e-05"},
		{0.0001, 9, "0.0001"},
		{199800.9, 6, "199800.9"},
		{16470.094976902801, 6, "16470.09"},
		{1591.549430918953, 6, "1591.55"},
		{0.7071067811865476, 6, "0.707107"},
		{1e9, 6, "1000000000"},
	} {
		if got := rounded(c.f, c.digits); got != c.want {
			t.Errorf("%v in %d digits: %s, want %s", c.f, c.digits, got, c.want)
		}
	}
}

// TestAmountsArePrintedWhole verifies that amounts, counts and times are printed without rounding.
func TestAmountsArePrintedWhole(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"sales_tax", "price=12345678.91", "rate_pct=8.25"},
			[]string{"Tax 1018518.51 currency", "Total 13364197.42 currency"}},
		{[]string{"timestamp_converter", "value=2024-02-29T12:34:56"},
			[]string{"Unix time 1709210096 s", "Unix time (ms) 1709210096000 ms"}},
		// A loan of 200,000 over 30 years at 6 % costs 1199.10 per month. The first payment
		// contains 1000.00 of interest.
		{[]string{"loan_amortization", "principal=200000", "annual_rate_pct=6", "term_years=30"},
			[]string{"1 1199.1 1000 199.1 0 199800.9"}},
		{[]string{"loan_amortization", "principal=1000", "annual_rate_pct=6", "term_years=1"},
			[]string{"Payment Payment Interest Principal Extra Balance",
				"number [currency] [currency] [currency] payment [currency]"}},
		{[]string{"cooling_btu", "it_load_w=1000"}, []string{"Heat sources, IT equipment 1000 W"}},
		// The expected capacity is from OpenZFS issue 15467.
		{[]string{"zfs_capacity", "raid_level=draid2", "drive_size_tb=1", "drives_per_vdev=24",
			"draid_data=6"}, []string{"Usable capacity (B) 15835678638080 B"}},
	} {
		var out bytes.Buffer
		err := newCommand(
			all,
			strings.NewReader(""),
			&out,
			&out,
		).Run(t.Context(), append([]string{"slipstick", "run"}, c.args...))
		if err != nil {
			t.Error(err)
		}
		lines := ""
		for line := range strings.Lines(out.String()) {
			lines += strings.Join(strings.Fields(line), " ") + "\n"
		}
		for _, want := range c.want {
			if !strings.Contains(lines, want+"\n") {
				t.Errorf("%v: %q is not in\n%s", c.args, want, lines)
			}
		}
	}
}

// TestAnalyses verifies that each further analysis of a netlist is printed as a block that fits a
// terminal. It also verifies that the block has the card, the measurements and the extremes of the
// vectors.
func TestAnalyses(t *testing.T) {
	const netlist = `RC low-pass
V1 in 0 DC 1 AC 1
R1 in out 1k
C1 out 0 100n
.op
.dc V1 0 5 0.5
.ac dec 20 10 100k
.tf v(out) V1
.meas ac corner when vdb(out)=-3.0103
.meas ac never when vdb(out)=3
.end
`
	out, _, err := runCLI(t, netlist, "run", "spice_simulate", "netlist=@-")
	if err != nil {
		t.Fatal(err)
	}
	lines := ""
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(line); n > tableColumns {
			t.Errorf("a line of %d columns: %.100s", n, line)
		}
		lines += strings.Join(strings.Fields(line), " ") + "\n"
	}
	for _, want := range []string{
		"Vectors (11 points):\n", // the first sweep, 0 to 5 V in steps of 0.5 V
		"\n.op\nVector Value\n",  // one point
		"\nv(out) 1\n",           // v(out) equals v(in) without a load
		"\n.ac dec 20 10 100k\n", // 4 decades of 20 points, plus the last: 81
		"\nVector (81 points) First Last Minimum Maximum\nfrequency 10 100000 10 100000\n",
		"\nMeasurements, corner 1591.5",                   // 1/(2πRC) is 1591.549 Hz
		"\nMeasurements, never none\n",                    // no RC low-pass has gain
		"\nTransfer function, Output resistance 1000 Ω\n", // R1
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// TestEntriesAndWideTables verifies that entries with nested objects are blocks without empty
// fields, and that the headings of a wide table are wrapped.
func TestEntriesAndWideTables(t *testing.T) {
	for _, c := range []struct {
		args         []string
		want, absent string
	}{
		// For 50 Ω to 200 Ω, Q is √(200/50-1), X is 50·Q = 86.6025 Ω, and L is X/(2π·100 MHz).
		{[]string{"impedance_match", "freq_mhz=100", "source_r_ohm=50", "load_r_ohm=200"},
			"Series element, Inductance 1.37832224e-07 H\n", "none\n"},
		{[]string{"lora_param_optimizer", "target_range_km=5"}, "factor [kHz] rate", "[dBm] Link margin"},
	} {
		out, _, err := runCLI(t, "", append([]string{"run"}, c.args...)...)
		if err != nil {
			t.Error(err)
			continue
		}
		lines := ""
		for line := range strings.Lines(out) {
			lines += strings.Join(strings.Fields(line), " ") + "\n"
		}
		if !strings.Contains(lines, c.want) || strings.Contains(lines, c.absent) {
			t.Errorf("%v: %q is not, or %q is in\n%s", c.args, c.want, c.absent, out)
		}
	}
}
