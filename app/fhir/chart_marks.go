package fhir

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// aside lists the members that isMarked skips. A modifierExtension or implicitRules inside one of
// these members doesn't affect the resource.
var aside = map[string]bool{
	"text": true, "contained": true, "extension": true, "contact": true, "communication": true, "link": true, "referenceRange": true,
	"statusHistory": true, "classHistory": true, "diagnosis": true, "stage": true, "evidence": true, "generalPractitioner": true,
}

// Marked reports whether the entry's resource has a modifierExtension or implicitRules that may
// reverse its meaning. It searches the resource and its elements, but not the members in aside.
func (e *Entry) Marked() bool {
	before, after := e.Resource[:e.narrative.from], e.Resource[e.narrative.to:]
	return (mayBeMarked(before) || mayBeMarked(after)) && isMarked(e.Resource)
}

// mayBeMarked reports whether part of a resource may contain the name modifierExtension or
// implicitRules. It searches only for the ends of these names because that is faster.
// bytes.Contains looks for the first byte, and the ends begin with capital letters, which are rare.
func mayBeMarked(text []byte) bool {
	return bytes.Contains(text, []byte(`Extension"`)) || bytes.Contains(text, []byte(`Rules"`)) || hasEscapedLetter(text)
}

// hasEscapedLetter reports whether a JSON text may contain an escaped Latin letter, such as \u0041
// for A. Such a letter could be part of a member's name. Other escaped characters are common, and
// hasEscapedLetter ignores them.
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

// isMarked reports whether a resource or one of its elements has a modifierExtension or
// implicitRules. It skips the members in aside. The resource's syntax must already have been
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

// says reports whether a value is anything other than null, an empty list or a blank string.
func says(value jsontext.Value) bool {
	switch plain := bytes.Join(bytes.Fields(value), nil); string(plain) {
	case "null", "[]", `""`:
		return false
	}
	return true
}
