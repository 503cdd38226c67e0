package birth

import (
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"
)

// siblings checks whether the plurality agrees with the newborns on the form and with the stated
// numbers of births, whether the newborns' birth orders agree with each other and with the times of
// birth, and whether all newborns can be of one pregnancy.
func (c *checking) siblings() {
	if plurality, ok := c.Care.Get("plurality"); ok && len(c.Children) > 0 && plurality.Number != float64(len(c.Children)) {
		c.warn("plurality", "The plurality differs from the number of newborns on this form. Check it, or add or remove a newborn",
			At("plurality"))
		c.dependsOn(c.eachNewborn("birth_order")...) // their number counts
	}
	c.delivered()
	c.order()
	c.bornApart()
}

// order checks whether two newborns have the same birth order, or one that contradicts the times of
// birth.
func (c *checking) order() {
	for i, child := range c.Children {
		for n, other := range c.Children[:i] {
			if text := orderFault(other, child); text != "" {
				c.warn("birth-order", text, Of(ChildList, i, "birth_order"), Of(ChildList, n, "birth_order"))
				c.dependsOn(Of(ChildList, i, "birth_date"), Of(ChildList, n, "birth_date"))
				break
			}
		}
	}
}

// orderFault returns what is wrong about the birth orders of two newborns, or "".
func orderFault(a, b Values) string {
	orderA, statedA := a.Get("birth_order")
	orderB, statedB := b.Get("birth_order")
	if !statedA || !statedB {
		return ""
	}
	if orderA.Number == orderB.Number {
		return "Two newborns have the same birth order. Check both"
	}
	if orderA.Number > orderB.Number {
		a, b = b, a
	}
	if first, then := Born(a), Born(b); first != "" && then != "" && After(first, then) {
		return "The birth order contradicts the times of birth. Check both"
	}
	return ""
}

// BetweenBirths is the shortest time between two births of one mother: two weeks until she can
// conceive again, and 20 weeks of pregnancy. Births that are closer to each other are of one pregnancy.
const BetweenBirths = 22 * 7 * 24 * time.Hour

// bornApart checks whether newborns were born so long after the first one that they are another
// birth.
func (c *checking) bornApart() {
	first, known := DayOf(c.firstBirth())
	const unusual = 3 * 24 * time.Hour
	for i, child := range c.Children {
		date, full := DayOf(Born(child))
		if !known || !full {
			continue
		}
		switch apart := date.Sub(first); {
		case apart >= BetweenBirths:
			c.block("born-apart", "This newborn was born at least 22 weeks after the first, so it is another birth. Record it separately, or correct the dates",
				Of(ChildList, i, "birth_date"))
		case apart >= unusual:
			c.warn("born-apart", "This newborn was born days after the first. Check the dates", Of(ChildList, i, "birth_date"))
			c.dependsOn(c.eachNewborn("birth_date")...)
		}
	}
}

// DayOf returns the day of a date or time. ok is false for a partial date.
func DayOf(date string) (day time.Time, ok bool) {
	day, err := time.Parse(time.DateOnly, date[:min(len(date), len(time.DateOnly))])
	return day, err == nil
}

// delivered compares the plurality with the live births and fetal deaths that make it up.
func (c *checking) delivered() {
	plurality, stated := c.Care.Get("plurality")
	live, given := c.Care.Get("live_births_this_delivery")
	dead, counted := c.Care.Get("fetal_deaths_this_delivery")
	switch {
	case !stated:
	case given && counted && live.Number+dead.Number != plurality.Number,
		live.Number > plurality.Number, dead.Number > plurality.Number:
		field := "live_births_this_delivery"
		if !given {
			field = "fetal_deaths_this_delivery"
		}
		c.warn("delivered", "The live births and fetal deaths of this delivery do not add up to the plurality. Check them",
			At(field), At("plurality"))
		c.dependsOn(At("live_births_this_delivery"), At("fetal_deaths_this_delivery"))
		return
	}
	of := plurality.Number
	if !stated {
		of = MaxChildren
	}
	c.counted(of)
}

// counted compares the stated numbers of live births and of fetal deaths with the newborns on the
// form. of is how many newborns there were at most.
func (c *checking) counted(of float64) {
	var answers, about []Path
	those := map[bool]float64{}
	for i, child := range c.Children {
		if born, known := child.Get("live_birth"); known {
			answers = append(answers, Of(ChildList, i, "live_birth"))
			those[born.Flag]++
		}
	}
	var labels []string
	for _, field := range []string{"live_births_this_delivery", "fetal_deaths_this_delivery"} {
		alive := field == "live_births_this_delivery"
		number, stated := c.Care.Get(field)
		if stated && (number.Number < those[alive] || number.Number+those[!alive] > of) {
			about, labels = append(about, At(field)), append(labels, "“"+Must(field).Label+"”")
		}
	}
	if len(about) > 0 {
		c.warn("counted", "The answers to “Live birth” contradict "+english.OxfordWordSeries(labels, "and")+". Check them", slices.Concat(about, answers)...)
		c.dependsOn(At("plurality"))
	}
}
