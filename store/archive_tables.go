package store

// ArchiveColumn is a column of a table in an archive. Each line of the table's file is a JSON
// object that has a member for the column, unless the value is null.
type ArchiveColumn struct {
	Name string // the name of the JSON member, and of the column in the database unless Column is set
	// Column is the name of the column in the database, if it differs from Name.
	Column string
	Kind   ColumnKind
	// Of is the table to which a column of the kind Reference points. For a column of the kind Own,
	// it is the table whose numbers the rows use.
	Of string
	// Late is set for a reference that may point to a later row. An import writes such references
	// after all rows.
	Late bool
	// Virtual is set for a value that is computed for the archive and has no column in the
	// database.
	Virtual bool
}

// ColumnKind is the kind of value that a column holds.
type ColumnKind byte

// The kinds of columns.
const (
	Number         ColumnKind = iota + 1 // an integer
	String                               // a text
	Flag                                 // 0 or 1
	Moment                               // milliseconds since 1970
	Stamp                                // nanoseconds since 1970
	Own                                  // the row's own number, which changes in an import
	Reference                            // the number of another row
	Document                             // JSON text
	SealedDocument                       // JSON, sealed in the database
	SealedText                           // text that is sealed in the database
)

// ArchiveTable is a table that is included in archives. An archive holds the rows of one practice.
type ArchiveTable struct {
	// Name is the name of the table's file in an archive, without .ndjson.
	Name string
	// Table is the name of the table in the database.
	Table   string
	Columns []ArchiveColumn
	// With lists SQL expressions that are read with each row, after the columns. Their values are
	// needed to open sealed columns.
	With []string
	// Derived lists columns that aren't in the archive. An import computes their values and writes
	// them with the row.
	Derived []string
	// PublicID is the column with the ID that users and other programs know, or "" if there is no
	// such column. No two practices share such an ID.
	PublicID string
	// ByPractice is set if the table has a column named practice.
	ByPractice bool

	from string // the SQL from clause and order; ?1 is the practice
	then string // the same for a second query, whose rows follow; or ""
}

func own(table string) ArchiveColumn    { return ArchiveColumn{Name: "id", Kind: Own, Of: table} }
func number(name string) ArchiveColumn  { return ArchiveColumn{Name: name, Kind: Number} }
func text(name string) ArchiveColumn    { return ArchiveColumn{Name: name, Kind: String} }
func flag(name string) ArchiveColumn    { return ArchiveColumn{Name: name, Kind: Flag} }
func moment(name string) ArchiveColumn  { return ArchiveColumn{Name: name, Kind: Moment} }
func stamped(name string) ArchiveColumn { return ArchiveColumn{Name: name, Kind: Stamp} }

func ref(name, table string) ArchiveColumn {
	return ArchiveColumn{Name: name, Kind: Reference, Of: table}
}

func late(name, table string) ArchiveColumn {
	return ArchiveColumn{Name: name, Kind: Reference, Of: table, Late: true}
}

func document(name string) ArchiveColumn { return ArchiveColumn{Name: name, Kind: Document} }

func sealedDocument(name, column string) ArchiveColumn {
	return ArchiveColumn{Name: name, Column: column, Kind: SealedDocument}
}

func sealedText(name, column string) ArchiveColumn {
	return ArchiveColumn{Name: name, Column: column, Kind: SealedText}
}

// rowsOfRecords returns the SQL clause that selects the rows that a table has for a practice's
// records.
func rowsOfRecords(table, order string) string {
	return ` from records r indexed by records_practice cross join ` + table + ` t on t.record = r.id where r.practice = ?1 order by r.id, ` + order
}

func rowsOf(table, order string) string {
	return ` from ` + table + ` t where t.practice = ?1 order by ` + order
}

// ArchiveTables lists the tables that an archive includes. A table comes after all tables to which
// it refers. archive_test.go says why other tables are left out.
var ArchiveTables = []ArchiveTable{
	{
		Name: "users", Table: "users", from: ` from (
			select u.id, u.email, coalesce((
				select called from memberships m where m.user = u.id and m.practice = ?1 and m.accepted_at is null
			), u.name) as name
			from users u) t where t.id in (
			select user from memberships where practice = ?1
			union select user from ingestions where practice = ?1 and user is not null
			union select user from imports where practice = ?1 and user is not null
			union select user from undos where practice = ?1 and user is not null
			union select user from reviews where practice = ?1 and user is not null
			union select undone_by from reviews where practice = ?1 and undone_by is not null
			union select author from drafts where practice = ?1
			union select v.user from records r join versions v on v.record = r.id where r.practice = ?1 and v.user is not null
			union select l.user from providers s join provider_log l on l.provider = s.id where s.practice = ?1 and l.user is not null
		) order by t.id`,
		Columns: []ArchiveColumn{own("users"), text("email"), text("name")},
	},
	{
		Name: "practice", Table: "practices", from: ` from practices t where t.id = ?1`,
		Columns: []ArchiveColumn{own("practices"), text("name"), flag("is_sandbox"), flag("ehr_beta"), text("time_zone"), moment("created_at")},
	},
	{
		Name: "memberships", Table: "memberships", ByPractice: true, from: ` from (
			select m.practice, m.user, m.role, m.called, m.created_at, coalesce(m.disabled_at, u.disabled_at) as disabled_at
			from memberships m join users u on u.id = m.user) t where t.practice = ?1 order by t.user`,
		Columns: []ArchiveColumn{ref("user", "users"), text("role"), text("called"), moment("created_at"), moment("disabled_at")},
	},
	{
		Name: "custom_fields", Table: "custom_fields", ByPractice: true, from: rowsOf("custom_fields", "t.id"),
		Columns: []ArchiveColumn{
			own("custom_fields"), text("key"), text("label"), text("kind"), document("options"), number("position"), moment("created_at"), moment("retired_at"),
		},
	},
	{
		Name: "ingestions", Table: "ingestions", PublicID: "public_id", ByPractice: true, from: rowsOf("ingestions", "t.kind, t.id"),
		Columns: []ArchiveColumn{
			own("ingestions"), text("public_id"), text("kind"), text("status"), ref("user", "users"), number("size"), number("attempts"), number("items"),
			number("total"), number("accepted"), number("rejected"), text("exception"), text("correlation_id"), moment("created_at"),
			moment("completed_at"), sealedDocument("outcome", "outcome"),
		},
	},
	{
		Name: "providers", Table: "providers", ByPractice: true, from: rowsOf("providers", "t.id"),
		Columns: []ArchiveColumn{
			own("providers"), text("name"), text("credentials"), text("role"), sealedDocument("identity", "sealed"),
			late("merged_into", "providers"), late("survivor", "providers"), moment("created_at"), moment("updated_at"),
		},
		With: []string{"t.identity"}, Derived: []string{"identity", "npi"},
	},
	{
		Name: "careers", Table: "provider_log",
		from: ` from providers s cross join provider_log t on t.provider = s.id where s.practice = ?1 order by t.id`,
		Columns: []ArchiveColumn{
			own("provider_log"), ref("provider", "providers"), text("kind"), text("name"), text("credentials"), text("role"), text("since"),
			ref("other", "providers"), ref("user", "users"), moment("at"),
		},
	},
	{
		Name: "provider_groups", Table: "provider_groups", ByPractice: true,
		from: ` from (
			select g.name, g.provider, (select min(s.id) from providers s where s.practice = g.practice and s.npi = g.npi) as npi_of
			from provider_groups g where g.practice = ?1
		) t order by t.name, t.provider, t.npi_of`,
		Columns: []ArchiveColumn{text("name"), ref("provider", "providers"), {Name: "npi_of", Kind: Reference, Of: "providers", Virtual: true}},
		Derived: []string{"npi"},
	},
	{
		Name: "records", Table: "records", PublicID: "uuid", ByPractice: true, from: rowsOf("records", "t.id"),
		Columns: []ArchiveColumn{
			own("records"), text("uuid"), text("chart"), flag("given"), text("state"), number("version"), number("content"), stamped("stamp"),
			stamped("saved"), text("ig_version"), flag("suspected_duplicate"), late("merged_into", "records"), number("replaced"),
			moment("created_at"), moment("updated_at"),
		},
		Derived: []string{"outcome", "fingerprinted"},
	},
	{
		Name: "reviews", Table: "reviews", ByPractice: true, from: rowsOf("reviews", "t.id"),
		Columns: []ArchiveColumn{
			own("reviews"), text("decision"), ref("stays", "records"), ref("goes", "records"), number("stays_version"), number("goes_version"),
			ref("user", "users"), moment("created_at"), moment("undone_at"), ref("undone_by", "users"), moment("reopened_at"),
		},
	},
	{
		Name: "versions", Table: "versions", from: rowsOfRecords("versions", "t.version"),
		Columns: []ArchiveColumn{
			ref("record", "records"), number("version"), number("content"), text("change"), text("source"), ref("ingestion", "ingestions"), number("item"),
			stamped("stamp"), text("ig_version"), text("reading"), ref("user", "users"), ref("review", "reviews"), sealedText("note", "note"),
			moment("created_at"), document("clinical"), sealedDocument("patient", "patient"),
		},
		With: []string{"r.uuid"},
	},
	{
		Name: "participants", Table: "attributions", from: rowsOfRecords("attributions", "t.version, t.provider"),
		Columns: []ArchiveColumn{ref("record", "records"), number("version"), ref("provider", "providers"), text("role"), flag("attending")},
	},
	{
		Name: "custom_values", Table: "custom_values", from: rowsOfRecords("custom_values", "t.version"),
		Columns: []ArchiveColumn{ref("record", "records"), number("version"), sealedDocument("values", "sealed")},
		With:    []string{"r.uuid"},
	},
	{
		Name: "not_duplicates", Table: "kept", from: rowsOfRecords("kept", "t.other"),
		Columns: []ArchiveColumn{ref("record", "records"), ref("other", "records"), ref("review", "reviews")},
	},
	{
		Name: "imports", Table: "imports", PublicID: "public_id", ByPractice: true, from: ` from imports t where t.practice = ?1 and t.ingestion is not null order by t.id`,
		Columns: []ArchiveColumn{
			own("imports"), text("public_id"), ref("user", "users"), number("rows"), number("size"), ref("ingestion", "ingestions"), moment("created_at"),
			sealedDocument("about", "about"),
		},
		Derived: []string{"kept"},
	},
	{
		Name: "undos", Table: "undos", ByPractice: true, from: rowsOf("undos", "t.import"),
		Columns: []ArchiveColumn{
			ref("import", "imports"), ref("user", "users"), number("next"), number("voided"), number("restored"), number("kept"),
			moment("started_at"), moment("ended_at"),
		},
	},
	{
		Name: "undo_kept", Table: "undo_kept",
		from:    ` from undos u cross join undo_kept t on t.import = u.import where u.practice = ?1 order by t.import, t.item`,
		Columns: []ArchiveColumn{ref("import", "imports"), number("item"), ref("record", "records"), text("reason")},
	},
	{
		Name: "drafts", Table: "drafts", PublicID: "token", ByPractice: true, from: rowsOf("drafts", "t.id"),
		Columns: []ArchiveColumn{
			own("drafts"), text("token"), ref("author", "users"), number("revision"), moment("created_at"), moment("saved_at"), sealedDocument("content", "sealed"),
		},
	},
	{
		Name: "matches", Table: "matches", ByPractice: true, from: rowsOf("matches", "t.practice"),
		Columns: []ArchiveColumn{number("revision"), moment("used_at"), sealedDocument("columns", "sealed")},
	},
	{
		Name: "audit", Table: "former_audit", ByPractice: true,
		from: rowsOf("former_audit", "t.id"), then: rowsOf("audit", "t.id"),
		Columns: []ArchiveColumn{moment("at"), ref("user", "users"), text("actor"), text("action"), text("object"), text("address")},
		Derived: []string{"id"},
	},
}
