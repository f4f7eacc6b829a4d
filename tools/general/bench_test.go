package general

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkTools runs every example of every tool through Tool.Run, JSON in and JSON out.
func BenchmarkTools(b *testing.B) {
	for _, tool := range Category().Tools {
		for i, example := range tool.Examples {
			body := []byte(example.In)
			b.Run(fmt.Sprintf("%s/%d", tool.Name, i+1), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := tool.Run(context.Background(), body); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkWideLaws measures tests and confidence intervals of large samples. Their tail
// probabilities are integrated numerically.
func BenchmarkWideLaws(b *testing.B) {
	for _, c := range []struct{ name, in string }{
		{"p_value", `{"distribution":"t","statistic":2,"df":10000}`},
		{"p_value", `{"distribution":"chi2","statistic":1002000,"df":1000000}`},
		{"p_value",
			`{"distribution":"f","statistic":1.01,"df1":1000000,"df2":1000000,"tail":"two_sided"}`},
		{"confidence_interval", `{"mean":100,"std_dev":15,"n":10000}`},
		{"confidence_interval",
			`{"kind":"proportion","successes":7000,"n":20000,"method":"clopper_pearson"}`},
	} {
		for _, tool := range Category().Tools {
			if tool.Name == c.name {
				b.Run(c.name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := tool.Run(context.Background(), []byte(c.in)); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
