package guide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/assets"
)

// reference returns the OpenAPI document as a page in Markdown.
func reference() ([]byte, error) {
	var d document
	if err := json.Unmarshal(assets.OpenAPI, &d); err != nil {
		return nil, fmt.Errorf("guide: openapi.json: %w", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Reference\n\nThis page is [openapi.json](/openapi.json), the authoritative contract, in a readable form: %s, version %s.\n\n",
		d.Info.Title, d.Info.Version)
	for _, p := range d.Paths {
		for _, method := range p.Value {
			d.operation(&b, strings.ToUpper(method.Name)+" "+p.Name, method.Value)
		}
	}
	for _, w := range d.Webhooks {
		for _, method := range w.Value {
			d.operation(&b, strings.ToUpper(method.Name)+" to your webhook", method.Value)
		}
	}
	b.WriteString("## Shapes\n\n")
	for _, s := range d.Components.Schemas {
		describe(&b, s.Name, s.Value)
	}
	b.WriteString("## Description\n\n" + strings.ReplaceAll(d.Info.Description, "\n## ", "\n### ") + "\n")
	return []byte(b.String()), nil
}

// operation writes the section about one method of a path.
func (d *document) operation(b *strings.Builder, heading string, o operation) {
	fmt.Fprintf(b, "## %s\n\n%s. %s\n\n", heading, o.Summary, o.Description)
	for _, s := range o.Security {
		for _, scheme := range s {
			fmt.Fprintf(b, "Needs an API key with the scope `%s`.\n\n", strings.Join(scheme.Value, "`, `"))
		}
	}
	if len(o.Parameters) > 0 {
		b.WriteString("| Parameter | Where | Meaning |\n|---|---|---|\n")
		for _, p := range o.Parameters {
			need := "optional"
			if p.Required {
				need = "required"
			}
			fmt.Fprintf(b, "| `%s` | %s, %s | %s |\n", p.Name, p.In, need, cell(p.Description))
		}
		b.WriteString("\n")
	}
	if len(o.Body.Content) > 0 {
		body := o.Body.Content[0]
		fmt.Fprintf(b, "The body is a %s, sent as `%s`. %s\n\n", typeOf(body.Value.Schema), body.Name, o.Body.Description)
		for _, e := range body.Value.Examples {
			fmt.Fprintf(b, "%s:\n\n```json\n%s\n```\n\n", cmp.Or(e.Value.Summary, e.Name), indented(e.Value.Value))
		}
	}
	if !strings.HasPrefix(heading, "HEAD ") { // HEAD has the answers of the GET above it
		d.responses(b, o.Responses)
	}
}

// responses writes a table of an operation's responses, with the first success as an example.
func (d *document) responses(b *strings.Builder, all members[response]) {
	b.WriteString("| Status | Meaning | Body | Headers |\n|---|---|---|---|\n")
	shown := ""
	for _, r := range all {
		answer := r.Value
		if ref := last(answer.Ref); ref != "" {
			answer = d.Components.Responses.get(ref)
		}
		var bodies, headers []string
		for _, c := range answer.Content {
			bodies = append(bodies, "`"+c.Name+"`: "+typeOf(c.Value.Schema))
			if examples := c.Value.Examples; shown == "" && strings.HasPrefix(r.Name, "2") && len(examples) > 0 {
				shown = fmt.Sprintf("A %s, for example:\n\n```json\n%s\n```\n\n", r.Name, indented(examples[0].Value.Value))
			}
		}
		for _, h := range answer.Headers {
			headers = append(headers, "`"+h.Name+"`")
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", r.Name, cell(answer.Description), strings.Join(bodies, ", "), strings.Join(headers, ", "))
	}
	b.WriteString("\n" + shown)
}

// describe writes the section about a schema and its members.
func describe(b *strings.Builder, name string, s schema) {
	fmt.Fprintf(b, "### %s {#%s}\n\n%s\n\n", name, name, shorten(s.Description))
	if one := alternatives(s); one != "" {
		fmt.Fprintf(b, "One of %s.\n\n", one)
	}
	if len(s.Properties) == 0 {
		return
	}
	b.WriteString("| Member | Type | Meaning |\n|---|---|---|\n")
	for _, p := range s.Properties {
		need := ""
		if slices.Contains(s.Required, p.Name) {
			need = ", required"
		}
		fmt.Fprintf(b, "| `%s` | %s%s | %s |\n", p.Name, typeOf(p.Value), need, cell(p.Value.Description))
	}
	b.WriteString("\n")
}

// shorten cuts off the table in a description, which is the table of observation codes. It adds a
// link to the page with that table.
func shorten(text string) string {
	if before, _, found := strings.Cut(text, "\n|"); found {
		return before + "\n\nSee [the observation codes](/docs/codes)."
	}
	return text
}

// typeOf describes a schema's type in Markdown. If the schema refers to another schema of the
// document, the description is a link.
func typeOf(s schema) string {
	switch {
	case s.Ref != "":
		return fmt.Sprintf("[%[1]s](#%[1]s)", last(s.Ref))
	case len(s.Const) > 0:
		return "`" + string(s.Const) + "`"
	case len(s.Enum) > 0:
		return "`" + strings.Join(s.Enum, "`, `") + "`"
	case s.Items != nil:
		return "list of " + typeOf(*s.Items)
	case alternatives(s) != "":
		return alternatives(s)
	case s.Format != "":
		return s.Format
	}
	return strings.Trim(strings.ReplaceAll(string(s.Type), `"`, ""), "[]")
}

func alternatives(s schema) string {
	var names []string
	for _, one := range append(s.OneOf, s.AnyOf...) {
		names = append(names, typeOf(one))
	}
	return strings.Join(names, " or ")
}

func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// cell returns a text in a form that stays within one cell of a Markdown table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

func indented(v jsontext.Value) string {
	_ = v.Indent(jsontext.WithIndent("  ")) // the document is the program's own
	return string(v)
}
