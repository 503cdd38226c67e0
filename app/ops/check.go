package ops

import (
	"context"
	"fmt"

	"birthregistry/app/changes"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// CheckResult is the result of one check. Problem is "" if the check found nothing wrong.
type CheckResult struct {
	Check   string `json:"check"`
	Problem string `json:"problem,omitzero"`
	// Fix is the command that fixes the problem, if something is unfinished. It is "" if something
	// is damaged, because only a backup helps then.
	Fix string `json:"fix,omitzero"`
}

// Damage reports whether the check found damage, and not only something unfinished.
func (r CheckResult) Damage() bool { return r.Problem != "" && r.Fix == "" }

// Check checks the whole installation: the file, the invariants and the keys. It also checks that
// the key opens every version of every record.
func (i *Installation) Check(ctx context.Context) ([]CheckResult, error) {
	var results []CheckResult
	report := func(check, problem string) { results = append(results, CheckResult{Check: check, Problem: problem}) }
	if err := i.DB.Check(ctx, report); err != nil {
		return nil, err
	}
	if err := i.checkVersions(ctx, report); err != nil {
		return nil, err
	}
	if err := i.checkKeys(ctx, report); err != nil {
		return nil, err
	}
	change, err := i.checkChange()
	return append(results, change), err
}

// checkVersions checks that the key opens every version. It also checks that a search finds each
// record by the mother's name in it, and by no other name.
func (i *Installation) checkVersions(ctx context.Context, report func(check, problem string)) error {
	closed, astray, total := 0, 0, 0
	writer := changes.New(i.DB, i.Vault, i.Auth, i.config.Log)
	err := i.DB.View(ctx, func(v *store.View) error {
		return v.SealedVersions(func(s store.SealedVersion) error {
			total++
			switch named, err := writer.CheckVersion(s); {
			case err != nil:
				closed++
			case !named:
				astray++
			}
			return ctx.Err()
		})
	})
	if err != nil {
		return err
	}
	problem := ""
	if closed > 0 {
		problem = fmt.Sprintf("%d of %d do not: %v", closed, total, seal.ErrSealed)
	}
	report("the key opens the patient data of every version", problem)
	if problem = ""; astray > 0 {
		problem = fmt.Sprintf("this is not true of %d; restore the latest backup that passes this check", astray)
	}
	report("every record is found by its mother's name, and by no other", problem)
	return nil
}

// checkKeys checks that the key opens every age header, which holds a wrapped file key.
func (i *Installation) checkKeys(ctx context.Context, report func(check, problem string)) error {
	closed, total, err := i.Vault.Closed(ctx)
	if err != nil {
		return err
	}
	problem := ""
	if closed > 0 {
		problem = fmt.Sprintf("%d of %d do not open; restore the latest backup that passes this check", closed, total)
	}
	report("the key opens every header under which something is sealed", problem)
	return nil
}

// checkChange checks that no change of the keys is unfinished.
func (i *Installation) checkChange() (CheckResult, error) {
	result := CheckResult{Check: "no change of keys was interrupted"}
	keys, err := i.Vault.Keys()
	switch {
	case keys.Unfinished:
		result.Problem, result.Fix = "a rotation was interrupted; nothing is lost", "birthregistry secrets rotate"
	case keys.Behind > 0:
		result.Problem = "a change of the recovery keys was interrupted; nothing is lost"
		result.Fix = "once more, with the same key: birthregistry secrets recovery add, or remove"
	}
	return result, err
}

// worst returns the result that has to be dealt with first: one that shows damage, or else one of
// something unfinished. ok is set if there is no problem at all.
func worst(results []CheckResult) (r CheckResult, ok bool) {
	ok = true
	for _, one := range results {
		if one.Problem != "" && (ok || !r.Damage() && one.Damage()) {
			r, ok = one, false
		}
	}
	return r, ok
}
