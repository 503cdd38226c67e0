package demo

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/lint"
)

var until = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func births(t *testing.T, n int) []byte {
	t.Helper()
	doc, err := Births(rand.New(rand.NewPCG(1, 1)), n, until)
	require.NoError(t, err)
	return doc
}

func TestTheSameSeedGivesTheSameBirths(t *testing.T) {
	require.Equal(t, births(t, 20), births(t, 20))
}

func TestEveryInventedBirthIsAcceptedAndOnePairIsAPossibleDuplicate(t *testing.T) {
	b, err := lint.New(lint.Settings{MaxBody: 32 << 20}, until).Read(bytes.NewReader(births(t, 300)))
	require.NoError(t, err)
	require.Equal(t, lint.Completed, b.Status)
	require.Len(t, b.Outcome.Accepted, 301)
	suspected := 0
	for _, a := range b.Outcome.Accepted {
		if a.Suspected {
			suspected++
		}
	}
	require.Equal(t, 1, suspected)
	for _, c := range b.Courses {
		for _, d := range c.Dropped {
			require.Contains(t, []string{"only-checked", "masked"}, string(d.Why), "%s: whatever is invented is kept", d.At)
		}
	}
}

func TestTheInventedBirthsArePlausible(t *testing.T) {
	b, err := lint.New(lint.Settings{MaxBody: 32 << 20}, until).Read(bytes.NewReader(births(t, 300)))
	require.NoError(t, err)
	counted := map[string]int{}
	for _, c := range b.Courses {
		for _, k := range c.Kept {
			f, v := k.Spine()
			if f == nil {
				continue
			}
			counted[f.Name]++
			counted[f.Name+" "+v.Text]++
			if f.Name == "birth_date" {
				at, err := time.Parse(time.DateOnly, v.Text)
				require.NoError(t, err)
				require.True(t, at.After(until.AddDate(-3, 0, -2)) && at.Before(until), v.Text)
			}
			if f.Kind == birth.Int {
				require.GreaterOrEqual(t, v.Number, f.Min, f.Name)
				require.LessOrEqual(t, v.Number, f.Max, f.Name)
			}
		}
	}
	of := func(name string, percent int) int { return counted[name] * percent / 100 }
	cesareans := counted["delivery_method cesarean"]
	require.Greater(t, cesareans, of("delivery_method", 1))
	require.Less(t, cesareans, of("delivery_method", 8))
	require.Greater(t, counted["perineum intact"], of("perineum", 35))
	require.Less(t, counted["perineum"], 300, "some facts are not recorded")
}

func TestABirthIsSentAgainWithoutItsStamp(t *testing.T) {
	batch := births(t, 3)
	one, err := Unstamped(batch, Chart(2))
	require.NoError(t, err)
	require.Contains(t, string(one), `"DEMO-0002"`)
	require.NotContains(t, string(one), "timestamp")
	_, err = Unstamped(batch, "DEMO-0009")
	require.Error(t, err)
}
