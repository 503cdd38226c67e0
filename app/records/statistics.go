package records

import (
	"context"

	"birthregistry/app/stats"
	"birthregistry/store"
)

// Figures holds a practice's statistics, and the numbers of records that the statistics leave out.
type Figures struct {
	*stats.Report
	// Peers combines the figures of the installation's other practices for the requested measure.
	// It is nil if no measure was requested. It is also nil for a sandbox, which must not see
	// figures of real practices.
	Peers *stats.Peers
	store.Counted
}

// Statistics counts a practice's births in a period and in the years before it. It uses one
// snapshot of the database.
func (r *Records) Statistics(ctx context.Context, p store.Practice, period stats.Period) (Figures, error) {
	return r.count(ctx, p, period, period.Trend().First, nil)
}

// Measure is like Statistics, but also returns the combined figure of the other practices for a
// measure (Peers).
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
