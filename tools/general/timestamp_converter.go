package general

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // time zones for machines without a zone database

	"slipstick/tools"
	"slipstick/tools/calendar"
	"slipstick/tools/decimal"
)

// TimestampConverter converts between Unix time and ISO 8601.
var TimestampConverter = tools.Define(tools.Spec{
	Name:    "timestamp_converter",
	Title:   "Timestamp converter",
	Summary: "Convert between Unix time in seconds to nanoseconds and ISO 8601, with time zone, week and Julian date",
	Method: "Unix time counts the seconds since 1970-01-01T00:00:00Z without leap seconds. Unit auto by size: below 1e11 seconds, 1e14 milliseconds, " +
		"1e17 microseconds, else nanoseconds. A local time that a change of the clocks skips is moved forward by the gap; of one that occurs twice the earlier is taken. " +
		"Weekday, day of the year and ISO week are those of the local date. Julian date = seconds/86400 + 2440587.5",
	Sources: []string{
		"IEEE Std 1003.1-2017 (POSIX), base definitions 4.16, seconds since the epoch",
		"ISO 8601-1:2019; RFC 3339",
		"IANA time zone database",
	},
	Limits: []string{
		"Leap seconds have no Unix time of their own; dates before 1582 are proleptic Gregorian",
		"Future local times follow the rules known to the zone database",
	},
	Aliases: []string{"unix time", "epoch", "ISO 8601", "time zone", "UTC", "Julian date",
		"week number", "datetime"},
	Primary: []string{"unix_seconds", "iso_utc"},
	Examples: []tools.Example{
		{
			Title: "Unix seconds",
			In:    `{"value": 1709210096}`,
			Want: `{"iso_utc": "2024-02-29T12:34:56Z", "weekday": "Thursday", "day_of_year": 60, "iso_week": 9, "iso_week_year": 2024,
				"unix_ms": 1709210096000, "unix_ns": "1709210096000000000", "detected_unit": "s", "warnings": []}`,
		},
		{
			Title: "A time that the change of the clocks skips",
			In:    `{"value": "2024-03-10T02:30:00", "timezone": "America/New_York"}`,
			Want: `{"iso_local": "2024-03-10T03:30:00-04:00", "utc_offset": "-04:00", "is_dst": true, "input_kind": "iso",
				"warnings": ["this local time does not exist in America/New_York: the clocks were put forward over it; it was moved forward by the gap"]}`,
		},
		{
			Title: "The start of the epoch",
			In:    `{"value": 0}`,
			Want:  `{"iso_utc": "1970-01-01T00:00:00Z", "weekday": "Thursday"}`,
			From:  "POSIX",
		},
	},
}, timestampConverter)

type timestampConverterIn struct {
	Value      instantText `json:"value" example:"1709210096" label:"Time" doc:"Unix time as a number or numeric text, an ISO 8601 date with optional time and offset, or \"now\""`
	Unit       string      `json:"unit" enum:"auto,s,ms,us,ns" default:"auto" label:"Unix time unit" doc:"Unit of a Unix time; auto determines it from the magnitude"`
	Timezone   string      `json:"timezone" maxLength:"64" default:"UTC" example:"Europe/Berlin" label:"Time zone" doc:"IANA time zone, for the local output and for ISO text without an offset"`
	Zones      *[]string   `json:"zones" minItems:"1" maxItems:"50" maxLength:"64" label:"Further time zones" doc:"IANA time zones in which to show the same time"`
	LeapSecond bool        `json:"leap_second" default:"false" label:"Leap second" doc:"Accept second 60 of an announced leap second, as the second after it"`
}

type timestampConverterOut struct {
	UnixSeconds  float64    `json:"unix_seconds" unit:"s" instant:"true" label:"Unix time" doc:"Seconds since 1970-01-01T00:00:00Z, with fraction"`
	UnixMs       float64    `json:"unix_ms" unit:"ms" instant:"true" label:"Unix time (ms)" doc:"Milliseconds since 1970-01-01T00:00:00Z"`
	UnixNs       string     `json:"unix_ns" label:"Unix time (ns)" doc:"Nanoseconds since 1970-01-01T00:00:00Z, exact"`
	ISOUTC       string     `json:"iso_utc" label:"ISO 8601 (UTC)" doc:"Time in UTC by ISO 8601"`
	ISOLocal     string     `json:"iso_local" label:"ISO 8601 (local)" doc:"Local time by ISO 8601"`
	UTCOffset    string     `json:"utc_offset" label:"UTC offset" doc:"Offset of the time zone at this time"`
	Timezone     string     `json:"timezone" label:"Time zone" doc:"IANA time zone"`
	IsDST        bool       `json:"is_dst" label:"Daylight saving time" doc:"Daylight saving time applies"`
	Weekday      string     `json:"weekday" label:"Weekday" doc:"Local day of the week"`
	DayOfYear    int        `json:"day_of_year" unit:"1" label:"Day of year" doc:"Local day of the year, from 1"`
	ISOWeek      int        `json:"iso_week" unit:"1" label:"ISO week" doc:"Local ISO 8601 week"`
	ISOWeekYear  int        `json:"iso_week_year" unit:"1" label:"ISO week year" doc:"Year the ISO week belongs to"`
	JulianDate   float64    `json:"julian_date" unit:"d" instant:"true" label:"Julian date" doc:"Julian date, in UTC"`
	InputKind    string     `json:"input_kind" label:"Input format" doc:"Format of the input: unix (also for now) or iso"`
	DetectedUnit *string    `json:"detected_unit" label:"Detected unit" doc:"Unit the Unix time was read in; null for ISO text"`
	Zones        []zoneTime `json:"zones" nullable:"true" label:"Further time zones" doc:"Time in each of zones; null without them"`
	tools.Warnings
}

type zoneTime struct {
	Timezone    string  `json:"timezone" label:"Time zone" doc:"IANA time zone"`
	ISOLocal    string  `json:"iso_local" label:"ISO 8601 (local)" doc:"Local time by ISO 8601"`
	UTCOffset   string  `json:"utc_offset" label:"UTC offset" doc:"Offset of the time zone at this time"`
	DifferenceH float64 `json:"difference_h" unit:"h" label:"Difference" doc:"UTC offset minus that of the main time zone"`
	IsDST       bool    `json:"is_dst" label:"Daylight saving time" doc:"Daylight saving time applies"`
	Weekday     string  `json:"weekday" label:"Weekday" doc:"Local day of the week"`
}

func timestampConverter(_ context.Context, in timestampConverterIn) (timestampConverterOut, error) {
	out := timestampConverterOut{Timezone: in.Timezone}
	zone, err := loadZone(in.Timezone)
	if err != nil {
		var f tools.FieldErrors
		f.AddValue("timezone", in.Timezone, "%v", err)
		return out, f.Err()
	}
	var t time.Time
	if text := in.Value.text; numericText.MatchString(text) {
		out.InputKind = "unix"
		t, err = out.unix(in)
	} else if text == "now" {
		unit := "ns"
		out.InputKind, out.DetectedUnit = "unix", &unit
		t = time.Now()
	} else {
		out.InputKind = "iso"
		t, err = out.iso(text, zone, in.LeapSecond)
		if in.Unit != "auto" {
			out.Warn("unit is ignored: it has no meaning for ISO 8601 text")
		}
	}
	local := t.In(zone)
	if err == nil && (!inCalendar(t.UTC()) || !inCalendar(local)) {
		err = errOutsideCalendar
	}
	if err != nil {
		var f tools.FieldErrors
		f.AddValue("value", in.Value, "%v", err)
		return out, f.Err()
	}

	sec, ns := t.Unix(), int64(t.Nanosecond())
	total := new(big.Int).Mul(big.NewInt(sec), big.NewInt(1e9))
	total.Add(total, big.NewInt(ns))
	out.UnixNs = total.String()
	// The exact ratio yields the nearest double.
	out.UnixSeconds, _ = new(big.Rat).SetFrac(total, big.NewInt(1e9)).Float64()
	out.UnixMs, _ = new(big.Rat).SetFrac(total, big.NewInt(1e6)).Float64()
	out.JulianDate, _ = new(big.Rat).Add(new(big.Rat).SetFrac(total, big.NewInt(86400e9)),
		big.NewRat(4881175, 2)).Float64()

	_, offset := local.Zone()
	out.UTCOffset = offsetText(offset)
	out.ISOUTC = isoText(t.UTC()) + "Z"
	out.ISOLocal = isoText(local) + out.UTCOffset
	if in.Timezone == "UTC" {
		out.ISOLocal = out.ISOUTC
	}
	if err := out.inZones(t, in.Zones, offset); err != nil {
		return out, err
	}
	out.IsDST = local.IsDST()
	out.Weekday, out.DayOfYear = local.Weekday().String(), local.YearDay()
	out.ISOWeekYear, out.ISOWeek = local.ISOWeek()
	return out, nil
}

var (
	errOutsideCalendar = errors.New(
		"must lie in the years 0001 to 9999, in UTC and in the time zone")
	errTimestampForm = errors.New(
		`must be a Unix time, ISO 8601 text such as "2024-02-29", "2024-02-29T12:34:56.5Z" or "2024-02-29 12:34+05:30", or "now"`,
	)
)

func inCalendar(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

// unixUnits are the units of Unix time, with the magnitude from which the next unit is assumed. Any
// magnitude can be one of ns: the calendar ends at 2.5e20 ns, beyond an int64.
var unixUnits = []struct {
	name   string
	perSec int64
	below  int64
}{
	{"s", 1, 1e11},
	{"ms", 1e3, 1e14},
	{"us", 1e6, 1e17},
	{"ns", 1e9, 0},
}

// unix parses a Unix time digit by digit.
func (out *timestampConverterOut) unix(in timestampConverterIn) (time.Time, error) {
	size, _ := strconv.ParseFloat(in.Value.text, 64) // overflow returns an error, but also ±Inf
	size = math.Abs(size)
	if size > 1e25 {
		return time.Time{}, errOutsideCalendar
	}
	exact := new(big.Rat)
	// smaller values round to 0; a large negative exponent must not reach exact arithmetic
	if size >= 1e-15 {
		if _, ok := exact.SetString(in.Value.text); !ok {
			return time.Time{}, errTimestampForm
		}
	}
	if limit := new(big.Rat).SetInt64(1 << 53); !in.Value.quoted &&
		(exact.Cmp(limit) > 0 || exact.Cmp(limit.Neg(limit)) < 0) {
		out.Warn("a number above 2^53 loses digits in many clients; send it as text")
	}
	given := new(big.Rat).Abs(exact)
	// Digits are compared because 1e17 - 1 is not a double.
	below := func(limit int64) bool { return given.Cmp(new(big.Rat).SetInt64(limit)) < 0 }
	for _, u := range unixUnits {
		if in.Unit != u.name && (in.Unit != "auto" || u.name != "ns" && !below(u.below)) {
			continue
		}
		out.DetectedUnit = &u.name
		exact.Mul(exact, big.NewRat(1e9/u.perSec, 1))
		break
	}
	if in.Unit == "auto" {
		for i, u := range unixUnits[:3] {
			if !below(u.below/2) && below(u.below*2) {
				out.Warn("the unit was guessed as %s, close to where %s and %s part; state unit to be sure",
					*out.DetectedUnit, u.name, unixUnits[i+1].name)
			}
		}
	}
	if !exact.IsInt() {
		out.Warn("more digits than nanoseconds: rounded to the nanosecond")
	}
	total := decimal.RoundHalfAway(exact)
	sec, ns := new(big.Int), new(big.Int)
	sec.DivMod(total, big.NewInt(1e9), ns)
	if !sec.IsInt64() {
		return time.Time{}, errOutsideCalendar
	}
	// 0001-01-01 and 9999-12-31, the range in which time.Unix is safe
	if s := sec.Int64(); s < -62135596800 || s > 253402300799 {
		return time.Time{}, errOutsideCalendar
	}
	return time.Unix(sec.Int64(), ns.Int64()), nil
}

var isoForm = regexp.MustCompile(
	`^(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(Z|([+-])(\d\d):(\d\d))?$`,
)

// iso parses an ISO 8601 text; without an offset it is local time. If leap is set, iso accepts
// second 60 of an announced leap second.
func (out *timestampConverterOut) iso(text string, zone *time.Location, leap bool) (
	time.Time, error,
) {
	m := isoForm.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, errTimestampForm
	}
	day, err := calendar.ParseDay(m[1])
	if err != nil {
		return time.Time{}, err
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(s) // the expression matched two digits, or "" for 0
		return n
	}
	hour, minute, second := number(m[2]), number(m[3]), number(m[4])
	switch {
	case hour == 24:
		return time.Time{}, errors.New("has the hour 24; write 00:00 of the next day")
	case second == 60 && !leap:
		return time.Time{}, errors.New(
			"has the second 60; a leap second has no Unix time of its own: set leap_second for that of the second after it")
	case second == 60 && hour <= 23 && minute <= 59:
		eve, err := out.iso(text[:17]+"59"+text[19:], zone, false)
		if err != nil {
			return eve, err
		}
		if at := eve.UTC(); at.Format("15:04:05") != "23:59:59" ||
			!slices.Contains(leapDays(), at.Format(time.DateOnly)) {
			return eve, errors.New("has the second 60 where no leap second was announced")
		}
		out.Warn("a leap second has the Unix time of the second after it (POSIX): the two cannot be told apart")
		return eve.Add(time.Second), nil
	case hour > 23 || minute > 59 || second > 59:
		return time.Time{},
			errors.New("must have an hour of 00 to 23, a minute and a second of 00 to 59")
	case number(m[8]) > 23 || number(m[9]) > 59:
		return time.Time{}, errors.New("must have an offset of at most 23:59")
	}
	wall := day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute +
		time.Duration(second)*time.Second)
	if m[5] != "" {
		fraction, _ := new(big.Rat).SetString("0." + m[5])
		ns := fraction.Mul(fraction, big.NewRat(1e9, 1))
		if !ns.IsInt() {
			out.Warn("more than nine digits of a second: rounded to the nanosecond")
		}
		wall = wall.Add(time.Duration(decimal.RoundHalfAway(ns).Int64()))
	}
	if m[6] != "" {
		offset := time.Duration(number(m[8]))*time.Hour + time.Duration(number(m[9]))*time.Minute
		if m[7] == "-" {
			offset = -offset
		}
		return wall.Add(-offset), nil
	}
	return out.fromWall(wall, zone), nil
}

// leapDays returns the UTC days that ended with a leap second (IERS Bulletin C; the latest is in
// 2016).
func leapDays() []string {
	return strings.Fields(`1972-06-30 1972-12-31 1973-12-31 1974-12-31 1975-12-31 1976-12-31
		1977-12-31 1978-12-31 1979-12-31 1981-06-30 1982-06-30 1983-06-30 1985-06-30 1987-12-31
		1989-12-31 1990-12-31 1992-06-30 1993-06-30 1994-06-30 1995-12-31 1997-06-30 1998-12-31
		2005-12-31 2008-12-31 2012-06-30 2015-06-30 2016-12-31`)
}

// inZones adds the time in further zones. offset is the UTC offset of the first zone in seconds.
func (out *timestampConverterOut) inZones(t time.Time, zones *[]string, offset int) error {
	if zones == nil {
		return nil
	}
	var f tools.FieldErrors
	for i, name := range *zones {
		path := fmt.Sprintf("zones[%d]", i)
		zone, err := loadZone(name)
		if err != nil {
			f.AddValue(path, name, "%v", err)
			continue
		}
		local := t.In(zone)
		if !inCalendar(local) {
			f.AddValue(path, name, "%v", errOutsideCalendar)
			continue
		}
		_, seconds := local.Zone()
		out.Zones = append(out.Zones, zoneTime{
			Timezone: name, ISOLocal: isoText(local) + offsetText(seconds),
			UTCOffset:   offsetText(seconds),
			DifferenceH: float64(seconds-offset) / 3600,
			IsDST:       local.IsDST(), Weekday: local.Weekday().String(),
		})
	}
	return f.Err()
}

// fromWall returns the time at which the local time in the zone equals wall, which is given as UTC.
// It adds a warning if the clocks skip or repeat that local time.
func (out *timestampConverterOut) fromWall(wall time.Time, zone *time.Location) time.Time {
	// Offsets are less than a day, so only transitions within a day on either side matter. The loop
	// visits the intervals of constant offset, earliest first.
	at := wall.Add(-24 * time.Hour).In(zone)
	var found []time.Time
	moved := wall
	for range 16 {
		_, offset := at.Zone()
		shift := time.Duration(offset) * time.Second
		start, end := at.ZoneBounds()
		t := wall.Add(-shift)
		if (start.IsZero() || !t.Before(start)) && (end.IsZero() || t.Before(end)) {
			found = append(found, t)
		}
		if end.IsZero() || end.After(wall.Add(24*time.Hour)) {
			break
		}
		_, next := end.In(zone).Zone()
		if gap := time.Duration(next)*time.Second - shift; !t.Before(end) &&
			t.Before(end.Add(gap)) {
			moved = t // the old offset continued past the transition: later by the gap
		}
		at = end.In(zone)
	}
	switch len(found) {
	case 0:
		out.Warn(
			"this local time does not exist in %s: the clocks were put forward over it; it was moved forward by the gap",
			zone,
		)
		return moved
	case 1:
	default:
		out.Warn(
			"this local time occurs twice in %s, as the clocks were put back; the earlier one was taken",
			zone,
		)
	}
	return found[0]
}

// loadZone returns the time zone with an IANA name.
func loadZone(name string) (*time.Location, error) {
	unknown := errors.New(
		`must be an IANA time zone such as "UTC", "Europe/Berlin" or "America/New_York"`,
	)
	if name == "UTC" {
		return time.UTC, nil
	}
	// "Local" is the machine's zone. posix/ and right/ are copies on some machines; right/ includes
	// leap seconds.
	if name == "" || name == "Local" || strings.HasPrefix(name, "posix") ||
		strings.HasPrefix(name, "right/") {
		return nil, unknown
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknown
	}
	return zone, nil
}

// isoText formats date and time without an offset. The fraction has no trailing zeros.
func isoText(t time.Time) string { return t.Format("2006-01-02T15:04:05.999999999") }

// offsetText formats an offset as +05:30. It adds seconds for a historic local mean time.
func offsetText(seconds int) string {
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	s := fmt.Sprintf("%c%02d:%02d", sign, seconds/3600, seconds/60%60)
	if seconds%60 != 0 {
		s += fmt.Sprintf(":%02d", seconds%60)
	}
	return s
}

// instantText is a time as it was written: the digits of a number, or a text.
type instantText struct {
	text   string
	quoted bool
}

// numericText matches a decimal number. Three exponent digits exceed the range of any time.
var numericText = regexp.MustCompile(`^[+-]?\d+(\.\d*)?([eE][+-]?\d{1,3})?$`)

// DecodeField decodes a number or a string.
func (v *instantText) DecodeField(raw []byte) error {
	switch c := raw[0]; {
	case c == '-' || c >= '0' && c <= '9':
		v.text = string(raw)
		if !numericText.MatchString(v.text) || len(raw) > 100 {
			return errOutsideCalendar
		}
	case c == '"':
		v.quoted = true
		if json.Unmarshal(raw, &v.text) != nil || len(v.text) > 100 || v.text == "" {
			return errTimestampForm
		}
	default:
		return errTimestampForm
	}
	return nil
}

// FieldSchema returns a schema that accepts numbers and texts.
func (v *instantText) FieldSchema() map[string]any {
	return map[string]any{"type": []string{"number", "string"}, "maxLength": 100}
}

// MarshalJSON returns the value as it was written.
func (v instantText) MarshalJSON() ([]byte, error) {
	if v.quoted {
		return json.Marshal(v.text)
	}
	return []byte(v.text), nil
}
