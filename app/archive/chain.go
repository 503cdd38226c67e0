package archive

import (
	"crypto/sha256"
	"encoding/hex"
)

// chain computes the SHA-256 chain over the lines of the audit trail (see the package comment).
// last is the value of the last line, in hexadecimal.
type chain struct{ last string }

// chained and behind are the texts before and after the chain in a line.
const (
	chained = `,"chain":"`
	behind  = `"}`
)

// next returns the chain of a line. line is the line without its last brace.
func (c *chain) next(line []byte) string {
	digest := sha256.New()
	_, _ = digest.Write([]byte(c.last)) // never fails
	_, _ = digest.Write(line)
	c.last = hex.EncodeToString(digest.Sum(nil))
	return c.last
}

// append completes a line of the trail with its chain.
func (c *chain) append(line []byte) []byte {
	line = line[:len(line)-1] // removes the last brace
	next := c.next(line)
	return append(append(append(line, chained...), next...), behind...)
}
