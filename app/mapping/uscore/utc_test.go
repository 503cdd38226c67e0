package uscore

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

func TestADayOfBirthStatedInUTCIsAHintAndNotFilledIn(t *testing.T) {
	for at, filled := range map[string]bool{
		"2026-05-01":                    true,
		"2026-05-01T23:10:00-04:00":     true,
		"2026-05-01T10:00:00+00:30":     true,
		"2026-05-02T03:10:00Z":          false, // May 1 in New York
		"2026-05-02T03:10:00.000+00:00": false,
	} {
		reading := readResources(t, []m{
			{"resourceType": "Patient", "id": "p", "birthDate": "1994-05-17", "gender": "female"},
			{
				"resourceType": "Observation", "id": "o", "status": "final", "subject": m{"reference": "Patient/p"},
				"code":              m{"coding": l{m{"system": mapping.LOINCURL, "code": deliveryTime}}},
				"effectiveDateTime": "2026-05-02T12:00:00Z", "valueDateTime": at,
			},
		})
		mother := reading.As[Mother]
		require.Equal(t, filled, mother.Draft.Children[0].Has("birth_date"), at)
		if filled {
			continue
		}
		require.False(t, mother.Draft.Children[0].Has("birth_datetime"), at)
		require.Len(t, mother.Hints, 1, at)
		require.Equal(t, birth.Of(birth.ChildList, 0, "birth_date"), mother.Hints[0].At, at)
		require.NotNil(t, mother.Hints[0].Value, at)
		require.Contains(t, mother.Hints[0].Text, "UTC", at)
	}
}
