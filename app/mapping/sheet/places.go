package sheet

import "birthregistry/app/birth"

// places returns, for each newborn of the spreadsheet, the index of its child in the record: the
// child with the same birth order or, if there is none, the child with which it has the most values
// in common. The order of the rows decides only if several have as many, because people sort their
// rows. An index beyond the last child stands for a new child.
func (c *Course) places(onFile []birth.Values) []int {
	places := c.placesByOrder(onFile)
	free := map[int]bool{}
	for at := range onFile {
		free[at] = true
	}
	for _, at := range places {
		delete(free, at)
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
	return places
}

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

// inCommon returns how many values of a newborn a child on file has, less those that differ.
func inCommon(newborn, child birth.Values) (n int) {
	for _, s := range newborn {
		switch value, stated := child.Get(s.Field.Name); {
		case !stated:
		case value.Equal(s.Value):
			n++
		default:
			n--
		}
	}
	return n
}
