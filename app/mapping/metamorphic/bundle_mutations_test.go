package metamorphic

import (
	"slices"
	"testing"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/bundle"
)

// bundleMutations returns the mutations of Bundles, class by class.
func bundleMutations() []mutation {
	return slices.Concat(
		formMutations, identityMutations, timeMutations, unitMutations, rangeMutations, codeMutations, absenceMutations,
		shapeMutations, dateMutations, consentMutations, providerMutations, pluralityMutations, patientMutations,
	)
}

func TestMutationsOfBundlesChangeTheReadingAsTheyShould(t *testing.T) {
	applyToBundles(t, bundle.Reader{}, bundleMutations())
}

// The mutations also hold under the wider reading, except those of ofTheDefault. bfdrMutations
// are about resources that only the wider reading reads.
func TestMutationsOfBundlesChangeTheReadingOfBFDRAsTheyShould(t *testing.T) {
	wide := bundle.Reader{Reading: birth.BFDRReading}
	applyToBundles(t, wide, slices.Concat(slices.DeleteFunc(bundleMutations(), func(m mutation) bool {
		return slices.Contains(ofTheDefault, m.says)
	}), bfdrMutations))
}

func applyToBundles(t *testing.T, mapper bundle.Reader, mutations []mutation) {
	apply(t, mutations, bundleSources(t, mapper), func(t testing.TB, _ source, _ object, body string) reading {
		return readBundle(t, mapper, body)
	})
}

// ofTheDefault are the mutations that hold only under the default reading, because they change
// resources that the wider one reads.
var ofTheDefault = []string{
	"resources that the default reading does not know are added: the same",
	"wrong types stand in members that nobody reads: the same",
	"who attends is a birth attendant of BFDR proper: present",
	"every stay was cancelled: nobody attends, and there is no place",
	"every stay was entered in error: nobody attends, and there is no place",
	"every stay is planned: nobody attends, and there is no place",
	"every place has a label: no facility",
}
