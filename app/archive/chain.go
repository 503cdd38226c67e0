package archive

import (
	"crypto/sha256"
	"encoding/hex"
)

// chain computes the SHA-256 chain of the audit trail (see the package comment). Its field last is
// the "chain" of the last line, in hexadecimal.
type chain struct{ last string }

// chained and behind are the texts before and after the value of "chain" in a line.
const (
	chained = `,"chain":"`
	behind  = `"}`
)

// next returns the value of "chain" for a line. The argument line must not include the closing
// brace.
func (c *chain) next(line []byte) string {
	digest := sha256.New()
	_, _ = digest.Write([]byte(c.last)) // never fails
	_, _ = digest.Write(line)
	c.last = hex.EncodeToString(digest.Sum(nil))
	return c.last
}

// append adds the member "chain" to a line of the audit trail.
func (c *chain) append(line []byte) []byte {
	line = line[:len(line)-1] // removes the last brace
	next := c.next(line)
	return append(append(append(line, chained...), next...), behind...)
}
