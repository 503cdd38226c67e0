package ui

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/ingest"
	"birthregistry/app/records"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// Find serves the search box in the header of every page. It finds the births, providers and
// ingestions that the user may see.
type Find struct {
	*pages.Pages
	records *records.Records
	ingest  *ingest.Service
}

// mostListed is the maximum number of results of each kind that the page lists.
const mostListed = 10

// findKey returns the session's key for the text that the user last typed into the search box. The
// text is in the session because a name or a chart number must never be in an address.
func findKey(who auth.User) string { return fmt.Sprint(auth.SessionFind, who.Practice.ID) }

// PostFind redirects to the record or ingestion whose number the text is. If there is none, it
// stores the text in the session and redirects to the results.
func (h *Find) PostFind(c echo.Context) error {
	ctx, who := c.Request().Context(), session.User(c)
	text := strings.ToValidUTF8(strings.TrimSpace(pages.Posted(c).Get("q")), "")
	if text == "" || len(text) > maxSearch {
		h.Sessions.Remove(ctx, findKey(who))
		return c.Redirect(http.StatusSeeOther, pages.FindPath)
	}
	path, err := h.named(c, text)
	if err != nil {
		return err
	}
	if path != "" {
		return c.Redirect(http.StatusSeeOther, path)
	}
	h.Sessions.Put(ctx, findKey(who), text)
	if err := h.Sessions.Keep(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, pages.FindPath)
}

// named returns the address of the record or ingestion that the text identifies. The text must be a
// record's ID or whole chart number, or an ingestion's ID or address. named returns "" if the text
// is a date, if it identifies nothing, or if the user may not see what it identifies.
func (h *Find) named(c echo.Context, text string) (string, error) {
	ctx, who := c.Request().Context(), session.User(c)
	if dayTyped(text) != "" {
		return "", nil
	}
	if who.May(auth.RecordRead) {
		id, err := h.records.Exact(ctx, who.Practice.ID, text)
		if err != nil || id != "" {
			return pages.RecordsPath + "/" + id, err
		}
	}
	id := text[strings.LastIndexByte(text, '/')+1:] // users often paste the whole address
	if !who.May(auth.IngestionView) || uuid.Validate(id) != nil {
		return "", nil
	}
	found, err := h.ingest.ListedIngestion(ctx, who.Practice.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return pages.IngestionsPath + "/" + found.PublicID, err
}

// GetFind shows the results of a search. PostFind has stored the search text in the session.
func (h *Find) GetFind(c echo.Context) error {
	ctx, who := c.Request().Context(), session.User(c)
	page := views.FindPage{Text: h.Sessions.GetString(ctx, findKey(who))}
	if page.Text == "" {
		return h.Render(c, http.StatusOK, "Find", views.Find(page))
	}
	if who.May(auth.RecordRead) {
		if err := h.births(c, &page); err != nil {
			return err
		}
	}
	if who.May(auth.ProviderView) {
		found, err := h.records.FindProviders(ctx, who.Practice.ID, page.Text, mostListed)
		if err != nil {
			return err
		}
		for _, one := range found {
			page.Providers = append(page.Providers, views.ProviderRow{
				Href: providerPath(one.ID), Name: providerName(one.Name), Credentials: one.Credentials, Role: roleLabel(one.Role),
			})
		}
	}
	return h.Render(c, http.StatusOK, "Find", views.Find(page))
}

// births fills in the births that match the text. If there are more than the page lists, it also
// fills in their total number.
func (h *Find) births(c echo.Context, page *views.FindPage) error {
	ctx, p := c.Request().Context(), session.User(c).Practice.ID
	f, err := h.records.Search(ctx, p, store.Filter{}, page.Text, dayTyped(page.Text))
	if err != nil {
		return err
	}
	found, err := h.records.List(ctx, p, f, records.Cursor{})
	if err != nil {
		return err
	}
	for _, row := range found.Rows[:min(len(found.Rows), mostListed)] {
		page.Births = append(page.Births, views.RecentBirth{
			RecordRow: rowOf(row, nil, session.Zone(c)), Born: listedTime(row.Born), Mother: row.Mother, Method: label("delivery_method", row.Facts.Method),
		})
	}
	if len(found.Rows) > mostListed {
		total, more, err := h.records.Total(ctx, p, f)
		page.Total = totalOf(total, more)
		return err
	}
	return nil
}
