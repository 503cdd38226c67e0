package store

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Rows that state a fact or grant a right are signed, so that changes made in the file without the
// installation's key are detected.
//
// Each row has a code, which is an HMAC over its table and all of its columns except mac. The codes
// are added up (sum.go) in two places. The column mac of a row holds the sum of the codes of the
// row and its dependent rows. It is verified when the row is read. The table sums holds, for each
// practice and table, the sum of the codes and the number of rows. It reveals whether rows were
// removed or put back. Both sums are signed with a key that is derived from the installation's key
// and changes with it.
//
// No statement computes a code: SQLite passes every change of a row to a hook of the write
// connection (signer.go), and each transaction adds up the differences before it commits. A change
// made in any other way can always be detected, because the program only adds differences to a sum
// that doesn't include this change.
//
// signed describes a table whose rows are signed.
type signed struct {
	name string
	// key lists the columns of the primary key.
	key []string
	// practice is the column with the ID of the row's practice. If it is "", the row belongs to the
	// practice of its parent or, without a parent, to the installation.
	practice string
	// parent is the table to which a row refers. via is the column with the reference.
	parent, via string
	// mac is set if the table has a column named mac. within is set if the codes of its rows are
	// included in the mac of their parents.
	mac, within bool
	// ended is the column that shows whether a row is final, or "". If it isn't "", a row is signed
	// and counted only once this column has one of the values in ends.
	ended string
	ends  []string

	number  byte // the table's number in the stored totals
	columns []string
	label   []byte // part of every code, so that codes of different tables, or of different forms of one table, are different
	macAt   int    // the position of the column mac, or -1
	places  map[string]int
	up      *signed
	below   []*signed // the tables whose rows are included in the mac
	sql     signedSQL
}

// signedForm is the version of the way in which rows are signed. A migration that changes what is
// signed must raise it.
const signedForm = 1

// signedTables lists the signed tables. All of their columns are signed, except mac. A table's
// number in the totals is its position in this list, so a new table must be added at the end.
// signed_test.go says why other tables aren't signed.
var signedTables = []signed{
	{name: "practices", key: []string{"id"}, practice: "id", mac: true},
	{name: "users", key: []string{"id"}, mac: true},
	{name: "memberships", key: []string{"user", "practice"}, practice: "practice", mac: true},
	{name: "api_keys", key: []string{"id"}, practice: "practice", mac: true},
	{name: "recovery_codes", key: []string{"user", "hash"}, parent: "users", via: "user", within: true},
	{name: "links", key: []string{"id"}, practice: "practice", mac: true},
	{name: "sessions", key: []string{"token"}, practice: "practice", mac: true},
	{name: "custom_fields", key: []string{"id"}, practice: "practice", mac: true},
	{name: "ingestions", key: []string{"id"}, practice: "practice", mac: true, ended: "status", ends: []string{"completed", "failed"}},
	{name: "records", key: []string{"id"}, practice: "practice", mac: true},
	{name: "versions", key: []string{"id"}, parent: "records", via: "record", within: true},
	{name: "attributions", key: []string{"record", "version", "provider"}, parent: "records", via: "record", within: true},
	{name: "custom_values", key: []string{"record", "version"}, parent: "records", via: "record", within: true},
	{name: "fingerprints", key: []string{"practice", "live", "print", "record"}, parent: "records", via: "record", within: true},
	{name: "providers", key: []string{"id"}, practice: "practice", mac: true},
	{name: "provider_log", key: []string{"id"}, parent: "providers", via: "provider"},
	{name: "reviews", key: []string{"id"}, practice: "practice"},
	{name: "kept", key: []string{"record", "other"}, parent: "records", via: "record"},
	{name: "imports", key: []string{"id"}, practice: "practice"},
	{name: "ehrs", key: []string{"id"}, practice: "practice"},
	{name: "client_keys", key: []string{"kid"}},
	{name: "refused", key: []string{"id"}, practice: "practice"},
	{name: "audit", key: []string{"id"}, practice: "practice"},
	{name: "audit_head", key: []string{"id"}},
	{name: "seal_epochs", key: []string{"id"}},
	{name: "seal_recipients", key: []string{"recipient"}},
	{name: "seal_list", key: []string{"id"}},
	{name: "secrets", key: []string{"name"}},
	{name: "certificates", key: []string{"name"}},
	{name: "provider_groups", key: []string{"practice", "npi", "name"}, practice: "practice"},
	{name: "undos", key: []string{"import"}, practice: "practice"},
	{name: "tombstones", key: []string{"id"}, practice: "practice"},
	{name: "exports", key: []string{"id"}, practice: "practice"},
	{name: "incoming", key: []string{"practice"}, practice: "practice"},
	{name: "former_audit", key: []string{"practice", "id"}, practice: "practice"},
	{name: "forgotten", key: []string{"practice"}, mac: true},
	{name: "export_states", key: []string{"export"}, practice: "practice"},
	{name: "webhooks", key: []string{"api_key"}, practice: "practice"},
	{name: "sso_providers", key: []string{"id"}},
	{name: "sso_links", key: []string{"id"}, mac: true},
	{name: "sso_only", key: []string{"practice"}, parent: "practices", via: "practice", within: true},
	{name: "passkeys", key: []string{"id"}, parent: "users", via: "user", within: true},
	{name: "second_factor_required", key: []string{"practice"}, parent: "practices", via: "practice", within: true},
}

// signedSQL holds the SQL statements for a signed table.
type signedSQL struct {
	all   string         // the columns of every row, and its practice
	row   string         // the columns of the row with a key
	of    string         // the columns of the rows that belong to the parent with a key
	owner string         // the practice and the mac of the row with a key
	set   map[int]string // sets the macs of several rows; the key is the number of rows, and the arguments are each row's mac and key
	next  string         // the next keys and macs after a key
	first string         // the first keys and macs
}

// describe sets the table's number and columns, and what follows from them.
func (t *signed) describe(number int, columns []string) {
	t.number, t.columns, t.macAt, t.places = byte(number), columns, -1, map[string]int{}
	for i, c := range columns {
		t.places[c] = i
		if t.mac && c == "mac" {
			t.macAt = i
		}
	}
	label := sha256.Sum256([]byte(t.name + " " + strings.Join(columns, " ")))
	t.label = label[:16]
	list := "t." + strings.Join(columns, ", t.")
	key := strings.Join(t.key, ", ")
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(t.key)), ", ")
	where := fmt.Sprintf("(%s) = (%s)", key, marks)
	practice, join := "0", ""
	switch {
	case t.practice != "":
		practice = "coalesce(t." + t.practice + ", 0)"
	case t.up != nil && t.up.practice != "":
		practice = "coalesce(p." + t.up.practice + ", 0)"
		join = fmt.Sprintf(" left join %s p on p.%s = t.%s", t.up.name, t.up.key[0], t.via)
	}
	t.sql = signedSQL{
		all: fmt.Sprintf("select %s, %s from %s t%s", list, practice, t.name, join),
		row: fmt.Sprintf("select %s from %s t where %s", list, t.name, where),
	}
	if t.within {
		t.sql.of = fmt.Sprintf("select %s from %s t where t.%s = ?", list, t.name, t.via)
	}
	if t.mac {
		t.sql.set = map[int]string{1: fmt.Sprintf("update %s set mac = ? where (%s) = (%s)", t.name, key, marks)}
		for n := 2; n <= rowsPerInsert; n *= 2 {
			t.sql.set[n] = fmt.Sprintf("update %s set mac = v.column1 from (values %s) v where (%s) = (%s)", t.name,
				strings.TrimSuffix(strings.Repeat("(?, "+marks+"), ", n), ", "), t.name+"."+strings.Join(t.key, ", "+t.name+"."), []string{"v.column2", "v.column2, v.column3"}[len(t.key)-1])
		}
		t.sql.owner = fmt.Sprintf("select %s, mac from %s t where %s", practice, t.name, where)
		t.sql.first = fmt.Sprintf("select %s, mac from %s order by %s limit ?", key, t.name, key)
		t.sql.next = fmt.Sprintf("select %s, mac from %s where (%s) > (%s) order by %s limit ?", key, t.name, key, marks, key)
	}
}

// counts reports whether a row is signed and included in the sums. In a table with a column named
// in ended, this is so only if the row is final.
func (t *signed) counts(row []any) bool {
	if t.ended == "" {
		return true
	}
	output, _ := row[t.places[t.ended]].(string)
	return t.final([]byte(output))
}

// final reports whether a row is final. output is the row's value in the column named by t.ended.
func (t *signed) final(output []byte) bool {
	return slices.Contains(t.ends, string(output))
}

// keyOf returns the primary key of a row. The table must have a column named mac.
func (t *signed) keyOf(row []any) rowKey {
	k := rowKey{table: t}
	for _, c := range t.key {
		k.push(row[t.places[c]])
	}
	return k
}

// rowKey identifies a row of a table with a column named mac. The primary key consists of one or
// two numbers, or of a text.
type rowKey struct {
	table *signed
	a, b  int64
	text  string
}

func (k *rowKey) push(value any) {
	switch value := value.(type) {
	case int64:
		k.a, k.b = k.b, value
	case string:
		k.text = value
	}
}

// args returns the values of the primary key, as arguments of a statement.
func (k rowKey) args() []any {
	switch {
	case len(k.table.key) == 2:
		return []any{k.a, k.b}
	case k.text != "":
		return []any{k.text}
	}
	return []any{k.b}
}
