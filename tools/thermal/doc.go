// Package thermal contains the models that the thermal tools share: dry air, film coefficients of
// plates and channels, radiation, and finite-volume solvers.
//
// air.go computes the properties of air at a temperature and altitude; plate.go, channel.go and
// radiation.go compute film coefficients in W/(m²·K) from them. All quantities are in SI units:
// metres, watts, kelvin. Only the tools use millimetres and degrees Celsius.
//
// Sink (sink.go, sink_field.go) models a plate-fin heat sink in closed form and as a field.
//
// Two solvers share krylov.go and cells.go. Sheets (sheets.go) models a pair of coupled plates,
// such as a circuit board. It uses conjugate gradients preconditioned by a multigrid cycle. Comb
// (comb.go) models a finned plate, such as a heat sink, whose cross-section is constant along the
// flow. Cosine transforms along the flow yield a small band matrix per wave. They solve the comb
// directly if the films are uniform, and precondition GMRES if air warms up along the channels.
// Both solvers use temperature rises above ambient to avoid cancellation.
package thermal
