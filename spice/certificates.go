package spice

import (
	"context"
	"errors"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/certify"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// Certificate is a proof that a DC operating point exists near the computed one, or the reason why
// no proof was found.
type Certificate = certify.Certificate

// ToleranceCertificate is the proven range of a node voltage over element tolerances, or the reason
// why no proof was found.
type ToleranceCertificate = certify.Tolerance

// leastCertifyTime is the minimum time allowed for certificates, even if the simulation has used
// all of its time.
const leastCertifyTime = 2 * time.Second

// checkCertificates returns an error if the tolerances of a request are invalid for the circuit.
func checkCertificates(ckt *netlist.Circuit, req Request) error {
	if len(req.Tolerances) == 0 {
		return nil
	}
	return certify.CheckTolerances(ckt, req.Tolerances, req.OutputNode)
}

// addCertificates computes the requested certificates, with end as the deadline. Both certificates
// concern the DC operating point, regardless of the analysis that was run. A certificate without a
// proof states the reason and does not fail the simulation.
func (res *Result) addCertificates(ctx context.Context, job analysis.Job, req Request,
	end time.Time) error {
	if !req.Certify && len(req.Tolerances) == 0 {
		return nil
	}
	if least := time.Now().Add(leastCertifyTime); end.Before(least) {
		end = least
	}
	reason := ""
	var bias *analysis.Bias
	if job.Analysis.UIC {
		reason = "with uic no operating point is computed"
	} else {
		var err error
		if bias, err = analysis.OperatingPoint(ctx, job); err != nil {
			var fault *Error
			if !errors.As(err, &fault) || fault.Code == diag.Canceled {
				return err
			}
			reason = "no operating point was found: " + fault.Detail
		}
	}
	cancelled := func(err error) error {
		return &Error{Code: diag.Canceled, Field: "netlist", Detail: "the simulation was cancelled",
			Cause: err}
	}
	var err error
	if req.Certify {
		if reason != "" {
			res.Certificate = &Certificate{Reason: reason, Gmin: job.Options.Gmin,
				TempC: job.Options.TempC}
		} else if res.Certificate, err = certify.Existence(ctx, bias, end); err != nil {
			return cancelled(err)
		}
	}
	if len(req.Tolerances) > 0 {
		if reason != "" {
			res.ToleranceCertificate = &ToleranceCertificate{Reason: reason, Output: req.OutputNode}
		} else if res.ToleranceCertificate, err = certify.Tolerances(ctx, bias, req.Tolerances,
			req.OutputNode, end); err != nil {
			return cancelled(err)
		}
	}
	return nil
}
