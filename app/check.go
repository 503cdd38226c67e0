package app

import (
	"context"
	"fmt"

	"birthregistry/app/records"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Finding is one check with what is wrong, "" when nothing is.
type Finding struct {
	Check   string `json:"check"`
	Problem string `json:"problem,omitzero"`
}

// Check checks the whole installation: the file, the invariants, and that the
// key opens every version of every record.
func (a *App) Check(ctx context.Context) ([]Finding, error) {
	var findings []Finding
	tell := func(check, problem string) { findings = append(findings, Finding{check, problem}) }
	if err := a.DB.Check(ctx, tell); err != nil {
		return nil, err
	}
	closed, total := 0, 0
	err := a.DB.View(ctx, func(v *store.View) error {
		return v.SealedVersions(func(p store.PracticeID, uuid string, version int, sealed []byte) error {
			total++
			if _, err := a.Vault.Open(records.PatientPlace(p, uuid, version), sealed); err != nil {
				closed++
			}
			return ctx.Err()
		})
	})
	if err != nil {
		return nil, err
	}
	problem := ""
	if closed > 0 {
		problem = fmt.Sprintf("%d of %d do not: %v", closed, total, seal.ErrSealed)
	}
	tell("the key opens the patient data of every version", problem)
	if err := a.checkKeys(tell); err != nil {
		return nil, err
	}
	return findings, nil
}

// checkKeys checks that the key opens whatever there is, and that no change of
// keys was cut off.
func (a *App) checkKeys(tell func(check, problem string)) error {
	closed, total, err := a.Vault.Closed()
	if err != nil {
		return err
	}
	problem := ""
	if closed > 0 {
		problem = fmt.Sprintf("%d of %d do not open; restore the latest backup that is clean", closed, total)
	}
	tell("the key opens every header under which something is sealed", problem)
	keys, err := a.Vault.Keys()
	if err != nil {
		return err
	}
	problem = ""
	switch {
	case keys.Unfinished:
		problem = "a rotation was; nothing is lost, run: birthregistry secrets rotate"
	case keys.Behind > 0:
		problem = "one was; nothing is lost, run again: birthregistry secrets recovery add or remove"
	}
	tell("no change of keys was cut off", problem)
	return nil
}
