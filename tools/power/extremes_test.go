package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestExtremeInputs(t *testing.T) {
	// The texts are conductor sizes.
	tooltest.FuzzBounds(t, Category().Tools, 600, 12, 30, "1/0", "4/0", 500, 2000, 18)
}
