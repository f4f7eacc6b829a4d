// Package catalog combines all tools. It is the only package that imports every category.
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

// New returns the complete catalog. It returns an error that names an invalid definition or link; a
// test checks that there is none.
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
