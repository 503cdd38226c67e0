package views

// RecordHistory lists the versions of a record.
type RecordHistory struct {
	ID, Name string
	Events   []RecordEvent
	Older    string // the address of earlier versions
	// Before and After list the versions from which the user can choose two to compare.
	Before, After []Choice
}

// RecordEvent is one version of a record, in the record's history.
type RecordEvent struct {
	Version                     int
	What, Who, Source, At, Sent string
	Note                        string
	Ingestion, IngestionText    string // the address and the name of its submission or file
	Current                     bool
}

// RecordComparison lists the differences between two versions.
type RecordComparison struct {
	ID, Name      string
	Before, After RecordEvent
	Rows          []RecordDifference
	Same          int
}

// RecordDifference is a field that differs between two versions.
type RecordDifference struct {
	Field, Before, After      string
	SourceBefore, SourceAfter string
}

// RecordDecision is the page on which a record is voided or restored.
type RecordDecision struct {
	ID, Name    string
	Action      string // void or restore
	BaseVersion int
	Reason      Input
}
