package birth

// Facts are what lists, filters and statistics need of a course without reading it. They
// contain no patient data.
type Facts struct {
	BirthMonth string // of the first child: 2006-01, empty when not stated
	Attendant  string // an attendant_type of the spine
	Method     string // a delivery_method of the spine, of the first child
	Missing    int    // how many of KeyFields aren't stated
	Outcome    string // an Outcome as text
}

// KeyFields are the fields that a complete record states.
var KeyFields = []string{
	"birth_weight_g", "gestational_age_weeks", "delivery_method", "birth_month", "attendant_type",
}

// Facts returns the facts of the course.
func (c Course) Facts() Facts {
	var child Values
	if len(c.draft.Children) > 0 {
		child = c.draft.Children[0]
	}
	f := Facts{
		BirthMonth: child.Text("birth_month"),
		Attendant:  c.draft.Care.Text("attendant_type"),
		Method:     child.Text("delivery_method"),
	}
	f.Missing = len(Missing(child, c.draft.Care))
	outcome := c.Outcome()
	f.Outcome = outcome.Text()
	return f
}

// Missing returns the KeyFields that a first child and its course of care don't state.
func Missing(child, care Values) (names []string) {
	for _, name := range KeyFields {
		if !child.Has(name) && !care.Has(name) {
			names = append(names, name)
		}
	}
	return names
}
