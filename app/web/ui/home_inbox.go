package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/web/pages"
	"birthregistry/store"
	"birthregistry/views"
)

// inbox lists the items that need attention, in the order in which the home page shows them.
type inbox []views.AttentionItem

// add adds an item for n things, unless n is 0. one is the item's text for a single thing, and many
// is the text for several things.
func (b *inbox) add(kind string, n int, one, many, note, href string) {
	if n == 0 {
		return
	}
	number, label := views.Number(n), many
	if n == 1 {
		label = one
	}
	if n >= store.CountedTo {
		number += " or more"
	}
	*b = append(*b, views.AttentionItem{Kind: kind, Number: number, Label: label, Note: note, Href: href})
}

// attentionFor returns the items that need attention and that the user can deal with.
func attentionFor(who auth.User, w store.NeedsAttention) (all inbox) {
	if !who.May(auth.RecordAmend) {
		return nil
	}
	all.add("warn", w.Replaced, "record replaced by a push that may be older", "records replaced by pushes that may be older",
		"Compare, then restore what was saved here or keep what was sent.", "#replaced")
	all.add("bad", w.Failed, "failed ingestion in the last 7 days", "failed ingestions in the last 7 days",
		"Nothing was saved. The ingestion’s page says why, and what to do.", pages.IngestionsPath+"?show="+string(store.FailedOnly))
	all.add("bad", w.Rejects, "ingestion with rejected births in the last 7 days", "ingestions with rejected births in the last 7 days",
		"Some births were not saved. The ingestion’s page says which entries, and what to correct. This line disappears once all of them are accepted.", pages.IngestionsPath+"?show="+string(store.WithRejects))
	all.add("warn", w.Refused, "erased birth that was sent again", "erased births that were sent again",
		"It was rejected. Remove it from the sending system, or have an admin allow it to be recorded again.", pages.ErasedPath)
	all.add("warn", w.Pairs, "possible duplicate", "possible duplicates",
		"Keep both, void one, or merge them value by value.", pages.DuplicatesPath)
	all.add("warn", w.Reopened, "merged pair whose remaining record no longer counts", "merged pairs whose remaining record no longer counts",
		"The birth is not counted until you decide what to do.", pages.DuplicatesPath)
	all.add("", w.Incomplete, "record lacks key facts", "records lack key facts",
		"Birth weight, gestational age, method, month of birth or attendant.", pages.RecordsPath+"?incomplete=yes&state=active")
	return all
}

// keyUnused is how long an API key must be unused until the page suggests revoking it.
const keyUnused = 90 * 24 * time.Hour

// forAdmins adds what only an admin can deal with: invitations, API keys, EHRs and backups.
func (h *Home) forAdmins(ctx context.Context, who auth.User, home *views.HomePage) error {
	if !who.May(auth.UserManage) {
		return nil
	}
	members, err := h.auth.Members(ctx, who)
	if err != nil {
		return err
	}
	keys, err := h.auth.Keys(ctx, who.Practice.ID)
	if err != nil {
		return err
	}
	items, now := inbox(home.Waiting), time.Now()
	pending, expired := pendingInvitations(members)
	note := "The link works for 7 days after it was made."
	if expired > 0 {
		note = fmt.Sprintf("%s expired. Make a new invitation, or disable the person.", views.Count(expired, "has", "have"))
	}
	items.add("", pending, "invitation not accepted", "invitations not accepted", note, "/registry/users")
	items.add("", unusedKeys(keys, now), "API key not used for 90 days", "API keys not used for 90 days",
		"Revoke keys that no system uses anymore.", pages.SettingsPath+"#keys")
	if err := h.expiring(ctx, who, now, &items); err != nil {
		return err
	}
	home.Waiting = items
	home.Backup = h.lastBackup()
	return nil
}

// expiring adds the EHRs whose registration with their vendor ends soon or has ended. If somebody
// has tampered with the list of EHRs, expiring adds nothing. The operator must restore the list,
// but the home page still works.
func (h *Home) expiring(ctx context.Context, who auth.User, now time.Time, items *inbox) error {
	ends, err := h.smart.Expiring(ctx, who.Practice.ID, now.In(who.Practice.Location()))
	if errors.Is(err, store.ErrDamaged) {
		return nil
	}
	var notes []string
	for _, e := range ends {
		notes = append(notes, e.Label+" on "+birth.When(e.ExpiresOn))
	}
	items.add("warn", len(ends), "EHR registration that ends soon", "EHR registrations that end soon",
		strings.Join(notes, "; ")+". Renew the registration with the vendor; then have the operator enter the new day (birthregistry ehr add … --expires).", "/docs/ehr")
	return err
}

func pendingInvitations(members []store.Member) (pending, expired int) {
	for _, m := range members {
		if m.Invited && m.DisabledAt == nil {
			pending++
			if m.InvitedUntil == nil {
				expired++
			}
		}
	}
	return pending, expired
}

func unusedKeys(keys []store.APIKey, now time.Time) (n int) {
	for _, k := range keys {
		used := k.CreatedAt
		if k.LastUsedAt != nil {
			used = *k.LastUsedAt
		}
		if k.RevokedAt == nil && now.Sub(used) > keyUnused {
			n++
		}
	}
	return n
}

// lastBackup returns a sentence that says how old the newest scheduled backup is. It says nothing
// about problems with the backups, because every page shows a warning about them at the top.
func (h *Home) lastBackup() string {
	if h.Environment.Backups == nil {
		return "No backups are scheduled here. Ask the person who runs the registry whether backups are made in another way."
	}
	age, _ := h.Environment.Backups()
	switch {
	case age < 0:
		return "No backup has been made yet."
	case age < time.Hour:
		return "The last backup is less than an hour old."
	case age < 48*time.Hour:
		return fmt.Sprintf("The last backup is %s old.", views.Count(int(age.Hours()), "hour", "hours"))
	}
	return fmt.Sprintf("The last backup is %d days old.", int(age.Hours())/24)
}
