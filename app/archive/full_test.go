package archive

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/customfields"
	"birthregistry/app/drafts"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/smart"
	"birthregistry/store"
)

// practice is a practice with something of everything, each written by the service that
// writes it in use.
type practice struct {
	*fixture.Pair
	undone, kept imports.Import // of its spreadsheets
}

func full(t *testing.T) *practice {
	p := &practice{Pair: fixture.NewPair(t)}
	p.customFields()
	p.Did(p.Review.Merge(p.Admin, p.Of(), "", nil))
	p.pushes()
	p.forms()
	p.spreadsheets()
	p.providers()
	p.begunDrafts()
	p.erasedBirth()
	require.NoError(t, p.DB.Update(func(tx *store.Tx) error {
		return tx.OfferMembership(p.Caller.Practice, p.Admin.ID, "admin", "Robin")
	}))
	p.Clean()
	return p
}

// customFields defines fields of each kind, one of them retired.
func (p *practice) customFields() {
	fields := customfields.New(p.DB, auth.New(p.DB, p.Vault))
	for _, f := range []birth.CustomField{
		{Label: "Tub", Kind: "choice", Options: []string{"yes", "no"}}, {Label: "Hours in water", Kind: "number"}, {Label: "Former", Kind: "text"},
	} {
		made, err := fields.Define(p.Admin, f)
		require.NoError(p, err)
		if made.Label == "Former" {
			require.NoError(p, fields.SetRetired(p.Admin, made.ID, true))
		}
	}
}

// pushes sends the sample Bundles (twins, a fetal death, an amendment, a retraction, a batch
// with a course that is rejected), and replaces what a person had entered.
func (p *practice) pushes() {
	for _, name := range []string{
		"01-single-birth", "02-twins", "03-fetal-death", "04-amendment", "05-retraction", "06-batch-with-one-bad-course", "02-twins",
	} {
		sample, err := os.ReadFile("../../assets/samples/" + name + ".json")
		require.NoError(p, err)
		p.Push(string(sample))
	}
	p.Push(fixture.Stamped("replaced", 3000, ""))
	p.Push(fixture.Course("pushed", 3000))
	p.Push(fixture.Course("pushed", 3100))
	p.Retract("pushed")
	p.Push(fixture.Course("revived", 3000))
	p.Retract("revived")
	p.Push(fixture.Course("revived", 3000))
	p.amend("replaced", 3300)
	p.Push(fixture.Stamped("replaced", 3050, ""))
	require.Equal(p, []string{"replaced"}, p.Replaced())
}

func (p *practice) amend(chart string, weight float64) {
	on := p.Base(chart)
	on.Draft.Children[0].Set(birth.Must("birth_weight_g"), birth.Value{Number: weight, Source: birth.Manual})
	p.Save(p.Provider, changes.Form{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version, Custom: map[string]string{"tub": "no"}})
}

// forms saves births by hand and reviews those that look alike: kept apart, voided, merged,
// and merged and undone.
func (p *practice) forms() {
	for n, family := range []string{"Nwosu", "NWOSU", "Haddad", "haddad", "Ito", "ITO", "Silva", "SILVA"} {
		p.Save(p.Provider, changes.Form{Draft: fixture.Typed(strconv.Itoa(n+3), family, float64(3300+n))})
	}
	_, err := p.Review.MarkNotDuplicates(p.Admin, pairOf(p.At("3"), p.At("4")))
	require.NoError(p, err)
	_, err = p.Review.VoidOne(p.Admin, pairOf(p.At("5"), p.At("6")), "entered twice")
	require.NoError(p, err)
	review, err := p.Review.Merge(p.Admin, pairOf(p.At("7"), p.At("8")), "", map[string]bool{"child.0.birth_weight_g": true})
	require.NoError(p, err)
	_, err = p.Review.Undo(p.Admin, review)
	require.NoError(p, err)
	p.Send("2", 3111) // to the record that was merged away
	_, err = p.Changes.Void(p.Provider, p.At("3").UUID, "by mistake", p.At("3").Version)
	require.NoError(p, err)
	p.Save(p.Scribe, changes.Form{Draft: fixture.Typed("", "Numberless", 3200)})
}

// spreadsheets imports two files; the first import is undone, except for a row that somebody
// has changed since.
func (p *practice) spreadsheets() {
	p.undone = p.Imported(p.Provider, fixture.Head+fixture.Row("u1", "Undone", 1, 3001)+fixture.Row("u2", "Changed", 2, 3002)+
		fixture.Row("u3", "", 3, 99999)+fixture.Row("4", "NWOSU", 4, 3311))
	p.amend("u2", 3400)
	require.NoError(p, p.Imports.Undo(p.Context(), p.Provider, p.undone.ID))
	for more := true; more; {
		var err error
		more, err = p.Imports.UndoSteps(p.Context())
		require.NoError(p, err)
	}
	odd := p.Upload(p.Admin, "Chart #,Mother last name,Baby DOB\nodd,Odd,1999-03-02\n")
	answers := make([]imports.Answer, len(odd.About.Layout.Columns))
	for n, column := range odd.About.Layout.Columns {
		answers[n].Name = column.Name
	}
	require.NoError(p, p.Imports.MatchColumns(p.Context(), p.Admin, odd.ID, answers, "", 0))
	require.NoError(p, p.Imports.Drop(p.Context(), p.Admin, odd.ID)) // files that wait for somebody stay behind
	p.kept = p.Imported(p.Provider, fixture.Head+fixture.Row("k1", "Kept", 5, 3005)+fixture.Row("revived", "Kept again", 6, 3006))
}

// providers makes identities of one person: two are merged, and a group takes new ones.
func (p *practice) providers() {
	p.Push(fixture.BirthBy("by1", "Mbeki", "2026-01-02", "17", "1234567893", "J. Reyes", "RN"))
	p.Push(fixture.BirthBy("by2", "Costa", "2026-01-03", "reyes@clinic", "1234567893", "Jo Reyes", "CNM"))
	p.Push(fixture.BirthBy("by3", "Novak", "2026-02-03", "21", "1234567893", "J. Reyes", "CNM"))
	who := p.ProvidersByName()
	require.NoError(p, p.Review.MergeGroup(p.Admin, who["Jo Reyes"].ID))
	p.Push(fixture.BirthBy("by4", "Horvat", "2026-02-04", "22", "1234567893", "Jo Reyes", "CNM"))
	p.Push(fixture.BirthBy("by5", "Weiss", "2026-02-05", "23", "", "Dora Blum", "doula"))
	p.Push(fixture.BirthBy("by6", "Klein", "2026-02-06", "24", "", "D. Blum", "doula"))
	who = p.ProvidersByName()
	require.NoError(p, p.Review.MergeProvider(p.Admin, who["D. Blum"].ID, who["Dora Blum"].ID))
}

// begunDrafts begins a form, one that a chart has filled in, and an amendment.
func (p *practice) begunDrafts() {
	chart, err := smart.Prefill{EHR: "Example EHR", EHRID: 7, Practice: p.Admin.Practice.ID, ReadAt: time.Now(), Reading: uscore.Reading{
		Role: uscore.Mother, As: map[uscore.Role]uscore.Filled{uscore.Mother: {Draft: fixture.Typed("", "Pulled", 3000)}},
	}}.Document()
	require.NoError(p, err)
	record := p.At("4")
	lee := strconv.FormatInt(p.ProvidersByName()["Lee"].ID, 10)
	all := drafts.New(p.DB, p.Vault, auth.New(p.DB, p.Vault))
	for token, content := range map[string]drafts.Content{
		uuid.NewString(): {Typed: url.Values{"mother_family_name": {"Begun"}, "person.0.provider": {lee}}},
		uuid.NewString(): {Typed: url.Values{"mother_family_name": {"Pulled"}}, Chart: jsontext.Value(chart), As: string(uscore.Mother)},
		drafts.AmendmentToken(p.Admin.Practice.ID, p.Admin.ID, record.UUID): {
			Typed: url.Values{"person.0.provider": {lee}}, Record: record.UUID, BaseVersion: record.Version,
		},
	} {
		_, err := all.Save(p.Context(), p.Admin, token, 0, content)
		require.NoError(p, err)
	}
}

// erasedBirth records a birth and erases it for good.
func (p *practice) erasedBirth() {
	p.Push(fixture.Birth("erased", "Forgotten", fixture.Evening))
	r := p.At("erased")
	require.NoError(p, p.Erase.Birth(p.Context(), p.Admin, r.UUID, store.ErasedOnRequest, r.Version))
	out := p.Push(fixture.Birth("erased", "Forgotten", fixture.Evening))
	require.Len(p, out.Rejected, 1)
}

// The fixture is only worth something if no table of an archive stays empty.
func TestTheFixtureHasRowsInEveryMember(t *testing.T) {
	p := full(t)
	made, _, _ := exportOf(t, p.Fixture, p.Admin.Practice)
	var empty []string
	for _, m := range made.Members {
		if m.Rows == 0 {
			empty = append(empty, m.Name)
		}
	}
	require.Empty(t, empty, fmt.Sprint(strings.Join(empty, ", "), " would not be compared"))
}
