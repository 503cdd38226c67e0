package access

import (
	"context"

	"birthregistry/store"
)

// Audits returns up to limit rows of the audit trail of the person's practice,
// newest first before a row (0 for the newest), or with back oldest first after
// it. ErrForbidden unless the person may read the trail.
func (a *Access) Audits(ctx context.Context, who Person, f store.AuditFilter, before int64, back bool, limit int) (rows []store.Audit, err error) {
	if err := who.Must(AuditView); err != nil {
		return nil, err
	}
	err = a.db.View(ctx, func(v *store.View) error {
		rows, err = v.Audits(who.Practice.ID, f, before, back, limit)
		return err
	})
	return rows, err
}
