package worker_test

import (
	"fmt"
	"os"
	"testing"

	"birthregistry/store/storetest"
)

// TestMain lets the test binary run as another process, which a Bundle kills.
func TestMain(m *testing.M) {
	db := os.Getenv("WORKER_CHILD_DB")
	if db == "" {
		os.Exit(storetest.OffTheDisk(m))
	}
	if err := workUntilKilled(db); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
