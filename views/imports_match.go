package views

// ImportMatching is a file of which something has to be said before its preview.
type ImportMatching struct {
	ID, Name, Rows string
	Mistakes       []Mistake
	Columns        []ImportColumn
	// Dates and Years are the answers to what dates mean, none when that is certain.
	DatesInput, YearsInput Input
	Dates, Years           []Choice
	Values                 []ImportMeanings
	Crowded                string // the header of a column with too many texts
}

func (p ImportMatching) address(more string) string { return "/registry/imports/" + p.ID + more }

// ImportColumn is a column of the file beside what it may hold.
type ImportColumn struct {
	Letter, Header string
	Samples        []string
	Field          Input
	Groups         []ChoiceGroup
	// Habits are the ways in which its cells may be meant, none when that is certain.
	Habit  Input
	Habits []Choice
}

// ChoiceGroup is a part of a list of choices; the one without a label stands first.
type ChoiceGroup struct {
	Label   string
	Choices []Choice
}

// ImportMeanings is a column with the texts that are no values of its field.
type ImportMeanings struct {
	Header, Field string
	Values        []ImportMeaning
}

// ImportMeaning is a text of the file beside what it may mean.
type ImportMeaning struct {
	Text    string
	Rows    int
	Word    string // row or rows
	Input   Input
	Choices []Choice
}

// ImportMatched is a column of the file and the field that it is read as.
type ImportMatched struct{ Header, Field string }
