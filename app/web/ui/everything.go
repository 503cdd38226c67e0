package ui

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/records"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// Everything serves the pages for a client who asks what the practice holds about a birth (45 CFR
// 164.524), and who has received that information (45 CFR 164.528). Admins and providers may open
// these pages, because they may read records anyway. From the audit trail, the pages include only
// the entries about the record and about the practice's downloads.
type Everything struct {
	*pages.Pages
	auth    *auth.Service
	records *records.Records
}

// accountVersions is the maximum number of versions on one page with everything about a birth.
// accountRows is the maximum number of entries in each of the page's two lists from the audit
// trail.
const (
	accountVersions = 50
	accountRows     = 100
)

// GetEverything shows everything that is held about a birth, for printing.
func (h *Everything) GetEverything(c echo.Context) error {
	ctx, who, zone := c.Request().Context(), session.User(c), session.Zone(c)
	id, err := recordParam(c)
	if err != nil {
		return err
	}
	rec, err := h.records.Show(ctx, who.Practice.ID, id, 0, true)
	if err != nil {
		return foundRecord(err)
	}
	from := originsOf(rec, zone)
	page := views.EverythingPage{
		ID: id, Practice: who.Practice.Name, Title: recordTitle(rec), Made: views.Moment(time.Now(), zone), Newborns: newbornsOf(rec, from),
		Sections: append(recordSections(rec, from), providersSection(rec, from, false), transferSection(rec, from), customSection(rec, from),
			consentSection(rec, from), technicalSection(rec, zone)),
	}
	if err := h.versions(c, &page, id); err != nil {
		return err
	}
	trail, err := h.auth.RecordTrail(ctx, who, id, rowParam(c, "trail"), accountRows+1)
	if err != nil {
		return err
	}
	page.Trail, page.OlderTrail = h.rows(c, id, "trail", trail)
	merged, err := h.records.MergedInto(ctx, who.Practice.ID, rec.Head())
	if err != nil {
		return err
	}
	for _, m := range merged {
		page.Merged = append(page.Merged, views.Link{Href: recordAddress(m.UUID) + "/everything", Text: m.Chart})
	}
	downloads, err := h.auth.Downloads(ctx, who, firstRecorded(rec, merged), rowParam(c, "downloads"), accountRows+1)
	if err != nil {
		return err
	}
	page.Downloads, page.OlderDownloads = h.rows(c, id, "downloads", downloads)
	if err := h.auth.NoteAlone(who, "record.account", id); err != nil {
		return noted(err)
	}
	return h.Render(c, http.StatusOK, "Everything about this birth", views.Everything(page))
}

// firstRecorded returns the time at which a birth was first recorded: either as this record, or as
// a record that was later merged into this one.
func firstRecorded(rec records.Record, merged []store.Record) time.Time {
	first := rec.Head().CreatedAt
	for _, m := range merged {
		if m.CreatedAt.Before(first) {
			first = m.CreatedAt
		}
	}
	return first
}

// noted returns the error for an entry that couldn't be added to the audit trail. That is
// pages.ErrUnreadable if the store is unavailable, and otherwise err. The caller must then show
// nothing about the birth.
func noted(err error) error {
	if store.IsUnavailable(err) {
		return pages.ErrUnreadable
	}
	return err
}

func (h *Everything) versions(c echo.Context, page *views.EverythingPage, id string) error {
	before, _ := strconv.Atoi(c.QueryParam("versions")) // anything but a number means the newest
	_, events, more, err := h.records.History(c.Request().Context(), session.User(c).Practice.ID, id, max(before, 0))
	if err != nil {
		return foundRecord(err)
	}
	if len(events) > accountVersions {
		events, more = events[:accountVersions], true
	}
	for _, e := range events {
		page.Versions = append(page.Versions, eventOf(e, session.Zone(c)))
	}
	if more {
		page.MoreVersions = fmt.Sprintf("%s/everything?versions=%d", recordAddress(id), events[len(events)-1].Version)
	}
	return nil
}

// rows returns lines of the audit trail, at most accountRows. If there are more, older is the
// address of the page with older lines. name is the query parameter in that address which states
// where the page begins.
func (h *Everything) rows(c echo.Context, id, name string, all []store.Audit) (rows []views.EverythingRow, older string) {
	if len(all) > accountRows {
		all = all[:accountRows]
		older = fmt.Sprintf("%s/everything?%s=%d", recordAddress(id), name, all[len(all)-1].ID)
	}
	for _, e := range all {
		row := auditRow(e, session.Zone(c))
		line := views.EverythingRow{At: row.At, Who: row.Who, What: lowerFirst(row.What)}
		if e.Object != id {
			line.More = e.Object
		}
		rows = append(rows, line)
	}
	return rows, older
}

// PostEverything records the download in the audit trail, and then sends everything about the birth
// as one JSON document.
func (h *Everything) PostEverything(c echo.Context) error {
	who := session.User(c)
	id, err := recordParam(c)
	if err != nil {
		return err
	}
	rec, err := h.records.Show(c.Request().Context(), who.Practice.ID, id, 0, true)
	if err != nil {
		return foundRecord(err)
	}
	if err := h.auth.NoteAlone(who, "record.account-file", id); err != nil {
		return noted(err)
	}
	h.FileHeaders(c, "everything-"+id, "json", "application/json; charset=utf-8")
	return h.Ended(c, h.write(c, rec, c.Response()))
}

// write writes the document. It writes the versions one at a time, and the audit trail page by
// page, so that a long history takes no more memory than a short one.
func (h *Everything) write(c echo.Context, rec records.Record, to io.Writer) error {
	out := document{to: jsontext.NewEncoder(to, jsontext.Multiline(true))}
	out.begin()
	out.member("about", "Everything that "+session.User(c).Practice.Name+" holds about one birth in its birth registry, and what is known about who viewed the record. "+
		"The registry sends nothing on its own, and does not note which births a downloaded file held: "+
		"the downloads are all those since the birth was recorded.")
	out.member("made", time.Now().UTC().Format(time.RFC3339))
	h.writeRecord(c, rec, &out)
	merged, err := h.records.MergedInto(c.Request().Context(), session.User(c).Practice.ID, rec.Head())
	if err != nil {
		return err
	}
	out.list("merged", func() error { return h.writeMerged(c, merged, &out) })
	downloads := func(before int64) ([]store.Audit, error) {
		return h.auth.Downloads(c.Request().Context(), session.User(c), firstRecorded(rec, merged), before, accountRows)
	}
	out.list("downloads", func() error { return out.trail(downloads) })
	out.end()
	return out.err
}

func (h *Everything) writeRecord(c echo.Context, rec records.Record, out *document) {
	out.member("record", rec)
	out.list("versions", func() error { return h.writeVersions(c, rec, out) })
	trail := func(before int64) ([]store.Audit, error) {
		return h.auth.RecordTrail(c.Request().Context(), session.User(c), rec.ID, before, accountRows)
	}
	out.list("audit", func() error { return out.trail(trail) })
}

func (h *Everything) writeMerged(c echo.Context, merged []store.Record, out *document) error {
	for _, m := range merged {
		rec, err := h.records.Show(c.Request().Context(), session.User(c).Practice.ID, m.UUID, 0, true)
		if err != nil {
			return err
		}
		out.begin()
		h.writeRecord(c, rec, out)
		out.end()
	}
	return nil
}

// accountVersion is a version of the record in the JSON document about a birth. It states what
// happened, and has the content of the record after that.
type accountVersion struct {
	Version   int             `json:"version"`
	What      string          `json:"what"`
	Who       string          `json:"who"`
	Source    string          `json:"source"`
	At        string          `json:"at"`
	Note      string          `json:"note,omitzero"`
	Ingestion string          `json:"ingestion,omitzero"`
	Record    *records.Record `json:"record"`
}

func (h *Everything) writeVersions(c echo.Context, rec records.Record, out *document) error {
	p := session.User(c).Practice.ID
	for before, more := 0, true; more; {
		var events []records.Event
		var err error
		if _, events, more, err = h.records.History(c.Request().Context(), p, rec.ID, before); err != nil {
			return err
		}
		for _, e := range events {
			at, err := h.records.Show(c.Request().Context(), p, rec.ID, e.Version, true)
			if err != nil {
				return err
			}
			out.value(accountVersion{e.Version, e.What(), e.Who(), e.Source.Label(), e.At.UTC().Format(time.RFC3339), e.Note, e.Ingestion, &at})
			before = e.Version
		}
	}
	return nil
}

// document writes a JSON object piece by piece. After the first error, it writes nothing more.
type document struct {
	to  *jsontext.Encoder
	err error
}

func (d *document) token(t jsontext.Token) {
	if d.err == nil {
		d.err = d.to.WriteToken(t)
	}
}

func (d *document) value(v any) {
	if d.err == nil {
		d.err = json.MarshalEncode(d.to, v)
	}
}

func (d *document) begin() { d.token(jsontext.BeginObject) }

func (d *document) end() { d.token(jsontext.EndObject) }

func (d *document) member(name string, v any) {
	d.token(jsontext.String(name))
	d.value(v)
}

// list writes an object member with a name and a list as its value. fill writes the items of the
// list.
func (d *document) list(name string, fill func() error) {
	d.token(jsontext.String(name))
	d.token(jsontext.BeginArray)
	if err := fill(); d.err == nil {
		d.err = err
	}
	d.token(jsontext.EndArray)
}

// accountEntry is an entry of the audit trail in the document. It has the time, the user, the
// action, and the record or file. It doesn't have the network address, because 45 CFR 164.528
// doesn't require it, and it is the address of a staff member.
type accountEntry struct {
	At     string `json:"at"`
	Who    string `json:"who"`
	Action string `json:"action"`
	What   string `json:"what"`
	Object string `json:"object"`
}

// trail writes the entries of the audit trail, newest first. page returns the next entries, which
// have lower IDs than its argument. If the argument is 0, page returns the newest entries.
func (d *document) trail(page func(before int64) ([]store.Audit, error)) error {
	for before := int64(0); d.err == nil; {
		entries, err := page(before)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			d.value(accountEntry{e.At.UTC().Format(time.RFC3339), e.Actor, e.Action, auditRow(e, time.UTC).What, e.Object})
			before = e.ID
		}
	}
	return nil
}
