package ui

import (
	"context"
	"net/url"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/drafts"
	"birthregistry/app/mapping/form"
	"birthregistry/views"
)

// While a user amends a record, somebody else may change the record, or another page may change the
// same draft. Fields that the user hasn't changed then get the newer values. Fields that the user
// has changed stay as typed. If the record was changed, the page lists both kinds of fields. If the
// draft was changed, the page lists only the fields that both pages have changed.

// rebase applies a user's changes to another version of the record. typed holds the values of the
// version with the number from, with the user's changes. rebase returns the values of the version
// with the number to, with the same changes. It also returns the fields whose values differ between
// the two versions and from the typed texts.
func (h *Form) rebase(ctx context.Context, f *birthForm, typed url.Values, from, to int) (url.Values, []form.Merged, error) {
	if from == to {
		return typed, nil, nil
	}
	was, err := h.recordAt(ctx, f, from)
	if err != nil {
		return nil, nil, err
	}
	now, err := h.recordAt(ctx, f, to)
	if err != nil {
		return nil, nil, err
	}
	both, changed := form.Merge(f.values(was), f.values(now), typed)
	return both, changed, nil
}

// takeOver rebases the form on the current version of the record, if the record has changed since
// the form was opened. While the form lists what another page has changed in the draft, takeOver
// does nothing.
func (h *Form) takeOver(ctx context.Context, f *birthForm) error {
	if f.version == f.now.Record.Version || f.stored.Other != nil && f.stored.Other.Version == 0 {
		return nil
	}
	typed, changed, err := h.rebase(ctx, f, f.typed, f.version, f.now.Record.Version)
	if err != nil {
		return err
	}
	if f.stored.Other, err = h.overtakenBy(ctx, f, changed); err != nil {
		return err
	}
	f.typed = typed
	f.fillFrom(f.now, f.now.Record.Version)
	return nil
}

func (h *Form) overtakenBy(ctx context.Context, f *birthForm, changed []form.Merged) (*drafts.Other, error) {
	rec, err := h.records.Show(ctx, f.who.Practice.ID, f.uuid, 0, false)
	if err != nil {
		return nil, foundRecord(err)
	}
	other := &drafts.Other{By: views.UpperFirst(rec.Event.Who()), At: rec.Event.At, Version: rec.Version, Typed: url.Values{}}
	for _, field := range changed {
		other.Typed[field.Name] = slices.Clone(field.Now)
	}
	return other, nil
}

// seenOther returns the changes that the page has shown: those that another page made, or those in
// a later version of the record. When the script stores the form, these changes stay in the draft
// until the user presses a button.
func (h *Form) seenOther(ctx context.Context, f *birthForm) (*drafts.Other, error) {
	if !f.amends() || f.stored.Revision == 0 || f.version <= f.stored.BaseVersion {
		return f.stored.Other, nil
	}
	_, changed, err := h.rebase(ctx, f, f.stored.Typed, f.stored.BaseVersion, f.version)
	if err != nil {
		return nil, err
	}
	return h.overtakenBy(ctx, f, changed)
}

// mergePages merges the draft that another page has stored with what this page has sent. If the two
// pages were filled in from different versions of the record, mergePages first rebases both on the
// newer version.
func (h *Form) mergePages(ctx context.Context, f *birthForm, stored drafts.Draft, content *drafts.Content) (err error) {
	base := url.Values{}
	if f.amends() {
		newer := max(stored.BaseVersion, content.BaseVersion)
		if stored.Typed, _, err = h.rebase(ctx, f, stored.Typed, stored.BaseVersion, newer); err != nil {
			return err
		}
		if content.Typed, _, err = h.rebase(ctx, f, content.Typed, content.BaseVersion, newer); err != nil {
			return err
		}
		from, err := h.recordAt(ctx, f, newer)
		if err != nil {
			return err
		}
		f.fillFrom(from, newer)
		base, content.BaseVersion = f.values(from), newer
	}
	content.Typed, content.Other = merge(base, stored, content.Typed)
	f.typed = content.Typed
	return nil
}

// onFileAlready is called if the record has changed since the form was filled in. It rebases the
// form on the current version of the record, and reports whether that version already has all
// values of the form. In that case, the form was sent twice, or somebody else has made the same
// corrections.
func (h *Form) onFileAlready(ctx context.Context, f *birthForm) (bool, error) {
	typed, _, err := h.rebase(ctx, f, f.typed, f.version, f.now.Record.Version)
	if err != nil {
		return false, err
	}
	f.typed = typed
	f.fillFrom(f.now, f.now.Record.Version)
	f.read()
	stated := changes.BaseVersion{Draft: f.form.Draft, Custom: f.custom}
	return !birth.Blocked(f.found) && form.Same(f.values(stated), f.values(changes.BaseVersion{Draft: f.now.Draft, Custom: f.now.Custom})), nil
}
