package geom

// UnionFind is a disjoint-set forest of the numbers from 0. The least member represents a set.
type UnionFind []int

// NewUnionFind returns n sets of one member.
func NewUnionFind(n int) UnionFind {
	u := make(UnionFind, n)
	for i := range u {
		u[i] = i
	}
	return u
}

// Add adds a set of one member and returns its number.
func (u *UnionFind) Add() int {
	*u = append(*u, len(*u))
	return len(*u) - 1
}

// Find returns the least member of the set of i.
func (u UnionFind) Find(i int) int {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

// Union merges the sets of i and j.
func (u UnionFind) Union(i, j int) {
	i, j = u.Find(i), u.Find(j)
	u[max(i, j)] = min(i, j)
}
