package footprint

import "slipstick/autorouter/board"

// sot223 returns the SOT-223 footprint. Its tab has the number of the middle lead, pad 2.
func sot223() *board.Footprint {
	return finish(board.Footprint{Name: "SOT-223", Body: box(3.5, 6.5), Polar: true,
		Pads: []board.FootprintPad{
			landMM("1", -3.15, 2.3, 2, 1.5),
			landMM("2", -3.15, 0, 2, 1.5),
			landMM("3", -3.15, -2.3, 2, 1.5),
			landMM("2", 3.15, 0, 2, 3.8),
		}}, false)
}

// dpak returns the TO-252 footprint for the package whose middle lead is cut off. Pad 2 is the tab.
func dpak() *board.Footprint {
	return finish(board.Footprint{Name: "TO-252", Body: sides(-2.8, -3.3, 5, 3.3), Polar: true,
		Pads: []board.FootprintPad{
			landMM("1", -4.2, 2.28, 2.2, 1.2),
			landMM("3", -4.2, -2.28, 2.2, 1.2),
			landMM("2", 2.1, 0, 6.4, 5.8),
		}}, false)
}

// crystal3225 returns the footprint of a 3.2 x 2.5 mm crystal. Pad 1 is at the lower left, as in
// the data sheets of crystal manufacturers.
func crystal3225() *board.Footprint {
	return finish(board.Footprint{Name: "CRYSTAL_3225", Body: box(3.2, 2.5), Polar: true,
		Pads: []board.FootprintPad{
			landMM("1", -1.1, -.85, 1.4, 1.2),
			landMM("2", 1.1, -.85, 1.4, 1.2),
			landMM("3", 1.1, .85, 1.4, 1.2),
			landMM("4", -1.1, .85, 1.4, 1.2),
		}}, false)
}

// tactile returns the footprint of a 6 mm push button. The two pins of each row share a pad number
// because the button connects them internally.
func tactile() *board.Footprint {
	const x, y = 6.5 / 2, 4.5 / 2
	return finish(board.Footprint{Name: "SW_TACT_6MM", Body: box(6, 6), Pads: []board.FootprintPad{
		pin("1", -x, y, 2, 2, 1.1), pin("1", x, y, 2, 2, 1.1),
		pin("2", -x, -y, 2, 2, 1.1), pin("2", x, -y, 2, 2, 1.1),
	}}, false)
}

// slot returns a pad with a plated slot; all lengths are in [mm].
func slot(number string, x, y, width, height, slotW, slotH float64) board.FootprintPad {
	p := landMM(number, x, y, width, height)
	p.Shape, p.SlotW, p.SlotH = board.Oval, board.MM(slotW), board.MM(slotH)
	return p
}

// hole returns an unplated hole for a plastic peg; all lengths are in [mm].
func hole(x, y, diameter float64) board.FootprintPad {
	p := landMM("", x, y, diameter, diameter)
	p.Shape, p.Drill, p.NonPlated = board.Circle, board.MM(diameter), true
	return p
}

// usbMicroB returns the USB Micro-B receptacle with five contacts. All pads of its shell have the
// number S.
func usbMicroB() *board.Footprint {
	f := board.Footprint{Name: "USB_MICRO_B", Body: sides(-3.75, -2.65, 3.75, 2.3), Polar: true,
		Edge: board.AnyEdge, MatingSide: board.BottomEdge,
		Aliases: map[string]string{"VBUS": "1", "D-": "2", "D+": "3", "ID": "4", "GND": "5"}}
	for i, number := range []string{"1", "2", "3", "4", "5"} {
		f.Pads = append(f.Pads, landMM(number, float64(i-2)*.65, 1.45, .4, 1.4))
	}
	for _, x := range []float64{-1, 1} {
		f.Pads = append(f.Pads, landMM("S", x*2.5, 1.35, 1.4, 1.6),
			landMM("S", x*2.9, -1.2, 2.4, 1.9))
	}
	return finish(f, true)
}

// usbC returns the 16-contact USB-C receptacle. Each GND and VBUS contact of row A shares a wide
// land with its neighbour of row B (A1/B12, A4/B9, B4/A9, B1/A12). The second name of each land is
// an alias. All pads of the shell have the number S. The dimensions follow GCT's USB4105, whose
// front face is 6.78 mm from the centre of the rear shell slots.
func usbC() *board.Footprint {
	f := board.Footprint{Name: "USB_C_16P", Body: sides(-4.47, -4.33, 4.47, 3.02), Polar: true,
		Edge: board.AnyEdge, MatingSide: board.BottomEdge,
		Aliases: map[string]string{"B12": "A1", "B9": "A4", "A9": "B4", "A12": "B1"}}
	wide := func(number string, x float64) {
		f.Pads = append(f.Pads, landMM(number, x, 3.2, .6, 1.3))
	}
	wide("A1", -3.2)
	wide("A4", -2.4)
	for i, number := range []string{"B8", "A5", "B7", "A6", "A7", "B6", "A8", "B5"} {
		f.Pads = append(f.Pads, landMM(number, -1.75+.5*float64(i), 3.2, .3, 1.3))
	}
	wide("B4", 2.4)
	wide("B1", 3.2)
	for _, x := range []float64{-1, 1} {
		f.Pads = append(f.Pads, slot("S", x*4.32, 2.45, 1, 2.1, .6, 1.7),
			slot("S", x*4.32, -1.73, 1, 1.6, .6, 1.2))
	}
	f.Pads = append(f.Pads, hole(-2.89, 1.95, .65), hole(2.89, 1.95, .65))
	return finish(f, true)
}

// barrelJack returns the footprint of the 5.5 mm DC power jack. Pad 1 is the centre pin, pad 2 the
// sleeve and pad 3 the switch.
func barrelJack() *board.Footprint {
	f := board.Footprint{Name: "BARREL_JACK", Body: sides(-13.7, -4.5, .8, 4.5), Polar: true,
		Edge: board.AnyEdge, MatingSide: board.LeftEdge,
		Pads: []board.FootprintPad{slot("1", 0, 0, 2, 4, 1, 3), slot("2", -6, 0, 2, 4, 1, 3),
			slot("3", -3, -4.7, 4, 2, 3, 1)}}
	return finish(f, true)
}
