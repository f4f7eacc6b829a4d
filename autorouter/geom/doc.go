// Package geom is the geometry of boards: points, rectangles and polygons in whole nanometres,
// exact shapes of copper with their distances, spatial indexes and union-find. Package fabrication
// has its own geometry, as it verifies the others independently.
package geom
