package route

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/pour"
)

// repour probes the pours again after a change to a net that has a pour.
func (rt *router) repour(n *netState) {
	if n.pour == nil || rt.stopped {
		return
	}
	rt.writeCopper()
	rt.probePours()
}

// fragmentAt returns the index of the fragment of the net's pour at a position, or -1 if there is
// none.
func (rt *router) fragmentAt(n *netState, layer board.Layer, p board.Point) int {
	if n.pour == nil {
		return -1
	}
	return n.pour.last.FragmentAt(rt.numbers.board[layer], p)
}

// probePours fills the pours of the board and reports whether all of them are filled.
func (rt *router) probePours() bool {
	for i := range rt.pours {
		if !rt.probePour(&rt.pours[i]) {
			return false
		}
	}
	return true
}

func (rt *router) probePour(p *poured) bool {
	p.last = pour.Result{}
	var err error
	if p.session == nil {
		of := board.Pour{Net: p.net, Layers: rt.numbers.onBoard(p.layers)}
		p.session, err = pour.NewSession(rt.ctx, rt.board, of)
		if err == nil {
			p.session.Meter = rt.opt.Meter
		}
	}
	if err == nil {
		p.last, err = p.session.Probe(rt.ctx)
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
		copper.segments = append(copper.segments, n.coupled.segments...)
		copper.vias = append(copper.vias, n.coupled.vias...)
		for _, s := range copper.segments {
			if s.a != s.b {
				b.Tracks = append(b.Tracks, board.Track{Net: i, Layer: rt.numbers.board[s.layer],
					A: s.a, B: s.b, Width: s.width})
			}
		}
		for _, v := range copper.vias {
			b.Vias = append(b.Vias, board.Via{Net: i, At: v, Drill: n.viaDrill,
				Diameter: n.viaDiameter})
		}
	}
}
