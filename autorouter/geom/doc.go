// Package geom provides board geometry: points, rectangles and polygons in whole nanometres, exact
// copper shapes with their distances, spatial indexes and union-find. Package fabrication uses its
// own geometry, because it verifies the other packages independently.
package geom
