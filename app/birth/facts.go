package birth

// Facts holds what lists, filters and statistics need to know about a course, so that they needn't
// read the course itself. It contains no patient data.
type Facts struct {
	BirthMonth string // the first child's month of birth (2006-01), or ""
	Attendant  string // an attendant_type of the spine, or ""
	Method     string // the first child's delivery_method, or ""
	Missing    int    // how many of KeyFields aren't stated (see the function Missing)
	Outcome    string // an Outcome as text
}

// KeyFields are the fields that a record must state to be complete.
var KeyFields = []string{
	"birth_weight_g", "gestational_age_weeks", "delivery_method", "birth_month", "attendant_type",
}

// BirthMonth returns the first child's month of birth (2006-01), or "" if it isn't known.
func (c Course) BirthMonth() string {
	return first(c.draft.Children).Text("birth_month")
}

// first returns the values about the first newborn, or nil if there is no newborn.
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

// ofEach lists the key fields that are stated separately for each newborn. The other key fields are
// stated once, about the first newborn or the care.
var ofEach = []string{"birth_weight_g", "delivery_method"}

// Missing returns the paths of the KeyFields that a course of care doesn't state. For the second
// and later newborns, it checks only the fields in ofEach.
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
