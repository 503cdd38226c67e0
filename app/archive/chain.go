package archive

import (
	"crypto/sha256"
	"encoding/hex"
)

// chain is the chain over the lines of the trail (see the package comment).
type chain struct{ last string }

// chained is what precedes the chain in its line, and behind what follows it.
const (
	chained = `,"chain":"`
	behind  = `"}`
)

// next returns the chain of a line, which is given up to its last brace.
func (c *chain) next(line []byte) string {
	digest := sha256.New()
	_, _ = digest.Write([]byte(c.last)) // never fails
	_, _ = digest.Write(line)
	c.last = hex.EncodeToString(digest.Sum(nil))
	return c.last
}

// append closes a line of the trail with its chain.
func (c *chain) append(line []byte) []byte {
	line = line[:len(line)-1] // the last brace
	next := c.next(line)
	return append(append(append(line, chained...), next...), behind...)
}
