package fhir

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// aside lists the members whose content is never read. A mark inside them doesn't affect what
// is read.
var aside = map[string]bool{
	"text": true, "contained": true, "extension": true, "contact": true, "communication": true, "link": true, "referenceRange": true,
	"statusHistory": true, "classHistory": true, "diagnosis": true, "stage": true, "evidence": true, "generalPractitioner": true,
}

// Marked reports whether the entry's resource, or an element of it that is read, carries a
// modifierExtension or implicitRules, which may reverse its meaning.
func (e *Entry) Marked() bool {
	may := bytes.Contains(e.Resource, []byte("modifierExtension")) || bytes.Contains(e.Resource, []byte("implicitRules")) ||
		bytes.Contains(e.Resource, []byte(`\u`)) // an escaped name
	return may && isMarked(e.Resource)
}

// isMarked reports whether a resource, or an element of it that is read, carries a
// modifierExtension or implicitRules. The resource's syntax must have been checked.
func isMarked(resource jsontext.Value) bool {
	w := walker{doc: resource}
	return w.findMark()
}

func (w *walker) findMark() (found bool) {
	switch w.peek() {
	case '{':
		w.step('{')
		for first := true; w.another(&first, '}'); {
			switch name := string(w.name()); {
			case aside[name]:
				w.value()
			case name == "modifierExtension" || name == "implicitRules":
				found = says(w.value()) || found
			default:
				found = w.findMark() || found
			}
		}
	case '[':
		w.step('[')
		for first := true; w.another(&first, ']'); {
			found = w.findMark() || found
		}
	default:
		w.value()
	}
	return found
}

// says reports whether a value is anything other than null or an empty list.
func says(value jsontext.Value) bool {
	switch plain := bytes.Join(bytes.Fields(value), nil); string(plain) {
	case "null", "[]", `""`:
		return false
	}
	return true
}
