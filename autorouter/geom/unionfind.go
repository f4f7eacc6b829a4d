package geom

// UnionFind is a disjoint-set forest over consecutive numbers from 0. The representative of a set
// is its smallest member.
type UnionFind []int

// NewUnionFind returns n singleton sets.
func NewUnionFind(n int) UnionFind {
	u := make(UnionFind, n)
	for i := range u {
		u[i] = i
	}
	return u
}

// Add adds a singleton set and returns its number.
func (u *UnionFind) Add() int {
	*u = append(*u, len(*u))
	return len(*u) - 1
}

// Find returns the smallest member of the set that contains i.
func (u UnionFind) Find(i int) int {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

// Union merges the sets that contain i and j.
func (u UnionFind) Union(i, j int) {
	i, j = u.Find(i), u.Find(j)
	u[max(i, j)] = min(i, j)
}
