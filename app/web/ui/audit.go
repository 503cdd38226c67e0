package ui

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/audit"
	"birthregistry/app/auth"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// auditAreas lists the areas to which users can limit the audit trail (store.AuditFilter).
var auditAreas = []views.Choice{
	{Value: "", Label: "Everything"},
	{Value: "read", Label: "Records opened or exported"},
	{Value: "record", Label: "Records written"},
	{Value: "draft", Label: "Drafts"},
	{Value: "duplicate", Label: "Duplicates"},
	{Value: "provider", Label: "Providers"},
	{Value: "import", Label: "Imports"},
	{Value: "prefill", Label: "Charts from an EHR"},
	{Value: "user", Label: "Users and sign-in"},
	{Value: "key", Label: "API keys"},
	{Value: "field", Label: "Custom fields"},
	{Value: "sample", Label: "Samples sent"},
	{Value: "statistics", Label: "Statistics downloaded"},
	{Value: "report", Label: "Reports downloaded"},
	{Value: "audit", Label: "Audit trail exported"},
	{Value: "practice", Label: "The practice’s data downloaded or moved"},
}

// auditWords maps the actions in the audit trail to the words that the page shows. An action that
// isn't in auditWords is shown as it is stored.
var auditWords = map[string]string{
	"record.create": "Recorded a birth", "record.read": "Opened a record", "record.amend": "Amended a record",
	"record.void": "Voided a record", "record.restore": "Restored a record", "record.export": "Exported records",
	"record.reinstate": "Brought back what a push had replaced", "record.leave": "Kept what a push had sent",
	"record.erase-begin": "Started to erase a birth", "record.erase-on-request": "Erased a birth, as the client asked", "record.erase-mistake": "Erased a birth that was entered by mistake",
	"record.account": "Opened everything about a birth", "record.account-file": "Downloaded everything about a birth",
	"record.allow-again": "Allowed an erased birth to be recorded again", "record.keep-out": "Decided to keep an erased birth erased",
	"duplicate.keep": "Marked two records as not duplicates", "duplicate.void": "Voided one of two records", "duplicate.merge": "Merged two records",
	"duplicate.leave": "Left two merged records as they are", "duplicate.undo": "Undid a decision about two records", "provider.merge": "Merged providers", "provider.unmerge": "Undid a merge of providers",
	"provider.group": "Merged a group of providers, including future ones", "provider.ungroup": "Stopped merging new providers into a group",
	"import.preview": "Checked a file", "import.run": "Imported a file", "import.undo": "Undid an import", "import.forget": "Deleted remembered columns of files", "key.mint": "Created an API key", "key.revoke": "Revoked an API key",
	"key.webhook": "Set a webhook", "key.webhook-off": "Turned a webhook off", "key.send-again": "Sent a webhook's message again",
	"draft.open": "Opened somebody else’s draft", "draft.discard": "Discarded a draft",
	"prefill.open": "Opened a chart from an EHR",
	"user.sign-in": "Signed in", "user.sign-in-failed": "Failed to sign in", "user.sign-out": "Signed out",
	"user.second-factor-required": "Required a second factor of everybody", "user.second-factor-optional": "Made the second factor optional",
	"user.sso-only": "Required an identity provider for sign-in", "user.sso-any": "Allowed passwords for sign-in again",
	"user.confirm": "Confirmed with the identity provider", "user.sso-link": "Linked an identity provider", "user.sso-unlink": "Unlinked an identity provider",
	"user.switch": "Switched practices", "user.confirm-failed": "Failed to confirm an action", "user.add": "Added a user",
	"user.invite": "Invited a user", "user.join": "Accepted an invitation", "user.role": "Changed a role",
	"user.disable": "Disabled a user", "user.enable": "Enabled a user", "user.link": "Made another invitation or a reset link",
	"user.reset": "Used a reset link", "user.password": "Changed a password", "user.totp": "Changed the second factor",
	"user.passkey-add": "Added a passkey", "user.passkey-remove": "Deleted a passkey", "user.passkey-sign-in": "Signed in with a passkey",
	"user.totp-reset": "Removed a second factor", "user.end-sessions": "Ended sessions",
	"field.add": "Added a custom field", "field.label": "Renamed a custom field", "field.retire": "Retired a custom field",
	"field.restore": "Brought a custom field back", "field.order": "Reordered the custom fields", "sample.send": "Sent a sample",
	"statistics.export": "Downloaded statistics", "report.download": "Downloaded a report", "audit.export": "Exported the audit trail",
	"practice.export": "Downloaded everything", "practice.import": "Imported the practice from another installation",
}

// auditObjects says what an ID in the trail is the ID of, by the area of the action, and the path
// under which its page is. Drafts have none, because opening somebody's draft is itself recorded.
var auditObjects = map[string]struct{ kind, path string }{
	"record": {"Record", pages.RecordsPath}, "duplicate": {"Record", pages.RecordsPath}, "sample": {"Ingestion", pages.IngestionsPath},
	"import": {"Import", pages.ImportPath + "s"}, "draft": {"Draft", ""},
}

const auditSize = 50

type Audit struct {
	*pages.Pages
	auth *auth.Service
}

// auditFilter reads the filter from the address. query has the filter's parameters, for links to
// other pages. typed is the record ID that the user typed. wrong is true if typed is neither empty
// nor a UUID.
func auditFilter(c echo.Context) (f store.AuditFilter, query url.Values, typed string, wrong bool) {
	query = url.Values{}
	area := c.QueryParam("area")
	if slices.ContainsFunc(auditAreas, func(known views.Choice) bool { return known.Value == area }) && area != "" {
		f.Area = area
		query.Set("area", area)
	}
	typed = strings.TrimSpace(c.QueryParam("record"))
	if typed != "" {
		id, err := uuid.Parse(typed)
		if err != nil {
			return f, query, typed, true
		}
		f.Object = id.String()
		query.Set("record", f.Object)
	}
	return f, query, typed, false
}

// GetAudit shows the practice's audit trail, and whether any entry was changed or removed.
func (h *Audit) GetAudit(c echo.Context) error {
	f, query, typed, wrong := auditFilter(c)
	page := views.AuditPage{
		Areas: chosen(auditAreas, f.Area), Query: questioned(query),
		Record: views.Input{Name: "record", Label: "Record number", Hint: "Its page shows it under Technical.", Value: typed, Width: "m"},
	}
	rows, newer, older, err := h.auditPage(c, f)
	if err != nil {
		return err
	}
	for _, row := range rows {
		page.Rows = append(page.Rows, auditRow(row, session.Zone(c)))
	}
	page.Newer, page.Older = neighbor(pages.AuditPath, query, "newer", newer), neighbor(pages.AuditPath, query, "older", older)
	state, err := h.auth.Trail.State(c.Request().Context())
	if err != nil {
		return err
	}
	page.Sound, page.State = trailWords(state, session.Zone(c))
	if wrong {
		return h.Render(c, http.StatusUnprocessableEntity, "Audit trail", views.Audit(page),
			views.Mistake{Name: "record", Text: "Enter the record number as the record's page shows it."})
	}
	return h.Render(c, http.StatusOK, "Audit trail", views.Audit(page))
}

// auditPage returns the rows of one page. newer is the ID of the row before which the next newer
// page ends, or "" if there is no newer page. older is the ID of the row after which the next older
// page begins, or "" if there is no older page. Both rows are on this page.
func (h *Audit) auditPage(c echo.Context, f store.AuditFilter) (rows []store.Audit, newer, older string, err error) {
	at, back := rowParam(c, "older"), false
	if after := rowParam(c, "newer"); after != 0 {
		at, back = after, true
	}
	if rows, err = h.auth.AuditEntries(c.Request().Context(), session.User(c), f, at, back, auditSize+1); err != nil {
		return nil, "", "", err
	}
	more := len(rows) > auditSize
	if back && !more { // this is the first page, so fill it
		at, back = 0, false
		if rows, err = h.auth.AuditEntries(c.Request().Context(), session.User(c), f, 0, false, auditSize+1); err != nil {
			return nil, "", "", err
		}
		more = len(rows) > auditSize
	}
	rows = rows[:min(len(rows), auditSize)]
	if back {
		slices.Reverse(rows)
	}
	if len(rows) == 0 {
		return nil, "", "", nil
	}
	if at != 0 && (!back || more) {
		newer = strconv.FormatInt(rows[0].ID, 10)
	}
	if back || more {
		older = strconv.FormatInt(rows[len(rows)-1].ID, 10)
	}
	return rows, newer, older, nil
}

func auditRow(row store.Audit, zone *time.Location) views.AuditRow {
	out := views.AuditRow{
		ID: row.ID, At: row.At.In(zone).Format("Jan 2, 2006, 3:04:05 PM MST"), Who: row.Actor, What: cmp.Or(auditWords[row.Action], row.Action),
		About: row.Object, From: row.Address,
	}
	area, _, _ := strings.Cut(row.Action, ".")
	if area == "provider" {
		out.Link = providerOf(row.Object)
	}
	if uuid.Validate(row.Object) != nil {
		return out
	}
	of := auditObjects[area]
	if out.Kind = of.kind; of.path != "" {
		out.Link = of.path + "/" + row.Object
	}
	return out
}

// providerOf returns the address of the provider that an entry is about, or "". The audit trail
// identifies providers by their numbers only, so that it holds no names.
func providerOf(object string) string {
	var id, merged int64
	if n, _ := fmt.Sscanf(object, "provider %d", &id); n == 1 {
		return providerPath(id)
	}
	if n, _ := fmt.Sscanf(object, "%d providers into %d", &merged, &id); n == 2 {
		return providerPath(id)
	}
	return ""
}

func trailWords(state audit.State, zone *time.Location) (sound bool, words string) {
	if state.Broken != 0 {
		return false, fmt.Sprintf("Entry %d was changed, or entries at or before it were removed. "+
			"Tell the person who runs the registry immediately.", state.Broken)
	}
	return true, "No entry was changed or removed. All were checked on " + views.Moment(state.At, zone) + ". Newer ones were checked just now."
}

// GetAuditCSV sends the audit trail as a CSV file, newest entry first.
func (h *Audit) GetAuditCSV(c echo.Context) error {
	f, _, _, wrong := auditFilter(c)
	if wrong {
		return noRecord
	}
	h.DownloadHeaders(c, "audit")
	return h.Ended(c, h.writeAudits(c.Request().Context(), session.User(c), f, sheet.NewWriter(c.Response())))
}

func (h *Audit) writeAudits(ctx context.Context, who auth.User, f store.AuditFilter, w *sheet.Writer) error {
	if err := w.Row("entry", "at", "who", "action", "about", "from"); err != nil {
		return err
	}
	const stride = 500
	for before := int64(0); ; {
		rows, err := h.auth.AuditEntries(ctx, who, f, before, false, stride)
		if err != nil {
			return err
		}
		for _, row := range rows {
			err := w.Row(fmt.Sprint(row.ID), row.At.Format(time.RFC3339), row.Actor, row.Action, row.Object, row.Address)
			if err != nil {
				return err
			}
			before = row.ID
		}
		if len(rows) < stride {
			return nil
		}
	}
}
