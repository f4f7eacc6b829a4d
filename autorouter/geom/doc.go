// Package geom is the geometry of boards: points, rectangles and polygons in whole nanometres,
// exact shapes of copper with their distances, spatial indexes and union-find. Package fabrication
// has its own geometry, because it verifies the other packages independently.
package geom
