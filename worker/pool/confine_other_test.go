//go:build !linux

package pool

import (
	"slipstick/tools"
	"slipstick/worker/internal/workertest"
)

func confinedCatalog() *tools.Catalog { return workertest.Catalog() }
