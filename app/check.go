package app

import (
	"context"
	"fmt"

	"birthregistry/app/intake"
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
	err := a.DB.View(func(v *store.View) error {
		return v.SealedVersions(func(p store.PracticeID, uuid string, version int, sealed []byte) error {
			total++
			if _, err := a.Vault.Open(intake.PatientPlace(p, uuid, version), sealed); err != nil {
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
	return findings, nil
}
