package store

import (
	"database/sql"
	"time"
	_ "time/tzdata" // for machines without time zone data, and for the static binary
)

// Practice is a clinic or midwifery practice. Records and API keys belong to a practice.
type Practice struct {
	ID   PracticeID `json:"id"`
	Name string     `json:"name"`
	// Sandbox is set if the practice holds only synthetic data (spec, "practices.is_sandbox").
	Sandbox bool `json:"is_sandbox"`
	// EHRBeta is set if the practice may create API keys.
	EHRBeta bool `json:"ehr_beta"`
	// TimeZone is the IANA name of the time zone in which the practice's pages show times.
	TimeZone string `json:"time_zone"`
	// SecondFactor is set if the practice's users must have a second factor.
	SecondFactor bool      `json:"second_factor_required"`
	CreatedAt    time.Time `json:"created_at"`
}

// AddPractice stores a new practice and returns its ID.
func (tx *Tx) AddPractice(name string, sandbox, ehrBeta bool) (PracticeID, error) {
	id, err := tx.insert(`
		insert into practices (name, is_sandbox, ehr_beta, created_at)
		values (?, ?, ?, ?)`, name, sandbox, ehrBeta, millis(tx.Now))
	return PracticeID(id), err
}

// SetEHRBeta enables or disables the partner-EHR beta for a practice, which allows API keys. It
// returns ErrNotFound if there is no such practice.
func (tx *Tx) SetEHRBeta(id PracticeID, enabled bool) error {
	return found(tx.exec(`update practices set ehr_beta = ? where id = ?`, enabled, id))
}

// SetTimeZone sets the time zone of a practice's pages. It returns ErrNotFound if there is no such
// practice.
func (tx *Tx) SetTimeZone(id PracticeID, zone string) error {
	return found(tx.exec(`update practices set time_zone = ? where id = ?`, zone, id))
}

// RequireSecondFactor sets whether a practice's users must have a second factor.
func (tx *Tx) RequireSecondFactor(id PracticeID, required bool) error {
	if !required {
		return tx.do(`delete from second_factor_required where practice = ?`, id)
	}
	return tx.do(`insert into second_factor_required (practice, set_at) values (?, ?) on conflict do nothing`, id, millis(tx.Now))
}

// Location returns the practice's time zone, or UTC if there is no zone with that name.
func (p Practice) Location() *time.Location {
	zone, err := time.LoadLocation(p.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

const practiceColumns = `
	select
		id,
		name,
		is_sandbox,
		ehr_beta,
		time_zone,
		exists (select 1 from second_factor_required r where r.practice = practices.id),
		created_at
	from practices
	where not exists (select 1 from forgotten f where f.practice = practices.id) and not exists (select 1 from incoming i where i.practice = practices.id and i.finished_at is null)`

// Practice returns the practice with the given ID. It returns ErrNotFound if there is no such
// practice, or if the practice is being imported or forgotten.
func (v *View) Practice(id PracticeID) (Practice, error) {
	p, err := first(all(v, practiceColumns+` and id = ?`, (*Practice).scan, id))
	if err == nil {
		err = v.grants("practices", p.ID)
	}
	return p, err
}

// Practices returns all practices, except those that are being imported or forgotten.
func (v *View) Practices() ([]Practice, error) {
	return all(v, practiceColumns+` order by id`, (*Practice).scan)
}

func (p *Practice) scan(rows *sql.Rows) error {
	return rows.Scan(&p.ID, &p.Name, &p.Sandbox, &p.EHRBeta, &p.TimeZone, &p.SecondFactor, asTime(&p.CreatedAt))
}

// IsEmpty reports whether the installation is new, which means that it has no practice and no user.
func (v *View) IsEmpty() (bool, error) {
	return only[bool](v, `select not exists (select 1 from practices) and not exists (select 1 from users)`)
}
