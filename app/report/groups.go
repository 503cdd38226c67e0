package report

import (
	"fmt"

	"birthregistry/app/birth"
)

// Few is the smallest size of a group of births that causes no warning. In a smaller group,
// somebody who knows the practice may recognize a birth.
const Few = 5

// Groups counts the births of a report in groups. The births of a group have the same year, the
// same first three digits of the postal code, and the same age group, because these values may
// identify a birth. The size of the smallest group is the k of k-anonymity. The zero value has no
// births.
type Groups struct {
	births map[string]int
}

// Add counts a birth. SafeHarbor.Draft must have reduced it.
func (g *Groups) Add(d birth.Draft) {
	if g.births == nil {
		g.births = map[string]int{}
	}
	born := ""
	if len(d.Children) > 0 {
		born = d.Children[0].Text("birth_month")
	}
	g.births[fmt.Sprint(born, " ", d.Mother.Text("mother_postal_code"), " ", ageGroup(d.Mother))]++
}

// ageGroup returns the lowest age of the mother's five-year age group. The first group begins with
// 15 and includes younger mothers. The last group begins with 45 and includes older mothers. If the
// age isn't known, ageGroup returns "".
func ageGroup(mother birth.Values) string {
	age, known := mother.Get("mother_age_years")
	if !known {
		return ""
	}
	return fmt.Sprint(min(max(int(age.Number)/5*5, 15), 45))
}

// Smallest returns the size of the smallest group. few is how many births are in groups smaller
// than Few. Both are 0 if there are no births.
func (g *Groups) Smallest() (k, few int) {
	for _, n := range g.births {
		if k == 0 || n < k {
			k = n
		}
		if n < Few {
			few += n
		}
	}
	return k, few
}
