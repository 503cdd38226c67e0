package ui

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/app/review"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// Duplicates serves the pages that compare possible duplicates, and carries out what users decide
// about them.
type Duplicates struct {
	*pages.Pages
	review  *review.Service
	records *records.Records
}

// GetDuplicates shows the pairs of records that wait for a decision, and the decisions that have
// been made.
func (h *Duplicates) GetDuplicates(c echo.Context) error {
	who := session.User(c)
	p := who.Practice.ID
	page := views.Duplicates{MayDecide: who.May(auth.DuplicateResolve), OnlyAgain: c.QueryParam("show") == "again"}
	if !page.OnlyAgain {
		after := store.Pair{Marked: rowParam(c, "marked"), Other: rowParam(c, "other")}
		waiting, next, err := h.records.Queue(c.Request().Context(), p, after)
		if err != nil {
			return err
		}
		if page.Further = after != (store.Pair{}); page.Further && len(waiting) == 0 {
			return c.Redirect(http.StatusSeeOther, pages.DuplicatesPath) // all pairs of this page are decided
		}
		for _, w := range waiting {
			pair := views.PairRow{
				Href: pairPath(w.Newer.UUID, w.Older.UUID), Older: pairedRecord(w.Older, session.Zone(c)), Newer: pairedRecord(w.Newer, session.Zone(c)),
			}
			if w.Merge != nil {
				pair.State = lostWords(w.Merge)
			}
			page.Waiting = append(page.Waiting, pair)
		}
		if next != (store.Pair{}) {
			page.Next = fmt.Sprintf("%s?marked=%d&other=%d", pages.DuplicatesPath, next.Marked, next.Other)
		}
	}
	again, err := h.records.SentAgain(c.Request().Context(), p)
	if err != nil {
		return err
	}
	page.Again = againWords(again)
	decided, next, err := h.records.Resolved(c.Request().Context(), p, rowParam(c, "before"), page.OnlyAgain)
	if err != nil {
		return err
	}
	for _, w := range decided {
		page.Decided = append(page.Decided, decidedOf(w, session.Zone(c)))
	}
	if next != 0 {
		query := url.Values{"before": {strconv.FormatInt(next, 10)}}
		if page.OnlyAgain {
			query.Set("show", "again")
		}
		page.Earlier = pages.DuplicatesPath + questioned(query)
	}
	return h.Render(c, http.StatusOK, "Possible duplicates", views.DuplicatesPage(page))
}

// lostWords returns a sentence that says why somebody must decide again about a merged pair: the
// record that stayed has been merged into another record, or voided.
func lostWords(w *records.Resolution) string {
	if w.Stays.State == birth.Merged {
		return "Merged, and " + recordName(w.Stays.Chart) + " has been merged into another"
	}
	return "Merged, and " + recordName(w.Stays.Chart) + " is voided, so neither is counted"
}

// againWords returns a text that says how many records were sent again after they had been merged
// into other records. It returns "" if n is 0.
func againWords(n int) string {
	switch {
	case n == 0:
		return ""
	case n == 1:
		return "A record was sent again after it was merged into another. It stays merged and does not count."
	case n > records.ReviewSize:
		return fmt.Sprintf("More than %d records were sent again after they were merged into others. They stay merged and do not count.", records.ReviewSize)
	}
	return fmt.Sprintf("%d records were sent again after they were merged into others. They stay merged and do not count.", n)
}

func pairedRecord(r records.Row, zone *time.Location) views.PairedRecord {
	return views.PairedRecord{
		Name: recordName(r.Chart), Born: listedTime(r.Born), Initials: r.Initials,
		Source: r.Source.Label(), At: r.CreatedAt.In(zone).Format("Jan 2, 2006"),
	}
}

func pairPath(goes, stays string) string { return pages.DuplicatesPath + "/" + goes + "/" + stays }

func decidedOf(w records.Resolution, zone *time.Location) views.Decided {
	named := func(r store.Record) views.Link {
		return views.Link{Href: pages.RecordsPath + "/" + r.UUID, Text: recordName(r.Chart)}
	}
	d := views.Decided{
		ID: w.ID, What: w.Decision, Who: w.By, At: views.Moment(w.At, zone),
		Stays: named(w.Stays), Goes: named(w.Goes), Again: w.Again, Lost: w.Lost, Chained: w.Stays.State == birth.Merged, MayUndo: w.May,
		Compare: fmt.Sprintf("%s/%s/compare?a=%d&b=%d", pages.RecordsPath, w.Goes.UUID, w.GoesVersion, w.Goes.Version),
	}
	if w.UndoneAt != nil {
		d.Undone = views.Moment(*w.UndoneAt, zone) + ", " + w.UndoneBy
	}
	return d
}

// pairParam returns the IDs of the two records in the path. If the user merges them, the record
// goes is merged into the record stays.
func pairParam(c echo.Context) (goes, stays string, err error) {
	if goes, err = recordParam(c); err != nil {
		return "", "", err
	}
	id, err := uuid.Parse(c.Param("other"))
	if err != nil || id.String() != c.Param("other") || id.String() == goes {
		return "", "", noRecord
	}
	return goes, id.String(), nil
}

// GetPair shows two records side by side, the older one on the left.
func (h *Duplicates) GetPair(c echo.Context) error {
	found, err := h.pair(c)
	if err != nil {
		return err
	}
	if found.Stays.ID > found.Goes.ID {
		if found, err = h.records.SideBySide(c.Request().Context(), session.User(c).Practice.ID, found.Goes.UUID, found.Stays.UUID); err != nil {
			return foundRecord(err)
		}
	}
	page := pairPage(session.User(c), found)
	return h.Render(c, http.StatusOK, "One birth or two?", views.Pair(page))
}

// pair returns the two records in the path. It records in the audit trail that the user has read
// both.
func (h *Duplicates) pair(c echo.Context) (found records.SideBySide, err error) {
	goes, stays, err := pairParam(c)
	if err != nil {
		return found, err
	}
	found, err = h.records.SideBySide(c.Request().Context(), session.User(c).Practice.ID, stays, goes)
	if err != nil {
		return found, foundRecord(err)
	}
	for _, id := range []string{stays, goes} {
		if err := h.NoteReading(c, id); err != nil {
			return found, err
		}
	}
	return found, nil
}

func pairPage(who auth.User, found records.SideBySide) views.PairPage {
	at := who.Practice.Location()
	page := views.PairPage{
		Path: pairPath(found.Goes.UUID, found.Stays.UUID), Left: pairRecord(found.Stays, found.Waits, at), Right: pairRecord(found.Goes, found.Waits, at),
		MayDecide: who.May(auth.DuplicateResolve), Waits: found.Waits,
	}
	if found.Stays.Newborns != found.Goes.Newborns {
		page.Counts = "The two records have different numbers of newborns. A merge takes all newborns from one of them."
	}
	switch {
	case found.Merge != nil && found.Merge.Waits:
		page.Merge = reopened(who, found.Merge, at)
	case !found.Waits:
		page.State = "This pair is not up for review: " + whyNot(found) + "."
	}
	for _, p := range found.Parts {
		part := views.PairPart{
			Key: p.Key, Label: partLabel(p), Left: birth.NameZone(p.Stays, at), Right: birth.NameZone(p.Goes, at), LeftFrom: p.StaysFrom.Label(), RightFrom: p.GoesFrom.Label(), Taken: p.Take,
		}
		if p.Differs {
			page.Differ = append(page.Differ, part)
		} else {
			page.Same = append(page.Same, part)
		}
	}
	return page
}

// reopened describes a merge that must be decided again, because the record that stayed is no
// longer active. The description offers what the user can do.
func reopened(who auth.User, w *records.Resolution, at *time.Location) *views.ReopenedMerge {
	goes, stays := recordName(w.Goes.Chart), recordName(w.Stays.Chart)
	m := &views.ReopenedMerge{
		ID: w.ID, Goes: goes,
		Text: fmt.Sprintf("%s was merged into %s on %s by %s. ", views.UpperFirst(goes), stays, views.Moment(w.At, at), w.By),
	}
	if w.Stays.State == birth.Merged {
		m.Text += views.UpperFirst(stays) + " has since been merged into another record. Check whether that record is this birth."
		return m
	}
	m.Text += views.UpperFirst(stays) + " is voided, so neither of the two is counted."
	if who.May(auth.RecordVoid) {
		m.Restore = &views.Link{Href: pages.RecordsPath + "/" + w.Stays.UUID + "/restore", Text: "Restore " + stays}
	}
	return m
}

func partLabel(p records.Part) string {
	if p.Subject == "" || p.Subject == p.Label {
		return p.Label
	}
	return p.Subject + ": " + lowerFirst(p.Label)
}

// whyNot returns a sentence that says why a pair doesn't wait for a decision.
func whyNot(found records.SideBySide) string {
	for _, side := range []records.Side{found.Stays, found.Goes} {
		switch side.State {
		case birth.Voided:
			return recordName(side.Chart) + " is voided"
		case birth.Merged:
			return recordName(side.Chart) + " is merged into another"
		}
	}
	return "somebody decided that they are two births, or they no longer look alike"
}

func pairRecord(side records.Side, waits bool, zone *time.Location) views.PairRecord {
	r := views.PairRecord{
		ID: side.UUID, Name: recordName(side.Chart), Chart: side.Chart, Mother: side.Mother, Born: listedTime(side.Born), Tags: stateTags(side.State, waits), Source: side.Source.Label(),
		Created: views.Moment(side.CreatedAt, zone), Newborns: side.Newborns, Version: side.Version, More: side.More,
	}
	for _, e := range side.Events {
		r.Events = append(r.Events, eventOf(e, zone))
	}
	return r
}

// takenIn reads the user's choices from the form of a merge. The keys are parts of the record. A
// choice is true if the user wants the value of the record that is merged into the other one.
func takenIn(form url.Values) map[string]bool {
	take := map[string]bool{}
	for name := range form {
		if key, is := strings.CutPrefix(name, "take."); is {
			take[key] = form.Get(name) == "goes"
		}
	}
	return take
}
