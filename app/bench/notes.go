package main

import (
	"fmt"
	"io"
)

// notes say what stands in the way of a goal, by the profiles of just profile;
// keyed by the row's name and, where that is not enough, its reference.
var notes = map[string]string{
	"accept 6 KB, 64 callers" + echo202: "An accept costs 115 µs of CPU, of which net/http and Echo are a quarter. 41 % is the writer: 20 % its two inserts, " +
		"8 % the pages of the WAL, 4 % the checkpoint. 16 % is the strict scan, 10 % compressing and sealing. " +
		"The prototype had no authentication, no practices, no log line.",
	"accept 6 KB, 64 callers" + writeFsync: "The load takes half a core of the two, the accept all that is left. See the row against Echo.",
	"accept 6 KB, 64 callers" + pocketBase: "The same 115 µs as in the row against Echo; PocketBase is a quarter faster here than where the goal was set.",
	"accept 60 KB, 64 callers": "30 % is the strict scan, 24 % compressing (2.5 to 1), 24 % the writer, 4 % sealing: what is paid by the byte, to write less and to let " +
		"nothing in that is not JSON. The prototype's scan was as strict; its bodies shrank further.",
	"accept 6 KB, 1 caller, p50": "At the edge, 2.2 to 2.7 from run to run: 200 µs are the disk, which has several pages to keep and not one, 115 the CPU of an accept, " +
		"the rest its way between three threads.",
	"POST to completed, sustained, 64 callers, one practice": "A Bundle costs 115 µs of CPU to accept and 170 to work off, twice the prototype's: it keeps a version, " +
		"the provenance of each value, fingerprints, providers and an outcome. Two cores are shared with the load.",
	"POST to completed, sustained, 64 callers, a practice each": "A turn takes what one practice has waiting; with a practice a Bundle that is one. The commits are shared, " +
		"the look-ups and inserts are not: some forty statements of one row, where a group of 64 has as many for all.",
	"single Bundles drained from a backlog": "Of the 170 µs of CPU half are the writer: a fifth for the record and what belongs to it, 10 % to end the ingestion, 7 % the pages of the log. " +
		"A quarter is reading, 11 % getting the body back. What made reading faster makes the reference faster as well.",
	"batch of 10,000 courses, 202 to completed": "The writer is the wall: 44 µs of CPU a course, 16 of them for the record, 7.5 for its version, 5.5 for the commit. " +
		"Decoding has become twice as fast since the goal was set, which makes the reference faster and leaves the batch as it was.",
	"mapping + decode of a real HL7 Bundle": "A third is to find where values end, those that nobody reads (narrative) twice; a seventh allocation, a tenth mapping, the rest decoding " +
		"into shapes by reflection. Decoders written out for each shape would reach the goal, at a thousand lines that have to be kept in step with the shapes.",
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
