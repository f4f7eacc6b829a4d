package thermal

import "math"

// Sink is a plate with straight fins on one face and a source of heat on the other, in SI units.
type Sink struct {
	Width, Length, Base float64 // across the fins, along them, through the plate [m]
	Fins                int
	Height, Thickness   float64 // dimensions of a fin [m]
	Conductivity        float64 // [W/(m·K)]
	Emissivity          float64
	Power               float64 // [W]
	Source              Rectangle
	Ambient             float64 // [K]
	Altitude            float64 // [m]
	Horizontal          bool    // natural convection with a horizontal base and upright fins
	Stream              *Stream // nil for natural convection
}

// Rectangle is an area on a plate [m].
type Rectangle struct{ X0, X1, Y0, Y1 float64 }

// Area returns the area of the rectangle [m²].
func (r Rectangle) Area() float64 { return (r.X1 - r.X0) * (r.Y1 - r.Y0) }

// Stream is a forced air flow with a given mean speed or a fan.
type Stream struct {
	Speed                 float64 // speed of the incoming air [m/s]; not used with a fan
	DuctWidth, DuctHeight float64 // duct above the plate [m]; the area outside the fins is bypass
	Fan                   *Fan
}

// Fan is a fan with a linear characteristic.
type Fan struct {
	MaxFlow     float64 // flow without back pressure [m³/s]
	MaxPressure float64 // pressure without flow [Pa]
}

// Flow is the air flow between the fins.
type Flow struct {
	Channel
	Volume     float64 // volume flow through all channels at ambient density [m³/s]
	Bypass     float64 // volume flow past the sink at ambient density [m³/s]
	Pressure   float64 // pressure drop across the sink [Pa]
	OneChannel float64 // heat that warms the air of one channel by 1 K [W/K]
}

// Gap returns the clear width between two fins [m].
func (s *Sink) Gap() float64 {
	return (s.Width - float64(s.Fins)*s.Thickness) / float64(s.Fins-1)
}

// channelWalls returns the wetted area of one channel, channelOpening its radiating opening [m²].
func (s *Sink) channelWalls() float64 { return s.Length * (2*s.Height + s.Gap()) }

func (s *Sink) channelOpening() float64 { return s.Gap() * (s.Length + 2*s.Height) }

// radiantChannel returns the radiative film coefficient of channel walls at the given rise above
// ambient.
func (s *Sink) radiantChannel(rise float64) float64 {
	return CavityArea(s.channelWalls(), s.channelOpening(), s.Emissivity) / s.channelWalls() *
		RadiantFilm(s.Ambient+rise, s.Ambient)
}

// radiantOpen returns the radiative film coefficient of the outer faces and the fin tips.
func (s *Sink) radiantOpen(rise float64) float64 {
	return s.Emissivity * RadiantFilm(s.Ambient+rise, s.Ambient)
}

// NaturalFilms returns the film coefficients in the channels and on the two outer faces at the
// given mean rise above ambient. With a horizontal base, neither exceeds that of a vertical one.
func (s *Sink) NaturalFilms(rise float64) (channel, outer float64) {
	air := AirAt(s.Ambient+rise/2, s.Altitude)
	channel = NaturalChannel(air, rise, s.Gap(), s.Length)
	outer = VerticalPlate(air, rise, s.Length)
	if !s.Horizontal {
		return channel, outer
	}
	return min(channel, HorizontalFins(air, rise, s.Gap())),
		min(outer, VerticalPlate(air, rise, s.Height))
}

// Efficiency returns the efficiency of a fin with an adiabatic tip and the given film coefficient
// on both sides.
func (s *Sink) Efficiency(film float64) float64 {
	if film <= 0 {
		return 1
	}
	m := s.decay(film) * s.Height
	return math.Tanh(m) / m
}

// decay returns the reciprocal [1/m] of the length over which the temperature of a long fin falls
// by a factor of e.
func (s *Sink) decay(film float64) float64 {
	return math.Sqrt(2 * film / (s.Conductivity * s.Thickness))
}

// Flow computes the air flow between the fins at a film temperature [K].
//
// The bypass air and the air that leaves the channels have the same static pressure at the outlet.
// The velocity head of the bypass therefore equals the head and losses of the channels (Simons
// 2004). A fan works against the losses of the sink.
func (s *Sink) Flow(film float64) Flow {
	st := s.Stream
	rho := AirAt(s.Ambient, s.Altitude).Density
	open := s.Gap() * float64(s.Fins-1) / s.Width
	front := open * s.Width * s.Height
	duct := st.DuctWidth * st.DuctHeight
	bypass := max(0, duct-s.Width*s.Height)
	if bypass < 1e-9*duct {
		bypass = 0
	}
	channel := Channel{Air: AirAt(film, s.Altitude), Gap: s.Gap(), Length: s.Length}
	// loss is in velocity heads of u, past is the bypass flow [m³/s].
	at := func(u float64) (loss, past float64) {
		channel.Speed = u
		loss = channel.LossFactor(open)
		return loss, u * math.Sqrt(1+loss) * bypass
	}
	limit := st.Speed * duct
	if st.Fan != nil {
		limit = st.Fan.MaxFlow
	}
	highest := limit / front
	u := highest
	if st.Fan != nil || bypass > 0 {
		u = Root(1e-12*highest, highest, func(u float64) float64 {
			loss, past := at(u)
			flow := u*front + past
			if st.Fan == nil {
				return flow - limit
			}
			return loss*rho*u*u/2 - st.Fan.MaxPressure*(1-flow/limit)
		})
	}
	loss, past := at(u)
	return Flow{
		Channel: channel, Volume: u * front, Bypass: past,
		Pressure:   loss * rho * u * u / 2,
		OneChannel: rho * u * front / float64(s.Fins-1) * SpecificHeat,
	}
}

// Closed is the closed-form solution of a sink.
type Closed struct {
	Base       float64 // mean rise of the plate's fin face [K]
	Fins       float64 // thermal resistance from the fin face to ambient [K/W]
	Plate      float64 // thermal resistance from the source mean to the fin face [K/W]
	Film       float64 // convective film coefficient in the channels [W/(m²·K)]
	Radiant    float64 // radiative film coefficient in the channels [W/(m²·K)]
	Efficiency float64 // of a fin
	Walls      float64 // mean rise of the channel walls [K]
	Air        float64 // mean rise of the air in the channels [K]; 0 for natural convection
}

// ClosedForm computes the sink with an isothermal plate and one-dimensional fins.
func (s *Sink) ClosedForm() Closed {
	if s.Stream == nil {
		rise := RootAbove(0, 10, func(x float64) float64 {
			_, q := s.naturalHeat(x)
			return q - s.Power
		})
		c, _ := s.naturalHeat(rise)
		return s.close(c)
	}
	// The film coefficients depend weakly on the film temperature, so a few iterations suffice.
	film := s.Ambient
	var c Closed
	for range 30 {
		flow := s.Flow(film)
		c = s.forced(flow)
		next := s.Ambient + (c.Base+c.Air)/2
		if math.Abs(next-film) < 1e-9*film {
			break
		}
		film = next
	}
	return s.close(c)
}

// naturalHeat returns the heat dissipated at a plate rise of x above ambient.
func (s *Sink) naturalHeat(x float64) (Closed, float64) {
	channel, outer := s.NaturalFilms(x)
	c := Closed{Base: x, Film: channel}
	s.settle(&c)
	outside := 2 * s.Length * outer * (s.Height*c.Efficiency + s.Base) * x
	return c, float64(s.Fins-1)*s.channelWalls()*channel*c.Walls + outside + s.radiation(c)
}

// settle iterates efficiency, mean wall rise and radiative film coefficient, which depend on each
// other only through radiation.
func (s *Sink) settle(c *Closed) {
	c.Efficiency, c.Walls = 1, c.Base
	for range 8 {
		c.Radiant = s.radiantChannel(c.Walls)
		c.Efficiency = s.Efficiency(c.Film + c.Radiant)
		before := c.Walls
		c.Walls = c.Base * (2*s.Height*c.Efficiency + s.Gap()) / (2*s.Height + s.Gap())
		if math.Abs(c.Walls-before) < 1e-9*c.Base {
			break
		}
	}
}

// radiation returns the heat [W] radiated by all channels, the outer faces and the tips.
func (s *Sink) radiation(c Closed) float64 {
	fin := c.Base * c.Efficiency
	tip := c.Base / math.Cosh(s.decay(c.Film+c.Radiant)*s.Height)
	return float64(s.Fins-1)*s.channelWalls()*c.Radiant*c.Walls +
		2*s.Length*(s.Height*s.radiantOpen(fin)*fin+s.Base*s.radiantOpen(c.Base)*c.Base) +
		float64(s.Fins)*s.Thickness*s.Length*s.radiantOpen(tip)*tip
}

func (s *Sink) forced(flow Flow) Closed {
	film := flow.Film()
	air := flow.OneChannel * float64(s.Fins-1)
	at := func(x float64) (Closed, float64) {
		c := Closed{Base: x, Film: film}
		s.settle(&c)
		walls := float64(s.Fins-1) * s.Length * film * (2*s.Height*c.Efficiency + s.Gap())
		carried := air * -math.Expm1(-walls/air) * x
		// The heat flow is proportional to the mean difference from the base.
		c.Air = x - carried/walls
		return c, carried + s.radiation(c)
	}
	rise := RootAbove(0, 10, func(x float64) float64 {
		_, q := at(x)
		return q - s.Power
	})
	c, _ := at(rise)
	return c
}

// close adds the spreading resistance of the plate (Lee, Song, Au and Moran 1995), with circles of
// equal areas. Its first term is the resistance of the plate itself.
func (s *Sink) close(c Closed) Closed {
	a, b := math.Sqrt(s.Source.Area()/math.Pi), math.Sqrt(s.Width*s.Length/math.Pi)
	c.Fins = c.Base / s.Power
	ratio, depth := min(1, a/b), s.Base/b
	biot := 1 / (math.Pi * s.Conductivity * b * c.Fins)
	lambda := math.Pi + 1/(math.SqrtPi*ratio)
	tanh := math.Tanh(lambda * depth)
	phi := (tanh + lambda/biot) / (1 + lambda/biot*tanh)
	psi := ratio*depth/math.SqrtPi + math.Pow(1-ratio, 1.5)/2*phi
	c.Plate = psi / (math.SqrtPi * s.Conductivity * a)
	return c
}
