package analysis

import "slipstick/spice/netlist"

// kind describes one analysis. A new analysis requires a file with its functions and an entry in
// kinds.
type kind struct {
	name string
	// read parses the card. It is nil if package netlist parses the card itself, as it does for
	// analyses allowed in board netlists.
	read func(*netlist.CardReader, *netlist.Analysis) error
	run  func(*sim) (*Output, error)
}

// kinds returns the list of all analyses.
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

// runnerOf returns the function that runs an analysis, or nil if the name is unknown.
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

// Cards returns the analysis cards that package netlist delegates to this package.
func Cards() (cards []netlist.AnalysisCard) {
	for _, k := range kinds() {
		if k.read != nil {
			cards = append(cards, netlist.AnalysisCard{Name: k.name, Read: k.read})
		}
	}
	return cards
}
