package fhir

// Problem is one entry of the error catalog. The catalog lists every error that the push endpoints
// return, and tests compare the documentation and the OpenAPI description with it.
type Problem struct {
	// Name identifies the problem for programs (issue.details.coding.code).
	Name string
	// Status is the HTTP status. It is 0 for a problem that is found during processing and reported
	// in the receipt.
	Status int
	// Code is the FHIR issue type.
	Code string
	// Text says what is wrong (issue.diagnostics). Hint says what to do next.
	Text, Hint string
	// Expression is the place in the Bundle that is reported if no other place is known.
	Expression string
}

// Catalog lists every problem, in the order of the checks.
var Catalog []*Problem

// because returns a copy of the problem with a more exact text that gives the cause.
func (p *Problem) because(text string) *Problem {
	of := *p
	of.Text = text
	return &of
}

func problem(name string, status int, code, text, hint string, expression ...string) *Problem {
	p := &Problem{Name: name, Status: status, Code: code, Text: text, Hint: hint}
	if len(expression) > 0 {
		p.Expression = expression[0]
	}
	Catalog = append(Catalog, p)
	return p
}

// Accepted is the body of the response 202. It confirms that a Bundle is queued.
var Accepted = problem("queued", 202, "informational",
	"The Bundle is queued for processing.",
	"Poll the address in Content-Location until status is completed or failed.")

// The problems for which the service rejects a request.
var (
	NoSuchPath = problem("no-such-path", 404, "not-found",
		"There is no such endpoint.",
		"See /openapi.json for the endpoints of this service.")
	NoSuchMethod = problem("no-such-method", 405, "not-supported",
		"The endpoint does not support this method.",
		"Use a method named in the Allow header.")
	InTheClear = problem("in-the-clear", 403, "forbidden",
		"This service cannot be reached without TLS.",
		"Use the https address. A key that was sent without TLS may have been read on the way: revoke it.")
	Throttled = problem("throttled", 429, "throttled",
		"The rate limit is exceeded.",
		"Wait for the seconds in Retry-After, then send the request again. Submissions and status polls share one limit.")
	Unauthorized = problem("unauthorized", 401, "login",
		"The API key is missing, invalid or revoked.",
		"Send Authorization: Bearer with a key of this practice.")
	Forbidden = problem("forbidden", 403, "forbidden",
		"The API key lacks the scope of this endpoint.",
		"Use a key with the scope ingest:write to submit and ingest:read to poll.")
	BadIdempotencyKey = problem("bad-idempotency-key", 400, "value",
		"The Idempotency-Key is not 1 to 255 visible ASCII characters, or is sent more than once.",
		"Send one key, such as a UUID.")
	BadMediaType = problem("bad-media-type", 415, "not-supported",
		"The request does not declare its body as uncompressed JSON in UTF-8.",
		"Send Content-Type: application/fhir+json and no Content-Encoding.")
	TooLarge = problem("too-large", 413, "too-long",
		"The body is larger than this service accepts.",
		"Split the batch into several submissions.")
	NotJSON = problem("not-json", 400, "structure",
		"The body is not one well-formed JSON object in UTF-8 with distinct member names.",
		"Check the JSON with a strict parser before sending it.", "Bundle.resourceType")
	TooComplex = problem("too-complex", 400, "structure",
		"The body is nested deeper than 64 levels, or has a number, an object or a list that is too long, or too many entries.",
		"Split the batch; a course of care needs nothing of that size.", "Bundle.resourceType")
	HasNUL = problem("nul-character", 400, "structure",
		"A text in the body contains the character U+0000, which no FHIR string may contain.",
		"Remove the escape \\u0000 and send the request again.", "Bundle")
	NotABundle = problem("not-a-bundle", 400, "structure",
		"The body is not a JSON object with resourceType Bundle.",
		"Send a FHIR R4 BFDR Bundle.", "Bundle.resourceType")
	NoSuchIngestion = problem("no-such-ingestion", 404, "not-found",
		"There is no ingestion with this id for the practice of this key.",
		"Use the address from the Content-Location header of the submission, with a key of the same practice.")
	Busy = problem("busy", 503, "transient",
		"The service cannot take the Bundle at the moment; nothing was stored.",
		"Send the same request again after the seconds in Retry-After.")
	BodyUnread = problem("body-unread", 400, "structure",
		"The body ended before it was complete; nothing was stored.",
		"Send the request again.", "Bundle")
	Internal = problem("internal", 500, "exception",
		"The service failed to answer; the request may not have been stored.",
		"Send the same request again with the same Idempotency-Key. If it fails again, give the operator the X-Request-Id.")
)

// ReceiptsBusy is Busy for a receipt that can't be sent yet, because other long ones are being read.
var ReceiptsBusy = Busy.because("Too many long receipts are being read at the moment.")

// The problems for which the service rejects a course of care. Receipts report them.
var (
	NothingUsable = problem("nothing-usable", 0, "required",
		"The Bundle holds no course of care and no retraction.",
		"Send the mother Patient, the child Patients and their Observations as entries, or Bundles of them.", "Bundle.entry")
	NoBirthInMessage = problem("no-birth-in-message", 0, "not-supported",
		"The message holds no birth document, and this service does not process other messages.",
		"Send the document of the birth, by itself or in a message. Retract a record with a Composition whose status is entered-in-error, "+
			"or with a DELETE entry that has its chart number.", "Bundle.entry")
	NoMother = problem("no-mother", 0, "invariant",
		"No Patient of the course of care has a mother profile in meta.profile.",
		"Give exactly one Patient a profile naming mother, such as Patient-mother-vr.")
	SeveralMothers = problem("several-mothers", 0, "invariant",
		"More than one Patient of the course of care has a mother profile in meta.profile.",
		"Send one course of care for each mother.")
	NoChild = problem("no-child", 0, "invariant",
		"No Patient of the course of care has a child, newborn, fetus or decedent profile in meta.profile.",
		"Give every child Patient a profile naming child, such as Patient-child-vr.")
	WrongType = problem("wrong-type", 0, "structure",
		"A member has the wrong JSON type.",
		"Send the member as FHIR R4 defines it.")
	TooManyElements = problem("too-many-elements", 0, "structure",
		"The course of care has more elements than any real one: over 200,000 in all, 100 children, 200 practitioners or "+
			"100 transfers of care, or an identifier of more than 255 characters.",
		"Send one course of care in each inner Bundle.")
	TooNested = problem("too-nested", 0, "structure",
		"Bundles are nested deeper than 4 levels.",
		"Send the courses of care as direct entries of the batch.")
	Stale = problem("stale", 0, "conflict",
		"Stale update ignored.",
		"The record on file has a later meta.lastUpdated or timestamp, or a user of the practice has saved it since. Send the current state of the record.", "Bundle.meta.lastUpdated")
	WouldDuplicate = problem("would-duplicate", 0, "conflict",
		"The correction would make the record match a different record (same mother and newborn date/time); it was not merged.",
		"Check the chart number; retract one of the two records if they are the same birth.", "Bundle.identifier.value")
	Erased = problem("erased", 0, "conflict",
		"The practice has erased the birth with this chart number.",
		"Stop sending this chart number. If the birth is to be recorded again, an admin of the practice must allow it first.", "Bundle.identifier.value")
	UnknownChart = problem("unknown-chart", 0, "not-found",
		"No record has the chart number of the retraction.",
		"Check the chart number; it must match exactly.", "Bundle.identifier.value")
	BadChartNumber = problem("bad-chart-number", 0, "value",
		"The chart number holds a control character, or is longer than 255 bytes.",
		"Send the number as one line of text. The registry does not change it, because chart numbers must match exactly.", "Bundle.identifier.value")
	NoChartNumber = problem("no-chart-number", 0, "required",
		"The retraction names no chart number.",
		"Name the record by identifier.value.", "Bundle.identifier.value")
	RestNotProcessed = problem("rest-not-processed", 0, "exception",
		"The Bundle could not be processed to its end; the entries listed as accepted are saved, and the others were not processed.",
		"Send the entries that are not listed again. If it happens again, give the operator the ingestion id.")
	NotProcessed = problem("not-processed", 0, "exception",
		"The entry could not be processed; the entries before it are not affected.",
		"Send the entry again by itself. If it fails again, give the operator the ingestion id.")
)
