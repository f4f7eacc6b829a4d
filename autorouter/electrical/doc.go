// Package electrical adds copper and vias to a routed board for its currents and heat. Pads get
// connections of sufficient current rating to the pour, and parallel vias carry currents above the
// rating of one via. Thermal vias conduct heat from exposed pads and tabs to the pour. Bypass
// capacitors get their own vias, and stitching vias connect the pours of one net.
//
// Additions satisfy every design rule. Additions that do not fit are omitted and reported. No
// existing copper is moved or removed.
package electrical
