package guide_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/guide"
)

func TestEveryStatementAboutAVendorNamesItsSource(t *testing.T) {
	cited := regexp.MustCompile(`^\[\d+\](, \[\d+\])*$`)
	number := regexp.MustCompile(`\[(\d+)\]`)
	for _, vendor := range guide.Vendors() {
		c, err := guide.ChecklistOf(vendor, "https://births.example.org", "")
		require.NoError(t, err)
		intro, _, _ := strings.Cut(c.Page, "\n## ")
		require.Regexp(t, `Nobody has tried this against .* production system`, strings.Join(strings.Fields(intro), " "), vendor)
		require.GreaterOrEqual(t, len(c.Asked), 6, vendor)
		require.GreaterOrEqual(t, len(c.Steps), 6, vendor)
		rows := 0
		for line := range strings.SplitSeq(under(c.Page, "What the registration asks")+"\n"+under(c.Page, "How "+behaves(c.Page)), "\n") {
			cells := strings.Split(strings.Trim(line, "|"), "|")
			if !strings.HasPrefix(line, "|") || strings.Contains(line, "---") || strings.TrimSpace(cells[2]) == "Source" {
				continue
			}
			rows++
			source := strings.TrimSpace(cells[2])
			require.True(t, source == "Not stated publicly" || cited.MatchString(source), "%s: %s", vendor, line)
		}
		require.GreaterOrEqual(t, rows, len(c.Asked)+4, vendor)
		used := map[string]bool{}
		for _, found := range number.FindAllStringSubmatch(c.Page, -1) {
			used[found[1]] = true
		}
		require.Len(t, used, len(c.Sources), "%s: every source is used, and there is one for each number", vendor)
		for n, source := range c.Sources {
			require.True(t, used[strconv.Itoa(n+1)], "%s: source %d", vendor, n+1)
			require.Contains(t, source, "https://", vendor)
		}
	}
}

// under returns what stands under a heading of a page.
func under(page, heading string) string {
	_, rest, _ := strings.Cut(page, "\n## "+heading+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// behaves returns the end of the heading over the vendor's manners.
func behaves(page string) string {
	_, rest, _ := strings.Cut(page, "\n## How ")
	name, _, _ := strings.Cut(rest, "\n")
	return name
}

func TestAChecklistHasTheInstallationsAddressesAndTheGivenIssuer(t *testing.T) {
	for _, vendor := range guide.Vendors() {
		c, err := guide.ChecklistOf(vendor, "https://births.example.org", "https://fhir.hill.example/r4")
		require.NoError(t, err)
		for _, address := range []string{"/smart/launch", "/smart/callback", "/smart/jwks.json"} {
			require.Contains(t, c.Page, "https://births.example.org"+address, vendor)
		}
		last := c.Commands[len(c.Commands)-1]
		require.True(t, strings.HasPrefix(last, "birthregistry ehr add https://fhir.hill.example/r4 --client-id CLIENT-ID "), last)
		require.Contains(t, c.Page, "birthregistry ehr check https://fhir.hill.example/r4", vendor)
		require.NotContains(t, c.Page, "](#", "links within a page lead nowhere on a terminal")
	}
	_, err := guide.ChecklistOf("hill", "https://births.example.org", "")
	require.ErrorContains(t, err, "epic, oracle, athena, canvas, openemr")
}

func TestThePageOfAVendorIsItsChecklist(t *testing.T) {
	g := guide.Must(guide.Facts{Base: "https://births.example.org"})
	for _, vendor := range guide.Vendors() {
		c, err := guide.ChecklistOf(vendor, "https://births.example.org", "")
		require.NoError(t, err)
		page := g.Page("ehr-" + vendor)
		require.NotNil(t, page, vendor)
		require.Equal(t, c.Page, "# "+page.Title+"\n"+strings.ReplaceAll(page.Markdown, "](#sources)", "]"))
		require.Contains(t, g.Page("ehr").Markdown, page.Path(), "the general page leads to it")
	}
}
