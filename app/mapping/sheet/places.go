package sheet

import "birthregistry/app/birth"

// places returns, for each newborn of the spreadsheet, the index of its child in the record: the
// child with the same birth order or, if there is none, the child with which it has the most values
// in common. People sort their rows, so the order of the rows says nothing. An index beyond the last
// child stands for a new child. sure is false if two newborns would be as much alike the other way
// round, and the record would then be another.
func (c *Course) places(onFile []birth.Values) (places []int, sure bool) {
	places = c.placesByOrder(onFile)
	var open []int // the newborns that are placed by what they have in common
	free := map[int]bool{}
	for at := range onFile {
		free[at] = true
	}
	for i, at := range places {
		delete(free, at)
		if at < 0 {
			open = append(open, i)
		}
	}
	for len(free) > 0 {
		newborn, at := c.closestPair(places, onFile, free)
		if newborn < 0 {
			break
		}
		places[newborn] = at
		delete(free, at)
	}
	next := len(onFile)
	for i := range places {
		if places[i] < 0 {
			places[i] = next
			next++
		}
	}
	return places, c.improve(places, open, onFile)
}

// improve swaps the places of two newborns if they have more in common the other way round, until
// there are none. It reports whether the places are then sure.
func (c *Course) improve(places, open []int, onFile []birth.Values) (sure bool) {
	sure = true
	for n, i := range open {
		for _, j := range open[n+1:] {
			gain, differs := swap(c.stated.Children[i], c.stated.Children[j], childAt(onFile, places[i]), childAt(onFile, places[j]))
			if gain > 0 {
				places[i], places[j] = places[j], places[i]
				return c.improve(places, open, onFile)
			}
			sure = sure && (gain < 0 || !differs)
		}
	}
	return sure
}

// swap returns how many more values two newborns have in common with their children if the children
// are swapped, and whether the record would then be another.
func swap(a, b, childOfA, childOfB birth.Values) (gain int, differs bool) {
	gain = inCommon(a, childOfB) + inCommon(b, childOfA) - inCommon(a, childOfA) - inCommon(b, childOfB)
	sameChild := equal(childOfA, childOfB)
	sameResult := equal(lay(childOfA, a), lay(childOfA, b)) && equal(lay(childOfB, a), lay(childOfB, b))
	return gain, !sameChild && !sameResult
}

// childAt returns the values of a child on file, or none if it is a new child.
func childAt(onFile []birth.Values, at int) birth.Values {
	if at < len(onFile) {
		return onFile[at]
	}
	return nil
}

func equal(a, b birth.Values) bool { return holds(a, b) && holds(b, a) }

// placesByOrder returns the places of the newborns whose birth order a child on file has, and -1 for
// the others.
func (c *Course) placesByOrder(onFile []birth.Values) []int {
	places, taken := make([]int, len(c.stated.Children)), map[int]bool{}
	for i, child := range c.stated.Children {
		places[i] = -1
		order, stated := child.Get("birth_order")
		for at := range onFile {
			if before, known := onFile[at].Get("birth_order"); stated && known && before.Equal(order) && !taken[at] {
				places[i], taken[at] = at, true
				break
			}
		}
	}
	return places
}

// closestPair returns a newborn without a place and a free child on file that have the most values in
// common, the first ones if several have as many. newborn is -1 if every newborn has a place.
func (c *Course) closestPair(places []int, onFile []birth.Values, free map[int]bool) (newborn, child int) {
	newborn, most := -1, 0
	for i, values := range c.stated.Children {
		for at := range onFile {
			if places[i] >= 0 || !free[at] {
				continue
			}
			if n := inCommon(values, onFile[at]); newborn < 0 || n > most {
				newborn, child, most = i, at, n
			}
		}
	}
	return newborn, child
}

// inCommon returns how many values of a newborn a child on file has, less those that differ. The time
// of birth counts twice, because twins rarely have the same.
func inCommon(newborn, child birth.Values) (n int) {
	for _, s := range newborn {
		weight := 1
		if s.Field.Name == "birth_datetime" {
			weight = 2
		}
		switch value, stated := child.Get(s.Field.Name); {
		case !stated:
		case value.Equal(s.Value):
			n += weight
		default:
			n -= weight
		}
	}
	return n
}
