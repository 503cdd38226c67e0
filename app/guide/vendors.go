package guide

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// vendors lists the EHR vendors about which the guide has a page. The page is named ehr-NAME. The
// command `birthregistry ehr checklist --vendor NAME` prints it.
var vendors = []string{"epic", "oracle", "athena", "canvas", "openemr"}

// Vendors returns the names of the EHR vendors about which the guide has a page.
func Vendors() []string { return slices.Clone(vendors) }

// Checklist describes how to register the registry with an EHR's vendor. Its texts are Markdown; a
// number in brackets refers to Sources.
type Checklist struct {
	Vendor string `json:"vendor"`
	Title  string `json:"title"`
	// Asked lists the questions in the vendor's registration form, with this installation's
	// answers.
	Asked []Asked  `json:"asked"`
	Steps []string `json:"steps"`
	// Commands lists the `birthregistry ehr add` commands of the steps, each of them complete.
	Commands []string `json:"commands"`
	// Sources lists the public documents on which the other fields are based. The number of the
	// first source is 1.
	Sources []string `json:"sources"`
	// Page is the text of the whole page. It also describes how the vendor's server behaves.
	Page string `json:"-"`
}

// Asked is one question that a vendor's registration asks. Source is "Not stated publicly" if no
// public document answers it.
type Asked struct {
	Asks   string `json:"asks"`
	Give   string `json:"give"`
	Source string `json:"source"`
}

var (
	citation   = regexp.MustCompile(`\[(\d+)\]\(#sources\)`)
	addCommand = regexp.MustCompile(`(?m)^ {8}(birthregistry ehr add (\S+) .*)$`)
	listItem   = regexp.MustCompile(`(?m)^\d+\. `)
)

// ChecklistOf returns a vendor's checklist, filled in with the addresses of the installation at
// base. The last `birthregistry ehr add` line of the checklist has an example issuer. Unless issuer
// is "", it replaces the example. ChecklistOf fails if the guide has no page about the vendor.
func ChecklistOf(vendor, base, issuer string) (c Checklist, err error) {
	if !slices.Contains(vendors, vendor) {
		return c, fmt.Errorf("there is no page about the vendor %q; choose one of %s", vendor, strings.Join(vendors, ", "))
	}
	source, err := sourceOf("ehr-" + vendor)
	if err != nil {
		return c, err
	}
	text, err := Facts{Base: base}.fill(string(source))
	if err != nil {
		return c, err
	}
	text = citation.ReplaceAllString(text, "[$1]")
	if found := addCommand.FindAllStringSubmatch(text, -1); len(found) > 0 {
		example := found[len(found)-1][2]
		text = strings.ReplaceAll(text, example, cmp.Or(issuer, example))
	}
	title, _, _ := strings.Cut(text, "\n")
	c = Checklist{Vendor: vendor, Title: strings.TrimPrefix(title, "# "), Page: text}
	for _, row := range strings.Split(section(text, "What the registration asks"), "\n")[2:] {
		if cells := strings.Split(strings.Trim(row, "|"), "|"); len(cells) == 3 {
			c.Asked = append(c.Asked, Asked{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])})
		}
	}
	c.Steps, c.Sources = items(section(text, "Steps")), items(section(text, "Sources"))
	for _, found := range addCommand.FindAllStringSubmatch(text, -1) {
		c.Commands = append(c.Commands, found[1])
	}
	return c, nil
}

// section returns the text below a second-level heading, up to the next second-level heading.
func section(text, heading string) string {
	_, text, _ = strings.Cut(text, "\n## "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return strings.TrimSpace(text)
}

// items returns the items of a numbered list in Markdown, each as one paragraph.
func items(list string) (all []string) {
	list = addCommand.ReplaceAllString(list, "`$1`.")
	for _, item := range listItem.Split(list, -1) {
		if item = strings.Join(strings.Fields(item), " "); item != "" {
			all = append(all, item)
		}
	}
	return all
}
