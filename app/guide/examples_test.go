package guide_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/guide"
	"birthregistry/app/longtest"
	"birthregistry/app/records"
	"birthregistry/assets"
	"birthregistry/store"
)

// block is an example in the guide. The word after its language says how the test checks it:
// by pushing it, by comparing it with the receipt of a sample, or by validating it against a
// schema.
type block struct{ page, language, proof, text string }

var fenced = regexp.MustCompile("(?ms)^```(\\w+) ?([^\\n]*)\\n(.*?)^```$")

func blocks(t *testing.T, g *guide.Guide, language string) (all []block) {
	t.Helper()
	for _, page := range g.Pages {
		if page.Name == "reference" { // openapi.json, whose examples have tests of their own
			continue
		}
		found := fenced.FindAllStringSubmatch(page.Markdown, -1)
		require.Equal(t, strings.Count(page.Markdown, "\n```"), 2*len(found), "%s: an example without a language", page.Name)
		for _, m := range found {
			require.Contains(t, []string{"json", "sh", "yaml", "text", "go", "js", "python"}, m[1], page.Name) // YAML is proved by app/tls_test.go and app/takeover_volume_test.go, programs by programs_test.go and webhooks_test.go
			if m[1] == language {
				all = append(all, block{page.Name, m[1], m[2], m[3]})
			}
		}
	}
	return all
}

// Every example in JSON is true of this very program.
func TestEveryJSONExampleIsTested(t *testing.T) {
	examples := blocks(t, rendered(t), "json")
	require.GreaterOrEqual(t, len(examples), 8)
	for _, b := range examples {
		how, what, _ := strings.Cut(b.proof, "=")
		t.Run(b.page+" "+b.proof, func(t *testing.T) {
			switch how {
			case "push":
				out := apptest.Start(t).Push(b.text)
				require.Empty(t, out.Rejected)
				require.NotEmpty(t, out.Accepted)
			case "push after":
				i := apptest.Start(t)
				require.Len(t, i.Push(apptest.Course{Chart: what}.Bundle()).Accepted, 1)
				out := i.Push(b.text)
				require.Empty(t, out.Rejected)
				require.True(t, out.Accepted[0].Retracted)
			case "push-observation":
				i := apptest.Start(t)
				require.Len(t, i.Push(courseWith(b.text)).Accepted, 1)
				require.True(t, slices.ContainsFunc(i.Record("C-1").Children[0], func(v records.Value) bool {
					return v.Field.Name == "delayed_cord_clamping" && v.Value.Flag
				}))
			case "push-bfdr", "push-both":
				for _, reading := range birth.Readings {
					i := apptest.Start(t, func(c *app.Config) { c.Ingest.Reading = reading })
					i.Push(courseWith(b.text))
					cesarean := slices.ContainsFunc(i.Record("C-1").Children[0], func(v records.Value) bool {
						return v.Field.Name == "delivery_method" && v.Value.Text == "cesarean"
					})
					require.Equal(t, how == "push-both" || reading == birth.BFDRReading, cesarean, reading)
				}
			case "lint": // its report is held by app/cli/lint_guide_test.go
				require.Len(t, apptest.Start(t).Push(b.text).Accepted, 1)
			case "receipt":
				proveReceipt(t, b.text, what)
			case "schema":
				fits(t, what, b.text)
			case "message":
				fitsAt(t, "/webhooks/ingestionEnded/post/requestBody/content/application~1json/schema", b.text)
			default:
				t.Fatal("nothing proves it")
			}
		})
	}
}

// courseWith is a course with an example next to it that is about its mother or its child.
func courseWith(example string) string {
	here := strings.NewReplacer("Patient/child-1", "Patient/child0", "Patient/mother", "Patient/mother0").Replace(example)
	return apptest.Course{Chart: "C-1", Extra: []string{here}}.Bundle()
}

// proveReceipt compares an example with the receipt of a sample, except for ids and times.
func proveReceipt(t *testing.T, example, sample string) {
	t.Helper()
	fits(t, "Receipt", example)
	body, err := assets.Samples.ReadFile("samples/" + sample + ".json")
	require.NoError(t, err)
	i := apptest.Start(t)
	accepted := i.Post(string(body))
	require.Equal(t, store.Completed, i.Receipt(accepted).Status)
	real := string(i.Do("GET", apptest.PathOf(accepted), "").Body)
	require.JSONEq(t, plain(real), plain(example))
}

var passing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.+-]+`)

func plain(text string) string { return passing.ReplaceAllString(text, "…") }

// fits checks a document against a shape of the contract.
func fits(t *testing.T, shape, text string) {
	t.Helper()
	fitsAt(t, "/components/schemas/"+shape, text)
}

// fitsAt checks a document against a schema at a place of the contract.
func fitsAt(t *testing.T, place, text string) {
	t.Helper()
	contract, err := jsonschema.UnmarshalJSON(bytes.NewReader(assets.OpenAPI))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("openapi.json", contract))
	s, err := c.Compile("openapi.json#" + place)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	require.NoError(t, s.Validate(value))
}

// A real shell runs the lines of a page unchanged, one after another, with a real curl.
func TestTheCommandsInTheGuidesWork(t *testing.T) {
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			require.False(t, longtest.On(), "a long run needs %s", program)
			t.Skipf("left out: the lines to type need %s, which is not here", program)
		}
	}
	i := apptest.Start(t)
	here, err := guide.New(guide.Facts{Base: i.URL, BufferFor: time.Hour})
	require.NoError(t, err)
	scripts := map[string]string{}
	for _, b := range blocks(t, here, "sh") {
		if b.proof == "drill" || b.proof == "lint" || b.proof == "webhook" || b.proof == "package" { // followed by app/guide_*_test.go, app/cli/lint_guide_test.go, webhooks_test.go and .ci/packages/test
			continue
		}
		scripts[b.page] += b.text + "\n"
	}
	require.Len(t, scripts, 2)
	for page, script := range scripts {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
		shell.Dir = t.TempDir()
		shell.Env = []string{"PATH=" + os.Getenv("PATH")}
		shell.Stdin = strings.NewReader(i.Key + "\n")
		stated, err := shell.CombinedOutput()
		require.NoError(t, err, "%s: %s", page, stated)
		if page == "quickstart" {
			require.Contains(t, string(stated), `"accepted":1`)
			require.Contains(t, string(stated), "202")
		}
	}
	require.Eventually(t, func() bool { return i.Count() == 2 }, 3*time.Minute, 20*time.Millisecond)
	for _, chart := range []string{"SAMPLE-0001", "SAMPLE-0002"} {
		require.Equal(t, chart, i.Record(chart).ChartNumber)
	}
}

// A second Bundle does what the page "Amend, retract, revive" says.
func TestABundleIsTheCompleteStateAndNotAPatch(t *testing.T) {
	i := apptest.Start(t)
	weighed := func() bool {
		return slices.ContainsFunc(i.Record("C-1").Children[0], func(v records.Value) bool { return v.Field.Name == "birth_weight_g" })
	}
	i.Push(apptest.Course{Chart: "C-1", Weight: 3420}.Bundle())
	require.True(t, weighed())
	i.Push(apptest.Course{Chart: "C-1"}.Bundle())
	require.False(t, weighed())
}
