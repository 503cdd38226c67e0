package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"birthregistry/app/fhir"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// PartSize is how many bytes of a body are compressed and sealed together. Each part can be opened
// by itself, so a large batch is never in memory as a whole.
const PartSize = 1 << 20

// firstPart is the initial capacity of a part, in bytes. Most bodies are only a few KiB.
const firstPart = 16 << 10

func bufferPlace(p store.PracticeID, publicID string, part int) seal.Place {
	return seal.Place{Practice: int64(p), Table: "buffers", Row: fmt.Sprintf("%s/%d", publicID, part)}
}

// bufferWriter seals a request's body in parts while scan reads the body.
type bufferWriter struct {
	vault    *seal.Vault
	practice store.PracticeID
	publicID string

	from  io.Reader
	size  int64
	plain []byte
	parts [][]byte
	// failed is the error if sealing has failed. Every later call of Read returns it.
	failed error
}

var plainParts = sync.Pool{New: func() any { b := make([]byte, 0, firstPart); return &b }}

// Read reads from the body and also keeps a sealed copy of what it has read.
func (b *bufferWriter) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.from.Read(p)
	b.size += int64(n)
	fresh := p[:n]
	for len(fresh) > 0 {
		space := min(PartSize-len(b.plain), len(fresh))
		b.plain = append(b.plain, fresh[:space]...)
		fresh = fresh[space:]
		if len(b.plain) == PartSize {
			if err := b.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, err
}

func (b *bufferWriter) flush() error {
	sealed, err := b.vault.Seal(bufferPlace(b.practice, b.publicID, len(b.parts)), b.plain)
	if err != nil {
		b.failed = err
		return err
	}
	b.parts = append(b.parts, sealed)
	b.plain = b.plain[:0]
	return nil
}

// withoutBOM returns a reader of the same text without a byte order mark at the beginning.
func withoutBOM(r io.Reader) (io.Reader, error) {
	head := make([]byte, len(bom))
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if string(head) == bom {
		return r, nil
	}
	return io.MultiReader(bytes.NewReader(head[:n]), r), nil
}

const bom = "\ufeff"

// scan reads the body to its end, checks it and seals it. It returns a *fhir.Problem if the body
// isn't acceptable.
func (b *bufferWriter) scan() error {
	plain := plainParts.Get().(*[]byte)
	b.plain = (*plain)[:0]
	defer func() {
		clear(b.plain[:cap(b.plain)])
		*plain = b.plain[:0]
		plainParts.Put(plain)
	}()
	var err error
	if b.from, err = withoutBOM(b.from); err != nil {
		return err
	}
	if err := fhir.Scan(b); err != nil {
		return err
	}
	if len(b.plain) > 0 {
		return b.flush()
	}
	return nil
}

// PartReader reads a body that was sealed in parts. Only one part is in memory at a time.
type PartReader struct {
	ctx   context.Context // reading stops when it ends
	db    *store.DB
	vault *seal.Vault
	// fetch reads a sealed part from the database. place returns the row to which the part is
	// bound.
	fetch func(v *store.View, part int) ([]byte, error)
	place func(part int) seal.Place
	// size is the length of the body in bytes, or 0 if it isn't known. In the latter case, the body
	// ends where fetch finds no further part.
	size int64

	part   int    // the number of the next part
	opened int    // how many parts were opened, including parts opened again
	last   []byte // the content of the part that was opened last; the next part reuses its memory
	plain  []byte // the part of last that hasn't been read yet
}

// ReadParts returns a reader of a sealed body whose length isn't known. The function fetch reads a
// sealed part from the database. The function place returns the row to which the part is bound.
func ReadParts(
	ctx context.Context, db *store.DB, vault *seal.Vault,
	fetch func(v *store.View, part int) ([]byte, error), place func(part int) seal.Place,
) *PartReader {
	return &PartReader{ctx: ctx, db: db, vault: vault, fetch: fetch, place: place}
}

// errBuffer means that a stored body can't be read.
var errBuffer = errors.New("ingest: the buffered Bundle cannot be read back")

func (b *PartReader) Read(p []byte) (int, error) {
	if len(b.plain) == 0 {
		if b.size > 0 && b.size <= int64(b.part)*PartSize {
			return 0, io.EOF
		}
		if err := b.open(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.plain)
	b.plain = b.plain[n:]
	return n, nil
}

// open reads and opens the next part. It returns io.EOF after the last part.
func (b *PartReader) open() error {
	sealed, err := store.Lookup(b.ctx, b.db, func(v *store.View) ([]byte, error) { return b.fetch(v, b.part) })
	if errors.Is(err, store.ErrNotFound) && b.part > 0 {
		return io.EOF
	}
	if errors.Is(err, store.ErrNotFound) {
		return errBuffer
	}
	if err != nil {
		return err
	}
	if b.last, err = b.vault.OpenInto(b.last, b.place(b.part), sealed); err != nil {
		return fmt.Errorf("%w: %w", errBuffer, err)
	}
	b.plain = b.last
	b.part++
	b.opened++
	return nil
}

// whole returns the content of a body that has only one part. Most bodies do.
func (b *PartReader) whole() ([]byte, error) {
	err := b.open()
	return b.plain, err
}

// Seek goes back to the beginning of the body, and allows no other offset. If only the first part
// was opened, it isn't opened again.
func (b *PartReader) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, errors.New("ingest: a buffered body is read from its beginning")
	}
	switch b.part {
	case 1:
		b.plain = b.last
	default:
		b.part, b.plain = 0, nil
	}
	return 0, nil
}

// bufferOf returns a reader of an ingestion's Bundle.
func (s *Service) bufferOf(ctx context.Context, p store.PracticeID, i store.Ingestion) *PartReader {
	return &PartReader{
		ctx: ctx, db: s.db, vault: s.vault,
		fetch: func(v *store.View, part int) ([]byte, error) { return v.BufferPart(p, i.ID, part) },
		place: func(part int) seal.Place { return bufferPlace(p, i.PublicID, part) },
		size:  i.Size,
	}
}
