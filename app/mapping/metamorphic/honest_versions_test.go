package metamorphic

// versionsOf returns a Bundle with a weight in two versions. more are members of their entries.
func versionsOf(kind string, first, second object, more ...object) object {
	const address = "https://ehr.example/fhir/Observation/w"
	doc := course(
		observation("8339-4", about("Patient/child"), object{"id": "w"}, amount("3140", "g"), first), observation("8339-4", about("Patient/child"), object{"id": "w"}, amount("3410", "g"), second),
	)
	doc["type"] = kind
	for i, e := range objectsAt(doc, "entry")[2:] {
		e["fullUrl"] = address
		if len(more) > i {
			doc["entry"].(list)[2+i] = with(e, more[i])
		}
	}
	return doc
}

func answeredAt(at string) object { return object{"response": object{"lastModified": at}} }

// Versions of one resource: the last one counts, if it is known which one that is.
var honestVersions = []honest{
	{
		says: "a history lists the latest version first",
		doc:  versionsOf("history", nil, nil),
		want: "child[0].birth_weight_g 3140",
	},
	{
		says: "a history states the times of its versions in its answers",
		doc:  versionsOf("history", nil, nil, answeredAt("2026-03-02T10:00:00Z"), answeredAt("2026-03-03T10:00:00Z")),
		want: "child[0].birth_weight_g 3410",
	},
	{
		says: "a collection has the latest version last, where nothing else shows it",
		doc:  versionsOf("collection", nil, nil),
		want: "child[0].birth_weight_g 3410",
	},
	{
		says: "the first of two versions is withdrawn, and nothing shows which is the later one",
		doc:  versionsOf("collection", status("entered-in-error"), nil),
	},
	{
		says: "the second of two versions is withdrawn, and nothing shows which is the later one",
		doc:  versionsOf("history", nil, status("entered-in-error")),
	},
	{
		says: "a version was withdrawn and entered again",
		doc:  versionsOf("collection", with(status("entered-in-error"), object{"meta": object{"versionId": "1"}}), object{"meta": object{"versionId": "2"}}),
		want: "child[0].birth_weight_g 3410",
	},
}
