package birth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestDifferencesNameEachFieldThatChangesOnce(t *testing.T) {
	draft := func(family string, weights ...float64) birth.Draft {
		d := birth.Draft{}
		d.Mother.Set(birth.Must("mother_family_name"), birth.Value{Text: family})
		for _, grams := range weights {
			child := birth.Values{}
			if grams > 0 {
				child.Set(birth.Must("birth_weight_g"), birth.Value{Number: grams})
			}
			d.Children = append(d.Children, child)
		}
		return d
	}
	require.Empty(t, birth.Differences(draft("Lee", 3000), draft("Lee", 3000)))
	require.Equal(t, []string{"Birth weight"}, birth.Differences(draft("Lee", 3000, 2000), draft("Lee", 3100, 0)))
	both := birth.Differences(draft("Lee", 3000), draft("Ode", 3000, 2000, 1000))
	require.Equal(t, []string{birth.Must("mother_family_name").Label, "Another newborn"}, both)
	consent := draft("Lee", 3000)
	consent.Consent.Granted, consent.Transfers = true, []birth.Transfer{{Type: "neonatal"}}
	require.Equal(t, []string{"Transfer of care", "Consent"}, birth.Differences(draft("Lee", 3000), consent))
}
