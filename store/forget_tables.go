package store

// leavesWith is the condition that an account (u) is deleted with a practice (?1): the account
// has a membership in the practice or came with it from another installation, has no membership
// in another practice, and isn't named by a row of another practice.
const leavesWith = `
	u.id in (
		select user from memberships where practice = ?1
		union
		select c.id from incoming a cross join users c on c.id between a.users_from and a.users_to where a.practice = ?1
	)
	and not exists (select 1 from memberships m where m.user = u.id and m.practice <> ?1)
	and not exists (select 1 from audit x where x.user = u.id and x.practice is not null and x.practice <> ?1)
	and not exists (select 1 from former_audit x where x.user = u.id)
	and not exists (select 1 from versions x where x.user = u.id)
	and not exists (select 1 from ingestions x where x.user = u.id)
	and not exists (select 1 from imports x where x.user = u.id)
	and not exists (select 1 from undos x where x.user = u.id)
	and not exists (select 1 from reviews x where x.user = u.id)
	and not exists (select 1 from reviews x where x.undone_by = u.id)
	and not exists (select 1 from provider_log x where x.user = u.id)
	and not exists (select 1 from tombstones x where x.user = u.id)
	and not exists (select 1 from drafts x where x.author = u.id)`

// forgetStages delete the rows of a practice, in an order in which no remaining row refers to a
// deleted one.
var forgetStages = []forgetStage{
	// Work that waits in the queue.
	forgetEach(`
		select id, size from ingestions
		where practice = ?1 and status in ('queued', 'processing')
		order by id
		limit ?2`, forgetBytes,
		shrinkBy(`delete from buffers where id in (select id from buffers where id >= ?1 * 4096 and id < (?1 + 1) * 4096 limit 2)`),
		`delete from buffers where id in (
			select b.id from json_each(?1) gone cross join buffers b on b.id >= gone.value * 4096 and b.id < (gone.value + 1) * 4096
		) and ?2`,
		`delete from ledger where ingestion in (select value from json_each(?1)) and ?2`,
		`update ingestions set status = 'failed', outcome = x'', completed_at = created_at
		where id in (select value from json_each(?1)) and practice = ?2`,
	),
	// Imports and their undos.
	forgetEach(`
		select u.import, (select count(*) from undo_kept k where k.import = u.import)
		from undos u where u.practice = ?1
		limit ?2`, forgetRows,
		shrinkBy(`delete from undo_kept where (import, item) in (select import, item from undo_kept where import = ?1 limit 200)`),
		`delete from undo_kept where import in (select value from json_each(?1)) and ?2`,
		`delete from undos where import in (select value from json_each(?1)) and practice = ?2`,
	),
	forgetEach(`
		select id, size + length(about) from imports
		where practice = ?1
		order by id
		limit ?2`, forgetBytes,
		shrinkBy(`delete from import_parts where id in (select id from import_parts where id >= ?1 * 4096 and id < (?1 + 1) * 4096 limit 2)`),
		`delete from import_parts where id in (
			select f.id from json_each(?1) gone cross join import_parts f on f.id >= gone.value * 4096 and f.id < (gone.value + 1) * 4096
		) and ?2`,
		`delete from imports where id in (select value from json_each(?1)) and practice = ?2`,
	),
	// Records and the rows that belong to them.
	func(f *forgetting) error {
		_, err := f.run(`
			update records set merged_into = null
			where id in (
				select id from records indexed by records_state
				where practice = ?1 and state <> 'active' and merged_into is not null
				limit ?2
			)`, f.p, forgetRows)
		return err
	},
	forgetEach(`select id, version from records indexed by records_practice where practice = ?1 order by id limit ?2`, forgetVersions,
		shrinkBy(
			`delete from custom_values where (record, version) in (select record, version from custom_values where record = ?1 limit 200)`,
			`delete from attributions where (record, version, provider) in (select record, version, provider from attributions where record = ?1 limit 400)`,
			`delete from versions where id in (select id from versions where record = ?1 limit 200)`,
		),
		eraseRecords...,
	),
	forgetEach(`select id, coalesce(length(outcome), 0) from ingestions where practice = ?1 order by kind, id limit ?2`, forgetBytes, nil,
		`delete from buffers where id in (
			select b.id from json_each(?1) gone cross join buffers b on b.id >= gone.value * 4096 and b.id < (gone.value + 1) * 4096
		) and ?2`,
		`delete from ledger where ingestion in (select value from json_each(?1)) and ?2`,
		`delete from ingestions where id in (select value from json_each(?1)) and practice = ?2`,
	),
	// Providers.
	func(f *forgetting) error {
		_, err := f.run(`
			update providers set merged_into = null, survivor = null
			where id in (
				select id from providers where practice = ?1 and (merged_into is not null or survivor is not null) limit ?2
			)`, f.p, forgetRows)
		return err
	},
	forgetFrom("provider_groups", "practice, npi, name"),
	forgetEach(`
		select s.id, (select count(*) from provider_log l where l.provider = s.id)
		from providers s where s.practice = ?1
		order by s.id
		limit ?2`, forgetVersions,
		shrinkBy(`delete from provider_log where id in (select id from provider_log where provider = ?1 limit 400)`),
		`update provider_log set other = null where other in (select value from json_each(?1)) and ?2`,
		`delete from provider_log where provider in (select value from json_each(?1)) and ?2`,
		`delete from provider_names where provider in (select value from json_each(?1)) and practice = ?2`,
		`delete from providers where id in (select value from json_each(?1)) and practice = ?2`,
	),
	// The practice's settings and its unfinished work.
	forgetFrom("names", "practice, word, record"),
	forgetFrom("fingerprints", "practice, live, print, record"),
	forgetFrom("reviews", "id"),
	forgetFrom("custom_fields", "id"),
	forgetFrom("drafts", "id"),
	forgetFrom("matches", "practice"),
	forgetFrom("tombstones", "id"),
	forgetFrom("refused", "id"),
	forgetFrom("api_keys", "id"),
	forgetEach(`select id, 1 from ehrs where practice = ?1 limit ?2`, forgetRows, nil,
		`delete from ehr_expiries where ehr in (select value from json_each(?1)) and ?2`,
		`delete from ehrs where id in (select value from json_each(?1)) and practice = ?2`,
	),
	forgetFrom("export_states", "export"),
	forgetFrom("exports", "id"),
	forgetFrom("former_audit", "practice, id"),
	forgetFrom("lanes", "practice"),
	(*forgetting).blank,
	// Accounts.
	forgetFrom("links", "id"),
	forgetFrom("sessions", "token"),
	forgetEach(`select u.id, 1 from users u where `+leavesWith+` limit ?2`, 20, nil,
		`delete from recovery_codes where user in (select value from json_each(?1)) and ?2`,
		`delete from links where user in (select value from json_each(?1)) and ?2`,
		`delete from sessions where user in (select value from json_each(?1)) and ?2`,
		`delete from prefills where owner in (select value from json_each(?1)) and ?2`,
		`delete from memberships where user in (select value from json_each(?1)) and practice = ?2`,
		`delete from users where id in (select value from json_each(?1)) and ?2`,
	),
	forgetEach(`select user, 1 from memberships where practice = ?1 limit ?2`, 20, nil,
		`delete from prefills where owner in (select value from json_each(?1)) and ?2`,
		`update users set password = null, totp = null, totp_step = 0, signed_in_at = null
		where id in (select value from json_each(?1)) and not exists (select 1 from memberships m where m.user = users.id and m.practice <> ?2)`,
		`delete from memberships where user in (select value from json_each(?1)) and practice = ?2`,
	),
	forgetFrom("incoming", "practice"),
}

// forgottenByPractice lists the tables with a column practice that hold no row of the practice
// at the end. Rows of other tables belong to a practice only through rows of these.
var forgottenByPractice = []string{
	"api_keys", "audit", "custom_fields", "drafts", "ehrs", "exports", "export_states", "fingerprints", "former_audit", "imports", "incoming", "ingestions",
	"lanes", "links", "matches", "memberships", "names", "provider_groups", "provider_names", "providers", "records", "refused", "reviews", "sessions",
	"tombstones", "undos",
}

// ForgetLeaves lists the tables whose rows no stage deletes, each with the reason.
var ForgetLeaves = map[string]string{
	"practices":        "its row goes last (ForgetPractice)",
	"sums":             "its row goes last (ForgetPractice)",
	"tallies":          "subtracted at once (Forget)",
	"tally_totals":     "subtracted at once (Forget)",
	"tally_returns":    "subtracted at once (Forget)",
	"goqite":           "its message goes at once (Forget)",
	"launches":         "kept for minutes, without a practice: all go (ForgetPractice)",
	"audit_head":       "the installation's: the end of the chain",
	"seal_epochs":      "the installation's keys",
	"seal_recipients":  "the installation's keys",
	"seal_list":        "the installation's keys",
	"secrets":          "the installation's keys",
	"client_keys":      "the installation's keys",
	"certificates":     "the installation's",
	"forgotten":        "the certificate",
	"goose_db_version": "the number of the schema",
	"sqlite_sequence":  "SQLite's own: no number is given twice",
}
