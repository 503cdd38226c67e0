package form

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/app/birth"
)

func TestADraftKeepsTheBoxesOfTheFormAndNothingElse(t *testing.T) {
	custom := []birth.CustomField{{Key: "tub", Kind: birth.CustomText}}
	kept := url.Values{
		"gravida": {"2"}, "infections": {"herpes", "gonorrhea"}, "labor_onset_datetime": {"3/2"}, "labor_onset_datetime.time": {"4p"},
		"child.0.birth_weight_g": {"7#9"}, "child.1.birth_date": {""}, "person.0.name": {"Jane"}, "person.0.attending": {"yes"},
		"transfer.0.datetime.time": {"9"}, "transfer.0.reason": {"bleeding"}, "consent.granted": {"no"}, "chart_number": {"A-1"},
		"x_tub": {"blue"}, "confirm": {"early"},
	}
	sent := url.Values{
		"owner": {"1/1"}, "do": {"save"}, "fresh": {"x"}, "x_other": {"secret"}, "social_security_number": {"123-45-6789"},
		"child.0.gravida": {"2"}, "birth_weight_g": {"3430"}, "gravida.time": {"9"}, "person.0.npi": {"1"}, "parity": {" "}, "prefill": {"handle"},
	}
	for name, texts := range kept {
		sent[name] = texts
	}
	require.Equal(t, kept, Keep(sent, custom))
}

func TestEveryBoxOfTheFormIsKept(t *testing.T) {
	for _, f := range Fields() {
		name := f.Name
		if f.About == birth.Child {
			name = birth.Of(birth.ChildList, 1, f.Name).String()
		}
		require.Equal(t, "text", Keep(url.Values{name: {"text"}}, nil).Get(name))
	}
}

func TestADraftKeepsWhateverAFormCanHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		filled := Values(asKept(anyDraft(t)))
		require.Equal(t, Tidy(filled), Tidy(Keep(filled, nil)))
	})
	for _, field := range []string{"type", "direction", "urgency", "who", "datetime", "datetime.time", "reason", "reason_code", "mode"} {
		name := "transfer.0." + field
		require.Equal(t, "text", Keep(url.Values{name: {"text"}}, nil).Get(name))
	}
}
