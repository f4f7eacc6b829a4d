package general

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
)

func TestTimestampConverter(t *testing.T) {
	tooltest.Examples(t, TimestampConverter)
	tooltest.Cases(t, TimestampConverter, []tooltest.Case{
		{"the epoch: a Thursday, Julian date 2440587.5", `{"value":0}`, `{"iso_utc":"1970-01-01T00:00:00Z","weekday":"Thursday","julian_date":2440587.5,"iso_local":"1970-01-01T00:00:00Z","utc_offset":"+00:00"}`},
		{"J2000, 2000-01-01 12:00: Julian date 2451545.0", `{"value":"2000-01-01T12:00Z"}`, `{"unix_seconds":946728000,"julian_date":2451545,"input_kind":"iso","detected_unit":null,"iso_week":52,"iso_week_year":1999}`},
		{"the billionth second: 2001-09-09T01:46:40Z", `{"value":"1000000000"}`,
			`{"iso_utc":"2001-09-09T01:46:40Z"}`},
		{"the end of 32 bits", `{"value":2147483647}`, `{"iso_utc":"2038-01-19T03:14:07Z"}`},
		{"POSIX, IERS Bulletin C 16: the leap second of 1998 is 915148800, as is the second after it", `{"value":"1998-12-31T23:59:60Z","leap_second":true}`,
			`{"unix_seconds":915148800,"iso_utc":"1999-01-01T00:00:00Z","warnings":["~cannot be told apart"]}`},
		{"half of the leap second of 2016, in Tokyo", `{"value":"2017-01-01T08:59:60.5","timezone":"Asia/Tokyo","leap_second":true}`,
			`{"unix_seconds":1483228800.5,"iso_utc":"2017-01-01T00:00:00.5Z","warnings":["~leap second"]}`},
		{"the leap second of June 2015, with an offset", `{"value":"2015-07-01T01:59:60+02:00","leap_second":true}`,
			`{"unix_seconds":1435708800,"iso_utc":"2015-07-01T00:00:00Z"}`},
		{"milliseconds by size", `{"value":1709210096789}`, `{"iso_utc":"2024-02-29T12:34:56.789Z","detected_unit":"ms","unix_seconds":1709210096.789}`},
		{"microseconds by size", `{"value":1709210096789012}`, `{"iso_utc":"2024-02-29T12:34:56.789012Z","detected_unit":"us","unix_ms":1709210096789.012}`},
		{"nanoseconds by size, exact in text", `{"value":"1709210096789012345"}`, `{"unix_ns":"1709210096789012345","detected_unit":"ns","iso_utc":"2024-02-29T12:34:56.789012345Z","warnings":[]}`},
		{"nanoseconds beyond an int64: date -u -d @32503680000", `{"value":"32503680000000000001"}`,
			`{"iso_utc":"3000-01-01T00:00:00.000000001Z","unix_ns":"32503680000000000001","detected_unit":"ns","warnings":[]}`},
		{"nanoseconds before 1678", `{"value":"-62135596800000000000"}`,
			`{"iso_utc":"0001-01-01T00:00:00Z","detected_unit":"ns"}`},
		{"nanoseconds as a number", `{"value":1709210096789012345}`,
			`{"unix_ns":"1709210096789012345","warnings":["~2^53"]}`},
		{"2^53 + 1, the first whole number that is no double", `{"value":9007199254740993}`,
			`{"unix_ns":"9007199254740993000","detected_unit":"us","warnings":["~2^53"]}`},
		{"2^53 itself", `{"value":9007199254740992}`, `{"warnings":[]}`},
		{"a fraction by its digits", `{"value":1709210096.123456789}`,
			`{"unix_ns":"1709210096123456789","warnings":[]}`},
		{"a fraction before the epoch", `{"value":-0.5}`,
			`{"iso_utc":"1969-12-31T23:59:59.5Z","unix_ns":"-500000000"}`},
		{"ten digits of a second", `{"value":"0.1234567896"}`,
			`{"unix_ns":"123456790","warnings":["~nanosecond"]}`},
		{"the unit stated", `{"value":1000,"unit":"ms"}`,
			`{"iso_utc":"1970-01-01T00:00:01Z","detected_unit":"ms"}`},
		{"one below 1e17, which no double tells from it", `{"value":"99999999999999999"}`, `{"detected_unit":"us","iso_utc":"5138-11-16T09:46:39.999999Z","warnings":["~guessed as us"]}`},
		{"1e17 itself", `{"value":"100000000000000000"}`,
			`{"detected_unit":"ns","iso_utc":"1973-03-03T09:46:40Z"}`},
		{"near a boundary", `{"value":99999999999}`,
			`{"detected_unit":"s","warnings":["~guessed as s"]}`},
		{"an offset: 12:34 at +05:30 is 07:04 UTC",
			`{"value":"2024-02-29 12:34+05:30","timezone":"Asia/Kolkata"}`, `{"iso_utc":"2024-02-29T07:04:00Z","iso_local":"2024-02-29T12:34:00+05:30","utc_offset":"+05:30","is_dst":false}`},
		{"a date alone is local midnight", `{"value":"2024-07-01","timezone":"Europe/Berlin"}`, `{"iso_utc":"2024-06-30T22:00:00Z","iso_local":"2024-07-01T00:00:00+02:00","is_dst":true,"day_of_year":183}`},
		{"2024-11-03 01:30 occurs twice in New York: the earlier is daylight time",
			`{"value":"2024-11-03T01:30:00","timezone":"America/New_York"}`,
			`{"iso_local":"2024-11-03T01:30:00-04:00","warnings":["~occurs twice"]}`},
		{"half an hour of gap on Lord Howe Island: 02:15 becomes 02:45",
			`{"value":"2024-10-06T02:15","timezone":"Australia/Lord_Howe"}`,
			`{"iso_local":"2024-10-06T02:45:00+11:00","warnings":["~does not exist"]}`},
		{"Samoa had no 30 December 2011", `{"value":"2011-12-30T12:00","timezone":"Pacific/Apia"}`,
			`{"iso_local":"2011-12-31T12:00:00+14:00","warnings":["~does not exist"]}`},
		{"the hour after the gap exists",
			`{"value":"2024-03-10T03:00","timezone":"America/New_York"}`,
			`{"iso_utc":"2024-03-10T07:00:00Z","warnings":[]}`},
		{"local mean time had seconds: New York before 1883",
			`{"value":"1883-01-01T00:00","timezone":"America/New_York"}`,
			`{"utc_offset":"-04:56:02","iso_utc":"1883-01-01T04:56:02Z"}`},
		{"week 53: 2021-01-03 is a Sunday of week 53 of 2020", `{"value":"2021-01-03"}`,
			`{"iso_week":53,"iso_week_year":2020,"weekday":"Sunday"}`},
		{"Greenwich in winter", `{"value":"2024-01-01","timezone":"Europe/London"}`,
			`{"iso_local":"2024-01-01T00:00:00+00:00"}`},
		{"a unit without meaning", `{"value":"2024-01-01","unit":"ms"}`,
			`{"warnings":["~unit is ignored"]}`},
		{"the last second of the calendar", `{"value":"9999-12-31T23:59:59Z"}`,
			`{"unix_seconds":253402300799}`},
		{"IANA zones in winter: Berlin +1, Tokyo +9, Kathmandu +5:45",
			`{"value":1705320000,"zones":["Europe/Berlin","Asia/Tokyo","Asia/Kathmandu"]}`,
			`{"iso_utc":"2024-01-15T12:00:00Z","zones":[{"timezone":"Europe/Berlin","iso_local":"2024-01-15T13:00:00+01:00","difference_h":1,"is_dst":false},
				{"iso_local":"2024-01-15T21:00:00+09:00","weekday":"Monday"},{"utc_offset":"+05:45","difference_h":5.75}]}`},
		{"between zones in summer: New York is 6 h behind Berlin", `{"value":"2024-07-01T03:00:00","timezone":"Europe/Berlin","zones":["America/New_York"]}`,
			`{"zones":[{"iso_local":"2024-06-30T21:00:00-04:00","difference_h":-6,"is_dst":true,"weekday":"Sunday"}]}`},
		{"two weeks in March it is 5 h", `{"value":"2024-03-20T12:00:00","timezone":"Europe/Berlin","zones":["America/New_York"]}`, `{"zones":[{"iso_local":"2024-03-20T07:00:00-04:00","difference_h":-5}]}`},
		{"Python's zoneinfo, winter: Sydney has summer time, São Paulo none",
			`{"value":1705320000,"zones":["Australia/Sydney","America/Sao_Paulo","UTC"]}`,
			`{"zones":[{"timezone":"Australia/Sydney","iso_local":"2024-01-15T23:00:00+11:00","utc_offset":"+11:00","is_dst":true,"weekday":"Monday"},{"timezone":"America/Sao_Paulo","iso_local":"2024-01-15T09:00:00-03:00","utc_offset":"-03:00","is_dst":false,"weekday":"Monday"},{"timezone":"UTC","utc_offset":"+00:00","is_dst":false,"weekday":"Monday"}]}`},
		{"Python's zoneinfo, summer: a new day in Auckland",
			`{"value":1720008000,"zones":["Pacific/Auckland","America/St_Johns"]}`,
			`{"zones":[{"timezone":"Pacific/Auckland","iso_local":"2024-07-04T00:00:00+12:00","utc_offset":"+12:00","is_dst":false,"weekday":"Thursday"},{"timezone":"America/St_Johns","iso_local":"2024-07-03T09:30:00-02:30","utc_offset":"-02:30","is_dst":true,"weekday":"Wednesday"}]}`},
	})
	tooltest.InvalidCases(t, TimestampConverter, []tooltest.InvalidCase{
		{"a zone that does not exist", `{"value":0,"zones":["UTC","Mars/Olympus"]}`,
			[]string{"zones[1]"}, "IANA time zone"},
		{"nothing", `{}`, []string{"value"}, "is required"},
		{"30 February", `{"value":"2024-02-30"}`, []string{"value"}, "not a day"},
		{"24:00", `{"value":"2024-02-28T24:00"}`, []string{"value"}, "hour 24"},
		{"second 60 without a leap second", `{"value":"2015-12-31T23:59:60Z","leap_second":true}`,
			[]string{"value"}, "no leap second was announced"},
		{"second 60 of another minute", `{"value":"2016-12-31T22:59:60Z","leap_second":true}`,
			[]string{"value"}, "no leap second was announced"},
		{"hour 24 with second 60", `{"value":"2016-12-31T24:59:60Z","leap_second":true}`,
			[]string{"value"}, "hour 24"},
		{"a leap second", `{"value":"2016-12-31T23:59:60Z"}`, []string{"value"}, "leap second"},
		{"25 o'clock", `{"value":"2016-12-31T25:00"}`, []string{"value"}, "00 to 23"},
		{"words", `{"value":"yesterday"}`, []string{"value"}, "ISO 8601"},
		{"a boolean", `{"value":true}`, []string{"value"}, "ISO 8601"},
		{"unknown zone", `{"value":0,"timezone":"Mars/Olympus"}`, []string{"timezone"}, "IANA"},
		{"a path for a zone", `{"value":0,"timezone":"../../etc/passwd"}`,
			[]string{"timezone"}, "IANA"},
		{"the machine's zone", `{"value":0,"timezone":"Local"}`, []string{"timezone"}, "IANA"},
		{"year 10000", `{"value":253402300800,"unit":"s"}`, []string{"value"}, "0001 to 9999"},
		{"year 0 in local time", `{"value":"0001-01-01T00:00Z","timezone":"America/New_York"}`,
			[]string{"value"}, "0001 to 9999"},
		{"a number of no size", `{"value":1e300}`, []string{"value"}, "0001 to 9999"},
		{"an absurd exponent", `{"value":1e-999999999}`, []string{"value"}, "0001 to 9999"},
		{"unknown unit", `{"value":0,"unit":"min"}`, []string{"unit"}, "auto, s, ms, us, ns"},
	})
}

// TestTimestampRoundTrip verifies that the ISO text preserves every nanosecond.
func TestTimestampRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-62135500000, 253402200000).Draw(t, "seconds"),
			rapid.Int64Range(0, 999999999).Draw(t, "ns"))
		zone := rapid.SampledFrom([]string{"UTC", "Asia/Kolkata", "America/St_Johns",
			"Pacific/Kiritimati"}).Draw(t, "zone")
		in := timestampConverterIn{Value: instantText{text: at.UTC().Format(time.RFC3339Nano),
			quoted: true}, Unit: "auto", Timezone: zone}
		a, err := timestampConverter(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		in.Value = instantText{text: a.UnixNs, quoted: true}
		in.Unit = "ns"
		b, err := timestampConverter(t.Context(), in)
		if err != nil || b.ISOUTC != a.ISOUTC || b.ISOLocal != a.ISOLocal ||
			a.ISOUTC != at.UTC().Format(time.RFC3339Nano) {
			t.Fatalf("%s by way of %s ns to %s (%v)", a.ISOUTC, a.UnixNs, b.ISOUTC, err)
		}
	})
}

// TestWallTimeRoundTrip verifies that an unambiguous local time without an offset converts back to
// its instant.
func TestWallTimeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"America/New_York", "Europe/Dublin",
			"Australia/Lord_Howe", "Africa/Casablanca", "Asia/Tehran"}).Draw(t, "zone")
		zone, err := loadZone(name)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(rapid.Int64Range(-3e9, 4e9).Draw(t, "seconds"), 0).In(zone)
		wall := at.Format("2006-01-02T15:04:05")
		out, err := timestampConverter(t.Context(),
			timestampConverterIn{Value: instantText{text: wall, quoted: true}, Unit: "auto",
				Timezone: name})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.ISOLocal[:19]; got != wall {
			t.Fatalf("%s in %s: %s", wall, name, out.ISOLocal)
		}
		if fmt.Sprint(int64(out.UnixSeconds)) != fmt.Sprint(at.Unix()) &&
			len(out.Warnings.Warnings) == 0 {
			t.Fatalf("%s in %s: %s, but it was %v", wall, name, out.ISOLocal, at)
		}
	})
}

func TestNow(t *testing.T) {
	before := time.Now()
	out, err := timestampConverter(t.Context(),
		timestampConverterIn{Value: instantText{text: "now", quoted: true}, Unit: "auto",
			Timezone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	if s := out.UnixSeconds; s < float64(before.Unix()) || s > float64(time.Now().Unix()+1) {
		t.Errorf("now is %s", out.ISOUTC)
	}
}
