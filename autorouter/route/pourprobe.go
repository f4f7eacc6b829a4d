package route

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/pour"
)

// repour probes the pour again after a change to the ground net.
func (rt *router) repour(n *netState) {
	if !n.ground || rt.stopped {
		return
	}
	rt.writeCopper()
	rt.probePour()
}

// fragmentAt returns the fragment of the net's pour at a place, -1 for none.
func (rt *router) fragmentAt(n *netState, layer board.Layer, p board.Point) int {
	if !n.ground {
		return -1
	}
	return rt.poured.FragmentAt(layer, p)
}

// probePour pours the copper of the board and reports whether it finished.
func (rt *router) probePour() bool {
	rt.poured = pour.Result{}
	var err error
	if rt.pourSession == nil {
		rt.pourSession, err = pour.NewSession(rt.ctx, rt.board)
		if err == nil {
			rt.pourSession.Meter = rt.opt.Meter
		}
	}
	if err == nil {
		rt.poured, err = rt.pourSession.Probe(rt.ctx)
	}
	rt.stopped = rt.stopped || err != nil
	return err == nil
}

func (rt *router) writeCopper() {
	b := rt.board
	b.Tracks, b.Vias = nil, nil
	for i := range rt.nets {
		n := &rt.nets[i]
		copper := n.copper.deduplicated()
		for _, s := range copper.segments {
			if s.a != s.b {
				b.Tracks = append(b.Tracks, board.Track{Net: i, Layer: s.layer, A: s.a, B: s.b, Width: s.width})
			}
		}
		for _, v := range copper.vias {
			b.Vias = append(b.Vias, board.Via{Net: i, At: v, Drill: n.viaDrill, Diameter: n.viaDiameter})
		}
	}
}
