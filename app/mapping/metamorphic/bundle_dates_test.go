package metamorphic

import "strings"

// dateMutations change dates and times of birth.
var dateMutations = []mutation{
	one("the date of birth does not exist, the time of birth does: the same", func(doc object) *mutant {
		return births(doc, func(c object, at string) *mutant {
			c["birthDate"] = at[:len("2006-01")] + "-32"
			return &mutant{}
		})
	}),
	one("the time of birth does not exist: left out", func(doc object) *mutant {
		return births(doc, func(c object, at string) *mutant {
			birthTimeOf(c)["valueDateTime"] = "2026-02-30T04:18:00-05:00"
			return &mutant{gone: []string{"birth_datetime"}}
		})
	}),
	one("the time of birth has no offset: the same, without it", func(doc object) *mutant {
		return births(doc, func(c object, at string) *mutant {
			birthTimeOf(c)["valueDateTime"] = at[:len("2006-01-02T15:04:05")]
			return &mutant{free: []string{"birth_datetime"}}
		})
	}),
	one("the time of birth is a week after the date of birth: left out", func(doc object) *mutant {
		return births(doc, func(c object, at string) *mutant {
			birthTimeOf(c)["valueDateTime"] = "2031-01-01T04:18:00-05:00"
			return &mutant{gone: []string{"birth_datetime"}}
		})
	}),
	motherBorn("on a day that does not exist", "1994-02-30"), motherBorn("in the year 9999", "9999-09-09"), motherBorn("in the year 1", "0001-01-01"),
	motherBorn("in the year 0", "0000-05-17"), motherBorn("in words", "May 1994"), motherBorn("in another order", "05/17/1994"), motherBorn("nowhere", ""),
	one("the birth dates of the mothers are absent for a reason: left out", func(doc object) *mutant {
		for _, b := range courses(doc) {
			for _, p := range mothersOf(b) {
				delete(p, "birthDate")
				p["_birthDate"] = absent("unknown")
			}
		}
		return &mutant{gone: []string{"mother_birth_date"}}
	}),
	one("the birth dates of the mothers are years: the years", func(doc object) *mutant {
		for _, b := range courses(doc) {
			for _, p := range mothersOf(b) {
				p["birthDate"] = "1994"
				delete(p, "_birthDate")
			}
		}
		return &mutant{now: map[string]string{"mother_birth_date": `"1994"`}}
	}),
}

func motherBorn(how, date string) mutation {
	return one("mothers were born "+how+": left out", func(doc object) *mutant {
		for _, b := range courses(doc) {
			for _, p := range mothersOf(b) {
				p["birthDate"] = date
				delete(p, "_birthDate")
			}
		}
		return &mutant{gone: []string{"mother_birth_date"}}
	})
}

// birthTimeOf returns the extension with the time of birth, or nil.
func birthTimeOf(c object) object {
	for _, e := range objectsAt(c, "_birthDate", "extension") {
		if strings.HasSuffix(textAt(e, "url"), "patient-birthTime") {
			return e
		}
	}
	return nil
}

// births edits the children, each of which must have a date and a time of birth; it returns
// nil if one has not.
func births(doc object, edit func(c object, at string) *mutant) (m *mutant) {
	for _, b := range courses(doc) {
		for _, c := range childrenOf(b) {
			at := ""
			if e := birthTimeOf(c); e != nil {
				at = textAt(e, "valueDateTime")
			}
			if len(at) < len("2006-01-02T15:04:05") || !strings.HasPrefix(at, textAt(c, "birthDate")) || textAt(c, "birthDate") == "" {
				return nil
			}
			m = edit(c, at)
		}
	}
	return m
}

// consentMutations put a Consent first in every course.
var consentMutations = []mutation{
	consent("active and silent", "true", object{"status": "active"}),
	consent("active and permits", "true", object{"status": "active", "provision": object{"type": "permit"}}),
	consent("active and denies", "false", object{"status": "active", "provision": object{"type": "deny"}}),
	consent("active and denies within a permission", "false", object{"status": "active", "provision": object{"type": "permit", "provision": list{object{"provision": list{object{"type": "deny"}}}}}}),
	consent("active and denies in capitals", "false", object{"status": "active", "provision": object{"type": "DENY"}}),
	consent("in capitals", "false", object{"status": "ACTIVE"}),
	consent("proposed", "false", object{"status": "proposed"}), consent("rejected", "false", object{"status": "rejected"}), consent("inactive", "false", object{"status": "inactive"}),
	consent("entered in error", "false", object{"status": "entered-in-error"}), consent("without a status", "false", object{}),
	consent("of R5, and denies", "false", object{"status": "active", "decision": "deny"}),
	consent("of R5, and permits with provisions of its own", "false", object{"status": "active", "decision": "permit", "provision": list{object{"purpose": list{coding("urn:x", "TREAT")}}}}),
	consent("with a provision of a wrong type", "false", object{"status": "active", "provision": "permit"}),
	consent("with a type of provision of a wrong type", "false", object{"status": "active", "provision": object{"type": n("1")}}),
	one("a second Consent denies: the same", func(doc object) *mutant {
		every(doc, "Consent", func(object) {})
		for _, b := range courses(doc) {
			if len(resources(b, "Consent")) == 0 {
				add(b, object{"resourceType": "Consent", "status": "draft"})
			}
			add(b, object{"resourceType": "Consent", "status": "active", "provision": object{"type": "deny"}}, object{"resourceType": "Consent", "status": "active"})
		}
		return &mutant{}
	}),
}

func consent(how, granted string, members object) mutation {
	return one("the Consent is "+how+": granted is "+granted, func(doc object) *mutant {
		all := courses(doc)
		for _, b := range all {
			if len(mothersOf(b)) != 1 || len(childrenOf(b)) == 0 {
				return nil
			}
			b["entry"] = append(list{object{"resource": with(object{"resourceType": "Consent"}, members)}}, b["entry"].(list)...)
		}
		if len(all) == 0 {
			return nil
		}
		return &mutant{now: map[string]string{"consent_granted": granted}, free: []string{"consent_datetime"}}
	})
}
