// Package electrical completes a routed board for current and heat: pads of a poured net meet the
// pour as widely as their current needs, parallel vias carry what one cannot, thermal vias lead
// heat from exposed pads and tabs to the pour, bypass capacitors get a via of their own, and
// stitching vias connect the pours of one net.
//
// Additions keep every design rule. What does not fit is left out and reported. No existing copper
// is moved or removed.
package electrical
