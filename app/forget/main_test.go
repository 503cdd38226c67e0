package forget_test

import (
	"os"
	"testing"

	"birthregistry/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.OffTheDisk(m)) }
