// Package propagation computes the losses of radio paths and the range of a link budget. It models
// terrain, Okumura-Hata, COST 231-Hata, the two-ray path, knife-edge diffraction and rain.
package propagation

import (
	"math"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/tolerance"
)

// terrainLoss is the excess loss over free space [dB]. The specification fixes the first and last
// values. The others are excess losses at 1 km with a 30 m base and a 1.5 m mobile antenna, rounded
// to 5 dB. Okumura-Hata at 915 MHz yields 24.9 for suburban and 34.9 for urban terrain. COST
// 231-Hata for metropolitan centres yields 40.6 at 1500 MHz, the start of its range. Urban loss
// plus the median building entry loss of 12.5 dB (ITU-R P.2109) yields 47.4 of the 50 for indoor.
var terrainLoss = map[string]float64{
	"open": 0, "suburban": 25, "urban": 35, "dense_urban": 40, "indoor": 50,
}

// TerrainLossDB returns the excess loss over free space [dB] of a type of terrain.
func TerrainLossDB(terrain string) float64 { return terrainLoss[terrain] }

// HataSlope is the loss per decade of distance beyond 1 km [dB] in the Okumura-Hata model with a 30
// m base: 44.9 - 6.55 log10(30). FreeSlope is the loss per decade in free space [dB].
const (
	HataSlope = 35.2
	FreeSlope = 20.0
)

// Heights contains the antenna heights above ground.
type Heights struct {
	TxHeightM float64 `json:"tx_height_m" unit:"m" min:"0" max:"10000" default:"10" label:"Transmit antenna height" doc:"Height of the transmit antenna above ground"`
	RxHeightM float64 `json:"rx_height_m" unit:"m" min:"0" max:"10000" default:"2" label:"Receive antenna height" doc:"Height of the receive antenna above ground"`
}

// horizon returns the radio horizon in km over a smooth earth of 4/3 radius (ITU-R P.310). It is
// √(2·4/3·6371 km·h), where the factor is 4.12 with heights in m. The rounded factor is that of
// published range rules; HorizonM rounds nothing.
func (h Heights) horizon() float64 {
	return 4.12 * (math.Sqrt(h.TxHeightM) + math.Sqrt(h.RxHeightM))
}

// HorizonM returns the longest path in m over smooth earth of 4/3 radius between two heights in m.
// By ITU-R P.310 it is √(2 k R h1) + √(2 k R h2).
func HorizonM(h1, h2 float64) float64 {
	const diameter = 2 * 4.0 / 3 * phys.EarthRadius
	return math.Sqrt(diameter*h1) + math.Sqrt(diameter*h2)
}

// Planning contains the fade margin and the location reserve of a link.
type Planning struct {
	FadeMarginDB float64 `json:"fade_margin_db" unit:"dB" min:"0" max:"100" default:"0" label:"Fade margin" doc:"Reserve for fading, for planned_range_km"`
	LocationPct  float64 `json:"location_pct" unit:"%" min:"1" max:"99.9" default:"50" label:"Location percentage" doc:"Share of the locations at planned_range_km that have a link; 50 is the median"`
	ShadowingDB  float64 `json:"shadowing_db" unit:"dB" min:"0" max:"30" default:"8" label:"Shadowing" doc:"Standard deviation of the path loss over locations"`
}

// ReserveDB returns the total reserve in dB (ITU-R P.1546-6, annex 5, section 12). It is the fade
// margin plus the normal deviate of the location percentage times the standard deviation.
func (p Planning) ReserveDB() float64 {
	return p.FadeMarginDB + math.Sqrt2*math.Erfinv(2*p.LocationPct/100-1)*p.ShadowingDB
}

// Reach contains the distances that a link budget covers. PlannedRangeKm is the usable range.
type Reach struct {
	PlannedRangeKm   float64  `json:"planned_range_km" unit:"km" label:"Usable range" doc:"Range by antenna heights with fade_margin_db and location_pct"`
	PracticalRangeKm float64  `json:"practical_range_km" unit:"km" label:"Range by slope" doc:"Range by the Okumura-Hata slope of a 30 m antenna beyond 1 km, at most the radio horizon"`
	RadioHorizonKm   float64  `json:"radio_horizon_km" unit:"km" label:"Radio horizon" doc:"Radio horizon of the two antenna heights over smooth earth"`
	MaxRangeKm       float64  `json:"max_range_km" unit:"km" label:"Range by free-space slope" doc:"Range by the free-space slope after the terrain loss, which is that of 1 km: too long beyond 1 km, too short below"`
	HataRangeKm      *float64 `json:"hata_range_km" unit:"km" label:"Range by antenna heights" doc:"Range by Okumura-Hata with both antenna heights, at most the radio horizon; null outside 150 to 1500 MHz and indoors"`
}

// Range returns the distances that a link budget covers at a frequency, and the margin at 1 km
// [dB]. effectiveDB is the budget minus the terrain loss. The planned distance includes the reserve
// of p. It depends on the antenna heights where Okumura-Hata is valid, otherwise on the slope for a
// base of 30 m.
func Range(
	w *tools.Warnings, effectiveDB, freqMHz float64, terrain string, h Heights, p Planning,
) (r Reach, marginAt1km float64) {
	marginAt1km = effectiveDB - phys.FreeSpaceLossDB(1e3, phys.C/(freqMHz*1e6))
	r.MaxRangeKm = math.Pow(10, marginAt1km/FreeSlope)
	r.RadioHorizonKm = h.horizon()
	r.PracticalRangeKm = h.bySlope(marginAt1km, terrain)
	var byHata, plannedByHata bool // whether Okumura-Hata sets the distance
	if h.hataHolds(freqMHz, terrain) {
		budget := effectiveDB + terrainLoss[terrain]
		r.HataRangeKm = new(float64)
		*r.HataRangeKm, byHata = h.hataRange(budget, freqMHz, terrain)
		r.PlannedRangeKm, plannedByHata = h.hataRange(budget-p.ReserveDB(), freqMHz, terrain)
	} else {
		r.PlannedRangeKm = h.bySlope(marginAt1km-p.ReserveDB(), terrain)
	}
	if freqMHz < hataLeastMHz || freqMHz > hataMostMHz {
		w.Warn(
			"at %g MHz no model takes the antenna heights, as Okumura-Hata holds from %d to %d MHz: planned_range_km ignores them, and low antennas reach less; the terrain loss is that of 915 MHz",
			freqMHz, hataLeastMHz, hataMostMHz)
	}
	if r.HataRangeKm != nil {
		h.warn(w, byHata, plannedByHata)
	}
	planned := tolerance.RoundAbove(r.PlannedRangeKm, r.MaxRangeKm, 4)
	switch {
	case !tolerance.Above(r.PlannedRangeKm, r.MaxRangeKm):
	case p.ReserveDB() < 0:
		w.Warn(
			"planned_range_km %g is above max_range_km %g: with location_pct %g, below 50, most places have no link",
			planned, tolerance.RoundDown(r.MaxRangeKm, 4), p.LocationPct)
	default:
		w.Warn(
			"planned_range_km %g is above max_range_km %g: the terrain loss of %g dB in max_range_km is that of 1 km between 30 and 1.5 m; on shorter paths and with higher antennas Okumura-Hata has less; plan with the smaller",
			planned, tolerance.RoundDown(r.MaxRangeKm, 4), terrainLoss[terrain])
	}
	if tolerance.Above(r.MaxRangeKm, r.RadioHorizonKm) {
		w.Warn(
			"the usable range is planned_range_km %.4g; max_range_km %g, by the free-space slope, is beyond the radio horizon of %g km for these antenna heights",
			r.PlannedRangeKm, tolerance.RoundAbove(r.MaxRangeKm, r.RadioHorizonKm, 4),
			tolerance.RoundDown(r.RadioHorizonKm, 4),
		)
	}
	return r, marginAt1km
}

// bySlope returns the distance [km] at which the path-loss slope of the terrain uses up a margin
// [dB] given at 1 km. The horizon limits it.
func (h Heights) bySlope(marginAt1km float64, terrain string) float64 {
	slope := HataSlope
	if terrain == "open" || marginAt1km < 0 {
		slope = FreeSlope
	}
	return min(math.Pow(10, marginAt1km/slope), h.horizon())
}

// Frequency range [MHz] of Okumura-Hata (Hata 1980).
const hataLeastMHz, hataMostMHz = 150, 1500

// Range of base station heights [m] of Okumura-Hata (Hata 1980).
const hataLeastHeightM, hataMostHeightM = 30, 200

// Range of mobile station heights [m] of Okumura-Hata (Hata 1980).
const mobileLeastHeightM, mobileMostHeightM = 1, 10

// groundHeightM is the minimum base height [m] for the extrapolation of Okumura-Hata below 30 m.
const groundHeightM = 1

// defaultHeightM is the default of Heights.TxHeightM. The limits of the tools state that it is
// extrapolated, so only other heights add a warning.
const defaultHeightM = 10

// inHata returns the heights [m] of base and mobile station for Okumura-Hata. The higher antenna is
// the base, limited to 1 to 200 m; heights below 30 m are extrapolated. The lower antenna is the
// mobile station, limited to 1 to 10 m.
func (h Heights) inHata() (base, mobile float64) {
	base = min(max(h.TxHeightM, h.RxHeightM, groundHeightM), hataMostHeightM)
	mobile = min(max(min(h.TxHeightM, h.RxHeightM), mobileLeastHeightM), mobileMostHeightM)
	return base, mobile
}

// warn warns of heights that Okumura-Hata limits or extrapolates. The loss decreases with both
// heights, so a height that is reduced shortens the range. byHata and plannedByHata report whether
// the model sets hata_range_km and planned_range_km. The horizon and the free-space loss do not
// depend on the limits.
func (h Heights) warn(w *tools.Warnings, byHata, plannedByHata bool) {
	base, mobile := h.inHata()
	affected := ""
	switch {
	case byHata && plannedByHata:
		affected = ": that and planned_range_km are"
	case byHata:
		affected = ", which is"
	case plannedByHata:
		affected = ": planned_range_km is"
	}
	counts := func(antenna string, height, limit float64) {
		effect := "short"
		if height < limit {
			effect = "long"
		}
		switch {
		case affected != "":
			effect = affected + " too " + effect + " for this height"
		case height > limit:
			return // the model has less loss at the real height, so the distance is the same
		default:
			effect = ""
		}
		w.Warn("the %s antenna of %g m counts as %g m, the limit of hata_range_km%s",
			antenna, height, limit, effect)
	}
	switch higher := max(h.TxHeightM, h.RxHeightM); {
	case higher != base:
		counts("higher", higher, base)
	case base < hataLeastHeightM && base != defaultHeightM:
		w.Warn(
			"the higher antenna is at %g m, outside the %d to %d m of Okumura-Hata: planned_range_km extrapolates it",
			base, hataLeastHeightM, hataMostHeightM)
	}
	if lower := min(h.TxHeightM, h.RxHeightM); lower != mobile {
		counts("lower", lower, mobile)
	}
}

// hataHolds reports whether Okumura-Hata applies: from 150 to 1500 MHz, outdoors and for antennas
// above ground.
func (h Heights) hataHolds(freqMHz float64, terrain string) bool {
	return freqMHz >= hataLeastMHz && freqMHz <= hataMostMHz && terrain != "indoor" &&
		min(h.TxHeightM, h.RxHeightM) > 0
}

// hataRange returns the distance [km] at which the median loss of Okumura-Hata equals a budget
// [dB], and whether the model sets it. On short paths, where the extrapolated loss is below the
// free-space loss, the free-space range applies. The horizon limits both.
func (h Heights) hataRange(
	budgetDB, freqMHz float64, terrain string,
) (km float64, byModel bool) {
	base, mobile := h.inHata()
	decades := (budgetDB - hataAt1km(freqMHz, base, mobile, terrain)) / hataDecade(base)
	free := (budgetDB - phys.FreeSpaceLossDB(1e3, phys.Wavelength(freqMHz))) / FreeSlope
	km = math.Pow(10, min(decades, free))
	if horizon := h.horizon(); km >= horizon {
		return horizon, false
	}
	return km, decades < free
}
