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

// GetRecord shows a record's present version.
func (h *Records) GetRecord(c echo.Context) error { return h.showRecord(c, 0) }

// GetVersion shows an earlier version; the present one has its own address.
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
		return c.Redirect(http.StatusSeeOther, pages.RecordsPath+"/"+id)
	}
	if err := h.NoteReading(c, id); err != nil {
		return err
	}
	if err := h.records.Trace(c.Request().Context(), p, &rec); err != nil {
		return err
	}
	around, err := h.records.Around(c.Request().Context(), p, rec)
	if err != nil {
		return foundRecord(err)
	}
	page := recordPage(session.User(c), rec, around, version)
	if page.Origins = c.QueryParam("provenance") == "1"; !page.Origins {
		page.WithoutOrigins()
	}
	if version == 0 {
		if page.Replaced, err = h.replacedOf(c, rec.Head()); err != nil {
			return foundRecord(err)
		}
	}
	return h.Render(c, http.StatusOK, "Record", views.Record(page))
}

// recordPage returns the page of a record; version is an earlier one, or 0 for the
// present one.
func recordPage(who auth.User, rec records.Record, around records.Around, version int) views.RecordPage {
	head := rec.Head()
	present, zone := version == 0, who.Practice.Location()
	page := views.RecordPage{
		ID: rec.ID, Name: upperFirst(recordName(rec.ChartNumber)), Tags: stateTags(head), Version: version,
		Notices:    notices(who, rec, around, version),
		MayAmend:   present && head.State != birth.Voided && who.May(auth.RecordAmend),
		MayVoid:    present && head.State == birth.Active && who.May(auth.RecordVoid),
		MayRestore: present && head.State == birth.Voided && who.May(auth.RecordVoid),
		MayAudit:   present && who.May(auth.AuditView),
	}
	page.Sections = append(page.Sections, recordSections(rec, zone)...)
	page.Sections = append(page.Sections, providersSection(rec, zone), transferSection(rec), consentSection(rec, zone))
	if len(rec.CustomFields) > 0 {
		page.Sections = append(page.Sections, customSection(rec, zone))
	}
	page.Sections = append(page.Sections, technicalSection(rec, zone))
	return page
}

// notices returns what to know before reading.
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
			text = "Merged into another record, which is voided. This birth is not counted."
		}
		say(text, recordLink(around.Survivor.UUID, around.Survivor.Chart))
	}
	for _, w := range around.Merges {
		var undo []views.Link
		if who.May(auth.DuplicateResolve) && w.May {
			undo = []views.Link{{Href: undoPath(w.ID), Text: "Undo the merge"}}
		}
		switch {
		case w.Stays.UUID == rec.ID:
			say(fmt.Sprintf("%s was merged into this one on %s by %s.", upperFirst(recordName(w.Goes.Chart)), views.Moment(w.At, zone), w.By),
				append([]views.Link{recordLink(w.Goes.UUID, w.Goes.Chart)}, undo...)...)
		case w.Again:
			say("This record was sent again after it was merged. It stays merged and keeps what was sent.", undo...)
		}
	}
	if rec.State == birth.Active && (rec.Suspected || len(around.Duplicates) > 0) {
		text, links := "This may be the same birth as another record: same mother's name, same time of birth.", []views.Link{}
		for _, other := range around.Duplicates {
			links = append(links, views.Link{Href: pairPath(rec.ID, other.UUID), Text: "Compare it with " + recordName(other.Chart)})
		}
		say(text, links...)
	}
	if rec.State == birth.Active && len(around.Missing) > 0 {
		say("Not stated: " + fieldList(around.Missing) + ".")
	}
	return all
}

func recordLink(id, chart string) views.Link {
	return views.Link{Href: pages.RecordsPath + "/" + id, Text: upperFirst(recordName(chart))}
}

func fieldList(fields []*birth.Field) (text string) {
	for i, f := range fields {
		if i > 0 {
			text += "; "
		}
		text += f.Label
	}
	return text
}
