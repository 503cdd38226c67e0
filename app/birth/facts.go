package birth

// Facts are what lists, filters and statistics need to know about a course. With them, they needn't
// read the course itself. Facts contain no patient data.
type Facts struct {
	BirthMonth string // the first child's month of birth (2006-01), or ""
	Attendant  string // an attendant_type of the spine, or ""
	Method     string // the first child's delivery_method
	Missing    int    // how many of KeyFields aren't stated (see Missing)
	Outcome    string // an Outcome as text
}

// KeyFields are the fields that a complete record states.
var KeyFields = []string{
	"birth_weight_g", "gestational_age_weeks", "delivery_method", "birth_month", "attendant_type",
}

// BirthMonth returns the first child's month of birth (2006-01), or "".
func (c Course) BirthMonth() string {
	return first(c.draft.Children).Text("birth_month")
}

// first returns the values about the first newborn, or none.
func first(children []Values) Values {
	if len(children) == 0 {
		return nil
	}
	return children[0]
}

// Facts returns the facts of the course.
func (c Course) Facts() Facts {
	outcome := c.Outcome()
	return Facts{
		BirthMonth: c.BirthMonth(),
		Attendant:  c.draft.Care.Text("attendant_type"),
		Method:     first(c.draft.Children).Text("delivery_method"),
		Missing:    len(Missing(c.draft.Children, c.draft.Care)),
		Outcome:    outcome.Text(),
	}
}

// ofEach are the key fields that each newborn has separately. The others are stated once,
// about the first newborn or the care.
var ofEach = []string{"birth_weight_g", "delivery_method"}

// Missing returns the paths of the KeyFields that a course of care doesn't state. Of the newborns
// after the first, it checks only the fields that each newborn has separately (ofEach).
func Missing(children []Values, care Values) (all []Path) {
	for _, name := range KeyFields {
		switch {
		case first(children).Has(name) || care.Has(name):
		case Must(name).About == Child:
			all = append(all, Of(ChildList, 0, name))
		default:
			all = append(all, At(name))
		}
	}
	for n := 1; n < len(children); n++ {
		for _, name := range ofEach {
			if !children[n].Has(name) {
				all = append(all, Of(ChildList, n, name))
			}
		}
	}
	return all
}
