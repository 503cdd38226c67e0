package records

import (
	"context"

	"birthregistry/app/stats"
	"birthregistry/store"
)

// Figures are a practice's statistics, and the numbers of records that they
// leave out.
type Figures struct {
	*stats.Report
	// Peers pools the installation's other practices for the measure that was requested. It is nil
	// if no measure was requested, and for a sandbox, which must not see figures of live practices.
	Peers *stats.Peers
	store.Counted
}

// Statistics counts a practice's births in a period and in the years before it, from one
// snapshot of the database.
func (r *Records) Statistics(ctx context.Context, p store.Practice, period stats.Period) (Figures, error) {
	return r.count(ctx, p, period, period.Trend().First, nil)
}

// Measure is Statistics together with the other practices' pooled figure for a measure (Peers).
func (r *Records) Measure(ctx context.Context, p store.Practice, period stats.Period, m *stats.Measure) (Figures, error) {
	if p.Sandbox {
		m = nil
	}
	return r.count(ctx, p, period, period.Trend().First, m)
}

// Headlines counts a practice's births in a period, without the years before it.
func (r *Records) Headlines(ctx context.Context, p store.Practice, period stats.Period) (Figures, error) {
	return r.count(ctx, p, period, period.First, nil)
}

func (r *Records) count(ctx context.Context, p store.Practice, period stats.Period, since stats.Month, of *stats.Measure) (f Figures, err error) {
	f.Report = stats.NewReport(period)
	err = r.db.View(ctx, func(v *store.View) error {
		f.Counted, err = v.Counted(p.ID, since, period)
		if err != nil || of == nil {
			return err
		}
		peers, err := v.Peers(p.ID, of, period.First, period.Last)
		f.Peers = &peers
		return err
	})
	f.AddTo(f.Report)
	r.db.CountLater(p.ID, f.Behind)
	return f, err
}
