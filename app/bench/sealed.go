package main

import "io"

// sealedBody reads a body that is sealed in parts, and opens each part as it is
// reached.
type sealedBody struct {
	size int64                       // of the whole body
	part func(n int) ([]byte, error) // opens the nth part

	next int
	read int64
	last []byte // the part before the next
	left []byte // what is not yet read of it
}

func (b *sealedBody) Read(p []byte) (n int, err error) {
	if len(b.left) == 0 {
		if b.read == b.size {
			return 0, io.EOF
		}
		if b.last, err = b.part(b.next); err != nil {
			return 0, err
		}
		b.left = b.last
		b.read += int64(len(b.last))
		b.next++
	}
	n = copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

// Seek returns to the beginning. It does not open the only part of a body again.
func (b *sealedBody) Seek(int64, int) (int64, error) {
	if b.next == 1 {
		b.left = b.last
		return 0, nil
	}
	b.next, b.read, b.last, b.left = 0, 0, nil, nil
	return 0, nil
}
