package ui

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/birth"
	"birthregistry/app/drafts"
	"birthregistry/app/mapping/form"
	"birthregistry/store"
)

// When a user presses a button of the form, the form is stored as a draft, which may then become a
// record. The response is a redirect, unless the form can't be stored.

// keepAndGoOn stores the form after the user (not the script) has pressed a button, and redirects
// to the next page. seen is the draft's revision that the page showed. If another page has stored a
// later revision, keepAndGoOn merges the two revisions. If save is set, the draft becomes a record.
func (h *Form) keepAndGoOn(c echo.Context, f *birthForm, seen int, content drafts.Content, save bool) error {
	ctx, place := c.Request().Context(), f.anchor()
	d, err := h.drafts.Save(ctx, f.who, f.fresh, seen, content)
	switch {
	case errors.Is(err, drafts.ErrStale):
		if err = h.mergePages(ctx, f, d, &content); err == nil {
			d, err = h.drafts.Save(ctx, f.who, f.fresh, d.Revision, content)
		}
		save = save && content.Other == nil
	case errors.Is(err, drafts.ErrGone) && f.amends(): // what was typed since then begins a new draft
		d, err = h.drafts.Save(ctx, f.who, f.fresh, 0, content)
	case errors.Is(err, drafts.ErrGone):
		return h.keepAfterEnd(c, f, content, save)
	}
	if err != nil {
		return h.notKept(c, f, err)
	}
	if save {
		return h.saveDraft(c, f, d)
	}
	return c.Redirect(http.StatusSeeOther, f.address()+place)
}

// saveDraft saves a stored draft as a record, or as the next version of the record that it amends.
// If that record has changed since the form was filled in, saveDraft first shows the changes.
func (h *Form) saveDraft(c echo.Context, f *birthForm, d drafts.Draft) error {
	f.stored, f.revision, f.typed = d, d.Revision, form.Keep(f.typed, f.fields)
	if f.amends() && f.version != f.now.Record.Version {
		if same, err := h.onFileAlready(c.Request().Context(), f); err != nil {
			return err
		} else if !same {
			return c.Redirect(http.StatusSeeOther, f.address())
		}
	}
	err := h.write(c, f)
	switch {
	case errors.Is(err, errDuplicates):
		return c.Redirect(http.StatusSeeOther, f.address()+"?check="+checkDuplicates)
	case errors.Is(err, errNotWritten):
		return c.Redirect(http.StatusSeeOther, f.address()+"?check=1")
	}
	return err
}

// keepAfterEnd handles a form whose draft no longer exists, because it was discarded or has become
// a record. If the user saves exactly what was saved before, keepAfterEnd redirects to the
// confirmation. Otherwise it stores the form as a new draft.
func (h *Form) keepAfterEnd(c echo.Context, f *birthForm, content drafts.Content, save bool) error {
	ctx := c.Request().Context()
	made, err := h.changes.BaseVersion(ctx, f.who.Practice.ID, f.recordID())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil {
		if save {
			f.typed, f.checks = content.Typed, false
			if err := h.write(c, f); !errors.Is(err, errNotWritten) {
				return err
			}
		}
		f.fresh = uuid.NewString()
		content.Note = "This form was already saved as " + made.Record.Chart + ". What you have changed since then is kept in this draft: " +
			"amend that record and discard the draft, or save the draft as another birth."
	}
	if _, err := h.drafts.Save(ctx, f.who, f.fresh, 0, content); err != nil {
		return h.notKept(c, f, err)
	}
	return c.Redirect(http.StatusSeeOther, draftPath(f.fresh))
}

// notKept shows a form that couldn't be stored, with everything that the user has typed.
func (h *Form) notKept(c echo.Context, f *birthForm, err error) error {
	status := http.StatusUnprocessableEntity
	switch {
	case errors.Is(err, drafts.ErrTooLarge), errors.Is(err, drafts.ErrTooMany):
		f.mistake("save", whyNotKept(err))
	case store.IsUnavailable(err):
		f.mistake("save", notSaved)
		status = http.StatusServiceUnavailable
	case errors.Is(err, store.ErrNotFound):
		return noDraft
	default:
		return err
	}
	f.parse()
	return h.showForm(c, status, f)
}

func whyNotKept(err error) string {
	switch {
	case errors.Is(err, drafts.ErrTooLarge):
		return "The form holds too much text to be kept: shorten it"
	case errors.Is(err, drafts.ErrTooMany):
		return "There are too many drafts: save or discard some of them first"
	}
	return "The registry cannot save at the moment"
}

// listSections are the sections in which the form shows the members of its lists.
var listSections = map[string]string{birth.ChildList: partNewborn.id, birth.ProviderList: partProviders.id, birth.TransferList: "transfers"}

// anchor returns the end of the address to which a pressed button leads: #child.1 after a second
// newborn was added. It returns "" for a button that leads to the top of the form.
func (f *birthForm) anchor() string {
	do := f.typed.Get("do")
	verb, list, found := strings.Cut(do, "-")
	if found && verb == "add" && listSections[list] != "" {
		return "#" + list + "." + strconv.Itoa(max(0, form.Count(f.typed, list)-1))
	}
	if list, _, _ := strings.Cut(list, "."); found && verb == "remove" && listSections[list] != "" {
		return "#" + listSections[list]
	}
	if tip, taken := f.tip(do); taken {
		return "#" + url.PathEscape(tip.At.String())
	}
	if name, use := strings.CutPrefix(do, "use."); use {
		return "#" + url.PathEscape(name)
	}
	if group, folded := strings.CutPrefix(do, unfold); folded {
		return "?unfold=" + url.QueryEscape(group) + "#" + url.PathEscape(group)
	}
	if newborn, asks := strings.CutPrefix(do, askRemoval); asks {
		return "?remove=" + url.QueryEscape(newborn) + "#remove"
	}
	return ""
}
