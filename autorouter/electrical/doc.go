// Package electrical completes a routed board for current and heat: pads get connections to the
// pour that carry their current, parallel vias carry currents above the rating of one via, thermal
// vias lead heat from exposed pads and tabs to the pour, bypass capacitors get their own via, and
// stitching vias connect the pours of one net.
//
// Additions keep every design rule. Additions that do not fit are omitted and reported. No existing
// copper is moved or removed.
package electrical
