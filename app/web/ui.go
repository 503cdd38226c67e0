package web

import (
	"birthregistry/app/auth"
	"birthregistry/app/customfields"
	"birthregistry/app/figures"
	"birthregistry/app/guide"
	"birthregistry/app/intake"
	"birthregistry/app/records"
	"birthregistry/app/smart"
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

// newAreas makes the areas out of the use cases. docs renders the guides when somebody
// asks for them: most starts need none.
func newAreas(p *Pages, a *auth.Service, fields *customfields.Service, in *intake.Service, r *records.Records, ehrs *smart.Service, docs func() *guide.Guide) Areas {
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

// Home is the home page, which shows what needs attention, and the files that all
// pages need.
type Home struct {
	*Pages
	auth       *auth.Service
	intake     *intake.Service
	records    *Records
	statistics *Statistics
}

// Form is the form "Record a birth", which also amends a record.
type Form struct {
	*Pages
	auth         *auth.Service
	customFields *customfields.Service
	intake       *intake.Service
	records      *records.Records
	smart        *smart.Service
}

// Records lists records, shows them with their versions, exports, voids and restores
// them.
type Records struct {
	*Pages
	auth    *auth.Service
	intake  *intake.Service
	records *records.Records
}

// Imports uploads files, shows previews, and confirms imports.
type Imports struct {
	*Pages
	intake *intake.Service
}

// Ingestions lists what other systems have sent and shows the receipts.
type Ingestions struct {
	*Pages
	auth   *auth.Service
	intake *intake.Service
}

// Duplicates compares and resolves possible duplicates.
type Duplicates struct {
	*Pages
	intake  *intake.Service
	records *records.Records
}

// Providers lists the providers of a practice and merges them.
type Providers struct {
	*Pages
	intake  *intake.Service
	records *records.Records
}

// Statistics shows the measures and exports them.
type Statistics struct {
	*Pages
	auth    *auth.Service
	records *records.Records
	// published are the figures that a practice's own are compared with, by measure.
	published map[string][]figures.Reference
}

// Account signs people in and out, and shows them their account: password, second
// factor, sessions, and what an invitation offers.
type Account struct {
	*Pages
	auth *auth.Service
}

// Users manages the users of a practice.
type Users struct {
	*Pages
	auth *auth.Service
}

// Keys shows the practice's settings and manages its API keys.
type Keys struct {
	*Pages
	auth   *auth.Service
	intake *intake.Service
}

// CustomFields manages the fields that a practice adds to the form.
type CustomFields struct {
	*Pages
	customFields *customfields.Service
}

// Audit shows and exports the audit trail.
type Audit struct {
	*Pages
	auth *auth.Service
}

// Launch answers the public steps of an EHR launch.
type Launch struct {
	*Pages
	smart *smart.Service
}

// Docs shows the guides.
type Docs struct {
	*Pages
	guide func() *guide.Guide
}
