// Package catalog gathers every tool. It is the only place that imports every category.
package catalog

import (
	"slipstick/tools"
	"slipstick/tools/general"
	"slipstick/tools/homelab"
	"slipstick/tools/mesh"
	"slipstick/tools/pcb"
	"slipstick/tools/power"
	"slipstick/tools/rf"
)

// New puts the whole catalog together. The error names a wrong definition or a chain edge
// that does not fit; a test keeps it nil.
func New() (*tools.Catalog, error) {
	return tools.NewCatalog([]tools.Category{
		rf.Category(),
		mesh.Category(),
		homelab.Category(),
		power.Category(),
		pcb.Category(),
		general.Category(),
	}, edges(), pcb.RouteDesign)
}
