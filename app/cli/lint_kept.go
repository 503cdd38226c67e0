package cli

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"birthregistry/app/lint"
	"birthregistry/app/records"
)

// kept writes the facts that a record keeps, grouped by the person whom they are about. For each
// fact, it writes the name and the sources, and also the value if --reveal is given.
func (p *page) kept(kept []lint.Kept, base string, revealed bool) {
	fields, values := 0, 0
	for _, k := range kept {
		fields = max(fields, utf8.RuneCountInString(k.Field))
		if n := utf8.RuneCountInString(valueText(k)); revealed && n <= valueWidth {
			values = max(values, n)
		}
	}
	head := ""
	for _, k := range kept {
		about := k.About
		if k.Child > 0 {
			about = fmt.Sprintf("child %d", k.Child)
		}
		if about != head {
			p.line(4, about)
			head = about
		}
		line := padded(k.Field, fields)
		if revealed {
			line += padded(valueText(k), values)
		}
		for _, from := range sourcesOf(k, base) {
			if revealed && 6+utf8.RuneCountInString(line+from) > pageWidth { // the source gets its own line
				if strings.TrimSpace(line) != "" {
					p.line(6, line)
				}
				line = padded("", fields)
			}
			p.line(6, line+from)
			line = padded("", utf8.RuneCountInString(line)-2)
		}
	}
}

// padded returns a cell of a table, padded to the width of its column plus two spaces.
func padded(cell string, width int) string {
	return cell + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(cell))+2)
}

// sourcesOf lists the elements from which a fact was read. For a computed fact, it lists the fields
// from which the fact is computed.
func sourcesOf(k lint.Kept, base string) (all []string) {
	for _, e := range k.From {
		what := cmp.Or(e.Code, e.Extension)
		if what == "" && strings.HasSuffix(e.At, "]") || strings.HasSuffix(e.At, ".resource") && e.Code == "" {
			what = e.Resource
		}
		all = append(all, strings.TrimSpace(shortPlace(e.At, base)+"  "+what))
	}
	if len(all) == 0 {
		all = append(all, "from "+strings.Join(k.Computed, ", "))
	}
	return all
}

// valueWidth is the maximum width of the column of values, in characters. A longer value makes only
// its own row longer. mostValue is the length to which values are cut, so that they fit next to the
// longest field name.
const (
	valueWidth = 24
	mostValue  = 44
)

// valueText returns a value in human-readable form, cut to mostValue characters.
func valueText(k lint.Kept) string {
	field, value := k.Spine()
	text := value.Text
	if field != nil {
		text = records.Text(field, value)
	}
	if runes := []rune(text); len(runes) > mostValue {
		text = string(runes[:mostValue-1]) + "…"
	}
	return text
}
