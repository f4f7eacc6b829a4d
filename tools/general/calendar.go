package general

import (
	"errors"
	"time"
)

// parseDay reads a date YYYY-MM-DD of the years 0001 to 9999 in the proleptic Gregorian calendar.
func parseDay(s string) (time.Time, error) {
	if !isDayText(s) {
		return time.Time{}, errors.New("must be a date written YYYY-MM-DD")
	}
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}, errors.New("is not a day of the calendar")
	}
	if d.Year() < 1 {
		return time.Time{}, errors.New("must lie in the years 0001 to 9999")
	}
	return d, nil
}

// isDayText says whether s has the form 0000-00-00.
func isDayText(s string) bool {
	if len(s) != 10 {
		return false
	}
	for i, c := range []byte(s) {
		if i == 4 || i == 7 {
			if c != '-' {
				return false
			}
		} else if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// addMonths is the day of the same number so many months later, or the last of that month
// when it has no such day. Count every step from the first date: a clamped day would drift.
func addMonths(d time.Time, months int) time.Time {
	first := time.Date(d.Year(), d.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(d.Day(), last)-1)
}

// daysBetween counts the days from a to b, both midnights in UTC.
func daysBetween(a, b time.Time) int { return int((b.Unix() - a.Unix()) / 86400) }
