package ops

import (
	"context"
	"fmt"

	"birthregistry/app/records"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// CheckResult is the result of one check: Problem says what is wrong, "" when nothing is.
type CheckResult struct {
	Check   string `json:"check"`
	Problem string `json:"problem,omitzero"`
}

// Check checks the whole installation: the file, the invariants, and that the key
// opens every version of every record.
func (i *Installation) Check(ctx context.Context) ([]CheckResult, error) {
	var results []CheckResult
	report := func(check, problem string) { results = append(results, CheckResult{check, problem}) }
	if err := i.DB.Check(ctx, report); err != nil {
		return nil, err
	}
	closed, total := 0, 0
	err := i.DB.View(ctx, func(v *store.View) error {
		return v.SealedVersions(func(p store.PracticeID, uuid string, version int, sealed []byte) error {
			total++
			if _, err := i.Vault.Open(records.PatientPlace(p, uuid, version), sealed); err != nil {
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
	report("the key opens the patient data of every version", problem)
	if err := i.checkKeys(report); err != nil {
		return nil, err
	}
	return results, nil
}

// checkKeys checks that the key opens every header, and that no change of keys was
// cut off.
func (i *Installation) checkKeys(report func(check, problem string)) error {
	closed, total, err := i.Vault.Closed()
	if err != nil {
		return err
	}
	problem := ""
	if closed > 0 {
		problem = fmt.Sprintf("%d of %d do not open; restore the latest backup that is clean", closed, total)
	}
	report("the key opens every header under which something is sealed", problem)
	keys, err := i.Vault.Keys()
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
	report("no change of keys was cut off", problem)
	return nil
}
