package spice

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"slipstick/spice/diag"
)

// TestCertificates verifies that the result of any analysis contains the requested certificates of
// the operating point. A request without certificates yields none.
func TestCertificates(t *testing.T) {
	const text = "t\nV1 in 0 5\nR1 in a 1k\nD1 a 0 1n4148\nC1 a 0 1n\n.op\n.dc v1 0 5 1\n.ac dec 1 1 10\n.tran 1u 10u\n.end"
	for _, kind := range []string{"op", "dc", "ac", "tran"} {
		r, err := Simulate(context.Background(), Request{Netlist: text, Analysis: kind,
			Certify: true, Tolerances: map[string]float64{"R1": 0.05, "V1": 0.01}, OutputNode: "a"})
		if err != nil {
			t.Fatal(err)
		}
		c, b := r.Certificate, r.ToleranceCertificate
		if c == nil || !c.Certified || !strings.Contains(c.Statement, "locally unique") ||
			c.Gmin != 1e-12 || c.TempC != 27 {
			t.Fatalf("%s: %+v", kind, c)
		}
		if b == nil || !b.Certified || b.Output != "a" ||
			!(b.Interval[0] < *b.Nominal && *b.Nominal < b.Interval[1]) {
			t.Fatalf("%s: %+v", kind, b)
		}
		if kind != "op" {
			continue
		}
		for i, name := range c.Unknowns {
			for _, v := range r.Vectors {
				if v.Name == name && math.Abs(v.Values[0]-c.Center[i]) > 0 {
					t.Errorf("%s is printed as %v and certified around %v", name, v.Values[0],
						c.Center[i])
				}
			}
		}
	}
	r := run(t, text, "op")
	if r.Certificate != nil || r.ToleranceCertificate != nil {
		t.Error("certificates that nobody asked for")
	}
}

// TestCertificateRefusals verifies that a missing proof is part of the result, and that an invalid
// request is an error.
func TestCertificateRefusals(t *testing.T) {
	const uic = "t\nV1 in 0 5\nR1 in a 1k\nC1 a 0 1n ic=1\n.tran 1u 10u uic\n.end"
	r, err := Simulate(context.Background(), Request{Netlist: uic, Certify: true,
		Tolerances: map[string]float64{"r1": 0.1}, OutputNode: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Certificate.Certified || !strings.Contains(r.Certificate.Reason, "uic") ||
		r.ToleranceCertificate.Certified ||
		!strings.Contains(r.ToleranceCertificate.Reason, "uic") {
		t.Errorf("%+v %+v", r.Certificate, r.ToleranceCertificate)
	}
	for _, c := range []struct {
		tol   map[string]float64
		out   string
		field string
	}{
		{map[string]float64{"c1": 0.1}, "a", "tolerances.c1"},
		{map[string]float64{"r1": 1}, "a", "tolerances.r1"},
		{map[string]float64{"r1": 0.1}, "", "output_node"},
		{map[string]float64{"r1": 0.1}, "b", "output_node"},
	} {
		_, err := Simulate(context.Background(), Request{Netlist: uic, Tolerances: c.tol,
			OutputNode: c.out})
		var e *Error
		if !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%v %q: %v, want field %s", c.tol, c.out, err, c.field)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var e *Error
	if _, err := Simulate(ctx, Request{Netlist: uic, Certify: true}); !errors.As(err, &e) ||
		e.Code != diag.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
