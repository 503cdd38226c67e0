package ui

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/dustin/go-humanize"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/ingest"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// entriesPerPage is how many entries of a receipt each page shows. A receipt may have tens of
// thousands of entries.
const entriesPerPage = 200

// GetIngestionPage shows an ingestion with the result of each entry. It shows none of the submitted
// content.
func (h *Ingestions) GetIngestionPage(c echo.Context) error {
	who, id := session.User(c), c.Param("ingestion")
	if uuid.Validate(id) != nil {
		return pages.ErrNotFound
	}
	a, err := h.ingest.ListedIngestion(c.Request().Context(), who.Practice.ID, id)
	if err != nil {
		return err
	}
	page := views.Receipt{
		Row: ingestionRow(a), Idempotent: a.Idempotent, AcceptedN: a.Accepted, RejectedN: a.Rejected, MayCreate: who.May(auth.RecordCreate),
	}
	if who.May(auth.RecordRead) {
		page.Records = pages.RecordsPath + questioned(recordFilter{submission: a.PublicID}.query())
	}
	if !a.CompletedAt.IsZero() {
		page.Ended = &a.CompletedAt
		if err := h.fillReceipt(c, who, a, &page); err != nil {
			return err
		}
	}
	return h.Render(c, http.StatusOK, "Ingestion", views.ReceiptPage(page))
}

// fillReceipt fills in the page from the sealed receipt. The ingestion must have ended.
func (h *Ingestions) fillReceipt(c echo.Context, who auth.User, a store.ListedIngestion, page *views.Receipt) error {
	receipt, err := h.ingest.Receipt(c.Request().Context(), who.Practice.ID, a.PublicID)
	if errors.Is(err, store.ErrNotFound) {
		return nil // the receipt was deleted: show only what the list shows
	}
	if err != nil {
		return err
	}
	if a.Status == store.Failed {
		f, err := receipt.ParseFailure()
		page.Failed = &views.Failure{Error: f.Error, Class: f.Exception, Correlation: f.CorrelationID}
		return err
	}
	out, err := receipt.ParseOutcome()
	if err != nil {
		return err
	}
	total := len(out.Rejected) + len(out.Accepted)
	begin := 0
	if n, err := strconv.Atoi(c.QueryParam("page")); err == nil && n > 1 && n <= (total+entriesPerPage-1)/entriesPerPage {
		begin = (n - 1) * entriesPerPage
	}
	for n := begin; n < min(begin+entriesPerPage, total); n++ {
		if n < len(out.Rejected) {
			page.Rejected = append(page.Rejected, rejectedEntry(out.Rejected[n]))
			continue
		}
		page.Accepted = append(page.Accepted, acceptedEntry(who, out.Accepted[n-len(out.Rejected)]))
	}
	page.Pages = receiptPages(a.PublicID, begin, total)
	return nil
}

// receiptPages returns links to the previous and the next entries of a receipt. begin is the index
// of the first entry on the page, and total is the number of entries.
func receiptPages(id string, begin, total int) (all []views.NavItem) {
	at := begin/entriesPerPage + 1
	link := func(page int, label string) {
		all = append(all, views.NavItem{Href: fmt.Sprintf("%s/%s?page=%d", pages.IngestionsPath, id, page), Label: label})
	}
	if begin > 0 {
		link(at-1, "Previous entries")
	}
	if begin+entriesPerPage < total {
		link(at+1, "Next entries")
	}
	return all
}

func rejectedEntry(r ingest.Rejected) views.RejectedEntry {
	e := views.RejectedEntry{Reference: r.Reference, Place: placeOf(r.Reference)}
	for _, issue := range r.Outcome.Issue {
		e.Text, e.Expression = issue.Diagnostics, issue.Expression
		if issue.Details != nil {
			e.Hint = issue.Details.Text
			for _, coding := range issue.Details.Coding {
				e.Code = coding.Code
			}
		}
	}
	return e
}

// placeOf puts a reference such as "Bundle.entry[1]" into words. It returns "" for any other.
func placeOf(reference string) string {
	if reference == "Bundle" {
		return "the whole Bundle"
	}
	var n int
	if _, err := fmt.Sscanf(reference, "Bundle.entry[%d]", &n); err != nil {
		return ""
	}
	return "the " + humanize.Ordinal(n+1) + " entry"
}

func acceptedEntry(who auth.User, a ingest.Accepted) views.AcceptedEntry {
	e := views.AcceptedEntry{Reference: a.Reference, Suspected: a.Suspected, What: "New record"}
	switch {
	case a.Retracted:
		e.What = fmt.Sprintf("Retracted, version %d", a.Version)
	case a.Revived:
		e.What = fmt.Sprintf("Brought back, version %d", a.Version)
	case a.Amended:
		e.What = fmt.Sprintf("Amended, version %d", a.Version)
	}
	if who.May(auth.RecordRead) {
		e.Path = "/registry/records/" + a.Submission
	}
	return e
}
