package app_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// recordCount is the number of records in the practice whose pages are measured.
const recordCount = 100_000

// course returns a course of care with some thirty values.
func course(n int) birth.Course {
	source := []birth.Source{birth.FHIRPush, birth.FHIRPush, birth.FHIRPush, birth.CSV, birth.Manual}[n%5]
	born := time.Date(2021, 1, 1, 4, 18, 0, 0, time.UTC).Add(time.Duration(n) * 26 * time.Minute)
	var d birth.Draft
	set := func(v *birth.Values, field string, value birth.Value) {
		value.Source = source
		v.Set(birth.Must(field), value)
	}
	text := func(v *birth.Values, field, value string) { set(v, field, birth.Value{Text: value}) }
	number := func(v *birth.Values, field string, value int) { set(v, field, birth.Value{Number: float64(value)}) }
	text(&d.Mother, "mother_family_name", fmt.Sprint("Family ", n))
	text(&d.Mother, "mother_given_names", "Amara Ngozi")
	text(&d.Mother, "mother_birth_date", "1994-05-17")
	text(&d.Mother, "mother_postal_code", "55104")
	for i, field := range []string{"gravida", "parity", "prenatal_visit_count", "cigarettes_per_day_pre", "blood_loss_ml"} {
		number(&d.Mother, field, i+n%3)
	}
	text(&d.Mother, "labor_onset_type", "spontaneous")
	text(&d.Mother, "perineum", "intact")
	set(&d.Mother, "induction_agents", birth.Value{Set: []string{"oxytocin", "balloon"}})
	set(&d.Mother, "labor_augmented", birth.Value{Flag: n%2 == 0})
	text(&d.Care, "planned_birth_setting", "home")
	text(&d.Care, "birth_setting", "home_planned")
	if n%4 > 0 {
		d.Providers = []birth.Provider{{Key: "p", Name: "Eva Lindqvist", Role: []birth.Role{birth.RoleNurse, birth.RoleMidwife}[n%2], Attending: true, Source: source}}
	}
	var child birth.Values
	text(&child, "child_given_names", "Ada")
	text(&child, "child_sex", "female")
	text(&child, "birth_datetime", born.Format(time.RFC3339))
	text(&child, "birth_date", born.Format(time.DateOnly))
	text(&child, "delivery_method", "vaginal_spontaneous")
	for i, field := range []string{"apgar_one_minute", "apgar_five_minute"} {
		number(&child, field, 7+i)
	}
	if n%10 > 0 {
		number(&child, "birth_weight_g", 3000+n%900)
		number(&child, "gestational_age_weeks", 37+n%5)
	}
	d.Children = []birth.Values{child}
	return birth.Mask(d)
}

// shelve fills the practice directly through the store, sealed as app/changes seals.
func shelve(b *testing.B, i *apptest.Installation) {
	b.Helper()
	const chunk = 2000
	nameKey := i.App.Vault.Key(birth.NameKeyPurpose)
	for first := 0; first < recordCount; first += chunk {
		require.NoError(b, i.App.DB.Update(func(tx *store.Tx) error {
			var heads []store.Record
			var versions []store.Version
			var fingerprints []store.RecordFingerprints
			var names []store.RecordNames
			id, err := tx.NextRecordID()
			if err != nil {
				return err
			}
			for n := first; n < first+chunk; n, id = n+1, id+1 {
				c := course(n)
				r := store.Record{
					ID: id, UUID: uuid.Must(uuid.NewV7()).String(), Chart: fmt.Sprintf("%d-%05d", 2021+n/20_000, n%20_000),
					State: birth.Active, Version: 1, Content: 1, Facts: c.Facts(), Suspected: n%100 == 0,
					Source: []birth.Source{birth.FHIRPush, birth.FHIRPush, birth.FHIRPush, birth.CSV, birth.Manual}[n%5],
				}
				v := store.Version{Record: id, Version: 1, Content: 1, Change: "create", Source: r.Source, Course: &c}
				if v.Patient, err = i.App.Vault.Seal(records.PatientPlace(i.Practice, r.UUID, 1), c.Patient()); err != nil {
					return err
				}
				heads, versions = append(heads, r), append(versions, v)
				if n%50 == 49 {
					r.State, r.Version = birth.Voided, 2
					heads[len(heads)-1] = r
					versions = append(versions, store.Version{Record: id, Version: 2, Content: 1, Change: "void", Source: birth.FHIRPush})
				}
				fingerprints = append(fingerprints, store.RecordFingerprints{
					Record: id, All: []birth.Fingerprint{{byte(n), byte(n >> 8), byte(n >> 16)}}, Live: n%50 != 49, Fresh: true,
				})
				names = append(names, store.RecordNames{Record: id, All: c.NameWords(nameKey, int64(i.Practice)), Fresh: true})
			}
			if err := tx.AddRecords(i.Practice, heads); err != nil {
				return err
			}
			if err := tx.AddVersions(i.Practice, versions); err != nil {
				return err
			}
			return errors.Join(tx.SetFingerprints(i.Practice, fingerprints...), tx.SetNames(i.Practice, names...))
		}))
	}
}

// BenchmarkPages measures the pages of a practice with 100,000 records as a browser sees them,
// including sign-in, layout and audit trail. The goal is 50 ms.
func BenchmarkPages(b *testing.B) {
	i := apptest.Start(b)
	shelve(b, i)
	// A record that has been amended many times.
	var bundles []string
	for n := range 100 {
		bundles = append(bundles, apptest.Course{Chart: "nightly", Weight: 3000 + n}.Bundle())
	}
	i.Push(apptest.Batch(bundles...))
	admin := i.SignIn(i.Practice, auth.Admin)
	middle := "/registry/records/" + i.Record("2023-10000").ID
	nightly := "/registry/records/" + i.Record("nightly").ID
	pages := []struct{ name, path string }{
		{"list", "/registry/records"},
		{"list/from the middle", "/registry/records?older=" + i.Record("2023-10000").ID},
		{"list/back from the middle", "/registry/records?newer=" + i.Record("2023-10000").ID},
		{"filter/active", "/registry/records?state=active"},
		{"filter/voided", "/registry/records?state=voided"},
		{"filter/merged", "/registry/records?state=merged"},
		{"filter/push", "/registry/records?source=fhir_push"},
		{"filter/csv", "/registry/records?source=csv"},
		{"filter/pull, none", "/registry/records?source=ehr_pull"},
		{"filter/month", "/registry/records?year=2023&month=03"},
		{"filter/year", "/registry/records?year=2023"},
		{"filter/midwife", "/registry/records?attendant=midwife"},
		{"filter/doula, none", "/registry/records?attendant=doula"},
		{"filter/attendant not stated", "/registry/records?attendant=unstated"},
		{"filter/possible duplicates", "/registry/records?duplicate=yes"},
		{"filter/incomplete", "/registry/records?incomplete=yes"},
		{"filter/several", "/registry/records?state=active&source=csv&year=2022&attendant=midwife&incomplete=yes"},
		{"filter/several, none", "/registry/records?source=fhir_push&attendant=unstated&state=merged"},
		{"filter/common ones, none", "/registry/records?source=manual&attendant=doula"},
		{"filter/year and what it has not", "/registry/records?year=2023&source=ehr_pull"},
		{"detail", middle},
		{"detail over 100 versions", nightly},
		{"versions", nightly + "/versions"},
		{"compare", nightly + "/compare?a=1&b=100"},
		{"audit", "/registry/audit"},
	}
	for _, page := range pages {
		b.Run(page.name, func(b *testing.B) { timed(b, func() { require.Equal(b, 200, admin.Get(page.path).StatusCode) }) })
	}
	for name, text := range map[string]string{"exact": "2023-10000", "beginning": "2023-1", "none": "1999"} {
		require.Equal(b, 303, admin.Post("/registry/records/search", url.Values{"q": {text}}).StatusCode)
		b.Run("search/"+name, func(b *testing.B) {
			timed(b, func() { require.Equal(b, 200, admin.Get("/registry/records?found=search").StatusCode) })
		})
	}
	admin.Post("/registry/records/search", url.Values{})
	b.Run("export/count", func(b *testing.B) {
		timed(b, func() { require.Equal(b, 200, admin.Get("/registry/records/export").StatusCode) })
	})
}

// timed reports the median and the slowest of twenty calls, or of as many as the benchmark
// asks for.
func timed(b *testing.B, call func()) {
	b.Helper()
	call() // the first call prepares statements
	spent := make([]time.Duration, max(b.N, 20))
	for n := range spent {
		began := time.Now()
		call()
		spent[n] = time.Since(began)
	}
	slices.Sort(spent)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(spent[len(spent)/2]), "median-ms")
	b.ReportMetric(ms(spent[len(spent)*95/100]), "p95-ms")
	b.ReportMetric(0, "ns/op")
}
