package auth

import "slices"

// Role is the role of a user in a practice.
type Role string

// These are the roles. operator is the role of the commands on the machine. It has every
// permission.
const (
	Admin    Role = "admin"
	Provider Role = "provider"
	Scribe   Role = "scribe" // writes records but does not read them
	Viewer   Role = "viewer" // reads records but does not write them
	operator Role = "operator"
)

// Roles lists the roles with their labels and descriptions.
var Roles = []struct {
	Role         Role
	Label, About string
}{
	{Admin, "Practice admin", "Does everything, and decides who may do what."},
	{Provider, "Provider", "Records, amends and reads births; creates API keys."},
	{Scribe, "Scribe", "Records births and imports files; cannot read records."},
	{Viewer, "Viewer", "Reads records; changes nothing."},
}

// Label returns the role's name as pages show it.
func (r Role) Label() string {
	for _, known := range Roles {
		if known.Role == r {
			return known.Label
		}
	}
	return "Operator"
}

// Permission is one action that a role may or may not perform.
type Permission string

// These are the permissions. Recording a birth and minting a key are two separate permissions, not
// one "record-managing" right (decision 39).
const (
	SignedIn         Permission = "account"
	RecordCreate     Permission = "record.create"
	RecordRead       Permission = "record.read"
	RecordAmend      Permission = "record.amend"
	RecordVoid       Permission = "record.void"
	RecordExport     Permission = "record.export"
	RecordAccount    Permission = "record.account"
	RecordErase      Permission = "record.erase"
	DuplicateView    Permission = "duplicate.view"
	DuplicateResolve Permission = "duplicate.resolve"
	ProviderView     Permission = "provider.view"
	ProviderMerge    Permission = "provider.merge"
	StatsView        Permission = "stats.view"
	StatsExport      Permission = "stats.export"
	ReportMake       Permission = "report.make"
	ReportLimited    Permission = "report.limited"
	ImportRun        Permission = "import.run"
	ImportView       Permission = "import.view"
	ImportForget     Permission = "import.forget"
	KeyList          Permission = "key.list"
	KeyMint          Permission = "key.mint"
	KeyRevoke        Permission = "key.revoke"
	IngestionView    Permission = "ingestion.view"
	SampleSend       Permission = "sample.send"
	FieldDefine      Permission = "field.define"
	UserManage       Permission = "user.manage"
	AuditView        Permission = "audit.view"
	PracticeExport   Permission = "practice.export"
)

// Permissions lists the roles that have each permission, in the order in which the guide shows the
// permissions. Each route of a page checks the user's permission. Before each write, Act checks
// that the user still has the same role.
var Permissions = []struct {
	Permission Permission
	About      string
	Roles      []Role
}{
	{SignedIn, "Own account, home page, guide", []Role{Admin, Provider, Scribe, Viewer}},
	{RecordCreate, "Record a birth", []Role{Admin, Provider, Scribe}},
	{RecordRead, "List, search and read records, their versions and sources", []Role{Admin, Provider, Viewer}},
	{RecordAmend, "Amend a record", []Role{Admin, Provider}},
	{RecordVoid, "Void and restore a record, with a reason", []Role{Admin, Provider}},
	{RecordExport, "Export records to CSV", []Role{Admin}},
	{RecordAccount, "See and download everything about one birth, with who saw it, for a client who asks", []Role{Admin, Provider}},
	{RecordErase, "Erase a birth for good, with a reason and the password, and allow it to be recorded again", []Role{Admin}},
	{DuplicateView, "See possible duplicates, side by side", []Role{Admin, Provider, Viewer}},
	{DuplicateResolve, "Keep, void or merge possible duplicates, and undo such decisions", []Role{Admin, Provider}},
	{ProviderView, "See the providers and their career logs", []Role{Admin, Provider, Viewer}},
	{ProviderMerge, "Merge the identities of a provider, and undo such merges", []Role{Admin}},
	{StatsView, "See the practice's statistics", []Role{Admin, Provider, Viewer}},
	{StatsExport, "Download statistics as CSV, without small numbers", []Role{Admin}},
	{ReportMake, "Make the yearly report, de-identified", []Role{Admin, Provider}},
	{ReportLimited, "Download the yearly report with dates and postal codes, with a reason and the password", []Role{Admin}},
	{ImportRun, "Import a spreadsheet", []Role{Admin, Provider, Scribe}},
	{ImportView, "See imports (scribes only their own, viewers only the counts)", []Role{Admin, Provider, Scribe, Viewer}},
	{ImportForget, "See and delete what the registry remembers about the columns of CSV files", []Role{Admin}},
	{KeyList, "See the API keys", []Role{Admin, Provider, Scribe, Viewer}},
	{KeyMint, "Create an API key, and set its webhook", []Role{Admin, Provider}},
	{KeyRevoke, "Revoke an API key", []Role{Admin, Provider}},
	{IngestionView, "See what was submitted, and its receipts", []Role{Admin, Provider, Viewer}},
	{SampleSend, "Send a sample Bundle in a sandbox", []Role{Admin, Provider}},
	{FieldDefine, "Define the practice's custom fields", []Role{Admin}},
	{UserManage, "Invite people, give roles, end access", []Role{Admin}},
	{AuditView, "Read the audit trail", []Role{Admin}},
	{PracticeExport, "See what the registry holds for the practice, and download all of it after confirming the password", []Role{Admin}},
}

// GivesMore reports whether the role r has a permission that the role than lacks.
func (r Role) GivesMore(than Role) bool {
	for _, row := range Permissions {
		if r.May(row.Permission) && !than.May(row.Permission) {
			return true
		}
	}
	return false
}

// May reports whether the role has the permission.
func (r Role) May(p Permission) bool {
	if r == operator {
		return true
	}
	for _, row := range Permissions {
		if row.Permission == p {
			return slices.Contains(row.Roles, r)
		}
	}
	return false
}
