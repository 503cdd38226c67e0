package guide

import (
	"fmt"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/bundle"
)

// bfdrItems returns a table of the items of the spine that BFDR has. Each row states where BFDR has
// the item, which readings (birth.Reading) accept the item there, and which Observation both
// readings accept.
func bfdrItems() string {
	var b strings.Builder
	b.WriteString("| Item | Where BFDR 2.0.0 states it | Read under | The Observation to send otherwise |\n|---|---|---|---|\n")
	category := ""
	for _, item := range bundle.BFDRItems {
		if item.Category != category {
			category = item.Category
			if bundle.HasNone(category) {
				where := fmt.Sprintf("Observation, code %s, value %s", category, bundle.NoneOfThese)
				fmt.Fprintf(&b, "| none of the items of %s | %s | both | the same |\n", category, where)
			}
		}
		what := itemText(item)
		if item.Resource() == "Observation" {
			fmt.Fprintf(&b, "| %s | Observation, code %s, value %s | both | the same |\n", what, category, item.Code)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s, category %s, code %s | `bfdr` | code %s, value %s |\n",
			what, item.Resource(), category, item.Code, category, item.Code)
		if category == bundle.ObstetricProcedures {
			b.WriteString(versionOutcomes())
		}
	}
	return b.String()
}

// versionOutcomes returns the table rows for the possible outcomes of an external cephalic version,
// which turns the fetus in the womb by pressing on the mother's abdomen.
func versionOutcomes() string {
	field := birth.Must("obstetric_procedures")
	var b strings.Builder
	for _, o := range bundle.VersionOutcomes {
		fmt.Fprintf(&b, "| %s: %s | the same Procedure, outcome %s | `bfdr` | code `%s`, value `%s` |\n",
			field.Label, field.LabelOf(o.Option), o.Code, field.Name, o.Option)
	}
	return b.String()
}

// itemText returns a description of what an item means.
func itemText(item bundle.BFDRItem) string {
	var texts []string
	for _, s := range item.States() {
		text := s.Field.Label
		switch s.Field.Kind {
		case birth.Code:
			text += ": " + s.Field.LabelOf(s.Value.Text)
		case birth.Codes:
			text += ": " + s.Field.LabelOf(s.Value.Set[0])
		case birth.Int:
			text += ": at least one"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// bfdrPayers returns a table of the payers for which BFDR has a code.
func bfdrPayers() string {
	field := birth.Must("principal_payer")
	var b strings.Builder
	b.WriteString("| Payer | Coverage.type | Read under | The Observation to send otherwise |\n|---|---|---|---|\n")
	for _, p := range bundle.BFDRPayers {
		fmt.Fprintf(&b, "| %s | %s | `bfdr` | code `%s`, value `%s` |\n", field.LabelOf(p.Option), p.Code, field.Name, p.Option)
	}
	return b.String()
}
