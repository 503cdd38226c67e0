package app_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
)

// attendant returns the resources of a birth's attendant.
func attendant(id, npi, name, title string) []string {
	return []string{
		fmt.Sprintf(`{"resourceType":"Practitioner","id":"p","identifier":[{"system":"http://hl7.org/fhir/sid/us-npi","value":%q},{"value":%q}],
			"name":[{"text":%q}],"qualification":[{"code":{"text":%q}}]}`, npi, id, name, title),
		`{"resourceType":"Encounter","participant":[{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/p"}}]}`,
	}
}

// twice pushes one birth under two chart numbers, attended by two identities of one midwife.
func twice(t *testing.T) *apptest.Installation {
	t.Helper()
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3420, Extra: attendant("clinic-00017", "1234567893", "J. Lee", "RN")}.Bundle())
	gravida := `{"resourceType":"Observation","code":{"coding":[{"system":"urn:birthregistry:spine","code":"gravida"}]},"valueInteger":3}`
	i.Push(apptest.Course{Chart: "26-2", Weight: 3240, Extra: append(attendant("lee@clinic", "1234567893", "Jane Lee", "CNM"), gravida)}.Bundle())
	i.Push(apptest.Course{Chart: "26-3", Mother: "Haddad", Extra: attendant("lee@clinic", "1234567893", "Jane Lee", "CNM")}.Bundle())
	return i
}

// pair opens the pair that is waiting for review.
func (b *browser) pair() {
	b.Helper()
	b.open("/registry")
	b.press("possible duplicate")
	b.press("Compare record 26-1 and record 26-2")
	b.sees("One birth or two?", "3,420 g", "3,240 g")
}

func TestAPersonMergesTwoRecordsValueByValueAndUndoesIt(t *testing.T) {
	t.Parallel()
	i := twice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(i.Practice, auth.Provider))
	b.look("/registry/duplicates")
	b.pair()
	b.look(b.path())
	b.press("Merge 26-2 into 26-1")
	b.look(b.path())
	b.click(`[id="part.child.0.birth_weight_g.goes"]`)
	b.fill("reason", "Sent twice")
	b.press("Merge 26-2 into 26-1")
	b.sees("The two records are merged into one birth.", "There are no possible duplicates to review.", "Merged record 26-2 into record 26-1")
	require.Equal(t, birth.Merged, i.Record("26-2").State)
	b.press("record 26-1")
	b.sees("3,240 g", "Record 26-2 was merged into this one", "3")
	b.look(b.path())

	i.Push(apptest.Course{Chart: "26-2", Weight: 3111}.Bundle()) // the nightly push
	b.look("/registry/duplicates")
	b.sees("A record was sent again after it was merged into another.")
	b.press("See what was sent")
	b.sees("Sent again, stays merged")
	b.accessible()
	b.press("Undo: merge record 26-2")
	b.sees("Record 26-2 counts again, with its current values.", "Record 26-1 gets back the values it had before the merge.")
	b.look(b.path())
	b.press("Undo")
	b.sees("The decision is undone.", "Compare record 26-1 and record 26-2")
	require.Equal(t, birth.Active, i.Record("26-2").State)
	i.Clean()
}

func TestAPersonKeepsBothRecordsAndUndoesIt(t *testing.T) {
	t.Parallel()
	i := twice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(i.Practice, auth.Provider))
	b.pair()
	b.press("Keep both: two births")
	b.sees("Both records are kept as two births.", "There are no possible duplicates to review.")
	b.look("/registry/duplicates")
	b.press("Undo: keep record 26-2")
	b.press("Undo")
	b.sees("The decision is undone.", "Compare record 26-1 and record 26-2")
}

func TestAPersonVoidsOneOfTwoRecordsWithoutJavaScriptAndUndoesIt(t *testing.T) {
	t.Parallel()
	i := twice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(i.Practice, auth.Provider))
	b.withoutScript()
	b.pair()
	b.press("Void 26-2")
	b.press("Void record 26-2")
	b.sees("There is a problem", "Write the reason")
	b.fill("reason", "Sent twice")
	b.press("Void record 26-2")
	b.sees("The record is voided.", "Voided record 26-2, a duplicate of record 26-1")
	require.Equal(t, birth.Voided, i.Record("26-2").State)
	b.press("Undo: void record 26-2")
	b.press("Undo")
	b.sees("The decision is undone.")
	require.Equal(t, birth.Active, i.Record("26-2").State)
}

func TestDecisionPagesAreAccessible(t *testing.T) {
	t.Parallel()
	i := twice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(i.Practice, auth.Provider))
	b.pair()
	b.press("Void 26-1")
	b.look(b.path())
	b.press("Void record 26-1")
	require.Equal(t, "error-summary", script[string](b, `document.activeElement.id`), "the summary has the focus")
	b.accessible()
}

func TestAnAdminMergesProvidersAndUndoesIt(t *testing.T) {
	t.Parallel()
	i := twice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(i.Practice, auth.Admin))
	b.open("/registry")
	b.press("Review")
	b.press("Providers")
	b.sees("J. Lee", "Jane Lee", "Possibly the same person")
	b.look(b.path())
	b.press("J. Lee")
	b.sees("the same NPI", "First seen as J. Lee, RN, nurse")
	b.look(b.path())
	b.press("Jane Lee, midwife")
	b.sees("Merge J. Lee into Jane Lee?", "(1 birth) count as")
	b.look(b.path())
	b.press("Merge into Jane Lee")
	b.sees("J. Lee is merged into Jane Lee.", "Merged with J. Lee")
	b.look(b.path())
	b.press("Undo the merge of J. Lee")
	b.look(b.path())
	b.press("Undo the merge")
	b.sees("The merge of J. Lee is undone.", "Merge with Jane Lee undone")
	i.Clean()
}
