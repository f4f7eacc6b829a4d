package drc

// rule is a design rule: its name in the API, the severity of a violation, and its check.
type rule struct {
	name      string
	severity  Severity
	needsSilk bool
	check     func(s *checker, f *collector) error
}

// rules in the order of the report: errors first.
var rules = []*rule{
	&short,
	&clearance,
	&unrouted,
	&trackWidth,
	&annularRing,
	&drillSize,
	&holeClearance,
	&holeToHole,
	&edgeClearance,
	&outsideBoard,
	&courtyardOverlap,
	&keepout,
	&danglingTrack,
	&viaDangling,
	&isolatedCopper,
	&maskWeb,
	&silkOverMask,
	&neckLength,
}

// Rules returns the names of all rules in the order of the report.
func Rules() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name
	}
	return names
}
