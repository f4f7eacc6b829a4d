// Command generated calls ten synchronous tools and a queued tool through the client of ogen.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/ogen-go/ogen/ogenerrors"

	api "generated/client"
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

// as returns a response as the expected type. It ends the program if the response has another type
// or err is not nil.
func as[T any](name string, response any, err error) T {
	v, ok := response.(T)
	if err != nil || !ok {
		fmt.Fprintf(os.Stderr, "%s: %v, %T %+v\n", name, err, response, response)
		os.Exit(1)
	}
	return v
}

// anonymous is a security source that sends no key.
type anonymous struct{}

func (anonymous) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{}, ogenerrors.ErrSkipClientSecurity
}

func (anonymous) JWT(context.Context, api.OperationName) (api.JWT, error) {
	return api.JWT{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	var r report
	ctx := context.Background()
	c, err := api.NewClient(os.Args[1], anonymous{})
	if err != nil {
		panic(err)
	}
	fspl, err := c.ComputeFspl(ctx, &api.FsplInput{FreqMhz: 915, DistKm: 5})
	r.check("fspl", nil, as[*api.FsplResponse]("fspl", fspl, err).Result.FsplDb, 105.65560518993271)
	link, err := c.ComputeLinkBudget(ctx, &api.LinkBudgetInput{TxDbm: 20, FreqMhz: 915, DistKm: 5})
	budget := as[*api.LinkBudgetResponse]("link_budget", link, err).Result
	r.check("link_budget", nil, budget.EirpDbm, 22.15)
	if !budget.MarginDb.Null {
		r.check("margin_db", errNotNull, budget.MarginDb.Value, 0)
	}
	dipole, err := c.ComputeDipole(ctx,
		&api.DipoleInput{FreqMhz: 915,
			Type: api.NewOptDipoleInputType(api.DipoleInputTypeHalfWave)})
	r.check("dipole", nil, as[*api.DipoleResponse]("dipole", dipole, err).Result.WavelengthM,
		0.32764203060109287)
	cascade, err := c.ComputeNoiseFigureCascade(ctx,
		&api.NoiseFigureCascadeInput{Stages: []api.NoiseFigureCascadeInputStages{{NfDb: 2,
			GainDb: 10}}})
	r.check("noise_figure_cascade", nil, as[*api.NoiseFigureCascadeResponse]("noise_figure_cascade",
		cascade, err).Result.TotalNfDb, 2)
	airtime, err := c.ComputeLoraAirtime(ctx, &api.LoraAirtimeInput{PayloadBytes: 20,
		BwKhz: api.NewOptLoraAirtimeInputBwKhz(api.NewFloat64LoraAirtimeInputBwKhz(125))})
	r.check("lora_airtime", nil, as[*api.LoraAirtimeResponse]("lora_airtime", airtime,
		err).Result.AirtimeMs, 370.688)
	ohm, err := c.ComputeOhmsLaw(ctx, &api.OhmsLawInput{VoltageV: api.NewOptFloat64(5),
		CurrentA: api.NewOptFloat64(0.02)})
	r.check("ohms_law", nil, as[*api.OhmsLawResponse]("ohms_law", ohm, err).Result.ResistanceOhm,
		250)
	vswr, err := c.ComputeVswr(ctx, &api.VswrInput{Vswr: api.NewOptFloat64(3)})
	r.check("vswr", nil, as[*api.VswrResponse]("vswr", vswr, err).Result.ReflectionCoefficient, 0.5)
	pool, err := c.ComputeZfsCapacity(ctx, &api.ZfsCapacityInput{RaidLevel: "raidz2",
		DriveSizeTb: 4, DrivesPerVdev: api.NewOptInt(6)})
	r.check("zfs_capacity", nil,
		as[*api.ZfsCapacityResponse]("zfs_capacity", pool, err).Result.RawTb,
		24)
	days, err := c.ComputeDateDifference(ctx, &api.DateDifferenceInput{StartDate: "2026-01-01",
		EndDate: "2026-02-01"})
	r.check("date_difference", nil, float64(as[*api.DateDifferenceResponse]("date_difference", days,
		err).Result.TotalDays), 31)
	template, err := c.ComputeSpiceTemplate(ctx,
		&api.SpiceTemplateInput{Template: "voltage_divider",
			Params: api.SpiceTemplateInputParams{}})
	r.check("spice_template", nil,
		float64(as[*api.SpiceTemplateResponse]("spice_template", template,
			err).Result.ComponentCount), 3)

	wrong, err := c.ComputeFspl(ctx, &api.FsplInput{FreqMhz: -1, DistKm: 5})
	r.check("a wrong field", nil,
		float64(as[*api.Problem]("a wrong field", wrong, err).Status), 400)

	netlist := fmt.Sprintf("ogen %d\nV1 in 0 10\nR1 in out 10k\nR2 out 0 10k\n.op\n.end",
		time.Now().UnixNano())
	accepted, err := c.ComputeSpiceSimulate(ctx, &api.SpiceSimulateInput{Netlist: netlist},
		api.ComputeSpiceSimulateParams{Prefer: api.NewOptString("respond-async")})
	id := as[*api.AcceptedHeaders]("202", accepted, err).Response.ID
	job, err := c.GetJob(ctx, api.GetJobParams{ID: id, Prefer: api.NewOptString("wait=20")})
	done := as[*api.JobHeaders]("the job", job, err).Response
	if done.State != "done" {
		r.check("the job is "+string(done.State), nil, 0, 1)
	}
	var result struct{ Vectors map[string][]float64 }
	err = json.Unmarshal(done.Result.Value.Result, &result)
	r.check("spice_simulate", err, result.Vectors["v(out)"][0], 5)
	if r.failed {
		os.Exit(1)
	}
}
