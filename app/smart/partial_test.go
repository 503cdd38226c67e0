package smart

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/mapping/uscore"
)

func TestACesareanOfYearsBeforeContradictsThatThereWasNone(t *testing.T) {
	for name, types := range map[string]bool{"visits are searched by type": true, "the type is ignored": false} {
		none := about("Patient/p-1", "Observation", "none", stating("68497-7", "exam", time.Now().AddDate(0, 0, -120).Format(time.DateOnly))+`,"valueInteger":0`)
		r, e := expecting(t, none)
		visit := func(id, code, class string, years int) string {
			on := time.Now().AddDate(-years, 0, -10).Format(time.DateOnly)
			return about("Patient/p-1", "Encounter", id, `,"status":"finished","class":{"code":"`+class+`"},"period":{"start":"`+on+`","end":"`+on+`"},
				"type":[{"coding":[{"system":"http://snomed.info/sct","code":"`+code+`"}]}]`)
		}
		recent, cesarean := visit("recent", "424619006", "AMB", 0), visit("old", "11466000", "IMP", 4)
		e.answers["/fhir/Encounter"] = func(w http.ResponseWriter, req *http.Request) {
			switch q := req.URL.Query(); {
			case q.Has("date"):
				fmt.Fprint(w, searchset("", recent))
			case q.Has("type") && types:
				fmt.Fprint(w, searchset("", cesarean))
			default:
				fmt.Fprint(w, searchset("", recent, cesarean))
			}
		}
		filled, unread := r.pulled(e)
		require.Empty(t, unread, name)
		require.False(t, filled.Draft.Mother.Has("previous_cesareans"), name)
		require.True(t, slices.ContainsFunc(filled.Hints, func(h uscore.Hint) bool {
			return h.At.Field == "previous_cesareans" && strings.Contains(h.Text, "the chart says that there was one")
		}), name)
	}
}

// expecting returns an EHR with the chart of a woman who is due in a month, and with more
// Observations.
func expecting(t *testing.T, more ...string) (*installation, *ehr) {
	t.Helper()
	r, e := opened(t), anEHR(t)
	e.says("/fhir/Patient/p-1", `{"resourceType":"Patient","id":"p-1","gender":"female","birthDate":"1994-05-17","name":[{"family":"Lindqvist","given":["Ingrid"]}]}`)
	e.says("/fhir/Condition", searchset(""))
	e.says("/fhir/Encounter", searchset(""))
	on := func(days int) string { return time.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	due := about("Patient/p-1", "Observation", "due", stating("11778-8", "exam", on(-120))+`,"valueDateTime":"`+on(30)+`"`)
	e.answers["/fhir/Observation"] = func(w http.ResponseWriter, req *http.Request) {
		if asked := req.URL.Query().Get("code"); asked != "" && !strings.Contains(asked, "11778-8") {
			fmt.Fprint(w, searchset(""))
			return
		}
		fmt.Fprint(w, searchset("", append([]string{due}, more...)...))
	}
	r.list(e.base())
	return r, e
}

func (r *installation) pulled(e *ehr) (uscore.Filled, []string) {
	r.t.Helper()
	handle, err := r.back(r.mustLaunch(e.base()))
	require.NoError(r.t, err)
	p, err := r.Prefill(r.t.Context(), handle, r.who)
	require.NoError(r.t, err)
	return p.Reading.As[uscore.Mother], p.Unread
}

func TestAValueThatARefusedSearchOrMissingPageLeavesUncertainIsOnlyAHint(t *testing.T) {
	r, e := expecting(t)
	whole, unread := r.pulled(e)
	require.Empty(t, unread)
	require.True(t, whole.Draft.Mother.Has("estimated_due_date"))

	for name, breaks := range map[string]func(*ehr){
		"a refused search": func(e *ehr) { e.answers["/fhir/Condition"] = status(http.StatusForbidden) },
		"a missing page": func(e *ehr) {
			e.says("/fhir/Encounter", searchset("https://elsewhere.example/fhir?page=2", about("Patient/p-1", "Encounter", "e1", "")))
		},
		"a search without a grant": func(e *ehr) {
			e.says("/token", `{"access_token":"secret-token","token_type":"Bearer","patient":"p-1","scope":"launch patient/Patient.r patient/Observation.rs patient/Condition.rs"}`)
		},
	} {
		r, e := expecting(t)
		breaks(e)
		part, unread := r.pulled(e)
		require.Len(t, unread, 1, name)
		require.Equal(t, "Lindqvist", part.Draft.Mother.Text("mother_family_name"), name)
		require.False(t, part.Draft.Mother.Has("estimated_due_date"), name)
		var hints []string
		for _, h := range part.Hints {
			if h.At.Field == "estimated_due_date" {
				require.NotNil(t, h.Value, name)
				hints = append(hints, h.Text)
			}
		}
		require.Len(t, hints, 1, name)
		require.Contains(t, hints[0], "not all of the chart was read", name)
	}
}
