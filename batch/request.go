package batch

import (
	"encoding/json"
	"errors"
	"strings"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// Limits of a request.
const (
	MaxVariations = 8       // entries of vary
	MaxCollected  = 32      // entries of collect
	MaxRuns       = 100_000 // runs of a synchronous tool
	MaxQueuedRuns = 10_000  // runs of a queued tool
	maxOptimized  = 6       // varied fields of minimize and maximize
	maxListed     = 10      // inputs shown by a dry run
)

// Modes of a batch.
const (
	Grid     = "grid"
	Zip      = "zip"
	Random   = "random"
	LHS      = "lhs"
	Sobol    = "sobol"
	List     = "list"
	Solve    = "solve"
	Minimize = "minimize"
	Maximize = "maximize"
)

// Request describes a batch.
type Request struct {
	Tool      string           `json:"tool" minLength:"1" maxLength:"64" example:"fspl" label:"Tool" doc:"Name of the tool that every run calls"`
	Input     object           `json:"input" default:"{}" label:"Base input" doc:"Input of every run, with the varied fields replaced"`
	Vary      []Variation      `json:"vary" default:"[]" maxItems:"8" label:"Varied fields" doc:"Fields that differ from run to run, with the source of their values"`
	Mode      string           `json:"mode" enum:"grid,zip,random,lhs,sobol,list,solve,minimize,maximize" default:"grid" label:"Mode" doc:"How the values of the varied fields are combined, or what is searched for"`
	Inputs    []object         `json:"inputs" default:"[]" maxItems:"100000" label:"Inputs" doc:"With mode list: one object per run, merged over input"`
	N         *int             `json:"n" min:"1" max:"100000" label:"Runs" doc:"Number of runs of random, lhs and sobol; maximum number of runs of minimize and maximize (default 500) and of solve (default five per scan point, at least 128 more than scan points)"`
	Seed      int64            `json:"seed" default:"1" label:"Seed" doc:"Seed of the random draws; equal requests give equal runs"`
	Collect   []Collected      `json:"collect" default:"[]" maxItems:"32" label:"Collected results" doc:"Results to keep of every run; default: all numbers and booleans at the top of the result"`
	Limits    map[string]Limit `json:"limits" default:"{}" label:"Limits" doc:"Collected name to its limits: a run passes within all of them"`
	Target    *Target          `json:"target" label:"Target" doc:"With mode solve: the value that a collected result must reach"`
	Objective *string          `json:"objective" maxLength:"256" label:"Objective" doc:"With modes minimize and maximize: the collected name to optimize"`
	Label     *string          `json:"label" maxLength:"64" label:"Label" doc:"Name of the batch in lists"`
	DryRun    bool             `json:"dry_run" default:"false" label:"Dry run" doc:"Validate every run's input and compute nothing"`
}

// Variation is a varied field with its source of values.
type Variation struct {
	Field         string   `json:"field" minLength:"1" maxLength:"256" example:"/dist_km" label:"Field" doc:"JSON pointer into the input; for spice_simulate also param:NAME or element:NAME"`
	Values        []Value  `json:"values" default:"[]" maxItems:"100001" label:"Values" doc:"Values in order"`
	From          *float64 `json:"from" label:"From" doc:"First value of a range, included"`
	To            *float64 `json:"to" label:"To" doc:"Last value of a range, included"`
	Points        *int     `json:"points" min:"2" max:"100001" label:"Points" doc:"Number of values in the range; scan points of solve, default 33"`
	Scale         *string  `json:"scale" enum:"lin,log" label:"Scale" doc:"Spacing of the range; default lin"`
	Distribution  *string  `json:"distribution" enum:"normal,uniform,lognormal,triangular" label:"Distribution" doc:"Distribution of the random values"`
	Mean          *float64 `json:"mean" label:"Mean" doc:"Mean of the normal distribution"`
	Sigma         *float64 `json:"sigma" gt:"0" label:"Standard deviation" doc:"Standard deviation of the normal distribution"`
	Min           *float64 `json:"min" label:"Minimum" doc:"Lower limit of the uniform or triangular distribution"`
	Mode          *float64 `json:"mode" label:"Mode" doc:"Most likely value of the triangular distribution"`
	Max           *float64 `json:"max" label:"Maximum" doc:"Upper limit of the uniform or triangular distribution"`
	Median        *float64 `json:"median" gt:"0" label:"Median" doc:"Median of the lognormal distribution"`
	SigmaLn       *float64 `json:"sigma_ln" gt:"0" label:"Sigma of the logarithm" doc:"Standard deviation of the natural logarithm, for the lognormal distribution"`
	TolerancePct  *float64 `json:"tolerance_pct" unit:"%" gt:"0" max:"100" label:"Tolerance" doc:"Tolerance around the base value: uniform within it (default), or normal with a third of it as sigma, truncated at the tolerance"`
	TruncateSigma *float64 `json:"truncate_sigma" gt:"0" max:"10" label:"Truncation" doc:"Truncates the normal distribution at this number of standard deviations on both sides"`
}

// Limit is the range in which a collected value passes.
type Limit struct {
	Min *float64 `json:"min" label:"Minimum" doc:"Lowest value that passes"`
	Max *float64 `json:"max" label:"Maximum" doc:"Highest value that passes"`
}

// Target is the value that solve seeks.
type Target struct {
	Name  string  `json:"name" minLength:"1" maxLength:"256" label:"Result" doc:"Collected name"`
	Value float64 `json:"value" label:"Value" doc:"Value that it must reach"`
}

// Collected selects a value of the result: by a pointer, or by an object with a name and a source.
type Collected struct {
	collected
}

type collected struct {
	Name    string   `json:"name" minLength:"1" maxLength:"256" label:"Name" doc:"Column name"`
	Pointer *string  `json:"pointer" maxLength:"256" label:"Pointer" doc:"JSON pointer into the result"`
	Measure *string  `json:"measure" maxLength:"256" label:"Measurement" doc:"Name of a .measure card"`
	Vector  *string  `json:"vector" maxLength:"256" label:"Vector" doc:"Name of a vector, with reduce or at"`
	Reduce  *string  `json:"reduce" enum:"max,min,pp,mean,rms,last,argmax,argmin" label:"Reduction" doc:"Value that stands for the vector; mean and rms of a transient are weighted by time"`
	At      *float64 `json:"at" label:"At" doc:"Value of the sweep variable at which the vector is read, interpolated"`
}

var (
	requestSchema   = schema.Compile[Request]()
	collectedSchema = schema.Compile[collected]()
)

// Schema returns the schema of a Request.
func Schema() *schema.Node { return requestSchema }

// DecodeField implements schema.FieldDecoder.
func (c *Collected) DecodeField(raw []byte) error {
	switch raw[0] {
	case '"':
		var pointer string
		if err := json.Unmarshal(raw, &pointer); err != nil {
			return err
		}
		if pointer == "" || len(pointer) > 256 {
			return errors.New("must be a JSON pointer of 1 to 256 characters, such as /margin_db")
		}
		c.collected = collected{Name: pointer, Pointer: &pointer}
		return nil
	case '{':
		d, err := collectedSchema.Decode(raw, &c.collected)
		if err == nil && len(d.FieldErrors) > 0 {
			err = &tools.InputError{Fields: d.FieldErrors}
		}
		return err
	}
	return errors.New(
		"must be a JSON pointer, or an object with name and one of pointer, measure and vector")
}

// FieldSchema implements schema.FieldDecoder.
func (c *Collected) FieldSchema() map[string]any {
	return map[string]any{"type": []string{"string", "object"}}
}

// MarshalJSON returns the form that DecodeField accepts.
func (c Collected) MarshalJSON() ([]byte, error) { return json.Marshal(c.collected) }

// object is the text of a JSON object.
type object []byte

// DecodeField implements schema.FieldDecoder.
func (o *object) DecodeField(raw []byte) error {
	if raw[0] != '{' {
		return errors.New("must be an object")
	}
	*o = append(object(nil), raw...)
	return nil
}

// FieldSchema implements schema.FieldDecoder.
func (o *object) FieldSchema() map[string]any { return map[string]any{"type": "object"} }

// MarshalJSON returns the text of the object.
func (o object) MarshalJSON() ([]byte, error) { return o, nil }

// Value is the text of any JSON value.
type Value []byte

// DecodeField implements schema.FieldDecoder.
func (v *Value) DecodeField(raw []byte) error {
	*v = append(Value(nil), raw...)
	return nil
}

// FieldSchema implements schema.FieldDecoder.
func (v *Value) FieldSchema() map[string]any { return map[string]any{} }

// MarshalJSON returns the text of the value.
func (v Value) MarshalJSON() ([]byte, error) { return v, nil }

// UnmarshalJSON stores the text of the value.
func (v *Value) UnmarshalJSON(raw []byte) error { return v.DecodeField(raw) }

// Parse parses a request. It returns a *tools.InputError for an invalid request.
func Parse(body []byte) (*Request, error) {
	r := &Request{}
	d, err := requestSchema.Decode(body, r)
	if err != nil {
		return nil, tools.Invalid("", "%s", err)
	}
	errs := d.FieldErrors
	for _, name := range d.Unknown {
		errs = append(errs, schema.FieldError{Path: name, Detail: "is not a field of a batch; valid: " +
			strings.Join(tools.ValidFields(name, requestSchema), ", ")})
	}
	if len(errs) > 0 {
		return nil, &tools.InputError{Fields: errs}
	}
	return r, nil
}
