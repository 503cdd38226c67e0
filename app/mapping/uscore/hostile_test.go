package uscore

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// doubted is a chart in valid FHIR that leaves one field in doubt.
type doubted struct {
	chart []m
	field string
	// why occurs in a hint at the field or in a notice; filled is the value in a similar chart
	// that leaves no doubt.
	why, filled string
	as          Role // the mother's, unless stated otherwise
}

// requireDoubts reads each chart and requires that it either fills the field in or says why it
// does not.
func requireDoubts(t *testing.T, charts map[string]doubted) {
	t.Helper()
	for name, c := range charts {
		t.Run(name, func(t *testing.T) {
			as := c.as
			if as == "" {
				as = Mother
			}
			filled := readChart(t, c.chart...).As[as]
			stated := strings.Join(filled.Notices, "\n")
			for _, h := range filled.Hints {
				if h.At.Field == c.field {
					stated += "\n" + h.Text
				}
			}
			require.Equal(t, c.filled, filledAt(filled, c.field), stated)
			if c.why != "" {
				require.Contains(t, stated, c.why)
			}
		})
	}
}

// filledAt returns the value that a chart fills into a field, or "".
func filledAt(f Filled, field string) string {
	for _, o := range f.Origins {
		if o.At.Field == field {
			return valueAt(f.Draft, o.At)
		}
	}
	return ""
}

// The resources from which the doubtful charts are made. The launch is on May 3, 2026.
var (
	bornMay1  = seen("born", deliveryTime, "2026-05-01", day1("2026-05-01"))
	dueMay20  = seen("due", "11778-8", "2025-11-01", day1("2026-05-20"))
	periodJul = seen("lmp", "8665-2", "2025-09-20", day1("2025-07-28"))
	aBaby     = m{"focus": l{m{"reference": "Patient/baby"}}}
)

func counted(n int) m { return m{"valueInteger": n} }

func weighing(n float64, unit string) m {
	return m{"valueQuantity": m{"value": n, "code": unit}}
}

// baby returns the Patient of a newborn's chart, born on May 1, 2026, at 4:18.
func baby(more ...m) m {
	return m{
		"resourceType": "Patient", "id": "p", "gender": "female", "birthDate": "2026-05-01",
		"_birthDate": m{"extension": l{m{
			"url": "http://hl7.org/fhir/StructureDefinition/patient-birthTime", "valueDateTime": "2026-05-01T04:18:00-04:00",
		}}},
	}.With(more...)
}

func named(family string, given ...string) m {
	list := l{}
	for _, g := range given {
		list = append(list, g)
	}
	return m{"name": l{m{"use": "official", "family": family, "given": list}}}
}

// worded returns a code with a display and a text.
func worded(system, code, display, text string) m {
	return m{"code": m{"coding": l{m{"system": system, "code": code, "display": display}}, "text": text}}
}

func TestTheDoubtfulChartsContainOnlyWhatEHRsSend(t *testing.T) {
	require.Equal(t, `"2026-05-01"`, filledAt(readChart(t, her(), bornMay1).As[Mother], "birth_date"))
	require.Equal(t, `"2026-05-20"`, filledAt(readChart(t, her(), dueMay20).As[Mother], "estimated_due_date"))
	require.Equal(t, `"2025-07-28"`, filledAt(readChart(t, her(), periodJul, bornMay1).As[Mother], "last_menstrual_period"))
	require.Equal(t, birth.Child, birth.Must("birth_weight_g").About)
}

func TestRegistryCodesForUnknownFillInNothing(t *testing.T) {
	chart := readChart(t, baby(),
		seen("w", "8339-4", "2026-05-01", weighing(9999, "g")), seen("a", "9274-2", "2026-05-01", counted(99)), seen("b", "9272-6", "2026-05-01", counted(8)))
	require.Empty(t, filledAt(chart.As[Newborn], "birth_weight_g"))
	require.Empty(t, filledAt(chart.As[Newborn], "apgar_five_minute"))
	require.Equal(t, "8", filledAt(chart.As[Newborn], "apgar_one_minute"))
}
