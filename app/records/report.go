package records

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/report"
	"birthregistry/store"
)

// ReportScope says which births a report covers: those of one year, either in the whole practice or
// with one provider.
type ReportScope struct {
	Year     int
	Provider int64 // 0 for the whole practice
}

// Months returns the first and the last month of the year, such as "2026-01" and "2026-12".
func (s ReportScope) Months() (first, last string) {
	return fmt.Sprintf("%04d-01", s.Year), fmt.Sprintf("%04d-12", s.Year)
}

// ReportPart is one of the categories in which a report counts births.
type ReportPart string

// The categories of births. Primary contains the births that the provider attended, or all births
// of the practice. Assisted contains the births in which the provider took part in another role.
// Unconsented and Unfinished contain some of the births in Primary: those that are left out of the
// file because the mother hasn't consented, and those that lack a key field. Undated contains
// births without a month, which may belong to the year.
const (
	Primary     ReportPart = "primary"
	Assisted    ReportPart = "assisted"
	Unconsented ReportPart = "without-consent"
	Unfinished  ReportPart = "unfinished"
	Undated     ReportPart = "undated"
)

// ReportParts maps each category to its label.
var ReportParts = map[ReportPart]string{
	Primary: "attended", Assisted: "assisted", Unconsented: "without the mother’s consent", Unfinished: "with a key fact missing",
	Undated: "without a month of birth",
}

// ReportCounts maps each category to its number of births.
type ReportCounts map[ReportPart]int

// ReportedIn returns the filter f, restricted to the births in one category of a report.
func (r *Records) ReportedIn(ctx context.Context, p store.PracticeID, f store.Filter, s ReportScope, wanted ReportPart) (store.Filter, error) {
	f.Restricted, f.Only = true, nil
	return f, r.eachReported(ctx, p, s, func(part ReportPart, birth store.Reported) {
		if part == wanted {
			f.Only = append(f.Only, birth.Record)
		}
	})
}

// ReportDoubts are the reviews on which the counts of a report depend.
type ReportDoubts struct {
	// Pairs counts the possible duplicates among the report's primary births, up to
	// store.CountedTo. The report counts both births of each.
	Pairs int
	// Reopened counts the merges whose remaining record no longer counts. These births may belong
	// to any year and any provider, so some may be missing from the report.
	Reopened int
}

// ReportCounts counts the births in the scope of a report, and the reviews on which these counts
// depend.
func (r *Records) ReportCounts(ctx context.Context, p store.PracticeID, s ReportScope) (counts ReportCounts, d ReportDoubts, err error) {
	var pairs []store.Pair
	err = r.db.View(ctx, func(v *store.View) error {
		if d.Reopened, err = v.CountReopened(p); err != nil {
			return err
		}
		pairs, err = v.Pairs(p, store.Pair{}, store.CountedTo)
		return err
	})
	if err != nil {
		return nil, d, err
	}
	counts = ReportCounts{}
	primary := map[int64]bool{} // only needed if there are pairs
	err = r.eachReported(ctx, p, s, func(part ReportPart, birth store.Reported) {
		counts[part]++
		if part == Primary && len(pairs) > 0 {
			primary[birth.Record] = true
		}
	})
	for _, pair := range pairs {
		if primary[pair.Marked] && primary[pair.Other] {
			d.Pairs++
		}
	}
	return counts, d, err
}

// eachReported visits the births of a scope once for each part to which they belong.
func (r *Records) eachReported(ctx context.Context, p store.PracticeID, s ReportScope, visit func(ReportPart, store.Reported)) error {
	first, last := s.Months()
	return r.db.View(ctx, func(v *store.View) error {
		return v.Reported(p, s.Provider, first, last, func(b store.Reported) {
			switch {
			case b.Month == "":
				visit(Undated, b)
				return
			case s.Provider != 0 && !b.Attending:
				visit(Assisted, b)
				return
			}
			visit(Primary, b)
			if !consented(b.Outcome) {
				visit(Unconsented, b)
			}
			if b.Missing > 0 {
				visit(Unfinished, b)
			}
		})
	})
}

func consented(outcome string) bool {
	var o birth.Outcome
	o.Read(outcome)
	return o.Consent
}

// ReportFile describes the file of a report.
type ReportFile struct {
	Births, Rows int
	SHA256       string // the SHA-256 hash of the file, in hex
	// MoreTransfers counts the births with several transfers of care. A row has room only for the
	// first.
	MoreTransfers int
	// Smallest is the size of the smallest group of births with the same values (report.Groups).
	// Few is the number of births in groups smaller than report.Few. Both are set only for a
	// de-identified file.
	Smallest, Few int
}

// Report writes a report to a CSV file. The file has a row for each newborn in the scope, unless
// the mother hasn't consented. The column "birth" numbers the births in the file, so that twins can
// be recognized. The rows are in a random order that reveals neither the order of the births nor
// the order in which they were recorded. The same records always give the same order. Report holds
// only a few records in memory at a time.
func (r *Records) Report(ctx context.Context, p store.Practice, s ReportScope, form report.Form, to io.Writer) (out ReportFile, err error) {
	ids, err := r.reportOrder(ctx, p.ID, s, form)
	if err != nil {
		return out, err
	}
	sum := sha256.New()
	w := reportWriter{form: form, now: time.Now(), to: sheet.NewWriter(io.MultiWriter(to, sum))}
	if err := w.begin(); err != nil {
		return out, err
	}
	for some := range slices.Chunk(ids, exportStride) {
		drafts, err := store.Read(ctx, r.db, func(v *store.View) ([]birth.Draft, error) { return r.reportDrafts(v, p.ID, some) })
		if err != nil {
			return out, err
		}
		for _, d := range drafts {
			if err := w.add(d); err != nil {
				return out, err
			}
		}
	}
	out.Births, out.Rows, out.SHA256 = w.births, w.rows, hex.EncodeToString(sum.Sum(nil))
	out.MoreTransfers = w.moreTransfers
	out.Smallest, out.Few = w.similar.Smallest()
	return out, nil
}

// ErrReportChanged means that records have changed since a report was made, so that its file would
// now be different.
var ErrReportChanged = errors.New("records: the records changed after the report was made; make it again")

// SendReport makes a report again, and writes the file to the writer to. made describes the file
// that Report wrote the first time. If the new file differs from it, SendReport returns
// ErrReportChanged, but only after it has written the new file.
func (r *Records) SendReport(ctx context.Context, p store.Practice, s ReportScope, form report.Form, made ReportFile, to io.Writer) error {
	sent, err := r.Report(ctx, p, s, form, to)
	if err == nil && sent.SHA256 != made.SHA256 {
		err = ErrReportChanged
	}
	return err
}

// reportOrder returns the IDs of the records in a report, in an order that reveals nothing about
// the records. The two forms of a report have different orders: if they had the same, the numbers
// of the births would lead from a de-identified birth to its dates in the limited data set.
func (r *Records) reportOrder(ctx context.Context, p store.PracticeID, s ReportScope, form report.Form) (ids []int64, err error) {
	err = r.eachReported(ctx, p, s, func(part ReportPart, b store.Reported) {
		if part == Primary && consented(b.Outcome) {
			ids = append(ids, b.Record)
		}
	})
	slices.Sort(ids)
	seed := sha256.Sum256(fmt.Appendf(r.vault.Key("report"), "%d %d %d %s", p, s.Year, s.Provider, form))
	order := rand.New(rand.NewChaCha8(seed)) //nolint:gosec // seeded on purpose; ChaCha8 is a strong generator
	order.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids, err
}

// reportDrafts returns the contents of records, in the order of ids. It leaves out records that are
// no longer active, or for which the mother no longer consents.
func (r *Records) reportDrafts(v *store.View, p store.PracticeID, ids []int64) (all []birth.Draft, err error) {
	found, err := v.RecordsByID(p, ids)
	if err != nil {
		return nil, err
	}
	contents, err := v.Contents(p, ids)
	if err != nil {
		return nil, err
	}
	byID := map[int64]store.Record{}
	for _, head := range found {
		byID[head.ID] = head
	}
	for _, id := range ids {
		head, ok := byID[id]
		if !ok || head.State != birth.Active {
			continue
		}
		d, err := r.open(p, head.UUID, contents[id])
		if err != nil {
			return nil, err
		}
		if d.Consent.Granted {
			all = append(all, d)
		}
	}
	return all, nil
}

// reportWriter writes the rows of a report and counts them.
type reportWriter struct {
	form report.Form
	now  time.Time
	to   *sheet.Writer
	kept []report.Column // the columns that the file contains

	births, rows, moreTransfers int
	similar                     report.Groups
}

func (w *reportWriter) begin() error {
	names := []string{report.Number}
	for _, c := range w.form.Columns(nil) {
		if c.Treatment != report.Withheld {
			w.kept = append(w.kept, c)
			names = append(names, c.Name)
		}
	}
	return w.to.Row(names...)
}

func (w *reportWriter) add(d birth.Draft) error {
	w.births++
	if len(d.Transfers) > 1 {
		w.moreTransfers++
	}
	d = w.form.Draft(d, w.now)
	if w.form == report.SafeHarbor {
		w.similar.Add(d)
	}
	for _, child := range d.Children {
		stated := slices.Concat(d.Mother, d.Care, child)
		row := []string{strconv.Itoa(w.births)}
		for _, c := range w.kept {
			row = append(row, cellOf(c, stated, d.Transfers))
		}
		if err := w.to.Row(row...); err != nil {
			return err
		}
		w.rows++
	}
	return nil
}

// cellOf returns the text of one cell of a report, in the form that the import reads. Only the
// first transfer has columns.
func cellOf(c report.Column, stated birth.Values, transfers []birth.Transfer) string {
	if c.Transfer != nil {
		if len(transfers) == 0 {
			return ""
		}
		return *c.Transfer(&transfers[0])
	}
	value, ok := stated.Get(c.Field.Name)
	if !ok {
		return ""
	}
	return sheet.Written(c.Field, value)
}

// ReportDictionary writes a CSV file that describes the columns of a report: whether the report
// contains a column, what the column means, how its values are changed, and why.
func (r *Records) ReportDictionary(ctx context.Context, p store.PracticeID, form report.Form, to io.Writer) error {
	format, err := r.format(ctx, p)
	if err != nil {
		return err
	}
	w := sheet.NewWriter(to)
	if err := w.Row("column", "label", "about", "type", "unit", "values", "treatment", "why"); err != nil {
		return err
	}
	number := "Number of the birth in this file; the newborns of one birth share it"
	if err := w.Row(report.Number, number, "care", "int", "", "", string(report.Kept), ""); err != nil {
		return err
	}
	for _, c := range form.Columns(format.Custom) {
		row := []string{c.Name, c.Label, "care", "text", "", "", string(c.Treatment), c.Why}
		if c.Transfer != nil && c.Treatment != report.Withheld {
			row[1] += ", of the first transfer of the birth"
		}
		if f := c.Field; f != nil {
			row[2], row[3], row[4], row[5] = f.About.String(), f.Kind.String(), f.UnitLabel(), sheet.OptionList(f.Options)
		}
		if err := w.Row(row...); err != nil {
			return err
		}
	}
	return nil
}
