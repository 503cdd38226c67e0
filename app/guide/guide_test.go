package guide_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/access"
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/guide"
	"birthregistry/app/intake"
	"birthregistry/assets"
)

var facts = guide.Facts{
	Base: "https://registry.example.org", RateLimit: 117, AnonymousRateLimit: 59, MaxBodyBytes: 31 << 20, BufferFor: 23 * time.Hour,
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
			if n.Data == "th" {
				require.NotNil(t, n.FirstChild, "%s: a column without a heading", page.Name)
			}
		})
	}
}

func TestNoLinkOfTheGuideLeadsNowhere(t *testing.T) {
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

func TestTheErrorPageIsTheCatalogue(t *testing.T) {
	page := rendered(t).Page("errors")
	ids := map[string]bool{}
	nodes(t, *page, func(_ *html.Node, attributes map[string]string) { ids[attributes["id"]] = true })
	for _, p := range fhir.Catalogue {
		if p == fhir.Accepted {
			continue
		}
		require.True(t, ids[p.Name], p.Name)
		require.Contains(t, page.Markdown, p.Text)
		require.Contains(t, page.Markdown, p.Hint)
	}
	for _, class := range intake.Exceptions {
		require.Contains(t, page.Markdown, "| `"+class+"` |")
	}
	require.Equal(t, len(intake.Exceptions), strings.Count(page.Markdown, "\n| `"))
}

func TestTheCodesAreTheSpine(t *testing.T) {
	page := rendered(t).Page("codes")
	observations, others, _ := strings.Cut(page.Markdown, "## Read from the resources themselves")
	for _, f := range birth.Spine {
		row := "| `" + f.Name + "` | " + f.Label + " |"
		in := observations
		if f.Derived || f.Demographic { // whose codes are no Observation's
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
	require.Contains(t, observations, "| `birth_weight_g` | Birth weight | whole number, `g`, 100 to 9999 | 8339-4 |")
}

func TestTheRolesAreThePermissions(t *testing.T) {
	page := rendered(t).Page("roles")
	require.Contains(t, page.Markdown, "| May | Practice admin | Provider | Scribe | Viewer |")
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| (.+) \|$`).FindAllStringSubmatch(page.Markdown, -1)[1:]
	require.Len(t, rows, len(access.Permissions))
	for i, p := range access.Permissions {
		require.Equal(t, p.About, rows[i][1])
		for n, said := range strings.Split(rows[i][2], " | ") {
			require.Equal(t, access.Roles[n].Role.May(p.Permission), said == "**yes**", "%s %s", access.Roles[n].Label, p.About)
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
	for _, said := range []string{
		"117 in any 60 seconds", "59 in any 60 seconds", "31 MiB", "23 hours", "64 levels", "https://registry.example.org/api/registry/fhir/Bundle",
	} {
		require.Contains(t, text, said)
	}
	require.NotContains(t, text, "127.0.0.1")
	require.Contains(t, text, "**After a receipt with `failed`, send the Bundle again under a NEW key.**")
}
