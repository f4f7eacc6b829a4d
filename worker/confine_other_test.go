//go:build !linux

package worker

import "slipstick/tools"

func confinedCatalog() *tools.Catalog { return testCatalog() }
