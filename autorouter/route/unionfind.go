package route

// unionFind is a disjoint-set forest. The least member represents a set.
type unionFind []int

func newUnionFind(n int) unionFind {
	f := make(unionFind, n)
	for i := range f {
		f[i] = i
	}
	return f
}

func (f unionFind) find(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f unionFind) union(i, j int) {
	i, j = f.find(i), f.find(j)
	f[max(i, j)] = min(i, j)
}
