package changes

import (
	"iter"

	"birthregistry/store"
)

// Batch holds the changes of one submission. Ingestion is the submission's ID, or 0 for changes
// that a person makes.
type Batch struct {
	Ingestion int64
	Changes   []Change
}

// Apply decides and writes changes from any source, and returns the results of each batch. It reads
// what all of the batches need, decides the changes in order, and writes the result at the end. A
// change may clear the flag that marks another record as a possible duplicate (mayLiftSuspicion).
// After a batch with such a change, Apply writes what it has decided so far, and reads the flags
// again before the next batch.
func (w *Writer) Apply(tx *store.Tx, p store.PracticeID, batches ...Batch) ([][]Result, error) {
	results := make([][]Result, len(batches))
	set, err := w.read(tx, p, batches)
	if err != nil {
		return nil, err
	}
	for n, batch := range batches {
		if results[n], err = set.decideAll(batch); err != nil {
			return nil, err
		}
		if n == len(batches)-1 || !set.mayLiftSuspicion() {
			continue
		}
		if err := set.Write(); err != nil {
			return nil, err
		}
		if set, err = w.read(tx, p, batches[n+1:]); err != nil {
			return nil, err
		}
	}
	return results, set.Write()
}

// each yields the changes of the batches, without those that were already rejected.
func each(batches []Batch) iter.Seq[*Change] {
	return func(yield func(*Change) bool) {
		for _, batch := range batches {
			for i := range batch.Changes {
				if c := &batch.Changes[i]; c.Problem == nil && !yield(c) {
					return
				}
			}
		}
	}
}
