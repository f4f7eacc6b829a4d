package footprint

import (
	"errors"
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

func TestAliases(t *testing.T) {
	for name, want := range map[string]string{
		"0805": "R_0805", "R0805": "R_0805", "c0603": "C_0603", "led_0805": "LED_0805",
		"FB1206": "FB_1206",
		"SO-8":   "SOIC-8", "SOP-14": "SOIC-14", "SOIC8": "SOIC-8", "so-16w": "SOIC-16W",
		"tssop20": "TSSOP-20",
		"LQFP-48": "TQFP-48", "QFP-100": "TQFP-100", "DIP8": "DIP-8", "dip-28w": "DIP-28W",
		"SOT23": "SOT-23", "SOT-23-3": "SOT-23", "SOT235": "SOT-23-5", "DPAK": "TO-252",
		"TO220": "TO-220", "DO-41": "D_DO-41",
		"1x04": "PinHeader_1x04", "2X5": "PinHeader_2x05", "HDR-1x04": "PinHeader_1x04",
		"CONN_01x02": "PinHeader_1x02", "PinHeader_1x4": "PinHeader_1x04",
		"TerminalBlock_1x2": "TerminalBlock_1x02", "C_DISC_P5": "C_DISC_P5.00",
		"R_AXIAL_P10.16":                                                 "R_AXIAL",
		"Resistor_SMD:R_0805_2012Metric":                                 "R_0805",
		"Capacitor_SMD:C_0402_1005Metric":                                "C_0402",
		"R_0603_1608Metric_Pad0.98x0.95mm_HandSolder":                    "R_0603",
		"Package_SO:SOIC-8_3.9x4.9mm_P1.27mm":                            "SOIC-8",
		"Package_SO:SOIC-16W_7.5x10.3mm_P1.27mm":                         "SOIC-16W",
		"Package_SO:TSSOP-20_4.4x6.5mm_P0.65mm":                          "TSSOP-20",
		"Package_SO:SSOP-28_5.3x10.2mm_P0.65mm":                          "SSOP-28",
		"Package_QFP:TQFP-32_7x7mm_P0.8mm":                               "TQFP-32",
		"Package_DFN_QFN:QFN-16-1EP_3x3mm_P0.5mm_EP1.7x1.7mm":            "QFN-16",
		"Package_TO_SOT_SMD:SOT-223-3_TabPin2":                           "SOT-223",
		"Package_TO_SOT_SMD:TO-252-2":                                    "TO-252",
		"Package_TO_SOT_THT:TO-92_Inline":                                "TO-92",
		"Package_TO_SOT_THT:TO-92_Inline_Wide":                           "TO-92-WIDE",
		"Package_TO_SOT_THT:TO-220-3_Vertical":                           "TO-220",
		"Package_DIP:DIP-8_W7.62mm":                                      "DIP-8",
		"Package_DIP:DIP-14_W7.62mm_Socket":                              "DIP-14",
		"Connector_PinHeader_2.54mm:PinHeader_1x04_P2.54mm_Vertical":     "PinHeader_1x04",
		"Diode_SMD:D_SOD-123":                                            "SOD-123",
		"Diode_SMD:D_SMA":                                                "SMA",
		"Diode_THT:D_DO-35_SOD27_P7.62mm_Horizontal":                     "D_DO-35",
		"Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P10.16mm_Horizontal": "R_AXIAL",
		"Resistor_THT:R_Axial_DIN0204_L3.6mm_D1.6mm_P7.62mm_Horizontal":  "R_AXIAL_P7.62",
		"Capacitor_THT:C_Disc_D5.0mm_W2.5mm_P5.00mm":                     "C_DISC_P5.00",
		"Capacitor_THT:CP_Radial_D6.3mm_P2.50mm":                         "CP_RADIAL_D6.3",
		"Capacitor_THT:CP_Radial_D10.0mm_P5.00mm":                        "CP_RADIAL_D10",
		"Capacitor_Tantalum_SMD:CP_EIA-3528-21_Kemet-B":                  "CP_TANT_B",
		"LED_THT:LED_D5.0mm":                                             "LED_5MM",
		"Crystal:Crystal_SMD_3225-4Pin_3.2x2.5mm":                        "CRYSTAL_3225",
		"Crystal:Crystal_HC49-U_Vertical":                                "CRYSTAL_HC49",
		"Package_DIP:DIP-28_W15.24mm_Socket":                             "DIP-28W",
		"DIP-28_W7.62mm":                                                 "DIP-28",
		"Fuse:Fuse_1206_3216Metric":                                      "F_1206",
		"Connector_BarrelJack:BarrelJack_Horizontal":                     "BARREL_JACK",
		" usb_c_16p ": "USB_C_16P",
	} {
		f, err := Find(name)
		if err != nil {
			t.Errorf("%v", err)
		} else if f.Name != want {
			t.Errorf("%s finds %s, want %s", name, f.Name, want)
		}
	}
}

func TestEveryNameInAnyCase(t *testing.T) {
	for _, name := range Names() {
		for _, as := range []string{strings.ToLower(name), strings.ToUpper(name), "Lib:" + name} {
			if f, err := Find(as); err != nil || f.Name != name {
				t.Errorf("%s: %v, %v", as, f, err)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	for name, want := range map[string]string{
		"SOIC-9":                            "SOIC-8",
		"R_805":                             "R_0805",
		"TQFP-33":                           "TQFP-32",
		"PinHeader_1x41":                    "PinHeader_1x4",
		"USB":                               "USB_",
		"":                                  `""`,
		"R_0202_0603Metric":                 "R_0",
		"SOIC-8_5.3x5.3mm_P1.27mm":          "body of 3.9 x 4.9 mm, not 5.3 x 5.3",
		"PinHeader_1x04_P1.5mm_Vertical":    "pitch of 2.54 mm, not 1.5",
		"SSOP-20_4.5x6.9mm_P0.65mm":         "body of 5.3 x 7.2",
		"DIP-40_W25.4mm":                    "rows of DIP-40 are 15.24 mm apart, not 25.4",
		"TO-220-9_Horizontal_TabDown":       "TO-220",
		"=cmd|' /C calc'!A0":                "not in the library",
		"R_0805\x00":                        `\x00`,
		"R_0805\n":                          "",
		strings.Repeat("R_0805_P1mm", 1000): "not in the library",
		strings.Repeat("_P1MM", 39):         "not in the library",
		":":                                 "not in the library",
		"1x00":                              "not in the library",
		"TerminalBlock_1x13":                "TerminalBlock_1x1",
		"Resistor_SMD/R_0603_1608Metric":    "custom_footprints a list of pads; did you mean R_0603",
		"QFN-33-1EP_5x5mm":                  "did you mean QFN-32, ",
		"QFN-56_7x7mm_P0.4mm":               "did you mean QFN-48, QFN-32, QFN-24?",
		"USB_C_Receptacle_Foo_1234":         "did you mean USB_C_Receptacle",
		"JST_PH_B2B-XX":                     "did you mean JST_PH_B2B",
		"a_____________b":                   "a list of pads",
		"SMA_Amphenol_132289_EdgeMount":     `EdgeMount" is not in the library; the field`,
	} {
		f, err := Find(name)
		var unknown *UnknownError
		switch {
		case want == "":
			if err != nil {
				t.Error(err)
			}
		case !errors.As(err, &unknown):
			t.Errorf("%q finds %v, %v", name, f, err)
		case !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v, want %q in it", name, err, want)
		case len(err.Error()) > 400:
			t.Errorf("%q: the message has %d bytes", name, len(err.Error()))
		}
	}
}

func TestOneKeyOneFootprint(t *testing.T) {
	owner := map[string]string{}
	for _, e := range entries() {
		for _, n := range append([]string{e.name}, e.also...) {
			if o := owner[key(n)]; o != "" && o != e.name {
				t.Errorf("%s means %s and %s", n, o, e.name)
			}
			owner[key(n)] = e.name
		}
	}
}

// TestVariants verifies that each suffix of a KiCad name changes the footprint, or that a note
// states the difference. Find generates a footprint for a name with dimensions that the library
// lacks.
func TestVariants(t *testing.T) {
	for _, c := range []struct {
		name, want string
		pad        int // index of the pad to check
		w, h       float64
		bodyW      float64
		note       string
	}{
		{"R_0603_1608Metric_Pad0.98x0.95mm_HandSolder", "R_0603", 0, .98, .95, 1.6, ""},
		{"Diode_SMD:D_SMA_Handsoldering", "SMA", 0, 2.5, 1.8, 4.3, "reflow"},
		{"QFN-16-1EP_3x3mm_P0.5mm_EP1.7x1.7mm", "QFN-16", 16, 1.7, 1.7, 3, ""},
		{"QFN-16-1EP_3x3mm_P0.5mm_EP1.7x1.7mm_ThermalVias", "QFN-16", 16, 1.7, 1.7, 3,
			"thermal vias"},
		{"DIP-14_W7.62mm_Socket_LongPads", "DIP-14", 1, 2.4, 1.6, 10.16, ""},
		{"Package_TO_SOT_THT:TO-92", "TO-92", 0, 1, 1.5, 4.74, "in line"},
		{"TO-92", "TO-92", 0, 1, 1.5, 4.74, ""},
		{"Package_TO_SOT_THT:TO-92_Inline", "TO-92", 0, 1, 1.5, 4.74, ""},
		{"Package_TO_SOT_THT:TO-92_HandSolder", "TO-92", 0, 1, 1.5, 4.74, "in line"},
		{"Package_TO_SOT_SMD:SOT-223-3_TabPin2", "SOT-223", 0, 2, 1.5, 3.5, ""},
		{"Package_TO_SOT_SMD:SOT-223", "SOT-223", 0, 2, 1.5, 3.5, "pad 2"},
		{"Capacitor_THT:C_Disc_D9.0mm_W5.0mm_P5.00mm", "C_Disc_D9.0mm_W5.0mm_P5.00mm", 0,
			2, 2, 9, ""},
		{"R_Axial_DIN0207_L6.3mm_D2.5mm_P7.62mm_Horizontal",
			"R_Axial_DIN0207_L6.3mm_D2.5mm_P7.62mm_Horizontal", 0, 1.6, 1.6, 6.3, ""},
		{"PinSocket_2x10_P2.54mm_Vertical", "PinSocket_2x10_P2.54mm_Vertical", 1, 1.7,
			1.7, 5.1, ""},
		{"Connector_JST:JST_PH_S4B-PH-K_1x04_P2.00mm_Horizontal",
			"JST_PH_S4B-PH-K_1x04_P2.00mm_Horizontal", 3, 1.2, 1.75, 9.9, ""},
		{"CP_Radial_D12.5mm_P5.00mm", "CP_Radial_D12.5mm_P5.00mm", 0, 2.4, 2.4, 12.5, ""},
	} {
		for _, name := range []string{c.name, c.want} {
			f, err := Find(name)
			if err != nil {
				t.Error(err)
				continue
			}
			if name == c.want { // Find must find a footprint by its name
				if f.Name != c.want {
					t.Errorf("%s finds %s", name, f.Name)
				}
				continue
			}
			checkInvariants(t, f)
			p := f.Pads[c.pad]
			if f.Name != c.want || board.ToMM(p.Width) != c.w || board.ToMM(p.Height) != c.h ||
				board.ToMM(f.Body.Width()) != c.bodyW {
				t.Errorf("%s: %s, pad %g x %g mm, body %g mm", name, f.Name, board.ToMM(p.Width),
					board.ToMM(p.Height), board.ToMM(f.Body.Width()))
			}
			if !strings.Contains(f.Note, c.note) || c.note == "" && f.Note != "" {
				t.Errorf("%s: note %q", name, f.Note)
			}
		}
	}
	for name, want := range map[string]string{
		"QFN-16_EP2.9x2.9mm":                               "does not fit between the lands",
		"SOIC-8_EP2.9x2.9mm":                               "no exposed pad",
		"SOIC-8_Pad1.5x0.6mm":                              "no lands whose size",
		"R_0805_Pad0x0mm":                                  "not a valid pad size",
		"R_0805_Pad1.2.3x1mm":                              "not a valid pad size",
		"C_Disc_D900mm_W1mm_P5":                            "C_D",
		"C_Disc_D900mm_W5.0mm_P5.00mm":                     "900 mm is no length",
		"R_Axial_DIN0207_L6.3mm_D2.5mm_P5.08mm_Horizontal": "does not fit between holes",
		"R_Axial_DIN0208_L6.3mm_D2.5mm_P7.62mm_Horizontal": "DIN0204",
		"PinSocket_2x10_P1.00mm_Vertical":                  "not in the library",
		"PinHeader_1x41_P2.00mm_Vertical":                  "not in the library",
		"JST_XH_B3B-XH-A_1x04_P2.50mm_Vertical":            "not in the library",
		"CP_Radial_D5.0mm_P7.50mm":                         "leads 7.5 mm apart",
	} {
		if f, err := Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

// TestNamesFromFigures verifies that names of KiCad find the lines of figures.txt. The numbers are
// those of the pads with a number in KiCad's files of these names.
func TestNamesFromFigures(t *testing.T) {
	for name, want := range map[string]int{
		"Connector_USB:USB_C_Receptacle_GCT_USB4085":                            20,
		"Connector_USB:USB_C_Receptacle_GCT_USB4105-xx-A_16P_TopMnt_Horizontal": 20,
		"Connector_JST:JST_PH_S2B-PH-SM4-TB_1x02-1MP_P2.00mm_Horizontal":        4,
		"Package_DIP:DIP-4_W7.62mm":                                             4,
		"Crystal:Crystal_SMD_5032-2Pin_5.0x3.2mm":                               2,
		"Button_Switch_SMD:SW_SPST_TL3342":                                      4,
		"Potentiometer_THT:Potentiometer_Bourns_3296W_Vertical":                 3,
		"Inductor_SMD:L_12x12mm_H8mm":                                           2,
		"Capacitor_SMD:CP_Elec_6.3x5.4":                                         2,
	} {
		f, err := Find(name)
		if err != nil {
			t.Error(err)
			continue
		}
		got := 0
		for _, p := range f.Pads {
			if p.Number != "" {
				got++
			}
		}
		if got != want {
			t.Errorf("%s has %d numbered pads, want %d", name, got, want)
		}
	}
}

// TestShieldName verifies that the pin SH of KiCad 9's symbols is the pad S1 of a USB connector.
func TestShieldName(t *testing.T) {
	f, err := Find("Connector_USB:USB_C_Receptacle_HRO_TYPE-C-31-M-12")
	if err != nil || f.Aliases["SH"] != "S1" {
		t.Error(f, err)
	}
	if f, err = Find("SOIC-8"); err != nil || f.Aliases["SH"] != "" {
		t.Error(f, err)
	}
}
