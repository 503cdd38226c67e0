package ui

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

func (h *Records) GetRecord(c echo.Context) error { return h.showRecord(c, 0) }

// GetVersion shows an earlier version of a record.
func (h *Records) GetVersion(c echo.Context) error {
	version, err := strconv.Atoi(c.Param("version"))
	if err != nil || version < 1 {
		return noRecord
	}
	return h.showRecord(c, version)
}

func (h *Records) showRecord(c echo.Context, version int) error {
	id, err := recordParam(c)
	if err != nil {
		return err
	}
	p := session.User(c).Practice.ID
	rec, err := h.records.Show(c.Request().Context(), p, id, version, true)
	if err != nil {
		return foundRecord(err)
	}
	if version == rec.Head().Version {
		return c.Redirect(http.StatusSeeOther, recordAddress(id))
	}
	viewers, err := h.viewers(c.Request().Context(), session.User(c), id, session.Zone(c))
	if err != nil {
		return err
	}
	if err := h.NoteReading(c, id); err != nil {
		return err
	}
	page, err := h.recordPage(c, rec, version)
	if err != nil {
		return err
	}
	page.Viewers = viewers
	return h.Render(c, http.StatusOK, "Record", views.Record(page))
}

// recordPage returns the content of a record's page. It reads what the page shows in addition to
// the record.
func (h *Records) recordPage(c echo.Context, rec records.Record, version int) (page views.RecordPage, err error) {
	ctx, who := c.Request().Context(), session.User(c)
	if err := h.records.Trace(ctx, who.Practice.ID, &rec); err != nil {
		return page, err
	}
	around, err := h.records.Around(ctx, who.Practice.ID, rec)
	if err != nil {
		return page, foundRecord(err)
	}
	page = recordView(who, rec, around, version)
	if page.History, err = h.history(c, rec); err != nil {
		return page, foundRecord(err)
	}
	if version > 0 {
		return page, nil
	}
	if page.Replaced, err = h.replacedOf(c, rec.Head()); err != nil {
		return page, foundRecord(err)
	}
	return page, h.near(c, rec, &page)
}

// near links to the previous and the next record in the list from which the reader came, and back
// to that list.
func (h *Records) near(c echo.Context, rec records.Record, page *views.RecordPage) error {
	f, err := h.selected(c)
	if err != nil {
		return err
	}
	near, err := h.records.Neighbors(c.Request().Context(), session.User(c).Practice.ID, f.Filter, rec)
	if err != nil {
		return err
	}
	query := f.query()
	page.List = pages.RecordsPath + questioned(query)
	if near.Place > 0 {
		page.Place = views.Number(near.Place) + " of " + views.Number(near.All)
	}
	if near.Newer != "" {
		page.Newer = recordAddress(near.Newer) + questioned(query)
	}
	if near.Older != "" {
		page.Older = recordAddress(near.Older) + questioned(query)
	}
	return nil
}

func recordAddress(id string) string { return pages.RecordsPath + "/" + id }

// recordView returns the content of a record's page. version is the number of an earlier version,
// or 0 for the current version.
func recordView(who auth.User, rec records.Record, around records.Around, version int) views.RecordPage {
	head := rec.Head()
	present, zone := version == 0, who.Practice.Location()
	from := originsOf(rec, zone)
	page := views.RecordPage{
		ID: rec.ID, Title: recordTitle(rec), Tags: stateTags(head.State, present && mayBeDuplicate(rec, around)), Lead: from.lead(rec),
		Notices: notices(who, rec, around, version), Summary: summaryOf(rec, around, who), Newborns: newbornsOf(rec, from),
		MayAmend:   present && head.State != birth.Voided && who.May(auth.RecordAmend),
		MayVoid:    present && head.State == birth.Active && who.May(auth.RecordVoid),
		MayRestore: present && head.State == birth.Voided && who.May(auth.RecordVoid),
		MayAudit:   present && who.May(auth.AuditView),
		MayErase:   present && who.May(auth.RecordErase),
		MayAccount: present && who.May(auth.RecordAccount),
		Consent:    consentSection(rec, from), Technical: technicalSection(rec, zone),
	}
	if present && rec.State == birth.Active {
		page.Missing = missingLinks(rec, around.Missing, page.MayAmend)
		if len(page.Tags) == 0 {
			page.Tags = []views.TagText{{Kind: "good", Text: "Active"}}
		}
		if n := len(page.Missing); n > 0 {
			page.Tags = append(page.Tags, views.TagText{Kind: "warn", Text: views.Count(n, "fact missing", "facts missing")})
		}
	}
	if address, text := broughtBy(rec.Event); address != "" {
		page.From = &views.Link{Href: address, Text: "See " + text}
	}
	page.Sections = append(recordSections(rec, from), providersSection(rec, from, who.May(auth.ProviderView)))
	if len(rec.Transfers) > 0 {
		page.Sections = append(page.Sections, transferSection(rec, from))
	}
	if len(rec.CustomFields) > 0 {
		page.Sections = append(page.Sections, customSection(rec, from))
	}
	return page
}

// notices returns what users should know before they read the record.
func notices(who auth.User, rec records.Record, around records.Around, version int) (all []views.Notice) {
	zone := who.Practice.Location()
	say := func(text string, links ...views.Link) { all = append(all, views.Notice{Text: text, Links: links}) }
	if version > 0 {
		say(fmt.Sprintf("This is version %d (%s), saved on %s. You cannot change it.",
			version, rec.Event.What(), views.Moment(rec.Event.At, zone)),
			views.Link{Href: pages.RecordsPath + "/" + rec.ID, Text: "See the current version"})
		return all
	}
	switch rec.State {
	case birth.Voided:
		text := fmt.Sprintf("%s on %s by %s. This record is not counted.", rec.Event.What(), views.Moment(rec.Event.At, zone), rec.Event.Who())
		if rec.Event.Note != "" {
			text += " Reason: " + rec.Event.Note
		}
		say(text)
	case birth.Merged:
		text := "Merged into another record. This record is not counted."
		if around.Survivor.State == birth.Voided {
			text = "Merged into another record. That record is voided, so this birth is not counted."
		}
		say(text, recordLink(around.Survivor.UUID, around.Survivor.Chart))
	}
	for _, w := range around.Merges {
		var undo []views.Link
		if who.May(auth.DuplicateResolve) && w.May {
			undo = []views.Link{{Href: views.UndoPath(w.ID), Text: "Undo the merge"}}
		}
		switch {
		case w.Stays.UUID == rec.ID:
			say(fmt.Sprintf("%s was merged into this one on %s by %s.", views.UpperFirst(recordName(w.Goes.Chart)), views.Moment(w.At, zone), w.By),
				append([]views.Link{recordLink(w.Goes.UUID, w.Goes.Chart)}, undo...)...)
		case w.Again:
			say("This record was sent again after it was merged. It stays merged and keeps what was sent.", undo...)
		}
	}
	if mayBeDuplicate(rec, around) {
		text, links := "This may be the same birth as another record: same mother's name, same time of birth.", []views.Link{}
		for _, other := range around.Duplicates {
			links = append(links, views.Link{Href: pairPath(rec.ID, other.UUID), Text: "Compare it with " + recordName(other.Chart)})
		}
		say(text, links...)
	}
	return all
}

func mayBeDuplicate(rec records.Record, around records.Around) bool {
	return rec.State == birth.Active && (rec.Suspected || len(around.Duplicates) > 0)
}

func recordLink(id, chart string) views.Link {
	return views.Link{Href: pages.RecordsPath + "/" + id, Text: views.UpperFirst(recordName(chart))}
}
