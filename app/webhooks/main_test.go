package webhooks

import (
	"os"
	"testing"

	"birthregistry/store/storetest"
)

// TestMain opens the databases of the tests without waiting for the disk.
func TestMain(m *testing.M) { os.Exit(storetest.OffTheDisk(m)) }
