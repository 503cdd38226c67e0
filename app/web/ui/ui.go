// Package ui serves the pages of a practice: the form "Record a birth", the records, imports,
// ingestions, duplicates, providers and statistics. It also serves the pages on which people sign
// in, and on which an admin sets up the practice.
//
// Each area of the pages is a type that has the area's handlers as its methods (Records in
// records.go, Imports in imports.go). The type holds only the use cases (UseCases) that its
// handlers need. A handler reads the request, calls use cases, fills in a view of package views and
// renders it. If a handler returns an error, package web renders the error. Package web also lists
// the routes, each with a guard, so that a handler is called only for a user whose role allows it.
//
// A handler never reads the database itself and never builds HTML.
package ui

import (
	"birthregistry/app/archive"
	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/customfields"
	"birthregistry/app/drafts"
	"birthregistry/app/erase"
	"birthregistry/app/guide"
	"birthregistry/app/imports"
	"birthregistry/app/ingest"
	"birthregistry/app/records"
	"birthregistry/app/review"
	"birthregistry/app/smart"
	"birthregistry/app/sso"
	"birthregistry/app/web/pages"
	"birthregistry/app/webhooks"
)

// Areas holds the areas of the pages. Each area is a type with handlers as its methods.
type Areas struct {
	Home         *Home
	Find         *Find
	Form         *Form
	Records      *Records
	Imports      *Imports
	Ingestions   *Ingestions
	Duplicates   *Duplicates
	Providers    *Providers
	Statistics   *Statistics
	Report       *Report
	Erase        *Erase
	Everything   *Everything
	Account      *Account
	Users        *Users
	Keys         *Keys
	CustomFields *CustomFields
	Audit        *Audit
	YourData     *YourData
	Launch       *Launch
	Docs         *Docs
}

// UseCases holds the services that the pages and the API call.
type UseCases struct {
	Auth         *auth.Service
	CustomFields *customfields.Service
	Ingest       *ingest.Service
	Changes      *changes.Writer
	Records      *records.Records
	Imports      *imports.Service
	Drafts       *drafts.Service
	Review       *review.Service
	Smart        *smart.Service
	SSO          *sso.Service
	Erase        *erase.Service
	Archive      *archive.Service
	Webhooks     *webhooks.Service
}

// New returns the areas of the pages. docs renders the guides. It is called only when somebody
// opens a guide, because most runs of the program never need the guides.
func New(p *pages.Pages, use UseCases, docs func() *guide.Guide) Areas {
	recordPages := &Records{Pages: p, auth: use.Auth, changes: use.Changes, records: use.Records, erase: use.Erase}
	statistics := &Statistics{Pages: p, auth: use.Auth, records: use.Records, published: publishedFigures()}
	return Areas{
		Home:         &Home{Pages: p, auth: use.Auth, ingest: use.Ingest, records: recordPages, statistics: statistics, drafts: use.Drafts, smart: use.Smart, imports: use.Imports},
		Find:         &Find{Pages: p, records: use.Records, ingest: use.Ingest},
		Form:         &Form{Pages: p, customFields: use.CustomFields, changes: use.Changes, records: use.Records, smart: use.Smart, drafts: use.Drafts},
		Records:      recordPages,
		Imports:      &Imports{Pages: p, imports: use.Imports, drafts: use.Drafts},
		Ingestions:   &Ingestions{Pages: p, auth: use.Auth, ingest: use.Ingest},
		Duplicates:   &Duplicates{Pages: p, review: use.Review, records: use.Records},
		Providers:    &Providers{Pages: p, review: use.Review, records: use.Records},
		Statistics:   statistics,
		Report:       &Report{Pages: p, auth: use.Auth, records: use.Records},
		Everything:   &Everything{Pages: p, auth: use.Auth, records: use.Records},
		Erase:        &Erase{Pages: p, auth: use.Auth, erase: use.Erase, records: use.Records},
		Account:      &Account{Pages: p, auth: use.Auth, sso: use.SSO},
		Users:        &Users{Pages: p, auth: use.Auth, sso: use.SSO},
		Keys:         &Keys{Pages: p, auth: use.Auth, ingest: use.Ingest, webhooks: use.Webhooks},
		CustomFields: &CustomFields{Pages: p, customFields: use.CustomFields},
		Audit:        &Audit{Pages: p, auth: use.Auth},
		YourData:     &YourData{Pages: p, auth: use.Auth, archive: use.Archive},
		Launch:       &Launch{Pages: p, smart: use.Smart},
		Docs:         &Docs{Pages: p, guide: docs},
	}
}
