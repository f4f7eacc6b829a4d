package cmd

import (
	"bytes"
	"strings"
	"testing"

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

// TestAmountsArePrintedWhole: the printed amounts, counts and seconds equal those of JSON.
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
		// 200,000 at 6 %: the contract's 1199.10 a month, of which 1000.00 are interest at first.
		{[]string{"loan_amortization", "principal=200000", "annual_rate_pct=6", "term_years=30"},
			[]string{"1 none 1199.1 1000 199.1 0 199800.9"}},
		{[]string{"loan_amortization", "principal=1000", "annual_rate_pct=6", "term_years=1"},
			[]string{"Payment number Date Payment [currency] Interest [currency] Principal [currency] Extra payment [currency] Balance [currency]"}},
		{[]string{"cooling_btu", "it_load_w=1000"}, []string{"Heat sources, IT equipment 1000 W"}},
		// OpenZFS issue 15467, byte for byte.
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
