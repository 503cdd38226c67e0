package mapping

// Reason is the reason why something in a Bundle isn't kept. The guide shows the list Reasons. A
// reason's name never changes its meaning, because programs depend on it.
type Reason string

// The reasons. There are four groups: reasons that concern a whole course of care, a resource, a
// resource's person or value, or another statement in the course.
const (
	InRejectedCourse Reason = "course-rejected"
	InRetraction     Reason = "retraction"
	OutsideCourses   Reason = "beside-courses"

	NotRead       Reason = "not-read"
	ReadAsBFDR    Reason = "bfdr-only"
	OffTheList    Reason = "masked"
	OnlyChecked   Reason = "only-checked"
	NotTheFirst   Reason = "not-the-first"
	NoRole        Reason = "no-role"
	NewerVersion  Reason = "newer-version"
	NoField       Reason = "no-field"
	OtherSystem   Reason = "other-system"
	CodesDiffer   Reason = "codes-differ"
	DoesNotStand  Reason = "does-not-stand"
	Modified      Reason = "modified"
	Unreadable    Reason = "unreadable"
	NoStableID    Reason = "no-stable-id"
	AnotherTime   Reason = "another-time"
	NothingStated Reason = "nothing-stated"

	AboutAnother    Reason = "about-another"
	AboutNobody     Reason = "about-nobody"
	AboutTwo        Reason = "about-two"
	WhichChild      Reason = "which-child"
	NoValue         Reason = "no-value"
	SeveralValues   Reason = "several-values"
	OtherFinding    Reason = "other-finding"
	UnknownOption   Reason = "unknown-option"
	NotANumber      Reason = "not-a-number"
	NotWhole        Reason = "not-whole"
	NegativeNumber  Reason = "negative"
	WithComparator  Reason = "comparator"
	NoUnit          Reason = "no-unit"
	UnknownUnit     Reason = "unknown-unit"
	UnitContradicts Reason = "unit-contradicts"
	OutOfRange      Reason = "beyond-range"
	NotADate        Reason = "not-a-date"
	MeansUnknown    Reason = "means-unknown"
	TextContradicts Reason = "text-contradicts"
	NotOfTheDay     Reason = "not-of-the-day"
	TooFarAhead     Reason = "too-far-ahead"
	NoName          Reason = "no-name"
	NoResidence     Reason = "no-residence"

	Superseded   Reason = "superseded"
	Contradicted Reason = "contradicted"
)

// ReasonText is a reason with a sentence that explains it.
type ReasonText struct {
	Reason Reason
	Text   string
}

// Reasons lists every reason with its explanation, in the order in which the mapper checks them.
var Reasons = []ReasonText{
	{InRejectedCourse, "The course of care is rejected, and nothing of it is kept."},
	{InRetraction, "The document retracts a record. Only its chart number is read."},
	{OutsideCourses, "The batch holds courses of care as inner Bundles, so entries that are not Bundles are not read."},

	{NotRead, "The registry reads no resource or member of this kind."},
	{ReadAsBFDR, "The reading `spec` leaves it out. The reading `bfdr` keeps it."},
	{OffTheList, "It is personal data that the registry does not keep, or a value that the privacy rules remove."},
	{OnlyChecked, "It is read to understand or to check other values, and is not kept itself."},
	{NotTheFirst, "Only the first resource or extension of this kind is read."},
	{NoRole, "Its profiles name neither a mother nor a child, or name both."},
	{NewerVersion, "The Bundle holds a newer version of the same resource."},
	{NoField, "The registry has no field for this code."},
	{OtherSystem, "The code is known, but it was sent under another code system."},
	{CodesDiffer, "Its codes name different facts, so it is not clear which one is meant."},
	{DoesNotStand, "Its status says that it did not happen or does not count, such as entered-in-error, cancelled or planned."},
	{Modified, "It has a modifierExtension or implicitRules, which may change its meaning."},
	{Unreadable, "A member has the wrong JSON type, so what it says is not known."},
	{NoStableID, "A Practitioner needs an identifier that is not an NPI, or an id."},
	{AnotherTime, "It was before or after this birth."},
	{NothingStated, "It states nothing that the registry keeps."},

	{AboutAnother, "It is about somebody who is neither the mother nor a child of this course."},
	{AboutNobody, "Its subject is not in the Bundle, or is not a person."},
	{AboutTwo, "Its focus and its subject name different children, or a reference and its identifier name different people."},
	{WhichChild, "It does not say which child it is about."},
	{NoValue, "It has no value, or says that the value is absent."},
	{SeveralValues, "It has more than one value."},
	{OtherFinding, "Its value is a finding that the registry has no field for."},
	{UnknownOption, "Its value is not one of the field's choices, or has codes that mean different choices."},
	{NotANumber, "Its value is not a number."},
	{NotWhole, "Its value has to be a whole number."},
	{NegativeNumber, "Its value is negative."},
	{WithComparator, "Its value is only a limit, such as “less than 500”."},
	{NoUnit, "It has no unit. A mass, a length or a volume needs one, in a valueQuantity."},
	{UnknownUnit, "Its unit is not known, or is not a unit for this measure."},
	{UnitContradicts, "The text and the code of its unit differ, or the registry does not know the code as one of UCUM."},
	{OutOfRange, "Its value is outside the field's range."},
	{NotADate, "Its value is not a date or a time, or is a placeholder for an unknown date, such as 9999-09-09."},
	{MeansUnknown, "Its value is one that systems write when they do not know the value."},
	{TextContradicts, "Its text and its code say different things, so one of them is wrong."},
	{NotOfTheDay, "The time of birth and the date of birth are on different days."},
	{TooFarAhead, "It is more than 24 hours in the future, so it is not used."},
	{NoName, "It has no name that can be kept: the name is temporary or unknown, or does not distinguish family and given names."},
	{NoResidence, "It does not have exactly one postal code for the home at the time of the birth."},

	{Superseded, "A better, newer or more exact statement of the same fact is kept."},
	{Contradicted, "Another entry of the course contradicts it, so neither is kept."},
}
