package metamorphic

import (
	"reflect"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// bundles returns a Bundle and those within it.
func bundles(doc object) (all []object) {
	if textAt(doc, "resourceType") != "Bundle" {
		return nil
	}
	all = append(all, doc)
	for _, e := range objectsAt(doc, "entry") {
		if inner, ok := e["resource"].(object); ok {
			all = append(all, bundles(inner)...)
		}
	}
	return all
}

// courses returns the Bundles that hold Patients themselves.
func courses(doc object) []object {
	return slices.DeleteFunc(bundles(doc), func(b object) bool { return len(resources(b, "Patient")) == 0 })
}

// resources returns the resources of a type that are entries of the Bundle itself; "" means
// all types.
func resources(b object, kind string) (all []object) {
	for _, e := range objectsAt(b, "entry") {
		r, ok := e["resource"].(object)
		if ok && textAt(r, "resourceType") != "Bundle" && (kind == "" || textAt(r, "resourceType") == kind) {
			all = append(all, r)
		}
	}
	return all
}

// every visits the resources of a type in all courses.
func every(doc object, kind string, visit func(object)) {
	for _, b := range bundles(doc) {
		for _, r := range resources(b, kind) {
			visit(r)
		}
	}
}

// add appends entries to a Bundle.
func add(b object, more ...object) {
	entries, _ := b["entry"].(list)
	for _, r := range more {
		entries = append(entries, object{"resource": r})
	}
	b["entry"] = entries
}

// roleIs reports whether a Patient has a profile with one of the words.
func roleIs(p object, words ...string) bool {
	profiles, _ := at(p, "meta", "profile").(list)
	return slices.ContainsFunc(profiles, func(profile any) bool {
		url, _ := profile.(string)
		name := strings.ToLower(url[strings.LastIndexByte(url, '/')+1:])
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
	})
}

func mothersOf(b object) []object { return patientsOf(b, "mother", "maternal") }

func childrenOf(b object) []object {
	return patientsOf(b, "child", "newborn", "fetus", "decedent")
}

func patientsOf(b object, words ...string) (all []object) {
	for _, p := range resources(b, "Patient") {
		if roleIs(p, words...) {
			all = append(all, p)
		}
	}
	return all
}

// referenceTo returns how a Bundle refers to one of its resources: "Type/id", or else the
// fullUrl of its entry.
func referenceTo(b, r object) string {
	if id := textAt(r, "id"); id != "" {
		return textAt(r, "resourceType") + "/" + id
	}
	for _, e := range objectsAt(b, "entry") {
		if inner, ok := e["resource"].(object); ok && write(inner, nil) == write(r, nil) {
			return textAt(e, "fullUrl")
		}
	}
	return ""
}

// The codes of the spine's Observations, and the fields that each states.
var fieldsByCode = func() map[string][]*birth.Field {
	all := map[string][]*birth.Field{}
	for _, f := range birth.Spine {
		if f.Derived {
			continue
		}
		for _, code := range append([]string{f.Name}, f.Codes...) {
			all[code] = append(all[code], f)
		}
	}
	return all
}()

// finding is an Observation that states a field of the spine.
type finding struct {
	object
	course object
	fields []*birth.Field
}

// findings returns the Observations of a document that are read.
func findings(doc object) (all []finding) {
	for _, b := range courses(doc) {
		for _, o := range resources(b, "Observation") {
			for _, c := range objectsAt(o, "code", "coding") {
				if fields := fieldsByCode[textAt(c, "code")]; len(fields) > 0 {
					all = append(all, finding{o, b, fields})
					break
				}
			}
		}
	}
	return all
}

func (f finding) names() (all []string) {
	for _, field := range f.fields {
		all = append(all, field.Name)
	}
	return all
}

// only returns the one field that a finding states, or nil for a finding of a category.
func (f finding) only() *birth.Field {
	if len(f.fields) == 1 {
		return f.fields[0]
	}
	return nil
}

// elsewhere are fields that a resource other than an Observation may state, or that count the
// children if no Observation contradicts that.
var elsewhere = []string{"plurality", "planned_birth_setting", "doula_present", "live_birth", "birth_setting"}

// lose returns a mutation that makes findings state nothing: the document must then read as if
// they were missing.
func lose(says string, fits func(finding) bool, edit func(finding)) mutation {
	return mutation{says: says, make: func(doc object) []mutant {
		like, changed := clone(doc), false
		kept := findings(like)
		for i, f := range findings(doc) {
			if fits(f) {
				changed = true
				remove(kept[i].course, kept[i].object)
				edit(f)
			}
		}
		if !changed {
			return nil
		}
		return []mutant{{doc: doc, like: like, lost: true, free: elsewhere}}
	}}
}

// remove removes the entry of a resource from its Bundle.
func remove(b, r object) {
	entries := slices.Clone(b["entry"].(list))
	b["entry"] = slices.DeleteFunc(entries, func(e any) bool {
		inner, _ := at(e, "resource").(object)
		return inner != nil && sameObject(inner, r)
	})
}

// sameObject reports whether two values are the same object, not only equal ones.
func sameObject(a, b object) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

// keep returns a mutation of findings after which each says the same.
func keep(says string, fits func(finding) bool, edit func(finding)) mutation {
	return same(says, func(doc object) {
		for _, f := range findings(doc) {
			if fits(f) {
				edit(f)
			}
		}
	})
}

func anything(finding) bool { return true }
