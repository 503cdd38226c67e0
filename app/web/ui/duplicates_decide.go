package ui

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/records"
	"birthregistry/app/review"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// pairing returns the two records in the path, with the versions that the user has seen. It also
// returns the submitted form.
func pairing(c echo.Context) (of review.Pair, form url.Values, err error) {
	if of.Goes, of.Stays, err = pairParam(c); err != nil {
		return of, nil, err
	}
	form = pages.Posted(c)
	of.StaysVersion, _ = strconv.Atoi(form.Get("stays_basis")) // anything but a number counts as no version
	of.GoesVersion, _ = strconv.Atoi(form.Get("goes_basis"))
	return of, form, nil
}

// notDecided returns the page which states that a decision was refused. err is the error of the
// decision.
func notDecided(of review.Pair, err error) error {
	if errors.Is(err, changes.ErrChanged) || errors.Is(err, changes.ErrState) || errors.Is(err, review.ErrNotDuplicates) {
		return pages.NewError(
			http.StatusConflict, "One of the two records has changed",
			"Somebody has changed or reviewed a record of this pair since you opened it. Nothing was changed. Review the pair again first.",
			pairPath(of.Goes, of.Stays), "See the pair",
		)
	}
	return foundRecord(err)
}

func (h *Duplicates) PostKeep(c echo.Context) error {
	of, _, err := pairing(c)
	if err != nil {
		return err
	}
	if _, err := h.review.MarkNotDuplicates(session.User(c), of); err != nil {
		return notDecided(of, err)
	}
	return h.Done(c, pages.DuplicatesPath, "Both records are kept as two births. The pair comes up for review again only if the mother's name or the time of birth changes.")
}

func (h *Duplicates) GetVoidOne(c echo.Context) error { return h.voidOnePage(c, http.StatusOK, "") }

func (h *Duplicates) voidOnePage(c echo.Context, status int, reason string, mistakes ...views.Mistake) error {
	goes, stays, err := pairParam(c)
	if err != nil {
		return err
	}
	found, err := h.records.SideBySide(c.Request().Context(), session.User(c).Practice.ID, stays, goes)
	if err != nil {
		return foundRecord(err)
	}
	if !found.Waits {
		return notDecided(review.Pair{Goes: goes, Stays: stays}, changes.ErrState)
	}
	v := views.VoidOnePage{PairPage: pairPage(session.User(c), found), Reason: reasonInput("Reason", reason)}
	return h.Render(c, status, "Void one of two records", views.VoidOneOfTwo(v), mistakes...)
}

func (h *Duplicates) PostVoidOne(c echo.Context) error {
	of, form, err := pairing(c)
	if err != nil {
		return err
	}
	reason := strings.TrimSpace(birth.Plain(form.Get("reason")))
	if wrong := wrongReason(reason); wrong != "" {
		return h.voidOnePage(c, http.StatusUnprocessableEntity, reason, views.Mistake{Name: "reason", Text: wrong})
	}
	if _, err := h.review.VoidOne(session.User(c), of, reason); err != nil {
		return notDecided(of, err)
	}
	return h.Done(c, pages.DuplicatesPath, "The record is voided. It no longer counts.")
}

func (h *Duplicates) GetMerge(c echo.Context) error {
	return h.mergePage(c, http.StatusOK, nil, "")
}

// mergePage shows the two records, with a choice for each part in which they differ. take holds the
// user's choices so far, which the page shows again after a mistake.
func (h *Duplicates) mergePage(c echo.Context, status int, take map[string]bool, reason string, mistakes ...views.Mistake) error {
	found, err := h.pair(c)
	if err != nil {
		return err
	}
	if !found.Waits {
		return notDecided(review.Pair{Goes: found.Goes.UUID, Stays: found.Stays.UUID}, changes.ErrState)
	}
	m := views.MergePage{PairPage: pairPage(session.User(c), found), Reason: reasonInput("Reason (optional)", reason)}
	m.Pushed = found.Stays.Source == birth.FHIRPush && found.Stays.Chart != ""
	for i := range m.Differ {
		if chosen, typed := take[m.Differ[i].Key]; typed {
			m.Differ[i].Taken = chosen
		}
	}
	return h.Render(c, status, "Merge two records", views.MergeRecords(m), mistakes...)
}

func (h *Duplicates) PostMerge(c echo.Context) error {
	of, form, err := pairing(c)
	if err != nil {
		return err
	}
	take, reason := takenIn(form), strings.TrimSpace(birth.Plain(form.Get("reason")))
	if reason != "" || !utf8.ValidString(reason) {
		if wrong := wrongReason(reason); wrong != "" {
			return h.mergePage(c, http.StatusUnprocessableEntity, take, reason, views.Mistake{Name: "reason", Text: wrong})
		}
	}
	_, err = h.review.Merge(session.User(c), of, reason, take)
	var impossible *review.ImpossibleError
	if errors.As(err, &impossible) {
		return h.mergePage(c, http.StatusUnprocessableEntity, take, reason, impossibleTogether(impossible)...)
	}
	if err != nil {
		return notDecided(of, err)
	}
	return h.Done(c, pages.DuplicatesPath, "The two records are merged into one birth. You can undo this below.")
}

// impossibleTogether returns mistakes that state why two records can't be merged with the user's
// choices.
func impossibleTogether(e *review.ImpossibleError) (all []views.Mistake) {
	for _, f := range e.Findings {
		all = append(all, views.Mistake{Name: "main", Text: "The chosen values contradict each other. Choose others, or amend a record first. " + sentence(f.Text)})
	}
	return all
}

// PostLeaveMerged leaves two records merged, although the record that stayed is no longer active.
func (h *Duplicates) PostLeaveMerged(c echo.Context) error {
	w, err := h.reviewParam(c)
	if err != nil {
		return err
	}
	err = h.review.LeaveMerged(session.User(c), w.ID)
	if errors.Is(err, changes.ErrState) {
		return notLeft
	}
	if err != nil {
		return foundRecord(err)
	}
	return h.Done(c, pages.DuplicatesPath, "Both records are left as they are.")
}

var notLeft = pages.NewError(
	http.StatusConflict, "This pair has already been decided",
	"Somebody has decided it since you opened it, or the record counts again. Nothing was changed.", pages.DuplicatesPath, "See the possible duplicates",
)

func (h *Duplicates) reviewParam(c echo.Context) (records.Resolution, error) {
	w, err := h.records.Resolution(c.Request().Context(), session.User(c).Practice.ID, idParam(c, "review"))
	if errors.Is(err, records.ErrNotFound) {
		err = pages.ErrNotFound
	}
	return w, err
}

var notUndone = pages.NewError(
	http.StatusConflict, "This decision can no longer be undone",
	"Somebody has already undone it, or the record was restored, voided or sent again since. Nothing was changed.", pages.DuplicatesPath, "See the possible duplicates",
)

func (h *Duplicates) GetUndo(c echo.Context) error {
	w, err := h.reviewParam(c)
	if err != nil {
		return err
	}
	if !w.May {
		return notUndone
	}
	return h.Render(c, http.StatusOK, "Undo a decision", views.UndoDecision(views.UndoPage{Decided: decidedOf(w, session.Zone(c)), Does: undoing(w)}))
}

// undoing returns sentences that say what happens if the user undoes a decision about two records.
func undoing(w records.Resolution) (does []string) {
	goes, stays := views.UpperFirst(recordName(w.Goes.Chart)), views.UpperFirst(recordName(w.Stays.Chart))
	switch w.Decision {
	case store.KeepBoth:
		return []string{"The pair is up for review again."}
	case store.VoidOne:
		return []string{goes + " counts again.", "The pair is up for review again."}
	}
	if w.Goes.State == birth.Voided {
		does = append(does, goes+" was retracted after the merge, so it stays voided.")
	} else {
		does = append(does, goes+" counts again, with its current values.")
	}
	if w.Stays.Version == w.StaysVersion {
		return append(does, stays+" gets back the values it had before the merge.")
	}
	return append(does, stays+" has changed since the merge, so it stays as it is now.")
}

func (h *Duplicates) PostUndo(c echo.Context) error {
	w, err := h.reviewParam(c)
	if err != nil {
		return err
	}
	_, err = h.review.Undo(session.User(c), w.ID)
	if errors.Is(err, changes.ErrState) || errors.Is(err, changes.ErrChanged) {
		return notUndone
	}
	if err != nil {
		return foundRecord(err)
	}
	return h.Done(c, pages.DuplicatesPath, "The decision is undone.")
}
