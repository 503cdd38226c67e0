package app_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/store"
)

// twins returns a birth of twins that states nearly every fact.
func twins() birth.Draft {
	var d birth.Draft
	state := func(into *birth.Values, pairs ...any) {
		for n := 0; n < len(pairs); n += 2 {
			v := birth.Value{Source: birth.Manual}
			switch stated := pairs[n+1].(type) {
			case string:
				v.Text = stated
			case int:
				v.Number = float64(stated)
			case bool:
				v.Flag = stated
			case []string:
				v.Set = stated
			}
			into.Set(birth.Must(pairs[n].(string)), v)
		}
	}
	state(&d.Mother, "mother_family_name", "Okafor", "mother_given_names", "Ngozi", "mother_birth_date", "1994-05-17", "mother_postal_code", "05401",
		"mother_education", "bachelor", "mother_married", true, "gravida", 4, "parity", 3, "previous_live_births_living", 3,
		"prenatal_first_visit_date", "2025-08-14", "prenatal_visit_count", 11, "mother_height_in", 66, "prepregnancy_weight_lb", 150,
		"risk_factors", []string{"none"}, "infections", []string{"gbs_positive"}, "labor_onset_datetime", "2026-03-02T06:00:00-05:00",
		"labor_onset_type", "spontaneous", "birth_position", "hands_and_knees", "perineum", "intact", "blood_loss_ml", 300, "maternal_morbidity", []string{"none"})
	state(&d.Care, "plurality", 2, "planned_birth_setting", "home", "birth_setting", "home_planned", "principal_payer", "self_pay", "water_immersion", "labor")
	for n, child := range [][]any{
		{"child_given_names", "Adaeze", "child_sex", "female", "birth_date", "2026-03-02", "birth_datetime", "2026-03-02T16:18:00-05:00", "birth_weight_g", 3430, "delivery_method", "vaginal_spontaneous", "apgar_one_minute", 9, "apgar_five_minute", 10},
		{"child_given_names", "Chidi", "child_sex", "male", "birth_date", "2026-03-02", "birth_datetime", "2026-03-02T16:29:00-05:00", "birth_weight_g", 2268, "apgar_one_minute", 7, "apgar_five_minute", 9},
	} {
		var values birth.Values
		state(&values, child...)
		state(&values, "birth_order", n+1, "gestational_age_weeks", 39, "gestational_age_days", 2, "live_birth", true, "infant_living", true,
			"cord_clamping_seconds", 180, "newborn_conditions", []string{"none"}, "breastfed_at_discharge", true, "fetal_presentation", "vertex")
		d.Children = append(d.Children, values)
	}
	attendant := func(name, credentials string, role birth.Role, attending bool) {
		d.Providers = append(d.Providers, birth.Provider{
			Key: birth.TypedKey(name, role), Name: name, Credentials: credentials, Role: role, Attending: attending, Source: birth.Manual,
		})
	}
	attendant("Jane Rivers", "CPM", birth.RoleMidwife, true)
	attendant("Sam Doula", "", birth.RoleDoula, false)
	return d
}

// recordTwins saves the birth as Dana and returns the address of its page.
func recordTwins(t *testing.T, i *apptest.Installation, p store.PracticeID) string {
	t.Helper()
	who := auth.User{Name: "Dana Demo", Role: auth.Admin}
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) (err error) {
		if who.Practice, err = tx.Practice(p); err != nil {
			return err
		}
		if who.ID, err = tx.AddUser("dana@example.org", who.Name); err != nil {
			return err
		}
		return tx.AddMembership(p, who.ID, string(who.Role))
	}))
	saved, err := i.App.Changes.Save(who, changes.Form{Draft: twins()})
	require.NoError(t, err)
	return "/registry/records/" + saved.UUID
}

// printed returns the page as a PDF file.
func (b *browser) printed() []byte {
	b.Helper()
	var file []byte
	b.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		out, err := cdp.Call(ctx, t, page.PrintToPDF, page.PrintToPDFParams{})
		file = out.Data
		return err
	}))
	return file
}

func TestThePageOfABirthIsAccessibleFitsAPhoneAndPrintsOnTwoPages(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	path := recordTwins(t, i, p)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	b.look(path)
	b.sees("Okafor, Ngozi", "Twins, girl and boy", "7 lb 9 oz · 5 lb 0 oz", "39w 2d", "Jane Rivers, CPM", "1 fact missing")
	file := b.printed()
	require.LessOrEqual(t, bytes.Count(file, []byte("/Type /Page\n")), 2, "printed on two pages at most")
	require.Positive(t, bytes.Count(file, []byte("/Type /Page\n")))
	if folder := os.Getenv("REGISTRY_SCREENSHOTS"); folder != "" {
		require.NoError(t, os.WriteFile(folder+"/record.pdf", file, 0o644))
	}
}
