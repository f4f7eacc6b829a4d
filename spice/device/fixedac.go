package device

// FixedAC reports whether LoadAC of a device at a fixed operating point adds only g + jω·c to
// entries of the matrix. g and c are constant.
func FixedAC(d Device) bool {
	switch d := d.(type) {
	case *resistor, *capacitor, *inductor, *diode, *jfet, *mesfet, *mosfet, *vdmos,
		*controlledSwitch:
		return true
	case *bipolar:
		return d.delay == 0
	}
	return false
}
