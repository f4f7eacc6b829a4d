package drc

// rule is a design rule with its API name, the severity of its violations, and its check function.
type rule struct {
	name      string
	severity  Severity
	needsSilk bool
	check     func(s *checker, f *collector) error
}

// rules lists all rules in report order, errors first.
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

// Rules returns the names of all rules in report order.
func Rules() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name
	}
	return names
}
