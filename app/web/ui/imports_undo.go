package ui

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/imports"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// GetImportUndo shows what undoing an import would do, and asks for confirmation.
func (h *Imports) GetImportUndo(c echo.Context) error {
	who := session.User(c)
	i, plan, err := h.imports.PlanUndo(c.Request().Context(), who, c.Param("import"))
	if err != nil {
		return undoError(err, c.Param("import"))
	}
	if undone := i.Undone(); !undone.StartedAt.IsZero() {
		return c.Redirect(http.StatusSeeOther, "/registry/imports/"+i.ID)
	}
	d := importDetail(who, i)
	d.Undo = undoOf(who, i, plan)
	return h.Render(c, http.StatusOK, "Undo an import", views.ImportUndoAsk(d))
}

func (h *Imports) PostImportUndo(c echo.Context) error {
	id := c.Param("import")
	if err := h.imports.Undo(c.Request().Context(), session.User(c), id); err != nil {
		return undoError(err, id)
	}
	return c.Redirect(http.StatusSeeOther, "/registry/imports/"+id)
}

// undoError returns the page which states why an import can't be undone.
func undoError(err error, id string) error {
	at := "/registry/imports/" + id
	switch {
	case errors.Is(err, imports.ErrUndoTooLate):
		return pages.NewError(
			http.StatusGone, "This import can no longer be undone",
			"An import can be undone for 30 days. Nothing was changed. You can still amend or void its records one by one.", at, "Open the import",
		)
	case errors.Is(err, imports.ErrNotImported):
		return pages.NewError(
			http.StatusConflict, "There is nothing to undo",
			"Only a completed import can be undone. Nothing was changed.", at, "Open the import",
		)
	}
	return err
}

// beingUndone reports whether an import is being undone.
func beingUndone(i imports.Import) bool {
	undo := i.Undone()
	return !undo.StartedAt.IsZero() && undo.EndedAt.IsZero()
}

func mayUndo(who auth.User, i imports.Import) bool {
	return i.Undone().StartedAt.IsZero() && i.MayUndo(who, time.Now()) == nil
}

func undoOf(who auth.User, i imports.Import, plan imports.UndoPlan) views.ImportUndo {
	undo := i.Undone()
	u := views.ImportUndo{
		May: mayUndo(who, i), Until: i.UndoneBy(), By: undo.By, Ended: undo.EndedAt,
		Late:   undo.StartedAt.IsZero() && errors.Is(i.MayUndo(who, time.Now()), imports.ErrUndoTooLate),
		Voided: plan.Voided, Restored: plan.Restored, Kept: plan.Kept,
	}
	if u.By == "" {
		u.By = "the operator"
	}
	for _, r := range plan.Records {
		u.Records = append(u.Records, views.ImportKept{Record: r.UUID, Chart: r.Chart, Why: keptReasons[r.Reason], Changed: r.UpdatedAt})
	}
	return u
}

// keptReasons has the reasons why an undo has left a record unchanged.
var keptReasons = map[string]string{
	store.KeptChanged:    "Changed since the import",
	store.KeptReviewed:   "Already reviewed as a possible duplicate",
	store.KeptUnreadable: "Damaged: tell the person who runs the registry",
}
