package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// unseen is the SQL that selects the practices whose data is incomplete, because they are being
// imported or forgotten.
const unseen = `(select practice from incoming where finished_at is null union all select practice from forgotten)`

// invariant is a rule that must hold for every row. query counts the rows that break it.
type invariant struct{ rule, query string }

var invariants = []invariant{
	{"every record has its versions 1 to n", `
		select count(*) from records r
		where r.practice not in ` + unseen + ` and (
			r.version <> (select count(*) from versions v where v.record = r.id)
			or r.version <> (select max(v.version) from versions v where v.record = r.id)
		)`},
	{"every record's content is one of its versions", `
		select count(*) from records r
		where r.practice not in ` + unseen + ` and not exists (
			select 1 from versions v
			where v.record = r.id and v.version = r.content and v.clinical is not null and v.patient is not null
		)`},
	{"a record that is not merged is voided exactly if its last change voided it", `
		select count(*) from records r
		join versions v on v.record = r.id and v.version = r.version
		where (r.state = 'voided') <> (v.change = 'void') and r.state <> 'merged'`},
	{"a merged record was merged into another of its practice", `
		select count(*) from records r
		left join records s on s.id = r.merged_into
		where r.practice not in ` + unseen + ` and (
			r.state = 'merged' and (s.id is null or s.id = r.id or s.practice <> r.practice)
			or r.state = 'active' and r.merged_into is not null
		)`},
	{"two records marked as not duplicates are marked in both directions, within one practice", `
		select count(*) from kept k
		join records r on r.id = k.record
		join records o on o.id = k.other
		where r.practice <> o.practice
			or r.practice not in ` + unseen + `
				and not exists (select 1 from kept back where back.record = k.other and back.other = k.record)`},
	{"a merged provider has a survivor, of its practice", `
		select count(*) from providers l
		left join providers s on s.id = l.survivor
		where (l.merged_into is null) <> (l.survivor is null)
			or s.practice <> l.practice or s.merged_into is not null`},
	{"the search index has the present name of every provider", `
		select count(*) from providers l
		left join provider_names n on n.provider = l.id
		where name_key(l.name) <> coalesce(n.name, '') or n.practice <> l.practice`},
	{"every item of an ingestion is applied once", `
		select count(*) from (
			select 1 from versions where ingestion is not null
			group by ingestion, item having count(*) > 1
		)`},
	{"a completed ingestion has a receipt and no buffer", `
		select count(*) from ingestions i
		where i.status in ('completed', 'failed') and (
			i.outcome is null
			or i.completed_at is null
			or exists (select 1 from buffers b where b.id >= i.id * 4096 and b.id < (i.id + 1) * 4096)
			or exists (select 1 from ledger l where l.ingestion = i.id)
		)`},
	{"an unfinished ingestion has its buffer", `
		select count(*) from ingestions i
		where i.status in ('queued', 'processing') and i.kind = 'bundle' and i.practice not in ` + unseen + `
			and not exists (select 1 from buffers b where b.id >= i.id * 4096 and b.id < (i.id + 1) * 4096)`},
	{"an unfinished import has its file", `
		select count(*) from ingestions g
		where g.status in ('queued', 'processing') and g.kind = 'csv' and g.practice not in ` + unseen + `
			and not exists (
				select 1 from imports i join import_parts f on f.id = i.id * 4096
				where i.ingestion = g.id and i.kept = 1
			)`},
	{"every part of a file belongs to an import that keeps it", `
		select count(*) from import_parts f
		where not exists (select 1 from imports i where i.id = f.id / 4096 and i.kept = 1)`},
	{"an unfinished ingestion is announced", `
		select count(*) from ingestions i
		where i.status in ('queued', 'processing') and i.practice not in ` + unseen + `
			and not exists (
				select 1 from lanes l join goqite m on m.id = l.message
				where l.practice = i.practice
			)`},
	{"fingerprints belong to their record's practice", `
		select count(*) from fingerprints f join records r on r.id = f.record
		where r.practice <> f.practice`},
	{"fingerprints count exactly if their record is active", `
		select count(*) from fingerprints f join records r on r.id = f.record
		where f.live <> (r.state = 'active')`},
	{"names belong to their record's practice", `
		select count(*) from names n join records r on r.id = n.record
		where r.practice <> n.practice`},
	{"providers who took part in a birth belong to the record's practice", `
		select count(*) from attributions a
		join records r on r.id = a.record
		join providers s on s.id = a.provider
		where r.practice <> s.practice`},
}

// Check checks pages, references, invariants, stored counts and signed rows. For each check, it
// calls report with the check's name and a description of the problem, or "" if there is none.
func (db *DB) Check(ctx context.Context, report func(check, problem string)) error {
	var answer string
	if err := db.read.QueryRowContext(ctx, "pragma integrity_check(1)").Scan(&answer); err != nil {
		return decode(err)
	}
	if answer == "ok" {
		answer = ""
	} else {
		answer = "the file is damaged; restore the latest backup"
	}
	report("every page of the file is sound", answer)
	return db.View(ctx, func(v *View) error {
		broken := 0
		if err := v.one("select count(*) from pragma_foreign_key_check", nil, &broken); err != nil {
			return err
		}
		report("every row refers to rows that exist", broke(broken))
		for _, i := range invariants {
			if err := v.one(i.query, nil, &broken); err != nil {
				return err
			}
			report(i.rule, broke(broken))
		}
		broken, err := v.brokenTallies()
		if err != nil {
			return err
		}
		report(talliesRule, broke(broken))
		if broken, err = v.brokenMonthCounts(); err != nil {
			return err
		}
		report(monthCountsRule, broke(broken))
		if broken, err = v.brokenProviderCounts(); err != nil {
			return err
		}
		report(providerCountsRule, broke(broken))
		damage, err := v.Verify(ctx)
		if err != nil {
			return err
		}
		problem := ""
		if len(damage) > 0 {
			problem = DamageError(damage).Error()
		}
		report("every row is as the program wrote it, and none is missing", problem)
		return nil
	})
}

// Sound reads every page of the database file. If a page is damaged, Sound returns ErrCorrupt, and
// the database refuses all writes from then on. Reading takes about a second for 200 MB. Sound
// reads each page only once, so it caches only a few pages: SQLite wouldn't release the memory of a
// larger cache before the process ends.
func (db *DB) Sound(ctx context.Context) error {
	if err := db.views.take(ctx, 0); err != nil { // this counts as a snapshot, because it takes as long as one
		return err
	}
	defer db.views.leave(0)
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return decode(err)
	}
	var answer string
	_, err = conn.ExecContext(ctx, "pragma cache_size = -256") // KiB; the default is 2,000
	if err == nil {
		err = conn.QueryRowContext(ctx, "pragma quick_check(1)").Scan(&answer)
	}
	_, err2 := conn.ExecContext(background, "pragma cache_size = -2000")
	if err = decode(errors.Join(err, err2, conn.Close())); err == nil && answer != "ok" {
		err = ErrCorrupt
	}
	return db.notice(err)
}

// LastWritten returns the time of the last entry in the audit trail or of the last submission,
// whichever is later. It returns the zero time if there is neither. The time can be in the future
// only if a clock was wrong.
func (v *View) LastWritten() (at time.Time, err error) {
	err = v.one(`
		select nullif(max(
			coalesce((select at from audit order by id desc limit 1), 0),
			coalesce((select created_at from ingestions order by id desc limit 1), 0)
		), 0)`, nil, asTime(&at))
	return at, err
}

func broke(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d rows break it", n)
}
