package mapping

import (
	"strconv"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// LaterVersion reports whether a is certainly a later version of a resource than b. The version
// that was changed later is the later one. If the times don't show that, the version with the
// higher number is.
func LaterVersion(a, b fhir.Version) bool {
	timeA, okA := birth.ParseStamp(a.LastUpdated, time.UTC)
	timeB, okB := birth.ParseStamp(b.LastUpdated, time.UTC)
	switch {
	case okA && okB && timeA.First.After(timeB.Last):
		return true
	case okA && okB && timeB.First.After(timeA.Last):
		return false
	}
	numberA, errA := strconv.ParseUint(a.VersionID, 10, 64)
	numberB, errB := strconv.ParseUint(b.VersionID, 10, 64)
	return errA == nil && errB == nil && numberA > numberB
}
