// Package calendar parses and counts days of the Gregorian calendar.
package calendar

import (
	"errors"
	"strings"
	"time"
)

// ParseDay parses a date YYYY-MM-DD of the years 0001 to 9999 in the proleptic Gregorian calendar.
func ParseDay(s string) (time.Time, error) {
	d, err := time.Parse(time.DateOnly, s)
	var parsing *time.ParseError
	switch {
	case errors.As(err, &parsing) && strings.HasSuffix(parsing.Message, "out of range"):
		return time.Time{}, errors.New("is not a day of the calendar")
	case err != nil:
		return time.Time{}, errors.New("must be a date written YYYY-MM-DD")
	case d.Year() < 1:
		return time.Time{}, errors.New("must lie in the years 0001 to 9999")
	}
	return d, nil
}

// AddMonths adds a number of months to d. It returns the same day of the resulting month, or its
// last day if that month is shorter. Compute every date of a series from the first date, because
// chained calls drift after a short month.
func AddMonths(d time.Time, months int) time.Time {
	first := time.Date(d.Year(), d.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(d.Day(), last)-1)
}

// DaysBetween returns the number of days from a to b, which must both be midnights in UTC.
func DaysBetween(a, b time.Time) int { return int((b.Unix() - a.Unix()) / 86400) }
