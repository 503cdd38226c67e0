package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/report"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// fields returns every field about which a report decides.
func fields() (all []*birth.Field) {
	all = append(all, birth.Spine...)
	for _, m := range birth.TransferMembers {
		all = append(all, m.Field)
	}
	return all
}

// Every field that is a text, a date, an age or a postal code, listed by hand: the test fails
// for a new field of these kinds until somebody has decided about it.
func TestEveryIdentifierOfSafeHarborIsWithheldOrCoarsened(t *testing.T) {
	withheld := []string{
		"mother_family_name", "mother_given_names", "child_family_name", "child_given_names", "facility_name", "attendant_name",
		"attendant_credentials", "transfer_reason",
	}
	coarsened := []string{
		"mother_birth_date", "mother_age_years", "mother_postal_code", "birth_datetime", "birth_date", "birth_month", "last_live_birth_date",
		"last_other_outcome_date", "last_menstrual_period", "estimated_due_date", "prenatal_first_visit_date", "labor_onset_datetime",
		"membranes_ruptured_datetime", "active_labor_datetime", "full_dilation_datetime", "pushing_datetime", "placenta_datetime",
		"newborn_readmission_date", "mother_readmission_date", "transfer_datetime",
	}
	got := map[report.Treatment][]string{}
	for _, f := range fields() {
		d := report.SafeHarbor.Of(f)
		got[d.Treatment] = append(got[d.Treatment], f.Name)
		if d.Treatment == report.Kept {
			require.Contains(t, []birth.Kind{birth.Int, birth.Decimal, birth.Bool, birth.Code, birth.Codes}, f.Kind, f.Name)
		} else {
			require.NotEmpty(t, d.Why, f.Name)
		}
	}
	require.ElementsMatch(t, withheld, got[report.Withheld])
	require.ElementsMatch(t, coarsened, got[report.Coarsened])
}

func TestALimitedDataSetKeepsDatesAndFiveDigitsAndNoName(t *testing.T) {
	for _, f := range fields() {
		switch d := report.Limited.Of(f); {
		case f.Name == "mother_postal_code":
			require.Equal(t, report.Coarsened, d.Treatment)
		case f.Kind == birth.Text:
			require.Equal(t, report.Withheld, d.Treatment, f.Name)
		default:
			require.Equal(t, report.Kept, d.Treatment, f.Name)
		}
	}
}

func one(name string, v birth.Value) birth.Draft {
	f := birth.Must(name)
	d := birth.Draft{Chart: "CANARY", Providers: []birth.Provider{{Name: "CANARY"}}, Consent: birth.Consent{Granted: true, DateTime: "CANARY"}}
	switch f.About {
	case birth.Mother:
		d.Mother.Set(f, v)
	case birth.Care:
		d.Care.Set(f, v)
	default:
		d.Children = []birth.Values{{}}
		d.Children[0].Set(f, v)
	}
	return d
}

func TestOnly876OfAThousandPostalPrefixesHaveMoreThan20000People(t *testing.T) {
	kept := 0
	for n := range 1000 {
		digits := fmt.Sprintf("%03d", n)
		if got := safe(digits + "01"); got != "000" {
			require.Equal(t, digits, got)
			kept++
		}
	}
	require.Equal(t, 876, kept)
	for _, few := range []string{
		"036", "059", "102", "202", "203", "204", "205", "369", "556", "692", "753", "772", "821", "823", "878", "879", "884", "893", // counted
		"000", "001", "090", "213", "340", "569", "733", "885", "962", // not counted
	} {
		require.Equal(t, "000", safe(few+"01"), few)
	}
}

func TestAPostalCodeIsCutToThreeDigitsOr000WhereFewPeopleLive(t *testing.T) {
	for code, want := range map[string][2]string{
		"97201": {"972", "97201"}, "97201-1234": {"972", "97201"}, "972011234": {"972", "97201"}, "03601": {"000", "03601"},
		"89301": {"000", "89301"}, "20501": {"000", "20501"}, "09012": {"000", "09012"}, // the military's
		"SW1A 1AA": {"", ""}, "9720": {"", ""}, "97201 Elm Street": {"", ""}, "K1A 0B1": {"", ""}, "972O1": {"", ""},
	} {
		d := one("mother_postal_code", birth.Value{Text: code})
		require.Equal(t, want[0], safe(code), code)
		require.Equal(t, want[1], report.Limited.Draft(d, now).Mother.Text("mother_postal_code"), code)
	}
}

// safe returns what the de-identified report has for a postal code.
func safe(code string) string {
	return report.SafeHarbor.Draft(one("mother_postal_code", birth.Value{Text: code}), now).Mother.Text("mother_postal_code")
}

func TestADateIsItsYearUnlessThatRevealsAnAgeOver89(t *testing.T) {
	for date, want := range map[string]string{
		"1990-04-05": "1990", "1990-04": "1990", "1990": "1990", "1937-11-22": "1937", "1936-12-31": "", "1890-01-01": "", "unknown": "",
		"19900405": "", "": "",
	} {
		require.Equal(t, want, report.SafeHarbor.Draft(one("mother_birth_date", birth.Value{Text: date}), now).Mother.Text("mother_birth_date"), date)
	}
	born := report.SafeHarbor.Draft(one("birth_datetime", birth.Value{Text: "2026-03-02T16:18:00-05:00"}), now)
	require.Equal(t, "2026", born.Children[0].Text("birth_datetime"))
}

func TestAllAgesOver89AreOneGroup(t *testing.T) {
	for age, want := range map[float64]float64{31: 31, 89: 89, 90: 90, 104: 90} {
		d := report.SafeHarbor.Draft(one("mother_age_years", birth.Value{Number: age}), now)
		got, _ := d.Mother.Get("mother_age_years")
		require.Equal(t, want, got.Number)
	}
}

func TestAReportHasNoChartNumberProviderConsentOrTransferText(t *testing.T) {
	for _, form := range []report.Form{report.SafeHarbor, report.Limited} {
		d := one("attendant_name", birth.Value{Text: "CANARY"})
		d.Transfers = []birth.Transfer{{Type: "intrapartum", Reason: "CANARY", DateTime: "2026-03-02T16:18:00Z", ReasonCode: "bleeding"}}
		out := form.Draft(d, now)
		require.NotContains(t, fmt.Sprintf("%+v", out), "CANARY")
		require.Equal(t, "bleeding", out.Transfers[0].ReasonCode)
		require.Equal(t, "CANARY", d.Transfers[0].Reason, "the birth itself does not change")
	}
}

func TestTheSmallestGroupCountsBirthsWithTheSameYearPlaceAndAge(t *testing.T) {
	var g report.Groups
	k, few := g.Smallest()
	require.Zero(t, k+few)
	add := func(n int, zip string, age float64) {
		for range n {
			d := one("mother_postal_code", birth.Value{Text: zip})
			d.Mother.Set(birth.Must("mother_age_years"), birth.Value{Number: age})
			d.Children = []birth.Values{{}}
			d.Children[0].Set(birth.Must("birth_month"), birth.Value{Text: "2026-03"})
			g.Add(report.SafeHarbor.Draft(d, now))
		}
	}
	add(4, "97201", 31)
	add(2, "97299", 34) // the same group
	add(3, "97201", 35)
	add(7, "03601", 52)
	k, few = g.Smallest()
	require.Equal(t, 3, k)
	require.Equal(t, 3, few)
}
