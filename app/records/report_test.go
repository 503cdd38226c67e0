package records_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/records"
	"birthregistry/app/report"
	"birthregistry/store"
)

// reported makes a report and returns its file and its rows by column.
func (d *session) reported(s records.ReportScope, form report.Form) (out records.ReportFile, file string, rows []map[string]string) {
	d.T.Helper()
	var b bytes.Buffer
	out, err := d.records.Report(d.T.Context(), store.Practice{ID: d.Practice}, s, form, &b)
	require.NoError(d.T, err)
	sum := sha256.Sum256(b.Bytes())
	require.Equal(d.T, hex.EncodeToString(sum[:]), out.SHA256)
	all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.String(), "\ufeff"))).ReadAll()
	require.NoError(d.T, err)
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[all[0][i]] = cell
		}
		rows = append(rows, row)
	}
	require.Len(d.T, rows, out.Rows)
	return out, b.String(), rows
}

func (d *session) consent(chart string, granted bool) {
	d.amend(chart, func(e *changes.Form) { e.Draft.Consent = birth.Consent{Recorded: true, Granted: granted} })
}

func TestAReportHasTheConsentedBirthsOfItsYearWithoutIdentifiers(t *testing.T) {
	d := open(t)
	d.field("room", "Room")
	d.Push(apptest.Course{Chart: "26-1", Kids: 2, Weight: 3000}.Bundle())
	d.Push(apptest.Course{Chart: "26-2", Mother: "Diaz"}.Bundle())
	d.consent("26-1", true)
	d.consent("26-2", false)
	d.amend("26-1", func(e *changes.Form) {
		state(&e.Draft.Mother, "mother_postal_code", birth.Value{Text: "97201"})
		state(&e.Draft.Care, "facility_name", birth.Value{Text: "Canary House"})
		e.Custom = map[string]string{"room": "Canary room"}
	})
	out, file, rows := d.reported(records.ReportScope{Year: 2026}, report.SafeHarbor)
	require.Equal(t, 1, out.Births)
	require.Equal(t, 2, out.Rows, "a row for each twin")
	require.Equal(t, []string{"1", "1"}, []string{rows[0]["birth"], rows[1]["birth"]})
	require.Equal(t, "972", rows[0]["mother_postal_code"])
	require.Equal(t, "2026", rows[0]["birth_datetime"])
	require.Equal(t, "3000", rows[0]["birth_weight_g"])
	for _, canary := range []string{"26-1", "26-2", "Okonkwo", "Diaz", "Canary", "97201", "2026-03", d.Record("26-1").ID} {
		require.NotContains(t, file, canary)
	}
	_, again, _ := d.reported(records.ReportScope{Year: 2026}, report.SafeHarbor)
	require.Equal(t, file, again, "the same records make the same file")

	_, file, rows = d.reported(records.ReportScope{Year: 2026}, report.Limited)
	require.Equal(t, "97201", rows[0]["mother_postal_code"])
	require.Equal(t, "2026-03-02T04:18:00-05:00", rows[0]["birth_datetime"])
	for _, canary := range []string{"26-1", "Okonkwo", "Canary", d.Record("26-1").ID} {
		require.NotContains(t, file, canary)
	}

	out, _, _ = d.reported(records.ReportScope{Year: 2025}, report.SafeHarbor)
	require.Zero(t, out.Births)
}

func TestAReportSaysHowManyBirthsHaveTransfersThatItLeavesOut(t *testing.T) {
	d := open(t)
	for n, chart := range []string{"26-1", "26-2"} {
		d.Push(apptest.Course{Chart: chart, Mother: chart, Weight: 3000}.Bundle())
		d.amend(chart, func(e *changes.Form) {
			e.Draft.Consent = birth.Consent{Recorded: true, Granted: true}
			all := []birth.Transfer{{Type: "intrapartum", Source: birth.Manual}, {Type: "neonatal", Source: birth.Manual}}
			e.Draft.Transfers = all[:1+n]
		})
	}
	for _, form := range []report.Form{report.SafeHarbor, report.Limited} {
		out, file, _ := d.reported(records.ReportScope{Year: 2026}, form)
		require.Equal(t, 2, out.Births)
		require.Equal(t, 1, out.MoreTransfers)
		require.NotContains(t, file, "neonatal")
	}
}

// Whoever has both files could otherwise read the dates and the postal code of each birth of the
// de-identified file in the row with the same number.
func TestABirthHasNotTheSameNumberInBothFormsOfAReport(t *testing.T) {
	d := open(t)
	for n := range 8 {
		chart := fmt.Sprint("26-", n)
		d.Push(apptest.Course{Chart: chart, Mother: fmt.Sprint("Okonkwo", n), Weight: 3000 + n}.Bundle())
		d.consent(chart, true)
	}
	weights := func(form report.Form) (all []string) {
		_, _, rows := d.reported(records.ReportScope{Year: 2026}, form)
		for _, row := range rows {
			all = append(all, row["birth_weight_g"])
		}
		return all
	}
	safe, limited := weights(report.SafeHarbor), weights(report.Limited)
	require.ElementsMatch(t, safe, limited)
	require.NotEqual(t, safe, limited)
}

// changing is a file at whose first write a record changes.
type changing struct{ change func() }

func (c *changing) Write(b []byte) (int, error) {
	if c.change != nil {
		c.change()
		c.change = nil
	}
	return len(b), nil
}

func TestAReportThatChangesWhileItIsSentFails(t *testing.T) {
	d := open(t)
	d.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	d.consent("26-1", true)
	p, scope := store.Practice{ID: d.Practice}, records.ReportScope{Year: 2026}
	made, _, _ := d.reported(scope, report.SafeHarbor)
	var sent bytes.Buffer
	require.NoError(t, d.records.SendReport(t.Context(), p, scope, report.SafeHarbor, made, &sent))
	sum := sha256.Sum256(sent.Bytes())
	require.Equal(t, made.SHA256, hex.EncodeToString(sum[:]))

	to := &changing{change: func() {
		d.amend("26-1", func(e *changes.Form) { state(&e.Draft.Mother, "gravida", birth.Value{Number: 7}) })
	}}
	require.ErrorIs(t, d.records.SendReport(t.Context(), p, scope, report.SafeHarbor, made, to), records.ErrReportChanged)
}

func TestAReportCountsWhatIsOnFileAndWhatIsMissing(t *testing.T) {
	d := open(t)
	d.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	d.Push(apptest.Course{Chart: "26-2", Mother: "Diaz"}.Bundle())
	d.consent("26-1", true)
	d.consent("26-2", false)
	all := records.ReportScope{Year: 2026}
	counts, _, err := d.records.ReportCounts(t.Context(), d.Practice, all)
	require.NoError(t, err)
	require.Equal(t, 2, counts[records.Primary])
	require.Equal(t, 1, counts[records.Unconsented])
	for part := range records.ReportParts {
		f, err := d.records.ReportedIn(t.Context(), d.Practice, store.Filter{}, all, part)
		require.NoError(t, err)
		require.Len(t, f.Only, counts[part], "%s: the list has the births that are counted", part)
	}
}

func TestTheDictionaryOfAReportHasEveryColumnWithItsDecision(t *testing.T) {
	d := open(t)
	d.field("room", "Room")
	for _, form := range []report.Form{report.SafeHarbor, report.Limited} {
		var b bytes.Buffer
		require.NoError(t, d.records.ReportDictionary(t.Context(), d.Practice, form, &b))
		lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.String(), "\ufeff"))).ReadAll()
		require.NoError(t, err)
		format := sheet.Format{Custom: []birth.CustomField{{Key: "room", Label: "Room", Kind: birth.CustomText}}}
		decided := map[string]bool{}
		for _, line := range lines[1:] {
			decided[line[0]] = true
		}
		for _, name := range format.Names() {
			require.True(t, decided[name], "%s: nobody has decided about this column", name)
		}
		for _, line := range lines[1:] {
			require.Contains(t, []string{"kept", "coarsened", "withheld"}, line[6], line[0])
			if line[6] != "kept" {
				require.NotEmpty(t, line[7], line[0])
			}
		}
	}
}
