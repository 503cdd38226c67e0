package birth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// care returns a draft with one child, filled in by field name.
func care(texts map[string]string, numbers map[string]float64) birth.Draft {
	d := birth.Draft{Children: make([]birth.Values, 1)}
	of := func(field string) *birth.Values {
		return map[birth.Subject]*birth.Values{
			birth.Mother: &d.Mother, birth.Care: &d.Care, birth.Child: &d.Children[0],
		}[birth.Must(field).About]
	}
	for field, text := range texts {
		of(field).Set(birth.Must(field), birth.Value{Text: text, Source: birth.FHIRPush})
	}
	for field, n := range numbers {
		of(field).Set(birth.Must(field), birth.Value{Number: n, Source: birth.FHIRPush})
	}
	return d
}

func TestTheMothersAgeAtTheBirthIsComputed(t *testing.T) {
	for _, c := range []struct {
		name        string
		mother, at  string
		reported    float64
		want        float64
		isNotStated bool
	}{
		{"the day before her birthday", "1990-03-11", "2019-03-10", 0, 28, false},
		{"on her birthday", "1990-03-11", "2019-03-11", 0, 29, false},
		{"born on a leap day", "1992-02-29", "2019-02-28", 0, 26, false},
		{"dates win over a reported age", "1990-03-11", "2019-03-11", 34, 29, false},
		{"a partial date does not tell", "1990-03", "2019-03-11", 0, 0, true},
		{"a reported age stands where dates do not tell", "1990", "2019-03-11", 28, 28, false},
		{"a reported age without dates", "", "", 28, 28, false},
		{"a child older than its mother says nothing", "2019-03-11", "1990-03-11", 0, 0, true},
		{"an age that is not possible says nothing", "2015-03-11", "2019-03-11", 0, 0, true},
		{"a reported age that is not possible is dropped", "", "", 99, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := care(nil, nil)
			text(&d.Mother, "mother_birth_date", c.mother)
			text(&d.Children[0], "birth_date", c.at)
			if c.reported > 0 {
				d.Mother.Set(birth.Must("mother_age_years"), birth.Value{Number: c.reported})
			}
			age, ok := birth.Mask(d).Draft().Mother.Get("mother_age_years")
			require.Equal(t, !c.isNotStated, ok)
			require.Equal(t, c.want, age.Number)
		})
	}
}

func TestTheMonthOfBirthIsReadableWithoutUnsealing(t *testing.T) {
	for date, want := range map[string]string{"2019-02-12": "2019-02", "2019-02": "2019-02", "2019": "", "": ""} {
		d := care(map[string]string{"birth_month": "1999-01"}, nil)
		text(&d.Children[0], "birth_date", date)
		require.Equal(t, want, birth.Mask(d).Draft().Children[0].Text("birth_month"), date)
	}
	require.False(t, birth.Must("birth_month").Sealed)
	require.True(t, birth.Must("birth_date").Sealed)
}

func TestVaginalBirthAfterCesareanIsDerived(t *testing.T) {
	for _, c := range []struct {
		name     string
		previous float64
		method   string
		want     bool
		stated   bool
	}{
		{"vaginal after one cesarean", 1, "vaginal_spontaneous", true, true},
		{"by vacuum after two", 2, "vaginal_vacuum", true, true},
		{"another cesarean", 1, "cesarean", false, true},
		{"no cesarean before", 0, "vaginal_spontaneous", false, false},
		{"the method is not known", 1, "unknown", false, false},
		{"the method is not stated", 1, "", false, false},
		{"cesareans before are not stated", -1, "vaginal_spontaneous", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := care(nil, map[string]float64{"previous_cesareans": c.previous})
			d.Mother.Set(birth.Must("vbac"), birth.Value{Flag: !c.want}) // stated by itself, it doesn't count
			text(&d.Children[0], "delivery_method", c.method)
			vbac, ok := birth.Mask(d).Draft().Mother.Get("vbac")
			require.Equal(t, c.stated, ok)
			require.Equal(t, c.want, vbac.Flag)
		})
	}
}

func TestVaginalBirthAfterCesareanOfTwinsIsDerived(t *testing.T) {
	const vaginal, cesarean = "vaginal_spontaneous", "cesarean"
	for _, c := range []struct {
		name         string
		methods      [2]string
		want, stated bool
	}{
		{"both vaginal", [2]string{vaginal, "vaginal_vacuum"}, true, true},
		{"the second by cesarean", [2]string{vaginal, cesarean}, false, true},
		{"the first by cesarean", [2]string{cesarean, vaginal}, false, true},
		{"one by cesarean, the other not stated", [2]string{"", cesarean}, false, true},
		{"one vaginal, the other not stated", [2]string{vaginal, ""}, false, false},
		{"one vaginal, the other not known", [2]string{vaginal, "unknown"}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := care(nil, map[string]float64{"previous_cesareans": 1})
			d.Children = make([]birth.Values, 2)
			for i, method := range c.methods {
				text(&d.Children[i], "delivery_method", method)
			}
			vbac, ok := birth.Mask(d).Draft().Mother.Get("vbac")
			require.Equal(t, c.stated, ok)
			require.Equal(t, c.want, vbac.Flag)
		})
	}
}

func TestDelayedCordClampingFollowsFromTheSeconds(t *testing.T) {
	for _, c := range []struct {
		name    string
		seconds float64
		stated  *bool
		want    bool
		source  birth.Source
	}{
		{"60 seconds are delayed", 60, nil, true, birth.FHIRPush},
		{"59 are not", 59, nil, false, birth.FHIRPush},
		{"no seconds at all are not", 0, nil, false, birth.FHIRPush},
		{"where both agree what was said keeps its source", 90, new(true), true, birth.Manual},
		{"where they contradict the seconds stand", 30, new(true), false, birth.FHIRPush},
		{"and the other way round", 90, new(false), true, birth.FHIRPush},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := care(nil, map[string]float64{"cord_clamping_seconds": c.seconds})
			if c.stated != nil {
				d.Children[0].Set(birth.Must("delayed_cord_clamping"), birth.Value{Flag: *c.stated, Source: birth.Manual})
			}
			got, ok := birth.Mask(d).Draft().Children[0].Get("delayed_cord_clamping")
			require.True(t, ok)
			require.Equal(t, birth.Value{Flag: c.want, Source: c.source}, got)
		})
	}
	require.False(t, birth.Mask(care(nil, nil)).Draft().Children[0].Has("delayed_cord_clamping"))
}

func TestTheAttendantAndADoulaFollowFromTheProviders(t *testing.T) {
	midwife := birth.Provider{Key: "1", Name: " Maren  Lindqvist ", Credentials: "CPM", Role: birth.RoleMidwife, Attending: true}
	doula := birth.Provider{Key: "2", Name: "Chidi Abara", Role: birth.RoleDoula}
	d := care(nil, nil)
	d.Providers = []birth.Provider{doula, midwife}
	c := birth.Mask(d).Draft()
	require.Equal(t, "midwife", c.Care.Text("attendant_type"))
	require.Equal(t, "Maren Lindqvist", c.Care.Text("attendant_name"))
	require.Equal(t, "CPM", c.Care.Text("attendant_credentials"))
	present, _ := c.Care.Get("doula_present")
	require.True(t, present.Flag)

	d.Providers = []birth.Provider{doula}
	c = birth.Mask(d).Draft()
	require.False(t, c.Care.Has("attendant_type"), "a doula who is present does not attend")

	d.Providers = []birth.Provider{midwife}
	require.False(t, birth.Mask(d).Draft().Care.Has("doula_present"), "a midwife is no doula")

	d.Providers = nil
	c = birth.Mask(d).Draft()
	require.False(t, c.Care.Has("doula_present"), "nobody named says nothing")
	require.False(t, c.Care.Has("attendant_type"))
}

func TestAProviderOfAnUnknownRoleIsOther(t *testing.T) {
	d := care(nil, nil)
	d.Providers = []birth.Provider{{Key: "1", Role: "wizard", Attending: true}}
	c := birth.Mask(d).Draft()
	require.Equal(t, birth.RoleOther, c.Providers[0].Role)
	require.Equal(t, "other", c.Care.Text("attendant_type"))
	require.Equal(t, birth.Role("wizard"), d.Providers[0].Role, "the draft is left alone")
}

func TestTransfersKeepOnlyValuesOfTheirValueSets(t *testing.T) {
	good := birth.Transfer{
		Type: "intrapartum", Direction: "out", Urgency: "urgent", Who: "mother", Source: birth.FHIRPush,
		DateTime: "2019-02-12T13:00:00.123-07:00", Reason: "  slow \x00progress ",
	}
	masked := birth.Mask(birth.Draft{Transfers: []birth.Transfer{
		{Type: "postal"}, good, {Type: "neonatal", Direction: "up"}, {Urgency: "very"}, {Who: "father"}, {DateTime: "soon"},
	}}).Draft().Transfers
	good.DateTime, good.Reason = "2019-02-12T13:00:00-07:00", "slow progress"
	require.Equal(t, []birth.Transfer{good, {}}, masked)
}

func TestTheConsentKeepsItsDateOnlyWhenItIsOne(t *testing.T) {
	c := birth.Mask(birth.Draft{Consent: birth.Consent{Granted: true, DateTime: "2019-02"}}).Draft().Consent
	require.Equal(t, birth.Consent{Recorded: true, Granted: true, DateTime: "2019-02"}, c)
	c = birth.Mask(birth.Draft{Consent: birth.Consent{DateTime: "as told by her sister"}}).Draft().Consent
	require.Zero(t, c)
}
