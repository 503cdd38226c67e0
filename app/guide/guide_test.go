package guide_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/guide"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
	"birthregistry/assets"
)

var facts = guide.Facts{
	Base: "https://registry.example.org", RateLimit: 117, AnonymousRateLimit: 59, MaxBodyBytes: 31 << 20, BufferFor: 23 * time.Hour,
	Reading: birth.BFDRReading,
}

func rendered(t *testing.T) *guide.Guide {
	t.Helper()
	g, err := guide.New(facts)
	require.NoError(t, err)
	return g
}

// nodes visits the elements of a page.
func nodes(t *testing.T, page guide.Page, visit func(n *html.Node, attributes map[string]string)) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page.HTML))
	require.NoError(t, err)
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		attributes := map[string]string{}
		for _, a := range n.Attr {
			attributes[a.Key] = a.Val
		}
		visit(n, attributes)
	}
}

func TestEveryPageHasATitleAndHarmlessHTML(t *testing.T) {
	for _, page := range rendered(t).Pages {
		require.NotEmpty(t, page.Title, page.Name)
		require.NotContains(t, page.HTML, "raw HTML omitted", page.Name)
		require.NotContains(t, page.HTML, "{{", page.Name)
		ids := map[string]bool{}
		nodes(t, page, func(n *html.Node, attributes map[string]string) {
			require.NotContains(t, []string{"h1", "script", "style", "iframe"}, n.Data, page.Name)
			for name := range attributes {
				require.NotEqual(t, "style", name, page.Name)
				require.False(t, strings.HasPrefix(name, "on"), page.Name)
			}
			if id := attributes["id"]; id != "" {
				require.False(t, ids[id], "%s has two places called %s", page.Name, id)
				ids[id] = true
			}
			if n.Data == "pre" {
				require.Equal(t, "0", attributes["tabindex"], "%s: the keyboard cannot scroll it", page.Name)
			}
			if n.Data == "td" {
				require.NotEmpty(t, attributes["data-label"], "%s: a cell without its heading on a narrow screen", page.Name)
			}
			if n.Data == "th" {
				require.NotNil(t, n.FirstChild, "%s: a column without a heading", page.Name)
			}
		})
	}
}

func TestNoLinkInTheGuidesIsBroken(t *testing.T) {
	g := rendered(t)
	places := map[string]bool{"/openapi.json": true, "/registry/import": true}
	for _, page := range g.Pages {
		places[page.Path()] = true
		nodes(t, page, func(_ *html.Node, attributes map[string]string) {
			if id := attributes["id"]; id != "" {
				places[page.Path()+"#"+id] = true
			}
		})
	}
	samples, err := assets.Samples.ReadDir("samples")
	require.NoError(t, err)
	for _, s := range samples {
		places["/docs/samples/"+s.Name()] = true
	}
	links := 0
	for _, page := range g.Pages {
		nodes(t, page, func(n *html.Node, attributes map[string]string) {
			if n.Data == "img" {
				_, err := assets.Pages.Open(strings.TrimPrefix(attributes["src"], "/assets/"))
				require.NoError(t, err, "%s shows %s", page.Name, attributes["src"])
				require.NotEmpty(t, attributes["alt"])
			}
			if n.Data != "a" {
				return
			}
			links++
			target := attributes["href"]
			if strings.HasPrefix(target, "#") {
				target = page.Path() + target
			}
			if !strings.HasPrefix(target, "http") {
				require.True(t, places[target], "%s links to %s", page.Name, target)
			}
		})
	}
	require.Greater(t, links, 40)
}

// An unescaped bar ends its table cell, even within code, and the rest of the row is lost.
func TestEveryRowOfATableHasAsManyCellsAsItsHead(t *testing.T) {
	pages := map[string]string{}
	for _, name := range []string{"README.md", contributing} {
		pages[name] = read(t, name)
	}
	names, err := fs.Glob(assets.Guides, "guides/*.md")
	require.NoError(t, err)
	for _, name := range names {
		page, err := fs.ReadFile(assets.Guides, name)
		require.NoError(t, err)
		pages[name] = string(page)
	}
	for name, page := range pages {
		cells := 0
		for line := range strings.Lines(page) {
			if !strings.HasPrefix(line, "|") {
				cells = 0
				continue
			}
			bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if cells == 0 {
				cells = bars
			}
			require.Equal(t, cells, bars, "%s: %s", name, line)
		}
	}
}

func TestTheErrorPageMatchesTheCatalog(t *testing.T) {
	page := rendered(t).Page("errors")
	ids := map[string]bool{}
	nodes(t, *page, func(_ *html.Node, attributes map[string]string) { ids[attributes["id"]] = true })
	for _, p := range fhir.Catalog {
		if p == fhir.Accepted {
			continue
		}
		require.True(t, ids[p.Name], p.Name)
		require.Contains(t, page.Markdown, p.Text)
		require.Contains(t, page.Markdown, p.Hint)
	}
	for _, class := range ingest.Exceptions {
		require.Contains(t, page.Markdown, "| `"+class+"` |")
	}
	require.Equal(t, len(ingest.Exceptions), strings.Count(page.Markdown, "\n| `"))
}

func TestTheTableOfReasonsMatchesTheMapper(t *testing.T) {
	page := rendered(t).Page("lint").Markdown
	_, table, _ := strings.Cut(page, "## Why something is dropped")
	table, _, _ = strings.Cut(table, "## For programs")
	require.Equal(t, len(mapping.Reasons), strings.Count(table, "\n| `"))
	for _, r := range mapping.Reasons {
		require.Contains(t, table, "\n| `"+string(r.Reason)+"` | "+r.Text+" |\n")
	}
}

func TestTheListOfCodesMatchesTheSpine(t *testing.T) {
	page := rendered(t).Page("codes")
	observations, others, _ := strings.Cut(page.Markdown, "## Read from the resources themselves")
	for _, f := range birth.Spine {
		row := "| `" + f.Name + "` | " + f.Label + " |"
		in := observations
		if f.Derived || f.Demographic { // their codes don't belong to Observations
			in = others
		}
		require.Equal(t, 1, strings.Count(in, row), f.Name)
		if in == observations {
			for _, code := range f.Codes {
				require.Contains(t, in, code, f.Name)
			}
		}
		for _, o := range f.Options {
			require.Contains(t, in, "`"+o.Code+"` ("+o.Label+")")
		}
	}
	require.Contains(t, observations, "| `birth_weight_g` | Birth weight | whole number, `g`, 100 to 9998 | 8339-4 |")
}

// The contract lists the codes in its description of an Observation.
func TestTheContractListsTheCodesOfTheSpine(t *testing.T) {
	rows := 0
	for _, f := range birth.Spine {
		if f.Derived || f.Demographic {
			continue
		}
		value, codes := f.Kind.String(), strings.Join(f.Codes, ", ")
		if f.Unit != "" {
			value += ", `" + f.Unit + "`"
		}
		for i, o := range f.Options {
			value += []string{": ", ", "}[min(i, 1)] + "`" + o.Code + "`"
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %s | %s |", f.Name, f.Label, f.About, value, cmp.Or(codes, "–"))
		require.True(t, strings.Contains(string(assets.OpenAPI), row), row)
		rows++
	}
	_, table, _ := strings.Cut(string(assets.OpenAPI), "| code | meaning | of the | value | LOINC |")
	table, _, _ = strings.Cut(table, `\n\n`)
	require.Equal(t, rows, strings.Count(table, "\\n| `"))
}

// The page describes each item as the mapping reads it.
func TestTheBFDRPageHasEveryItemAsItIsRead(t *testing.T) {
	page := rendered(t).Page("bfdr")
	items, rest, ok := strings.Cut(page.Markdown, "## Payer, facility, attendant")
	require.True(t, ok)
	categories := map[string]bool{}
	for _, item := range bundle.BFDRItems {
		categories[item.Category] = true
		stated := item.States()[0]
		label := stated.Field.Label
		switch {
		case stated.Value.Text != "":
			label += ": " + stated.Field.LabelOf(stated.Value.Text)
		case stated.Value.Set != nil:
			label += ": " + stated.Field.LabelOf(stated.Value.Set[0])
		}
		where := item.Resource() + ", category " + item.Category + ", code " + item.Code + " | `bfdr` | code " + item.Category + ", value " + item.Code + " |"
		if item.Resource() == "Observation" {
			where = "Observation, code " + item.Category + ", value " + item.Code + " | both | the same |"
		}
		require.Regexp(t, `(?m)^\| `+regexp.QuoteMeta(label)+`[^|]* \| `+regexp.QuoteMeta(where)+`$`, items)
	}
	nones := 0
	for category := range categories {
		if bundle.HasNone(category) {
			nones++
		}
		none := strings.Contains(items, "| none of the items of "+category+" | Observation, code "+category+", value "+bundle.NoneOfThese+" | both |")
		require.Equal(t, bundle.HasNone(category), none, category)
	}
	for _, o := range bundle.VersionOutcomes {
		require.Contains(t, items, "outcome "+o.Code+" | `bfdr` | code `obstetric_procedures`, value `"+o.Option+"` |")
	}
	for _, p := range bundle.BFDRPayers {
		require.Contains(t, rest, " | "+p.Code+" | `bfdr` | code `principal_payer`, value `"+p.Option+"` |")
	}
	rows := len(bundle.BFDRItems) + len(bundle.VersionOutcomes) + nones
	require.Equal(t, rows, strings.Count(items, " | `bfdr` | code ")+strings.Count(items, " | both | the same |"))
	require.Contains(t, page.Markdown, "This installation reads **"+birth.BFDRReading.About()+"**")
}

func TestTheRolesPageMatchesThePermissions(t *testing.T) {
	page := rendered(t).Page("roles")
	require.Contains(t, page.Markdown, "| May | Practice admin | Provider | Scribe | Viewer |")
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| (.+) \|$`).FindAllStringSubmatch(page.Markdown, -1)[1:]
	require.Len(t, rows, len(auth.Permissions))
	for i, p := range auth.Permissions {
		require.Equal(t, p.About, rows[i][1])
		for n, stated := range strings.Split(rows[i][2], " | ") {
			require.Equal(t, auth.Roles[n].Role.May(p.Permission), stated == "**yes**", "%s %s", auth.Roles[n].Label, p.About)
		}
	}
}

func TestTheGuideSaysTheOperatorsLimitsAndAddress(t *testing.T) {
	text := ""
	for _, page := range rendered(t).Pages {
		if page.Name != "reference" { // which speaks of the defaults, and says so
			text += page.Markdown
		}
	}
	for _, stated := range []string{
		"117 in any 60 seconds", "59 in any 60 seconds", "31 MiB", "23 hours", "64 levels", "https://registry.example.org/api/registry/fhir/Bundle",
	} {
		require.Contains(t, text, stated)
	}
	for _, ofAProxy := range []string{"--publish 127.0.0.1:8080:8080", "REGISTRY_TRUSTED_PROXIES=127.0.0.1/32"} { // on the service's machine
		text = strings.ReplaceAll(text, ofAProxy, "")
	}
	require.NotContains(t, text, "127.0.0.1")
	require.Contains(t, text, "**After a receipt with `failed`, send the Bundle again under a NEW key.**")
}
