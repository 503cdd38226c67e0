package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/flate"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// The errors from reading an archive. Each says what to do.
var (
	ErrNoArchive = errors.New("the file is not an archive of a practice, or it was cut off; export it again")
	ErrDamaged   = errors.New("the archive was damaged or altered; export it again, and compare the SHA-256 of the copy")
	ErrKey       = errors.New("the given key does not open the archive; with --identity, name the file that holds the secret key of one of its recipients, or name its --passphrase-file")
	ErrFormat    = errors.New("this program cannot read the archive's format; use the version of the program that its manifest names, or a later one")
)

// damaged returns ErrDamaged with a text about the damage. The text must not quote values.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w (%s)", ErrDamaged, fmt.Sprintf(format, args...))
}

// Opening holds what opens an archive: files that contain a secret key, or a passphrase.
type Opening struct {
	KeyFiles   []string
	Passphrase string
}

// reader is an open archive.
type reader struct {
	file     *os.File
	zip      map[string]*zip.File
	manifest Manifest
	digest   [sha256.Size]byte // the SHA-256 of the manifest
	members  map[string]Member
	size     int64
}

// openArchive opens an archive and reads its manifest. The caller must close the result.
func openArchive(path string, with Opening) (_ *reader, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	defer func() {
		if err != nil {
			_ = f.Close() // only read
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	content, size, err := seal.OpenFileAt(f, info.Size(), with.Passphrase, with.KeyFiles...)
	if errors.Is(err, seal.ErrSealed) {
		return nil, ErrNoArchive
	}
	if errors.Is(err, seal.ErrWrongKey) || errors.Is(err, seal.ErrNoKey) {
		return nil, ErrKey // the other errors are about this installation's own key, which doesn't open archives
	}
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(content, size)
	if err != nil {
		return nil, ErrNoArchive
	}
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	a := &reader{file: f, zip: map[string]*zip.File{}, members: map[string]Member{}, size: info.Size()}
	for _, member := range z.File {
		if a.zip[member.Name] != nil {
			return nil, damaged("a member is there twice")
		}
		a.zip[member.Name] = member
	}
	if err := a.readManifest(); err != nil {
		return nil, err
	}
	return a, a.complete()
}

func (a *reader) Close() error { return a.file.Close() }

func (a *reader) readManifest() error {
	member := a.zip[manifestName]
	if member == nil {
		return ErrNoArchive
	}
	r, err := member.Open()
	if err != nil {
		return ErrNoArchive
	}
	defer r.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil || len(text) > maxManifest {
		return damaged(manifestName)
	}
	var version struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(text, &version) != nil {
		return damaged(manifestName)
	}
	if version.Format != Format {
		return ErrFormat
	}
	if json.Unmarshal(text, &a.manifest, json.RejectUnknownMembers(true)) != nil {
		return damaged(manifestName)
	}
	for _, again := range a.manifest.MadeAgain.texts() { // these texts are shown in a terminal
		if strings.ContainsFunc(again, unicode.IsControl) {
			return damaged(manifestName)
		}
	}
	a.digest = sha256.Sum256(text)
	return nil
}

// complete checks that the archive has exactly the members in the manifest, with their sizes.
func (a *reader) complete() error {
	var total int64
	for _, m := range a.manifest.Members {
		in := a.zip[m.Name]
		_, again := a.members[m.Name]
		if in == nil || again || m.Bytes < 0 || in.UncompressedSize64 != uint64(m.Bytes) {
			return damaged("%s lists a member that is missing, listed twice or of another size", manifestName)
		}
		if m.First < 0 || m.To < m.First || m.To > maxID || m.Rows < 0 {
			return damaged("%s has numbers out of range", manifestName)
		}
		if most := mostRows[m.Name]; most > 0 && m.Rows > most {
			return damaged("%s has more than %d rows", m.Name, most)
		}
		a.members[m.Name] = m
		total += m.Bytes
		if total < 0 || total > maxRatio*a.size+spareFor {
			return damaged("its members are too large for the file")
		}
	}
	names := []string{birthsName}
	for _, t := range store.ArchiveTables {
		names = append(names, t.Name+lines)
	}
	for _, name := range names {
		if _, ok := a.members[name]; !ok {
			return damaged("%s is missing", name)
		}
	}
	if len(a.members) != len(names) || len(a.zip) != len(names)+1 {
		return damaged("it has a member that format %d does not have", Format)
	}
	return nil
}

// member is a reader of one member of the archive. It counts and hashes the bytes.
type member struct {
	Member
	from   io.Reader
	close  func() error
	read   int64
	digest hash.Hash
}

func (a *reader) open(name string) (*member, error) {
	r, err := a.zip[name].Open()
	if err != nil {
		return nil, damaged("%s", name)
	}
	return &member{Member: a.members[name], from: r, close: r.Close, digest: sha256.New()}, nil
}

// Read reads from the member. It returns ErrDamaged if the member is damaged, or if it is longer
// than the manifest says.
func (m *member) Read(b []byte) (int, error) {
	n, err := m.from.Read(b)
	m.read += int64(n)
	_, _ = m.digest.Write(b[:n]) // never fails
	if m.read > m.Bytes || err != nil && err != io.EOF {
		if errors.Is(err, seal.ErrSealed) || m.read > m.Bytes || !isDiskError(err) {
			err = damaged("%s", m.Name)
		}
	}
	return n, err
}

func isDiskError(err error) bool {
	disk := (*os.PathError)(nil)
	return errors.As(err, &disk)
}

// end closes a member that was read to its end. It returns ErrDamaged if the size, the SHA-256 or
// the number of rows differs from the manifest.
func (m *member) end(rows int) error {
	if err := m.close(); err != nil {
		return damaged("%s", m.Name)
	}
	if m.read != m.Bytes || hex.EncodeToString(m.digest.Sum(nil)) != m.SHA256 || rows != m.Rows {
		return damaged("%s differs from what the manifest states", m.Name)
	}
	return nil
}

// rows calls visit for each row of a table in the archive. Sealed values are in plain form. The
// values of store.ArchiveTable.With aren't in an archive and are nil.
func (a *reader) rows(ctx context.Context, t *store.ArchiveTable, visit func(row) error) error {
	m, err := a.open(t.Name + lines)
	if err != nil {
		return err
	}
	defer m.close() //nolint:errcheck // end has closed it
	from, links, n := bufio.NewReaderSize(m, 64<<10), chain{}, 0
	for {
		line, err := readLine(from)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if n++; n > m.Rows {
			return damaged("%s differs from what the manifest states", m.Name)
		}
		if t.Name == "audit" {
			if line, err = links.check(line); err != nil {
				return damaged("the chain of %s breaks at line %d", m.Name, n)
			}
		}
		values, err := a.parse(t, line)
		if err != nil {
			return fmt.Errorf("%w, in line %d of %s", err, n, m.Name)
		}
		if err := visit(row{t, values}); err != nil {
			return err
		}
	}
	if t.Name == "audit" && links.last != a.manifest.Trail.Last {
		return damaged("the chain of %s ends elsewhere", m.Name)
	}
	return m.end(n)
}

// readLine reads a line and returns it without the line break. It returns ErrDamaged if the line
// has no line break, or if it is too long.
func readLine(from *bufio.Reader) (line []byte, err error) {
	for {
		part, err := from.ReadSlice('\n')
		if len(line)+len(part) > MaxLine+1 {
			return nil, damaged("a line is longer than %d MiB", MaxLine>>20)
		}
		switch {
		case err == nil && line == nil:
			return bytes.TrimSuffix(part, []byte("\n")), nil
		case err == nil:
			return bytes.TrimSuffix(append(line, part...), []byte("\n")), nil
		case errors.Is(err, bufio.ErrBufferFull):
			line = append(line, part...)
		case errors.Is(err, io.EOF) && len(line)+len(part) > 0:
			return nil, damaged("the last line has no end")
		default:
			return nil, err
		}
	}
}

// check verifies the "chain" at the end of a line of the audit trail. It returns the line without
// its "chain".
func (c *chain) check(line []byte) ([]byte, error) {
	text, stated, found := strings.Cut(string(line), chained)
	if !found || stated != c.next([]byte(text))+behind {
		return nil, ErrDamaged
	}
	return []byte(text + "}"), nil
}
