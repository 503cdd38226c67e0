package archive

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/klauspost/compress/flate"
)

// compression is the level of Deflate. It is a fast level, so that compressing takes no longer than
// sealing and writing.
const compression = 3

// zipWriter returns a zip.Writer that compresses with the level compression.
func zipWriter(to io.Writer) *zip.Writer {
	z := zip.NewWriter(to)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, compression) })
	return z
}

// memberWriter writes a member of the archive. It also collects the size, the SHA-256 and the other
// values that the manifest has for each member.
type memberWriter struct {
	Member
	to     io.Writer
	digest hash.Hash
}

func addMember(z *zip.Writer, name string) (*memberWriter, error) {
	to, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	return &memberWriter{Member{Name: name}, to, sha256.New()}, err
}

func (m *memberWriter) Write(b []byte) (int, error) {
	n, err := m.to.Write(b)
	_, _ = m.digest.Write(b[:n]) // never fails
	m.Bytes += int64(n)
	return n, err
}

// done returns the values for the manifest after the member was written.
func (m *memberWriter) done() Member {
	m.SHA256 = hex.EncodeToString(m.digest.Sum(nil))
	return m.Member
}

// number extends the range from First to To so that it includes an ID.
func (m *memberWriter) number(id int64) {
	if m.First == 0 || id < m.First {
		m.First = id
	}
	m.To = max(m.To, id)
}
