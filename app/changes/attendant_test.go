package changes_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/fixture"
	"birthregistry/app/records"
	"birthregistry/store"
)

const attendantColumns = "chart_number,mother_family_name,birth_date,birth_weight_g,attendant_name,attendant_credentials\n"

// attended returns how many births a provider attended, by name, with one number for each
// identity of that name.
func attended(b *fixture.Fixture) map[string][]int {
	all := map[string][]int{}
	require.NoError(b, b.DB.View(context.Background(), func(v *store.View) error {
		providers, _, err := v.Providers(b.Caller.Practice)
		for _, p := range providers {
			all[p.Name] = append(all[p.Name], p.Attended)
		}
		return err
	}))
	return all
}

func TestAnAttendantFromASpreadsheetIsAProviderLikeAnyOther(t *testing.T) {
	b := fixture.New(t)
	b.Imported(b.Person(auth.Admin), attendantColumns+"1,Okafor,2026-03-02,3430,Jane Rivers,CPM\n2,Haddad,2026-03-03,3430,Jane Rivers,CPM\n")
	require.Equal(t, map[string][]int{"Jane Rivers": {2}}, attended(b))
	require.Equal(t, birth.RoleMidwife, b.Attendant("1"))
	b.Clean()
}

func TestOnePersonIsOneProviderFromEverySource(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("1", "Okafor", "2026-03-02", "jane", "1234567893", "Jane Rivers", "CPM"))
	b.Imported(b.Person(auth.Admin), attendantColumns+"2,Haddad,2026-03-03,3430,Jane Rivers,CPM\n3,Novak,2026-03-04,3430,Sam Ek,RN\n")
	b.Imported(b.Person(auth.Admin), attendantColumns+"4,Diaz,2026-03-05,3430,Jane Rivers,cnm\n")
	require.Equal(t, map[string][]int{"Jane Rivers": {3}, "Sam Ek": {1}}, attended(b))
	require.Equal(t, "CPM", b.ProvidersByName()["Jane Rivers"].Credentials, "a typed title replaces none that an EHR sent")
	b.Clean()
}

func TestATypedNameMatchesAKnownProviderRegardlessOfCaseSpacesAndOrder(t *testing.T) {
	for _, typed := range []string{"jane rivers", "JANE  RIVERS", `"Rivers, Jane"`, `"rivers,jane"`} {
		for _, title := range []string{"CPM", "cpm", ""} { // a missing title contradicts nothing
			b := fixture.New(t)
			b.Push(fixture.BirthBy("1", "Okafor", "2026-03-02", "jane", "1234567893", "Jane Rivers", "CPM"))
			b.Imported(b.Person(auth.Admin), attendantColumns+"2,Haddad,2026-03-03,3430,"+typed+","+title+"\n")
			require.Equal(t, map[string][]int{"Jane Rivers": {2}}, attended(b), "%s %s", typed, title)
			require.Equal(t, birth.RoleMidwife, b.Attendant("2"))
			on, err := b.Changes.BaseVersion(t.Context(), b.Caller.Practice, b.Records()[0].UUID)
			require.NoError(t, err)
			require.Equal(t, "Jane Rivers", on.Draft.Care.Text("attendant_name"))
			require.Equal(t, "CPM", on.Draft.Care.Text("attendant_credentials"))
			require.Len(t, b.Career(b.ProvidersByName()["Jane Rivers"].ID), 1, "a typed name is no news about her")
			b.Clean()
		}
	}
}

func TestSwappedNamesWithoutACommaAreAnotherPerson(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("1", "Okafor", "2026-03-02", "kim", "1234567893", "Kim Lee", "CPM"))
	b.Imported(b.Person(auth.Admin), attendantColumns+"2,Haddad,2026-03-03,3430,Lee Kim,CPM\n")
	require.Equal(t, map[string][]int{"Kim Lee": {1}, "Lee Kim": {1}}, attended(b), "Providers offers to merge them")
	b.Clean()
}

func TestAFirstRoleIsGivenToThePersonWhoWasTypedWithoutOne(t *testing.T) {
	b := fixture.New(t)
	admin := b.Person(auth.Admin)
	b.Imported(admin, attendantColumns+"1,Okafor,2026-03-02,3430,Jane Rivers,\n")
	b.Imported(admin, attendantColumns+"2,Haddad,2026-03-03,3430,\"Rivers, Jane\",CPM\n3,Novak,2026-03-04,3430,jane rivers,\n")
	require.Equal(t, map[string][]int{"Jane Rivers": {3}}, attended(b))
	require.Equal(t, birth.RoleMidwife, b.ProvidersByName()["Jane Rivers"].Role)
	require.Equal(t, birth.RoleMidwife, b.Attendant("3"))
	b.Clean()
}

func TestATypedNameInAnotherRoleIsAnotherPerson(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("1", "Okafor", "2026-03-02", "jane", "", "Jane Rivers", "CPM"))
	b.Imported(b.Person(auth.Admin), attendantColumns+"2,Haddad,2026-03-03,3430,jane rivers,doula\n3,Novak,2026-03-04,3430,jane rivers,\n")
	require.Equal(t, map[string][]int{"Jane Rivers": {1}, "jane rivers": {1, 1}}, attended(b), "nor is it decided who of the two was meant")
}

func TestATypedNameOfAMergedProviderMeansTheSurvivor(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("1", "Okafor", "2026-03-02", "jane", "", "Jane Rivers", "CPM"))
	b.Push(fixture.BirthBy("2", "Haddad", "2026-03-03", "jr", "", "J. Rivers", "CPM"))
	by := b.ProvidersByName()
	require.NoError(t, b.DB.Update(func(tx *store.Tx) error {
		return tx.MergeAll(b.Caller.Practice, []int64{by["J. Rivers"].ID}, by["Jane Rivers"].ID, 0)
	}))
	b.Imported(b.Person(auth.Admin), attendantColumns+"3,Novak,2026-03-04,3430,j rivers,CPM\n")
	require.Equal(t, map[string][]int{"Jane Rivers": {3}}, attended(b))
	b.Clean()
}

func TestAFileThatSpellsTheAttendantDifferentlyChangesNothing(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("1", "Okafor", "2026-03-02", "jane", "", "Jane Rivers", "CPM"))
	admin := b.Person(auth.Admin)
	again := b.Upload(admin, "chart_number,mother_family_name,birth_date,attendant_name\n1,Okafor,2026-03-02,\"RIVERS, Jane\"\n")
	require.Equal(t, "rows 1: new 0, amends 0, revives 0, unchanged 1, errors 0, suspected 0", fixture.Counts(again.About.Preview))
	b.Imported(admin, "chart_number,mother_family_name,birth_date,attendant_name,gravida\n1,Okafor,2026-03-02,\"RIVERS, Jane\",2\n")
	require.Equal(t, map[string][]int{"Jane Rivers": {1}}, attended(b))
	require.Equal(t, birth.RoleMidwife, b.Attendant("1"), "the title stays hers")
	b.Clean()
}

func TestANameInOneCaseIsReplacedByOneInMixedCase(t *testing.T) {
	b := fixture.New(t)
	for n, typed := range []string{"jane rivers", "Jane Rivers", "JANE RIVERS"} {
		b.Imported(b.Person(auth.Admin), fmt.Sprintf(attendantColumns+"%d,Okafor%d,2026-03-02,3430,%s,CPM\n", n, n, typed))
	}
	require.Equal(t, map[string][]int{"Jane Rivers": {3}}, attended(b))
	b.Clean()
}

func TestATypedNameThatTwoProvidersShareMatchesNeither(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("1", "Okafor", "2026-03-02", "jane", "1234567893", "Jane Rivers", "CPM"))
	b.Push(fixture.BirthBy("2", "Haddad", "2026-03-03", "other", "1987654328", "Jane Rivers", "CPM"))
	b.Imported(b.Person(auth.Admin), attendantColumns+"3,Novak,2026-03-04,3430,Jane Rivers,CPM\n")
	require.Equal(t, map[string][]int{"Jane Rivers": {1, 1, 1}}, attended(b))
}

func TestASpreadsheetChangesWhoAttendedOnEveryPage(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("1", "Okafor", "2026-03-02", "jane", "", "Jane Rivers", "CPM"))
	admin := b.Person(auth.Admin)
	b.Imported(admin, "chart_number,mother_family_name,birth_date,attendant_credentials\n1,Okafor,2026-03-02,CNM\n")
	require.Equal(t, map[string][]int{"Jane Rivers": {1}}, attended(b), "a title alone is hers")
	b.Imported(admin, "chart_number,mother_family_name,birth_date,attendant_name,attendant_credentials\n1,Okafor,2026-03-02,Sam Ek,RN\n")
	require.Equal(t, map[string][]int{"Jane Rivers": {0}, "Sam Ek": {1}}, attended(b))
	on, err := b.Changes.BaseVersion(t.Context(), b.Caller.Practice, b.Records()[0].UUID)
	require.NoError(t, err)
	require.Equal(t, "Sam Ek", on.Draft.Care.Text("attendant_name"))
	require.Equal(t, "nurse", on.Draft.Care.Text("attendant_type"))
	require.Equal(t, "nurse", b.Records()[0].Facts.Attendant, "as the statistics count")
	b.Clean()
}

func TestAnExportNamesTheAttendantAsThePagesDoAndChangesNothingWhenItComesBack(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("1", "Okafor", "2026-03-02", "jane", "", "Jane Rivers", "CPM"))
	b.Push(fixture.BirthBy("2", "Haddad", "2026-03-03", "jr", "", "J. Rivers", "CPM"))
	by := b.ProvidersByName()
	require.NoError(t, b.DB.Update(func(tx *store.Tx) error {
		return tx.MergeAll(b.Caller.Practice, []int64{by["J. Rivers"].ID}, by["Jane Rivers"].ID, 0)
	}))
	admin := b.Person(auth.Admin)
	var file bytes.Buffer
	_, err := records.New(b.DB, b.Vault).Export(t.Context(), admin.Practice, store.Filter{}, &file)
	require.NoError(t, err)
	require.NotContains(t, file.String(), "J. Rivers")
	require.Contains(t, file.String(), "Jane Rivers")
	back := b.Upload(admin, file.String())
	require.Equal(t, "rows 2: new 0, amends 0, revives 0, unchanged 2, errors 0, suspected 0", fixture.Counts(back.About.Preview))
	for _, r := range b.Records() {
		require.Equal(t, 1, r.Version, r.Chart)
	}
	require.Equal(t, map[string][]int{"Jane Rivers": {2}}, attended(b))
}
