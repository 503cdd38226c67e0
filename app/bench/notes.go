package main

import (
	"fmt"
	"io"
)

// notes say what stands in the way of a goal, by the profiles of just profile;
// keyed by the row's name and, where that is not enough, its reference.
var notes = map[string]string{
	"accept 6 KB, 64 callers" + echo202: "net/http and Echo are half of it. Of the rest 18 % are the two inserts, 10 % the commit, 15 % the strict " +
		"scan, 8 % sealing, 11 % the look-up of the key, which is read at every request so that a revocation holds at once, 4 % the log line.",
	"accept 6 KB, 64 callers" + pocketBase: "The ratio is two to three times as high at 60 KB, since PocketBase's cost grows with the bytes and ours is the request's: see the row above.",
	"POST to completed, sustained, 64 callers, one practice": "A Bundle costs 120 µs of CPU to accept and 140 to work off, twice the prototype's: it keeps a version, " +
		"the provenance of each value, fingerprints, providers and an outcome. Two cores are shared with the load.",
	"POST to completed, sustained, 64 callers, a practice each": "A turn takes what one practice has waiting; with a practice a Bundle that is one, so that each has commits of its own.",
	"batch of 10,000 courses, 202 to completed": "The writer is the wall: 44 µs of CPU a course, 16 of them for the record, 7.5 for its version, 5.5 for the commit. " +
		"Decoding has become twice as fast since the goal was set, which makes the reference faster and leaves the batch as it was.",
	"mapping + decode of a real HL7 Bundle": "A third is to find the entries, an eighth to look for DELETE, the rest decoding into shapes, allocation, mapping, masking. " +
		"Decoders written out for each shape would reach the goal, at a thousand lines that have to be kept in step with the shapes.",
	"status poll, 64 callers": "Two look-ups, the key and the receipt, 12 µs each, beside net/http and Echo; the key is read at every request so that a revocation holds at once.",
	"receive with 10,000 in flight": "The queue's own look-up walks over what is in flight. No more than the workers are ever in flight here, two on two cores: " +
		"a practice is one message, and a start releases what a killed process held.",
	"receive after 100,000 failures": "Nothing of a failure stays in the queue; the page cache is fuller.",
	"binary":                         "TLS by ACME, Prometheus, the guide's Markdown, OpenAPI, the pages and time zones; PocketBase has no metrics. SQLite is 5 MB of either.",
	"start to the first answer, p50": "Migrations are looked up, the key is opened, and the disk, the feed and the trail are looked at before the first answer.",
	"idle memory":                    "SQLite's page caches and the code that has run; it gives back what it took when it rests.",
}

// explain says below the table what stands in the way of the goals that were not
// met.
func (r Result) explain(to io.Writer) {
	for _, row := range r.Rows {
		note := notes[row.Name+row.Reference]
		if note == "" {
			note = notes[row.Name]
		}
		if !row.Met && note != "" {
			fmt.Fprintf(to, "\n%s / %s:\n  %s\n", row.Name, row.Reference, note)
		}
	}
}
