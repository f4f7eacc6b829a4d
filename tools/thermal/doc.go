// Package thermal has the shared models of the thermal tools: dry air, the film coefficients of
// plates and channels, radiation, and the finite-volume solvers.
//
// air.go gives the properties of air at a temperature and an altitude; plate.go, channel.go and
// radiation.go give films in W/(m²·K) from them. Everything is in SI units: metres, watts,
// kelvin; only the tools speak of millimetres and degrees Celsius.
//
// Sink (sink.go, sink_field.go) is a plate-fin heat sink, by a closed form and by the field.
//
// Two solvers share krylov.go and cells.go. Sheets (sheets.go) is a pair of coupled plates, a
// circuit board: conjugate gradients on a multigrid cycle. Comb (comb.go) is a plate with fins,
// a heat sink, whose cross-section does not change along the flow: cosine transforms along the
// flow turn it into one small band matrix a wave, which solves it outright when the films are
// uniform and is the preconditioner of GMRES when air warms up along the channels.
// Both work in rises over the ambient temperature, so that nothing cancels.
package thermal
