package metamorphic

import (
	"slices"
	"testing"

	"birthregistry/app/mapping"
)

// The mutations of Bundles, class by class.
func bundleMutations() []mutation {
	return slices.Concat(
		formMutations, identityMutations, timeMutations, unitMutations, rangeMutations, codeMutations, absenceMutations,
		shapeMutations, dateMutations, consentMutations, peopleMutations, pluralityMutations, patientMutations,
	)
}

func TestMutationsOfBundlesChangeTheReadingAsTheyShould(t *testing.T) {
	sources := bundleSources(t)
	apply(t, bundleMutations(), sources, func(t testing.TB, _ source, _ object, body string) reading {
		return readBundle(t, mapping.Mapper{}, body)
	})
}
