package cost_test

import (
	"fmt"
	"strings"
	"time"

	"birthregistry/app/apptest"
)

// inACourse are the things that can be numerous in one course of care.
var inACourse = []grows{
	course("practitioners", 25, practitioner),
	course("practitioners without a name", 25, func(i int) string { return fmt.Sprintf(`{"resourceType":"Practitioner","id":"p%d"}`, i) }),
	course("participants of an Encounter", 250, func(i int) string {
		return participant(i % 200)
	}, "Encounter", "participant"),
	course("Encounters", 250, func(i int) string {
		return fmt.Sprintf(`{"resourceType":"Encounter","id":"e%d","status":"finished","subject":{"reference":"Patient/mother0"},"type":[{"text":"Visit %d"}],"participant":[%s]}`,
			i, i, participant(i%200))
	}),
	course("transfers of care", 12, transfer),
	course("Observations of one code", 250, func(i int) string { return observation("8339-4", 3000+i) }),
	course("Observations of the live births", 100, func(i int) string {
		return fmt.Sprintf(`{"resourceType":"Observation","status":"final","subject":{"reference":"Patient/m"},"effectiveDateTime":%q,"code":{"coding":[{"system":"http://loinc.org","code":"73773-4"}]},"valueQuantity":{"value":%d}}`, at(i), 1+i%3)
	}),
	course("Observations that are not read", 250, func(i int) string { return observation(fmt.Sprint("x-", i), i) }),
	course("findings of one Observation code", 250, func(i int) string {
		return fmt.Sprintf(`{"resourceType":"Observation","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"73812-0"}]},"valueCodeableConcept":{"coding":[{"code":"c%d"}]}}`, i)
	}),
	course("codings of an Observation", 250, func(i int) string { return fmt.Sprintf(`{"system":"urn:other","code":"c%d"}`, i) }, "Observation", "code.coding"),
	course("Patients without a role", 250, func(i int) string { return fmt.Sprintf(`{"resourceType":"Patient","id":"x%d"}`, i) }),
	course("resources that are not read", 250, func(i int) string { return fmt.Sprintf(`{"resourceType":"Procedure","id":"x%d"}`, i) }),
	course("children", 12, child),
	course("Observations of many children", 12, func(i int) string {
		return fmt.Sprintf(`{"resourceType":"Patient","id":"c%d","meta":{"profile":[%q]},"birthDate":"2026-03-02"}},`, i, apptest.ChildProfile) +
			fmt.Sprintf(`{"resource":{"resourceType":"Observation","status":"final","subject":{"reference":"Patient/c%d"},"code":{"coding":[{"system":"http://loinc.org","code":"8339-4"}]},"valueQuantity":{"value":3000,"code":"g"}}`, i)
	}),
	mother("names of the mother", 250, "name", func(i int) string { return fmt.Sprintf(`{"use":"old","family":"Okonkwo %d","given":["A"]}`, i) }),
	mother("given names of the mother", 250, "name.given", func(i int) string { return fmt.Sprintf(`"A%d"`, i) }),
	mother("addresses of the mother", 250, "address", func(i int) string { return fmt.Sprintf(`{"use":"old","postalCode":"%05d"}`, i) }),
	mother("identifiers of the mother", 250, "identifier", func(i int) string { return fmt.Sprintf(`{"system":"urn:x","value":"%d"}`, i) }),
	mother("profiles of the mother", 250, "meta.profile", func(i int) string { return fmt.Sprintf(`"http://example.org/p%d"`, i) }),
	mother("extensions of the mother", 250, "extension", func(i int) string { return fmt.Sprintf(`{"url":"urn:x-%d","valueString":"x"}`, i) }),
	course("identifiers of a practitioner", 250, func(i int) string {
		return fmt.Sprintf(`{"system":"http://hl7.org/fhir/sid/us-npi","value":"%d"}`, i)
	}, "Practitioner", "identifier"),
	course("qualifications of a practitioner", 250, func(i int) string { return fmt.Sprintf(`{"code":{"text":"Midwife %d"}}`, i) }, "Practitioner", "qualification"),
}

func practitioner(i int) string {
	return fmt.Sprintf(`{"resourceType":"Practitioner","id":"p%d","name":[{"family":"Lindqvist %d"}],"qualification":[{"code":{"text":"CPM"}}]}`, i, i)
}

func child(i int) string {
	return fmt.Sprintf(`{"resourceType":"Patient","id":"c%d","meta":{"profile":[%q]},"birthDate":"2026-03-%02d"}`, i, apptest.ChildProfile, i%27+1)
}

func transfer(i int) string {
	return fmt.Sprintf(`{"resourceType":"Encounter","status":"finished","type":[{"text":"Intrapartum transfer"}],"period":{"start":"2026-03-0%dT04:00:00Z"}}`, i%9+1)
}

func participant(i int) string {
	return fmt.Sprintf(`{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/p%d"}}`, i)
}

func observation(code string, value int) string {
	return fmt.Sprintf(`{"resourceType":"Observation","status":"final","subject":{"reference":"Patient/child0"},`+
		`"code":{"coding":[{"system":"http://loinc.org","code":"%s"}]},"valueQuantity":{"value":%d,"unit":"g","code":"g"}}`, code, value)
}

// course pushes one course with n resources or, if name has a member path, with one resource
// that has n elements there.
func course(name string, n int, one func(int) string, member ...string) grows {
	return grows{"a course with many " + name, n, nLogN, func(s *installation, n int) func() {
		extra := each(n, one)
		if len(member) == 2 {
			extra = []string{nested(`"resourceType":"`+member[0]+`","id":"p0","status":"final"`, member[1], strings.Join(extra, ","))}
		}
		if strings.Contains(name, "Encounter") || strings.Contains(name, "participants") {
			extra = append(each(200, practitioner), extra...)
		}
		bundle := apptest.Course{Chart: "A", Extra: extra}.Bundle()
		return func() { s.pushed(bundle) }
	}}
}

// nested returns an object with a list at a path of members.
func nested(head, path, items string) string {
	outer, inner, deep := strings.Cut(path, ".")
	switch {
	case !deep:
		return fmt.Sprintf(`{%s,"%s":[%s]}`, head, outer, items)
	case outer == "name":
		return fmt.Sprintf(`{%s,"name":[{"family":"Okonkwo","%s":[%s]}]}`, head, inner, items)
	}
	return fmt.Sprintf(`{%s,"%s":{"%s":[%s]}}`, head, outer, inner, items)
}

// mother pushes a course whose mother has n of something.
func mother(name string, n int, path string, one func(int) string) grows {
	return grows{"a course with many " + name, n, nLogN, func(s *installation, n int) func() {
		head := `"resourceType":"Patient","id":"m","birthDate":"1994-05-17"`
		if path != "meta.profile" {
			head += fmt.Sprintf(`,"meta":{"profile":[%q]}`, apptest.MotherProfile)
		}
		items := list(n, one)
		if path == "meta.profile" {
			items = fmt.Sprintf("%q,", apptest.MotherProfile) + items
		}
		bundle := apptest.Course{Chart: "A", Mothers: -1, Extra: []string{nested(head, path, items)}}.Bundle()
		return func() { s.pushed(bundle) }
	}}
}

// at returns a time of birth, one minute later for each i.
func at(i int) string {
	return time.Date(2026, 3, 2, 4, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Minute).Format(time.RFC3339)
}

// distinct returns the nth of many births.
func distinct(i int) apptest.Course {
	return apptest.Course{Chart: fmt.Sprintf("C-%06d", i), Mother: fmt.Sprintf("Okonkwo %d", i), Born: at(i), Weight: 3000}
}

// similar returns the nth record of one birth.
func similar(i int) apptest.Course {
	return apptest.Course{Chart: fmt.Sprintf("C-%06d", i), Mother: "Okonkwo", Born: at(0), Weight: 3000}
}

func attendedBy(c apptest.Course, resource string, id string) apptest.Course {
	c.Extra = []string{resource, fmt.Sprintf(
		`{"resourceType":"Encounter","status":"finished","participant":[{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/%s"}}]}`, id)}
	return c
}

// newIdentity returns a birth attended by the same midwife under a new identity.
func newIdentity(i int) apptest.Course {
	id := fmt.Sprintf("message-%d", i)
	return attendedBy(distinct(i), fmt.Sprintf(
		`{"resourceType":"Practitioner","id":"%s","identifier":[{"system":"http://hl7.org/fhir/sid/us-npi","value":"1112223334"}],"name":[{"family":"Lindqvist","given":["Ida"]}],"qualification":[{"code":{"text":"CPM"}}]}`, id), id)
}

func retracted(i int) apptest.Course {
	return apptest.Course{Chart: "A", Status: "entered-in-error", Mothers: -1, Kids: -1}
}

// inABundle are the things that can be numerous in a batch.
var inABundle = []grows{
	batch("courses", 100, distinct),
	batch("records of one birth", 100, similar),
	batch("amendments of one chart", 100, func(i int) apptest.Course { c := distinct(i); c.Chart = "A"; return c }),
	batch("retractions of one chart", 100, func(i int) apptest.Course {
		if i%2 == 1 {
			return retracted(i)
		}
		return apptest.Course{Chart: "A"}
	}),
	batch("records of one birth, retracted", 100, func(i int) apptest.Course {
		c := similar(i / 2)
		if i%2 == 1 {
			c.Status, c.Mothers, c.Kids = "entered-in-error", -1, -1
		}
		return c
	}),
	batch("identities of one midwife", 100, newIdentity),
	batch("roles of one midwife", 100, manyRoles),
	{"a transaction with many deletions", 100, nLogN, func(s *installation, n int) func() {
		s.pushed(apptest.Batch(each(n, func(i int) string { return distinct(i).Bundle() })...))
		bundle := `{"resourceType":"Bundle","type":"transaction","entry":[` + list(n, func(i int) string {
			return fmt.Sprintf(`{"request":{"method":"DELETE","url":"Bundle?identifier=C-%06d"}}`, i)
		}) + `]}`
		return func() { s.pushed(bundle) }
	}},
}

func batch(name string, n int, one func(int) apptest.Course) grows {
	return grows{"a batch of many " + name, n, nLogN, func(s *installation, n int) func() {
		bundle := apptest.Batch(each(n, func(i int) string { return one(i).Bundle() })...)
		return func() { s.pushed(bundle) }
	}}
}

// amongMany push a single Bundle to a practice that has had many before.
var amongMany = []grows{
	withMany("births", distinct),
	withMany("records of one birth", similar),
	withMany("records of one birth, each retracted", func(i int) apptest.Course { return similar(i) }, deletion),
	withMany("records of one birth, each under a chart number that is retracted and revived", similar, deletion, func(i int) string { return similar(i).Bundle() }, deletion),
	withMany("amendments of one chart", func(i int) apptest.Course { c := distinct(i); c.Chart = "A"; return c }),
	withMany("retractions of one chart", func(i int) apptest.Course {
		if i%2 == 1 {
			return retracted(i)
		}
		return apptest.Course{Chart: "A"}
	}),
	withMany("identities of one midwife", newIdentity),
	withMany("births of one midwife", func(i int) apptest.Course { return attendedBy(distinct(i), practitioner(1), "p1") }),
	withMany("spellings of one midwife", func(i int) apptest.Course {
		return attendedBy(distinct(i), fmt.Sprintf(`{"resourceType":"Practitioner","id":"p","name":[{"family":"Lindqvist %d"}]}`, i%2), "p")
	}),
	withMany("roles of one midwife", manyRoles),
	{"with many Bundles", 100, logN, func(s *installation, n int) func() {
		for i := range n {
			s.accept(distinct(i).Bundle())
		}
		s.drain()
		return func() { s.pushed(distinct(n).Bundle()) }
	}},
}

func deletion(i int) string {
	return fmt.Sprintf(`{"request":{"method":"DELETE","url":"Bundle?identifier=C-%06d"}}`, i)
}

// withMany pushes one more course when there are n. further are entries about each of them
// that follow in batches of their own.
func withMany(name string, one func(int) apptest.Course, further ...func(int) string) grows {
	return grows{"with many " + name, 100, logN, func(s *installation, n int) func() {
		s.pushed(apptest.Batch(each(n, func(i int) string { return one(i).Bundle() })...))
		for _, entry := range further {
			entries := list(n, func(i int) string {
				if e := entry(i); strings.HasPrefix(e, `{"request"`) {
					return e
				}
				return `{"resource":` + entry(i) + `}`
			})
			s.pushed(`{"resourceType":"Bundle","type":"transaction","entry":[` + entries + `]}`)
		}
		return func() { s.pushed(one(n).Bundle()) }
	}}
}

// manyRoles has a midwife's role change every month.
func manyRoles(i int) apptest.Course {
	c := distinct(i)
	c.Born = time.Date(1900, time.Month(1+i), 1, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
	return attendedBy(c, fmt.Sprintf(`{"resourceType":"Practitioner","id":"p","name":[{"family":"Lindqvist"}],"qualification":[{"code":{"text":"%s"}}]}`,
		[]string{"CPM", "RN", "Doula"}[i%3]), "p")
}
