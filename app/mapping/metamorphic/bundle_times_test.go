package metamorphic

import (
	"encoding/json"
	"strconv"
	"strings"

	"birthregistry/app/birth"
)

// timeMutations change which of several values counts.
var timeMutations = []mutation{
	same("everything is sent twice", func(doc object) {
		for _, b := range courses(doc) {
			for _, o := range resources(b, "Observation") {
				add(b, clone(o))
			}
		}
	}),
	near("an older value stands next to each: the same", stands, dated("2030-01-02"), dated("2030-01-01")),
	near("a newer value stands next to each: it counts", falls, dated("2030-01-01"), dated("2030-01-02")),
	near("a newer value by the end of its period: it counts", falls, dated("2030-01-01"), object{"effectivePeriod": object{"start": "2029-12-01", "end": "2030-01-02"}}),
	near("a value that is newer by the clock, not by its spelling: it counts", falls, dated("2030-01-02T01:00:00Z"), dated("2030-01-01T23:30:00-08:00")),
	near("a value of a later hour of the day: it counts", falls, dated("2030-01-02T09:00:00-05:00"), dated("2030-01-02T21:00:00-05:00")),
	near("a newer value that is preliminary: the same", stands, dated("2030-01-01"), with(dated("2030-01-02"), status("preliminary"))),
	near("a newer value that was entered in error: the same", stands, dated("2030-01-01"), with(dated("2030-01-02"), status("entered-in-error"))),
	near("a newer value that was cancelled: the same", stands, dated("2030-01-01"), with(dated("2030-01-02"), status("cancelled"))),
	near("a final value after a preliminary one: it counts", falls, status("preliminary"), status("final")),
	near("a final value that is older than a preliminary one: it counts", falls, with(dated("2030-01-02"), status("preliminary")), with(dated("2030-01-01"), status("final"))),
	near("a corrected value after the final one: it counts", falls, status("final"), status("corrected")),
	near("a corrected value before the final one: it counts", fallsBefore, status("final"), status("corrected")),
	near("an amended value after the final one: it counts", falls, status("final"), status("amended")),
	near("an amended value before the final one: it counts", fallsBefore, status("final"), status("amended")),
	lose("every finding was entered in error: lost", anything, func(f finding) { f.object["status"] = "entered-in-error" }),
	lose("every finding was cancelled: lost", anything, func(f finding) { f.object["status"] = "cancelled" }),
	one("every finding is preliminary: the same, or left out", func(doc object) *mutant {
		m := &mutant{free: elsewhere}
		for _, f := range findings(doc) {
			f.object["status"] = "preliminary"
			m.may = append(m.may, f.names()...)
		}
		return m
	}),
	same("the last change of the Bundle is told in another zone", func(doc object) {
		for _, b := range courses(doc) {
			if textAt(b, "meta", "lastUpdated") == "2026-03-03T09:30:00-05:00" {
				b["meta"].(object)["lastUpdated"] = "2026-03-03T14:30:00Z"
			}
		}
	}),
	one("the last change of the Bundle is of another JSON type: left out", func(doc object) *mutant {
		return stamped(doc, json.Number("20260303"))
	}),
	one("the last change of the Bundle is in words: left out", func(doc object) *mutant {
		return stamped(doc, "yesterday")
	}),
}

func stamped(doc object, last any) *mutant {
	for _, b := range courses(doc) {
		meta, _ := b["meta"].(object)
		b["meta"], b["timestamp"] = with(meta, object{"lastUpdated": last}), last
	}
	return &mutant{gone: []string{"stamp"}}
}

func dated(at string) object { return effective(at) }

// Which of two values counts: the original one, one added after it, or one added before it.
type counts int

const (
	stands counts = iota
	falls
	fallsBefore
)

// near returns a mutation that adds another value to every finding that is the only one of its
// field, and marks the two as given. The reading must be the same as with only the value that
// counts.
func near(says string, which counts, mark, markOther object) mutation {
	return mutation{says: says, make: func(doc object) []mutant {
		alone, both := clone(doc), clone(doc)
		changed := false
		inAlone, inBoth := findings(alone), findings(both)
		for i, f := range inBoth {
			other := clone(f.object)
			if f.only() == nil || !solitary(inBoth, f) || !f.stands() || !another(f.only(), other) {
				continue
			}
			changed = true
			delete(other, "id")
			for _, o := range []object{f.object, other} {
				delete(o, "effectiveDateTime")
				delete(o, "effectivePeriod")
				delete(o, "issued")
			}
			overlay(f.object, mark)
			overlay(other, markOther)
			kept := f.object
			if which != stands {
				kept = other
			}
			if which == fallsBefore {
				entries := f.course["entry"].(list)
				f.course["entry"] = append(list{object{"resource": other}}, entries...)
			} else {
				add(f.course, other)
			}
			replace(inAlone[i].object, with(kept, object{"id": inAlone[i].object["id"]}))
		}
		if !changed {
			return nil
		}
		return []mutant{{doc: both, like: alone, free: []string{"plurality"}}}
	}}
}

func overlay(o, mark object) {
	for name, value := range mark {
		o[name] = cloneAny(value)
	}
}

func replace(o, by object) {
	for name := range o {
		delete(o, name)
	}
	for name, value := range by {
		if value != nil {
			o[name] = cloneAny(value)
		}
	}
}

// stands reports whether a finding is one that counts.
func (f finding) stands() bool {
	switch textAt(f.object, "status") {
	case "final", "amended", "corrected", "":
		return true
	}
	return false
}

// solitary reports whether no other finding of the course concerns the fields of this one.
func solitary(all []finding, f finding) bool {
	n := 0
	for _, g := range all {
		for _, name := range g.names() {
			if name == f.only().Name && write(g.course["identifier"], nil) == write(f.course["identifier"], nil) {
				n++
			}
		}
	}
	return n == 1
}

// another gives an Observation a different value that its field accepts. It returns false if
// no value certainly is.
func another(field *birth.Field, o object) bool {
	if o["dataAbsentReason"] != nil {
		return false
	}
	if q, ok := o["valueQuantity"].(object); ok {
		value, isNumber := q["value"].(json.Number)
		if !isNumber || strings.HasPrefix(string(value), "-") {
			return false
		}
		q["value"] = step(value)
		return true
	}
	if value, ok := o["valueInteger"].(json.Number); ok && !strings.HasPrefix(string(value), "-") {
		o["valueInteger"] = step(value)
		return true
	}
	if yes, ok := o["valueBoolean"].(bool); ok && field.Kind == birth.Bool {
		o["valueBoolean"] = !yes
		return true
	}
	if on := textAt(o, "valueDateTime"); field.Kind == birth.Date && (len(on) == len("2006-01") || len(on) == len("2006-01-02")) {
		other := map[bool]string{true: "11", false: "10"}[on[len(on)-2:] == "10"] // another day, or another month
		o["valueDateTime"] = on[:len(on)-2] + other
		return true
	}
	for _, code := range objectsAt(o, "valueCodeableConcept", "coding") {
		if swapped := map[string]string{"6096002": "70028003", "70028003": "6096002", "Y": "N", "N": "Y", "POSTG": "HS", "SEC": "HS", "HS": "SEC"}[textAt(code, "code")]; swapped != "" {
			o["valueCodeableConcept"] = object{"coding": list{object{"system": code["system"], "code": swapped}}}
			return true
		}
	}
	return false
}

// step returns a number that is one less, or one more if that would be negative.
func step(value json.Number) json.Number {
	f, _ := value.Float64()
	if f >= 1 {
		return json.Number(strconv.FormatFloat(f-1, 'f', -1, 64))
	}
	return json.Number(strconv.FormatFloat(f+1, 'f', -1, 64))
}
