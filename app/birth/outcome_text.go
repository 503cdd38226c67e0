package birth

import (
	"slices"
)

// An outcome is stored with its record as a short text, with one character for each value. The text
// begins with the values about the course, followed by those about each child, in the order in
// which Text writes them. Equal outcomes have equal texts, so the database can count them. A change
// to the order or to a type's constants needs a migration that empties records.outcome. The column
// is filled again when the database is opened.

const (
	courseChars = 19
	childChars  = 12
)

// positions lists the mother's positions at birth. The text of an outcome holds an index into this
// list, so the list must never be reordered.
var positions = []string{
	"", "supine_lithotomy", "semi_sitting", "side_lying", "hands_and_knees", "kneeling", "squatting", "standing",
	"birth_stool", "water_upright", "other",
}

// Text encodes the outcome as a string, which is stored with a record. Read decodes the string.
func (o *Outcome) Text() string {
	b := make([]byte, 0, courseChars+childChars*len(o.Children))
	b = put(b, bit(o.Consent))
	b = put(b, o.Planned, o.Born)
	b = put(b, o.Multiple)
	b = put(b, o.Parous, o.Scarred)
	b = put(b, o.Onset)
	b = put(b, o.Elective, o.Augmented, o.Doula, o.Labored, o.Stat)
	b = put(b, o.Perineum)
	b = put(b, o.Loss)
	b = put(b, o.InWater)
	b = put(b, uint8(max(0, slices.Index(positions, o.Position))))
	b = put(b, bit(o.BeforeLabor)|bit(o.InLabor)<<1|bit(o.AfterBirth)<<2)
	b = put(b, uint8(min(o.Newborns, 9)))
	b = put(b, o.Urgent)
	for _, n := range o.Children {
		b = put(b, n.Method)
		b = put(b, uint8(n.Weeks))
		b = put(b, n.Weight)
		b = put(b, n.Five, n.Ten, n.Delayed, n.Alive, n.Living, n.Intensive, n.Breastfed, n.Exclusive, n.HeadFirst)
	}
	return string(b)
}

// zero is the character that stands for the number 0. The characters after it stand for the next
// numbers. They are digits, then punctuation and letters, all of which are safe in a database and
// in a log.
const zero = '0'

func put[C ~uint8](b []byte, classes ...C) []byte {
	for _, c := range classes {
		b = append(b, zero+byte(c))
	}
	return b
}

func bit(set bool) uint8 {
	if set {
		return 1
	}
	return 0
}

// Read sets the outcome from a text that Text has returned, and reuses the memory of Children. If
// the text is too short, Read clears the outcome. A record whose content can't be read has such a
// text.
func (o *Outcome) Read(text string) {
	children := o.Children[:0]
	if *o = (Outcome{}); len(text) < courseChars {
		return
	}
	at := func(i int) byte { return text[i] - zero }
	*o = Outcome{
		Consent: at(0) == 1, Planned: Where(min(at(1), byte(Elsewhere))), Born: Where(at(2)), Multiple: Tri(min(at(3), byte(Yes))),
		Parous: Tri(min(at(4), byte(Yes))), Scarred: Tri(at(5)), Onset: Onset(at(6)), Elective: Tri(at(7)), Augmented: Tri(at(8)),
		Doula: Tri(at(9)), Labored: Tri(at(10)), Stat: Tri(at(11)), Perineum: Perineum(at(12)), Loss: Loss(at(13)),
		InWater: Tri(at(14)), BeforeLabor: at(16)&1 > 0, InLabor: at(16)&2 > 0, AfterBirth: at(16)&4 > 0,
		Newborns: int(at(17)), Urgent: Tri(at(18)),
	}
	if n := int(at(15)); n < len(positions) {
		o.Position = positions[n]
	}
	for c := courseChars; c+childChars <= len(text); c += childChars {
		children = append(children, Newborn{
			Method: Method(at(c)), Weeks: int(at(c + 1)), Weight: Weight(at(c + 2)), Five: Tri(at(c + 3)), Ten: Tri(at(c + 4)),
			Delayed: Tri(at(c + 5)), Alive: Tri(at(c + 6)), Living: Tri(at(c + 7)), Intensive: Tri(at(c + 8)),
			Breastfed: Tri(at(c + 9)), Exclusive: Tri(at(c + 10)), HeadFirst: Tri(at(c + 11)),
		})
	}
	o.Children = children
}
