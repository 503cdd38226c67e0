// Package ui is the pages of a practice: the form "Record a birth", the records, imports,
// ingestions, duplicates, providers, statistics, and the pages on which people sign in and
// an admin sets up the practice.
//
// Each area of the pages is a type with the handlers of that area (Records in records.go,
// Imports in imports.go), which holds only the use cases that it needs. A handler reads
// the request, calls one use case, fills a view of package views and renders it, or
// returns an error, which package web renders. Package web also lists the routes, and
// guards each of them: a handler is called only for a user whose role allows it.
//
// A handler never reads the database itself and never builds HTML.
package ui

import (
	"birthregistry/app/auth"
	"birthregistry/app/customfields"
	"birthregistry/app/guide"
	"birthregistry/app/intake"
	"birthregistry/app/records"
	"birthregistry/app/smart"
	"birthregistry/app/web/pages"
)

// Areas are the areas of the pages, with the handlers of each.
type Areas struct {
	Home         *Home
	Form         *Form
	Records      *Records
	Imports      *Imports
	Ingestions   *Ingestions
	Duplicates   *Duplicates
	Providers    *Providers
	Statistics   *Statistics
	Account      *Account
	Users        *Users
	Keys         *Keys
	CustomFields *CustomFields
	Audit        *Audit
	Launch       *Launch
	Docs         *Docs
}

// New makes the areas out of the use cases. docs renders the guides when somebody
// asks for them: most starts need none.
func New(p *pages.Pages, a *auth.Service, fields *customfields.Service, in *intake.Service, r *records.Records, ehrs *smart.Service, docs func() *guide.Guide) Areas {
	recordPages := &Records{Pages: p, auth: a, intake: in, records: r}
	statistics := &Statistics{Pages: p, auth: a, records: r, published: publishedFigures()}
	return Areas{
		Home:         &Home{Pages: p, auth: a, intake: in, records: recordPages, statistics: statistics},
		Form:         &Form{Pages: p, auth: a, customFields: fields, intake: in, records: r, smart: ehrs},
		Records:      recordPages,
		Imports:      &Imports{Pages: p, intake: in},
		Ingestions:   &Ingestions{Pages: p, auth: a, intake: in},
		Duplicates:   &Duplicates{Pages: p, intake: in, records: r},
		Providers:    &Providers{Pages: p, intake: in, records: r},
		Statistics:   statistics,
		Account:      &Account{Pages: p, auth: a},
		Users:        &Users{Pages: p, auth: a},
		Keys:         &Keys{Pages: p, auth: a, intake: in},
		CustomFields: &CustomFields{Pages: p, customFields: fields},
		Audit:        &Audit{Pages: p, auth: a},
		Launch:       &Launch{Pages: p, smart: ehrs},
		Docs:         &Docs{Pages: p, guide: docs},
	}
}
