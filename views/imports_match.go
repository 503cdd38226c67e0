package views

// ImportMatching is a file that has no preview yet, because a user still has to state what some
// columns or values mean.
type ImportMatching struct {
	ID, Name, Rows string
	Revision       int // the revision of what is known about the file (imports.About)
	Columns        []ImportColumn
	// Missing says what no column holds, although births need it.
	Missing []string
	// Dates and Years list the possible meanings of dates, and are empty if the meaning is
	// certain.
	DatesInput, YearsInput Input
	Dates, Years           []Choice
	Values                 []ImportMeanings
	Crowded                string // the header of a column with too many texts
}

func (p ImportMatching) address(more string) string { return "/registry/imports/" + p.ID + more }

// ImportColumn is a column of the file, with the fields that it may hold.
type ImportColumn struct {
	Letter, Header string
	Samples        []string
	Field          Input
	// Note says why the column isn't imported although its header is known. Otherwise it is "".
	Note string
	// Problem says what is wrong with the chosen field. HabitProblem says what is wrong with the
	// chosen meaning of the cells. Each is "" if nothing is wrong.
	Problem, HabitProblem string
	Groups                []ChoiceGroup
	// Habits lists the possible meanings of the column's cells. It is empty if the meaning is
	// certain. Habit is the box in which the user chooses one of them.
	Habit  Input
	Habits []Choice
}

// ChoiceGroup is a group in a list of choices. The group without a label comes first.
type ChoiceGroup struct {
	Label   string
	Choices []Choice
}

// ImportMeanings is a column of the file, with those of its texts that the registry doesn't
// recognize as values of the field.
type ImportMeanings struct {
	Header, Field string
	Values        []ImportMeaning
}

// ImportMeaning is a text in the file that the registry doesn't recognize, with the values that it
// may mean.
type ImportMeaning struct {
	Text    string
	Rows    int
	Word    string // "row" or "rows"
	Input   Input
	Choices []Choice
}
