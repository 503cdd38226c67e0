package archive

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Held describes what the registry stores for a practice, and lists the practice's newest archives.
type Held struct {
	store.Holdings
	Exports []store.NotedExport
	// Changed counts the records that were written since the newest archive in Exports.
	Changed int
}

// Held returns what the registry stores for the user's practice. It lists at most limit archives.
// It returns auth.ErrForbidden unless the user may export the practice.
func (s *Service) Held(ctx context.Context, who auth.User, limit int) (h Held, err error) {
	if err := who.Must(auth.PracticeExport); err != nil {
		return h, err
	}
	err = s.db.View(ctx, func(v *store.View) error {
		p := who.Practice.ID
		if h.Holdings, err = v.Holdings(p); err != nil {
			return err
		}
		if h.Exports, err = v.NotedExports(p, limit); err != nil || len(h.Exports) == 0 {
			return err
		}
		h.Changed, err = v.ChangedSince(p, h.Exports[0].At)
		return err
	})
	return h, err
}

// Send writes the user's practice into a temporary file, records the export in the audit trail,
// calls send with the file, and deletes the file. Unlike Export, it doesn't wait until the
// practice's queue is empty.
//
// Send returns the errors of Export. It also returns ErrRunning if the practice is already being
// exported, ErrMany if the maximum number of other practices (sendsAtOnce) are being exported, and
// auth.ErrForbidden unless the user may export the practice.
//
// The file is complete before send reads it. A slow recipient therefore ties up neither a snapshot
// of the database nor memory, and an export that fails sends nothing.
func (s *Service) Send(ctx context.Context, who auth.User, sealing Sealing, send func(Made, io.Reader) error) error {
	if err := who.Must(auth.PracticeExport); err != nil {
		return err
	}
	if err := s.sends.begin(who.Practice.ID); err != nil {
		return err
	}
	defer s.sends.end(who.Practice.ID)
	written, err := s.sends.wait(ctx)
	if err != nil {
		return err
	}
	defer written()
	return s.unfinished(ctx, who, sealing, filepath.Dir(s.db.Path()), 0, func(int, int) {}, func(m Made, file *os.File) error {
		written()
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
		return send(m, file)
	})
}

// sendsAtOnce is the maximum number of archives that are being written or sent. Each is a temporary
// file next to the database. It is deleted when the recipient, who may be slow, has received it.
const sendsAtOnce = 8

// sends limits the archives that are made while users wait, so that temporary files don't fill the
// disk. A practice can have only one such archive at a time. All practices together can have at
// most sendsAtOnce. Only one archive is written at a time.
type sends struct {
	mu      sync.Mutex
	of      map[store.PracticeID]bool
	writing chan struct{}
}

func newSends() *sends {
	return &sends{of: map[store.PracticeID]bool{}, writing: make(chan struct{}, 1)}
}

func (s *sends) begin(p store.PracticeID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.of[p]:
		return ErrRunning
	case len(s.of) >= sendsAtOnce:
		return ErrMany
	}
	s.of[p] = true
	return nil
}

func (s *sends) end(p store.PracticeID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, p)
}

// wait waits until no other archive is being written. The caller must call written when its own
// archive has been written. Further calls of written do nothing.
func (s *sends) wait(ctx context.Context) (written func(), err error) {
	select {
	case s.writing <- struct{}{}:
		return sync.OnceFunc(func() { <-s.writing }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
