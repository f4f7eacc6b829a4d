// Command generated calls ten synchronous tools and a queued tool through the client of
// oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"generated/client"
)

var errNotNull = errors.New("it must be null")

// report collects the results of the checks.
type report struct{ failed bool }

// check compares a result with its expected value.
func (r *report) check(name string, err error, got, want float64) {
	if err != nil || !(math.Abs(got-want) <= 1e-9*math.Abs(want)) { // also fails for NaN
		fmt.Fprintf(os.Stderr, "%s: %v, got %v, want %v\n", name, err, got, want)
		r.failed = true
	}
}

func ptr[T any](v T) *T { return &v }

func main() {
	var r report
	ctx := context.Background()
	c, err := client.NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	fspl, err := c.ComputeFsplWithResponse(ctx, client.FsplInput{FreqMhz: 915, DistKm: 5})
	r.check("fspl", err, fspl.JSON200.Result.FsplDb, 105.65560518993271)
	link, err := c.ComputeLinkBudgetWithResponse(ctx, client.LinkBudgetInput{TxDbm: 20,
		FreqMhz: 915, DistKm: 5})
	r.check("link_budget", err, link.JSON200.Result.EirpDbm, 22.15)
	if link.JSON200.Result.MarginDb != nil {
		r.check("margin_db", errNotNull, *link.JSON200.Result.MarginDb, 0)
	}
	dipole, err := c.ComputeDipoleWithResponse(ctx, client.DipoleInput{FreqMhz: 915,
		Type: ptr(client.DipoleInputTypeHalfWave)})
	r.check("dipole", err, dipole.JSON200.Result.WavelengthM, 0.32764203060109287)
	cascade, err := c.ComputeNoiseFigureCascadeWithResponse(ctx, client.NoiseFigureCascadeInput{
		Stages: []client.NoiseFigureCascadeInputStages{{NfDb: 2, GainDb: 10}},
	})
	r.check("noise_figure_cascade", err, cascade.JSON200.Result.TotalNfDb, 2)
	bandwidth := &client.LoraAirtimeInput_BwKhz{}
	if err := bandwidth.FromLoraAirtimeInputBwKhz0(125); err != nil {
		panic(err)
	}
	airtime, err := c.ComputeLoraAirtimeWithResponse(ctx, client.LoraAirtimeInput{PayloadBytes: 20,
		BwKhz: bandwidth})
	r.check("lora_airtime", err, airtime.JSON200.Result.AirtimeMs, 370.688)
	ohm, err := c.ComputeOhmsLawWithResponse(ctx, client.OhmsLawInput{VoltageV: ptr(5.0),
		CurrentA: ptr(0.02)})
	r.check("ohms_law", err, ohm.JSON200.Result.ResistanceOhm, 250)
	vswr, err := c.ComputeVswrWithResponse(ctx, client.VswrInput{Vswr: ptr(3.0)})
	r.check("vswr", err, vswr.JSON200.Result.ReflectionCoefficient, 0.5)
	pool, err := c.ComputeZfsCapacityWithResponse(ctx, client.ZfsCapacityInput{RaidLevel: "raidz2",
		DriveSizeTb: 4, DrivesPerVdev: ptr(6)})
	r.check("zfs_capacity", err, pool.JSON200.Result.RawTb, 24)
	days, err := c.ComputeDateDifferenceWithResponse(ctx,
		client.DateDifferenceInput{StartDate: "2026-01-01", EndDate: "2026-02-01"})
	r.check("date_difference", err, float64(days.JSON200.Result.TotalDays), 31)
	template, err := c.ComputeSpiceTemplateWithResponse(ctx,
		client.SpiceTemplateInput{Template: "voltage_divider", Params: map[string]float64{}})
	r.check("spice_template", err, float64(template.JSON200.Result.ComponentCount), 3)

	wrong, err := c.ComputeFsplWithResponse(ctx, client.FsplInput{FreqMhz: -1, DistKm: 5})
	r.check("a wrong field", err, float64(wrong.ApplicationproblemJSON400.Status), 400)

	netlist := fmt.Sprintf("oapi-codegen %d\nV1 in 0 10\nR1 in out 10k\nR2 out 0 10k\n.op\n.end",
		time.Now().UnixNano())
	accepted, err := c.ComputeSpiceSimulateWithResponse(ctx,
		&client.ComputeSpiceSimulateParams{Prefer: ptr("respond-async")},
		client.SpiceSimulateInput{Netlist: netlist})
	r.check("202", err, float64(accepted.StatusCode()), 202)
	job, err := c.GetJobWithResponse(ctx, accepted.JSON202.Id,
		&client.GetJobParams{Prefer: ptr("wait=20")})
	if err != nil || job.JSON200.State != "done" {
		r.check("the job "+string(job.Body), err, 0, 1)
	}
	var result struct{ Vectors map[string][]float64 }
	raw, err := json.Marshal(job.JSON200.Result.Result)
	if err == nil {
		err = json.Unmarshal(raw, &result)
	}
	r.check("spice_simulate", err, result.Vectors["v(out)"][0], 5)
	if r.failed {
		os.Exit(1)
	}
}
