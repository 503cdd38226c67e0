package store

import "fmt"

// leavesWith is the SQL condition that an account (u) is deleted together with a practice (?1). The
// account must have a membership in the practice, or have come with the practice from another
// installation. An account that has no membership and came with no practice is deleted, too:
// forgetting another practice can leave such an account. In any case, the account must have no
// membership in another practice, and no row of another practice may name it.
const leavesWith = `
	u.id in (
		select user from memberships where practice = ?1
		union
		select c.id from incoming a cross join users c on c.id between a.users_from and a.users_to where a.practice = ?1
		union
		select c.id from users c
		where
			not exists (select 1 from memberships m where m.user = c.id)
			and not exists (select 1 from incoming a where c.id between a.users_from and a.users_to)
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

// accountRows lists columns that refer to an account, such as passkeys.user. The rows that refer to
// a deleted account are deleted with it.
var accountRows = []string{"recovery_codes.user", "passkeys.user", "links.user", "sessions.user", "prefills.owner", "memberships.user", "sso_links.user"}

// forgetStages delete the rows of a practice, in an order in which no remaining row refers to a
// deleted one. The weight of an account includes 50, because it takes time to find out whether the
// account is to be deleted. forget_test.go names the tables whose rows no stage deletes.
var forgetStages = []forgetStage{
	forgetFrom("deliveries", "ingestion"),
	forgetFrom("rejects", "id"),
	// Submissions that wait in the queue.
	forgetEach(`
		select i.id, i.size / `+fmt.Sprint(forgetBytes)+` + `+weighs("i.id", "ledger.ingestion")+`
		from ingestions i
		where i.practice = ?1 and i.status in ('queued', 'processing')
		order by i.id
		limit ?2`,
		shrinkBy(
			`delete from buffers where id in (select id from buffers where id >= ?1 * 4096 and id < (?1 + 1) * 4096 limit 2)`,
			some("ledger", "ingestion, first", "ingestion"),
		),
		`delete from buffers where id in (
			select b.id from json_each(?1) gone cross join buffers b on b.id >= gone.value * 4096 and b.id < (gone.value + 1) * 4096
		) and ?2`,
		`delete from ledger where ingestion in (select value from json_each(?1)) and ?2`,
		`update ingestions set status = 'failed', outcome = x'', completed_at = created_at
		where id in (select value from json_each(?1)) and practice = ?2`,
	),
	// Imports and their undos.
	forgetEach(`
		select u.import, `+weighs("u.import", "undo_kept.import")+`
		from undos u where u.practice = ?1
		limit ?2`,
		shrinkBy(some("undo_kept", "import, item", "import")),
		`delete from undo_kept where import in (select value from json_each(?1)) and ?2`,
		`delete from undos where import in (select value from json_each(?1)) and practice = ?2`,
	),
	forgetEach(`
		select id, 1 + (size + length(about)) / `+fmt.Sprint(forgetBytes)+` from imports
		where practice = ?1
		order by id
		limit ?2`,
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
	forgetEach(`
		select r.id, `+weighs("r.id", "attributions.record", "versions.record", "custom_values.record", "fingerprints.record", "names.record",
		"kept.record", "kept.other", "reviews.stays", "reviews.goes")+`
		from records r indexed by records_practice
		where r.practice = ?1
		order by r.id
		limit ?2`,
		shrinkBy(
			some("custom_values", "record, version", "record"),
			some("attributions", "record, version, provider", "record"),
			some("fingerprints", "practice, live, print, record", "record"),
			some("names", "practice, word, record", "record"),
			some("versions", "id", "record"),
		),
		eraseRecords...,
	),
	forgetEach(`
		select id, 1 + coalesce(length(outcome), 0) / `+fmt.Sprint(forgetBytes)+` from ingestions
		where practice = ?1
		order by kind, id
		limit ?2`, nil,
		`delete from buffers where id in (
			select b.id from json_each(?1) gone cross join buffers b on b.id >= gone.value * 4096 and b.id < (gone.value + 1) * 4096
		) and ?2`,
		`delete from ledger where ingestion in (select value from json_each(?1)) and ?2`,
		`delete from ingestions where id in (select value from json_each(?1)) and practice = ?2`,
	),
	// Providers.
	func(f *forgetting) error {
		_, err := f.run(unmergeProviders, f.p, forgetRows)
		return err
	},
	forgetFrom("provider_groups", "practice, npi, name"),
	forgetEach(`
		select s.id, `+weighs("s.id", "provider_log.provider", "provider_log.other", "provider_names.provider")+`
		from providers s where s.practice = ?1
		order by s.id
		limit ?2`,
		shrinkBy(
			some("provider_log", "id", "provider"),
			some("provider_names", "practice, name, provider", "provider"),
			`update provider_log set other = null where id in (select id from provider_log where other = ?1 limit 200)`,
		),
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
	forgetFrom("webhooks", "api_key"),
	forgetFrom("api_keys", "id"),
	forgetEach(`select id, 2 from ehrs where practice = ?1 limit ?2`, nil,
		`delete from ehr_expiries where ehr in (select value from json_each(?1)) and ?2`,
		`delete from ehrs where id in (select value from json_each(?1)) and practice = ?2`,
	),
	forgetFrom("sso_only", "practice"),
	forgetFrom("second_factor_required", "practice"),
	forgetFrom("export_states", "export"),
	forgetFrom("exports", "id"),
	forgetFrom("former_audit", "practice, id"),
	forgetFrom("lanes", "practice"),
	(*forgetting).blank,
	// Accounts. If an account has caused another audit entry meanwhile, the account and its
	// membership stay until blankAccounts has emptied that entry, too.
	forgetFrom("links", "id"),
	forgetFrom("sessions", "token"),
	(*forgetting).blankAccounts,
	forgetEach(`
		select u.id, 50 + `+weighs("u.id", accountRows...)+`
		from users u
		where `+leavesWith+` and not exists (select 1 from audit x where x.user = u.id)
		limit ?2`, nil,
		`delete from recovery_codes where user in (select value from json_each(?1)) and ?2`,
		`delete from passkeys where user in (select value from json_each(?1)) and ?2`,
		`delete from links where user in (select value from json_each(?1)) and ?2`,
		`delete from sessions where user in (select value from json_each(?1)) and ?2`,
		`delete from prefills where owner in (select value from json_each(?1)) and ?2`,
		`delete from sso_links where user in (select value from json_each(?1)) and ?2`,
		`delete from memberships where user in (select value from json_each(?1)) and practice = ?2`,
		`delete from users where id in (select value from json_each(?1)) and ?2`,
	),
	forgetEach(`
		select u.id, 50 + `+weighs("u.id", "prefills.owner", "passkeys.user")+`
		from memberships m
		join users u on u.id = m.user
		where m.practice = ?1 and not (`+leavesWith+`)
		limit ?2`, nil,
		`delete from prefills where owner in (select value from json_each(?1)) and ?2`,
		`delete from sso_links
		where user in (select value from json_each(?1)) and not exists (select 1 from memberships m where m.user = sso_links.user and m.practice <> ?2)`,
		`delete from passkeys
		where
			user in (select value from json_each(?1))
			and not exists (select 1 from memberships m where m.user = passkeys.user and m.practice <> ?2)`,
		`update users set password = null, totp = null, totp_step = 0, signed_in_at = null
		where id in (select value from json_each(?1)) and not exists (select 1 from memberships m where m.user = users.id and m.practice <> ?2)`,
		`delete from memberships where user in (select value from json_each(?1)) and practice = ?2`,
	),
	forgetFrom("incoming", "practice"),
}

// forgottenByPractice lists the tables that have a column named practice. ForgetPractice deletes a
// practice only when none of these tables has a row of the practice.
var forgottenByPractice = []string{
	"api_keys", "audit", "custom_fields", "deliveries", "drafts", "ehrs", "exports", "export_states", "fingerprints", "former_audit", "imports", "incoming", "ingestions",
	"lanes", "links", "matches", "memberships", "month_counts", "names", "provider_counts", "provider_groups", "provider_names", "providers", "records", "refused", "rejects", "reviews", "second_factor_required", "sessions",
	"sso_only", "tombstones", "undos", "webhooks",
}
