package metamorphic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// formMutations change how a Bundle is written and wrapped.
var formMutations = []mutation{
	one("members stand in another order: the same", func(doc object) *mutant {
		return &mutant{body: write(doc, rand.New(rand.NewPCG(1, 2)))}
	}),
	one("blanks and line ends: the same", func(doc object) *mutant {
		return &mutant{body: "\r\n" + strings.ReplaceAll(write(doc, nil), `":`, "\" :\r\n\t")}
	}),
	same("entries stand in another order, but for Patients and providers", func(doc object) {
		for _, b := range courses(doc) {
			reverse(b, "Observation", "Composition")
		}
	}),
	same("narratives, contained resources, languages and unknown extensions are added", func(doc object) {
		every(doc, "", func(r object) {
			r["text"] = object{"status": "generated", "div": "<div>birth weight 9 g</div>"}
			r["contained"] = list{patient("inner", vrcl+"Patient-mother-vr"), observation("9272-6", integer(1))}
			r["language"] = "en-US"
			extensions, _ := r["extension"].(list)
			r["extension"] = append(extensions, extension("http://vendor.example/note", object{"valueString": "9"}))
		})
	}),
	same("tags, security labels and a source are added", func(doc object) {
		every(doc, "", func(r object) {
			meta, _ := r["meta"].(object)
			r["meta"] = with(meta, object{"tag": list{coding("urn:x", "Patient-child-vr")}, "security": list{coding("urn:x", "R")}, "source": "urn:ehr", "versionId": "7"})
		})
	}),
	same("resources that the default reading does not know are added", func(doc object) {
		for _, b := range courses(doc) {
			add(b, object{"resourceType": "Procedure", "code": concept(coding(snomed, "11466000"))}, object{"resourceType": "Condition", "code": concept(coding(snomed, "11687002"))},
				object{"resourceType": "Coverage", "type": concept(coding("https://nahdo.org/sopt", "2"))}, object{"resourceType": "Location", "name": "South Hospital"},
				object{"resourceType": "RelatedPerson", "meta": object{"profile": list{vrcl + "RelatedPerson-mother-vr"}}})
		}
	}),
	same("entries have links, search scores, requests and responses", func(doc object) {
		for _, b := range bundles(doc) {
			for _, e := range objectsAt(b, "entry") {
				if e["request"] == nil {
					e["request"] = object{"method": "PUT", "url": "Patient/1"}
				}
				e["search"], e["response"] = object{"mode": "match"}, object{"status": "200"}
			}
		}
	}),
	same("the Bundle is of another type", func(doc object) {
		for _, b := range courses(doc) {
			b["type"] = "collection"
		}
	}),
	{says: "it comes in a message: the same", make: func(doc object) []mutant {
		if len(mothersOf(doc))+len(childrenOf(doc)) == 0 {
			return nil // a message without a birth has a rejection of its own
		}
		return []mutant{{doc: object{"resourceType": "Bundle", "type": "message", "entry": list{
			object{"resource": object{"resourceType": "MessageHeader"}}, object{"resource": object{"resourceType": "Parameters"}}, object{"resource": doc},
		}}}}
	}},
	{says: "it is a batch of one: the same", make: func(doc object) []mutant {
		return []mutant{{doc: object{"resourceType": "Bundle", "type": "batch", "entry": list{object{"resource": doc}}}}}
	}},
	same("profiles are on another host", func(doc object) {
		rewriteProfiles(doc, func(url string) string {
			return "https://profiles.ihe.example/QRPH/StructureDefinition/" + url[strings.LastIndexByte(url, '/')+1:]
		})
	}),
	same("profiles are web pages", func(doc object) {
		rewriteProfiles(doc, func(url string) string {
			name, version, _ := strings.Cut(url[strings.LastIndexByte(url, '/')+1:], "|")
			if version != "" || strings.Contains(name, "StructureDefinition-") {
				return url
			}
			return "http://build.fhir.example/ig/StructureDefinition-" + name + ".html"
		})
	}),
	one("profiles of Patients carry a version: the same, and the version is kept", func(doc object) *mutant {
		every(doc, "Patient", func(p object) {
			profiles, _ := at(p, "meta", "profile").(list)
			for i, profile := range profiles {
				url, _, _ := strings.Cut(fmt.Sprint(profile), "|")
				profiles[i] = url + "|2.0.0"
			}
		})
		return &mutant{free: []string{"ig_version"}}
	}),
	same("profiles are in capitals", func(doc object) {
		for _, b := range courses(doc) {
			for _, p := range resources(b, "Patient") {
				profiles, _ := at(p, "meta", "profile").(list)
				for i, profile := range profiles {
					url, version, versioned := strings.Cut(fmt.Sprint(profile), "|")
					profiles[i] = strings.ToUpper(url)
					if versioned {
						profiles[i] = strings.ToUpper(url) + "|" + version
					}
				}
			}
		}
	}),
	same("blanks stand around the chart number", func(doc object) {
		for _, b := range courses(doc) {
			if id := textAt(b, "identifier", "value"); id != "" {
				b["identifier"] = object{"value": "  " + id + "\t"}
			}
		}
	}),
	one("a control character stands in the chart number: refused", func(doc object) *mutant {
		return rejected(doc, "value", func(b object) bool {
			id := textAt(b, "identifier", "value")
			b["identifier"] = object{"value": id + "\u00077"}
			return id != ""
		})
	}),
	one("the mother's profile is missing: refused", func(doc object) *mutant {
		return rejected(doc, "invariant", func(b object) bool {
			for _, p := range mothersOf(b) {
				delete(p, "meta")
			}
			return true
		})
	}),
	one("there are two mothers: refused", func(doc object) *mutant {
		return rejected(doc, "invariant", func(b object) bool {
			add(b, mother(object{"id": "second"}))
			return true
		})
	}),
	one("the report was entered in error: a retraction", func(doc object) *mutant {
		return ended(doc, "retraction", func(b object) bool {
			reports := resources(b, "Composition")
			for _, c := range reports {
				c["status"] = "entered-in-error"
			}
			return len(reports) > 0 && textAt(b, "identifier", "value") != ""
		})
	}),
}

// reverse reverses the order of the entries whose resources are of these types; other entries
// keep their places.
func reverse(b object, kinds ...string) {
	entries, _ := b["entry"].(list)
	var places []int
	for i, e := range entries {
		if slices.Contains(kinds, textAt(e, "resource", "resourceType")) {
			places = append(places, i)
		}
	}
	for i, j := 0, len(places)-1; i < j; i, j = i+1, j-1 {
		entries[places[i]], entries[places[j]] = entries[places[j]], entries[places[i]]
	}
}

func rewriteProfiles(doc object, rewrite func(string) string) {
	every(doc, "", func(r object) {
		profiles, _ := at(r, "meta", "profile").(list)
		for i, profile := range profiles {
			if url, ok := profile.(string); ok {
				profiles[i] = rewrite(url)
			}
		}
	})
}

// rejected returns a mutant whose courses are all refused with an issue code, or nil if a
// course would have been refused anyway.
func rejected(doc object, code string, edit func(b object) bool) *mutant {
	return ended(doc, "rejected: "+code, edit)
}

func ended(doc object, outcome string, edit func(b object) bool) *mutant {
	all := courses(doc)
	for _, b := range all {
		if len(mothersOf(b)) != 1 || len(childrenOf(b)) == 0 || !edit(b) {
			return nil
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &mutant{now: map[string]string{"outcome": outcome}}
}
