package analysis

import "slipstick/spice/netlist"

// kind is one analysis. A new one is a file with its functions and an entry of kinds.
type kind struct {
	name string
	// read parses the card; nil: package netlist parses it, because netlists of boards may have it.
	read func(*netlist.CardReader, *netlist.Analysis) error
	run  func(*sim) (*Output, error)
}

// kinds returns all analyses.
func kinds() []kind {
	return []kind{
		{"op", nil, (*sim).op},
		{"dc", nil, (*sim).dc},
		{"ac", nil, (*sim).ac},
		{"tran", nil, (*sim).tran},
		{"noise", readNoise, (*sim).noise},
		{"tf", readTransferFunction, (*sim).transferFunction},
		{"sens", readSensitivity, (*sim).sensitivity},
		{"pz", readPoleZero, (*sim).poleZero},
		{"sp", readSParameters, (*sim).sParameters},
	}
}

// runnerOf returns the function of an analysis, nil for an unknown name.
func runnerOf(name string) func(*sim) (*Output, error) {
	for _, k := range kinds() {
		if k.name == name {
			return k.run
		}
	}
	return nil
}

// Names returns the names of all analyses.
func Names() (names []string) {
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// Cards returns the cards that package netlist leaves to this package to parse.
func Cards() (cards []netlist.AnalysisCard) {
	for _, k := range kinds() {
		if k.read != nil {
			cards = append(cards, netlist.AnalysisCard{Name: k.name, Read: k.read})
		}
	}
	return cards
}
