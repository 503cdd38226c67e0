package fhir

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// aside lists the members that isMarked skips: a modifierExtension or implicitRules inside them
// doesn't affect the resource.
var aside = map[string]bool{
	"text": true, "contained": true, "extension": true, "contact": true, "communication": true, "link": true, "referenceRange": true,
	"statusHistory": true, "classHistory": true, "diagnosis": true, "stage": true, "evidence": true, "generalPractitioner": true,
}

// Marked reports whether a modifierExtension or implicitRules may reverse the meaning of the
// entry's resource. It looks in the resource and its elements, but not in the members that aside
// lists.
func (e *Entry) Marked() bool {
	before, after := e.Resource[:e.narrative.from], e.Resource[e.narrative.to:]
	return (mayBeMarked(before) || mayBeMarked(after)) && isMarked(e.Resource)
}

// mayBeMarked reports whether a part of a resource may contain the name modifierExtension or
// implicitRules. It searches only for the ends of these names, because they begin with a capital
// letter: bytes.Contains looks for the first letter first, and capital letters are rare.
func mayBeMarked(text []byte) bool {
	return bytes.Contains(text, []byte(`Extension"`)) || bytes.Contains(text, []byte(`Rules"`)) || hasEscapedLetter(text)
}

// hasEscapedLetter reports whether a JSON text may have an escaped Latin letter, such as \u0041 for
// A, which could be part of a member's name. It ignores other escaped characters, which are common.
func hasEscapedLetter(text []byte) bool {
	const escape = `\u00`
	for {
		at := bytes.Index(text, []byte(escape))
		if at < 0 {
			return false
		}
		text = text[at+len(escape):]
		if len(text) > 0 && text[0] >= '4' && text[0] <= '7' {
			return true
		}
	}
}

// isMarked reports whether a resource or one of its elements, except in the members that aside
// lists, carries a modifierExtension or implicitRules. The resource's syntax must have been
// checked.
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

// says reports whether a value is anything other than null, an empty list or a blank text.
func says(value jsontext.Value) bool {
	switch plain := bytes.Join(bytes.Fields(value), nil); string(plain) {
	case "null", "[]", `""`:
		return false
	}
	return true
}
