package views

import "time"

// ImportMemory holds a practice's answers about the columns and values of its files.
type ImportMemory struct {
	Files    []ImportKnown
	Revision int
}

// ImportKnown is one header row with the answers about it.
type ImportKnown struct {
	Headers string // the first of them
	Columns int
	Used    time.Time
	Matched []ImportMatched
	Values  []ImportMatched // the texts of the file, and how they are read
	More    bool            // set if there are others
}
