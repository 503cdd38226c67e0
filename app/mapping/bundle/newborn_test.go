package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func partial(parts m) m {
	list := []m{}
	for _, name := range []string{"year", "month", "day"} {
		switch part := parts[name].(type) {
		case nil:
			list = append(list, extension(name, extended(extension(absent, m{"valueCode": "unknown"}))))
		default:
			list = append(list, extension(name, m{"valueUnsignedInt": part}))
		}
	}
	if parts["time"] != nil {
		list = append(list, extension("time", m{"valueTime": parts["time"]}))
	}
	return extension(partialTime, extended(list...))
}

func TestTheBirthDateAndTimeAreRead(t *testing.T) {
	timed := func(at any) m { return m{"_birthDate": extended(extension(birthTime, m{"valueDateTime": at}))} }
	date := func(date any) m { return m{"birthDate": date} }
	for _, c := range []struct {
		name     string
		of       []m
		date, at string
	}{
		{"a date", []m{date("2019-02-12")}, "2019-02-12", ""},
		{
			"a date with a time and offset",
			[]m{date("2019-02-12"), timed("2019-02-12T13:00:00-07:00")},
			"2019-02-12", "2019-02-12T13:00:00-07:00",
		},
		{"a time without an offset", []m{date("2019-02-12"), timed("2019-02-12T13:00:00")}, "2019-02-12", "2019-02-12T13:00:00"},
		{"a time alone gives the date", []m{timed("2019-02-12T23:30:00-07:00")}, "2019-02-12", "2019-02-12T23:30:00-07:00"},
		{"a time of another day than the date is not that of this birth", []m{date("2019-02-13"), timed("2019-02-12T23:30:00-07:00")}, "2019-02-13", ""},
		{"a time in UTC may be of the day before", []m{date("2019-02-12"), timed("2019-02-13T06:30:00Z")}, "2019-02-12", "2019-02-13T06:30:00Z"},
		{"but not of the one before that", []m{date("2019-02-12"), timed("2019-02-14T06:30:00Z")}, "2019-02-12", ""},
		{"a time in UTC alone leaves the day open", []m{timed("2019-02-12T06:30:00Z")}, "2019-02", "2019-02-12T06:30:00Z"},
		{"and at the end of a month, the month", []m{timed("2019-03-01T06:30:00Z")}, "2019", "2019-03-01T06:30:00Z"},
		{"and at the end of a year, the year", []m{timed("2019-01-01T06:30:00Z")}, "", "2019-01-01T06:30:00Z"},
		{"a time in UTC does not complete a partial date", []m{date("2019-03"), timed("2019-03-01T06:30:00Z")}, "2019-03", "2019-03-01T06:30:00Z"},
		{"a time of another month than a partial date", []m{date("2019-02"), timed("2019-03-12T06:30:00-07:00")}, "2019-02", ""},
		{"a day that does not exist costs the time nothing", []m{date("2026-02-30"), timed("2026-02-28T23:30:00-07:00")}, "2026-02-28", "2026-02-28T23:30:00-07:00"},
		{"a month that does not exist, too", []m{date("2026-13"), timed("2026-02-28T23:30:00-07:00")}, "2026-02-28", "2026-02-28T23:30:00-07:00"},
		{"a year that registries write for none, too", []m{date("9999-09-09"), timed("2026-02-28T23:30:00-07:00")}, "2026-02-28", "2026-02-28T23:30:00-07:00"},
		{"of another JSON type, too", []m{date(20260228), timed("2026-02-28T23:30:00-07:00")}, "2026-02-28", "2026-02-28T23:30:00-07:00"},
		{"a time of another JSON type costs the date nothing", []m{date("2026-02-28"), timed(5)}, "2026-02-28", ""},
		{"a time at which no clock stands costs the date nothing", []m{date("2026-02-28"), timed("2026-02-28T99:99:00")}, "2026-02-28", ""},
		{"a date that is said to be absent", []m{date("2026-02-28"), {"_birthDate": extended(extension(absent, m{"valueCode": "unknown"}))}}, "", ""},
		{
			"a partial extension of another year",
			[]m{date("2019"), {"_birthDate": extended(partial(m{"year": 2020, "month": 2, "day": 3}))}},
			"2019", "",
		},
		{
			"an extension with a day that does not exist",
			[]m{date("2019-02"), {"_birthDate": extended(partial(m{"year": 2019, "month": 2, "day": 30}))}},
			"2019-02", "",
		},
		{
			"a time completes a partial date",
			[]m{date("2019"), timed("2019-02-12T23:30:00-07:00")},
			"2019-02-12", "2019-02-12T23:30:00-07:00",
		},
		{"a date in the place of the time is no time", []m{date("2019-02-12"), timed("2019-02-12")}, "2019-02-12", ""},
		{"a time that is none is dropped", []m{date("2019-02-12"), timed("noon")}, "2019-02-12", ""},
		{
			"a time that is said to be absent",
			[]m{date("2019-02-12"), {"_birthDate": extended(extension(birthTime, m{"valueDateTime": "2019-02-12T00:00:00-07:00", "_valueDateTime": extended(extension(absent, m{"valueCode": "unknown"}))}))}},
			"2019-02-12", "",
		},
		{"an unparseable date is dropped", []m{date("12/02/2019")}, "", ""},
		{"a day that does not exist is dropped", []m{date("2019-02-30")}, "", ""},
		{"a blank date is none", []m{date("")}, "", ""},
		{"a date that is null", []m{date(nil)}, "", ""},
		{"a partial date", []m{date("2019-02")}, "2019-02", ""},
		{"a partial extension in parts", []m{{"_birthDate": extended(partial(m{"year": 2019, "month": 2}))}}, "2019-02", ""},
		{
			"one with a time",
			[]m{{"_birthDate": extended(partial(m{"year": 2019, "month": 2, "day": 3, "time": "04:05:06"}))}},
			"2019-02-03",
			"2019-02-03T04:05:06",
		},
		{"one without a year", []m{{"_birthDate": extended(partial(m{"month": 2, "day": 3}))}}, "", ""},
		{
			"one without a month leaves out the day",
			[]m{{"_birthDate": extended(partial(m{"year": 2019, "day": 3, "time": "04:05:06"}))}},
			"2019", "",
		},
		{"one that is no date", []m{{"_birthDate": extended(partial(m{"year": 2019, "month": 13, "day": 3}))}}, "", ""},
		{
			"one that is worse than the date",
			[]m{date("2019-02-12"), {"_birthDate": extended(partial(m{"year": 2019}))}},
			"2019-02-12", "",
		},
		{
			"one that is better than the date",
			[]m{date("2019"), {"_birthDate": extended(partial(m{"year": 2019, "month": 2, "day": 3}))}},
			"2019-02-03", "",
		},
		{
			"one that brings the time",
			[]m{date("2019-02-03"), {"_birthDate": extended(partial(m{"year": 2019, "month": 2, "day": 3, "time": "04:05"}))}},
			"2019-02-03", "2019-02-03T04:05:00",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := masked(t, bundle(mother(), child(c.of...)))
			require.Equal(t, c.date, d.Children[0].Text("birth_date"))
			require.Equal(t, c.date[:min(len(c.date), 7)], padded(d.Children[0].Text("birth_month"), c.date), "the month is that of the date")
			require.Equal(t, c.at, d.Children[0].Text("birth_datetime"))
			d = masked(t, bundle(mother(c.of...), child()))
			require.Equal(t, c.date, d.Mother.Text("mother_birth_date"))
		})
	}
}

func TestTheSexOfAChildIsRead(t *testing.T) {
	nested := extended(extension(reportedAge, extended(extension(birthsex, m{"valueCode": "M"}))))
	for _, c := range []struct {
		name string
		of   []m
		want string
	}{
		{"us-core-birthsex", []m{extended(extension(birthsex, m{"valueCode": "F"})), {"gender": "male"}}, `"female"`},
		{"as a concept", []m{extended(extension(birthsex, m{"valueCodeableConcept": concept("M")}))}, `"male"`},
		{"nested in another extension", []m{nested}, `"male"`},
		{"else gender", []m{{"gender": "female"}}, `"female"`},
		{
			"a birth sex off the value set gives way to gender",
			[]m{extended(extension(birthsex, m{"valueCode": "X"})), {"gender": "male"}},
			`"male"`,
		},
		{"unknown is a value here", []m{extended(extension(birthsex, m{"valueCode": "UNK"}))}, `"unknown"`},
		{"gender with a capital", []m{{"gender": "Female"}}, `"female"`},
		{"gender other is unknown", []m{{"gender": "other"}}, `"unknown"`},
		{"nothing stated", nil, ""},
		{"a gender that is none", []m{{"gender": "F "}}, ""},
		{"one that is said to be absent", []m{{"gender": "male", "_gender": extended(extension(absent, m{"valueCode": "unknown"}))}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, stated(masked(t, bundle(mother(), child(c.of...))), "child_sex"))
		})
	}
}

func TestALiveBirthIsKnownByProfileFlagAndComposition(t *testing.T) {
	flag := func(dead bool) m {
		stated := extension("http://x/Extension-patient-fetal-death-vr", m{"valueBoolean": dead})
		return m{"deceasedBoolean": true, "_deceasedBoolean": extended(stated)}
	}
	typed := func(code string) m { return m{"resourceType": "Composition", "status": "final", "type": concept(code)} }
	for _, c := range []struct {
		name string
		doc  m
		want string
	}{
		{"a child profile", bundle(mother(), child()), "true"},
		{"a newborn profile", bundle(mother(), patient("c", "http://x/newborn")), "true"},
		{"a fetus profile", bundle(mother(), patient("c", fetusProfile)), "false"},
		{"a fetal-death flag", bundle(mother(), child(flag(true))), "false"},
		{"a fetal-death flag that is false", bundle(mother(), child(flag(false))), "true"},
		{"a child that died later was born alive", bundle(mother(), child(m{"deceasedBoolean": true})), "true"},
		{"a provider's fetal death report", bundle(typed("69045-3"), mother(), child()), "false"},
		{"a jurisdiction's fetal death report", bundle(typed("92010-8"), mother(), child()), "false"},
		{"a live birth report", bundle(typed("68998-4"), mother(), child()), "true"},
		{"of its only child whatever its subject", bundle(typed("69045-3").With(about("Patient/gone")), mother(), child()), "false"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, stated(masked(t, c.doc), "live_birth")) })
	}
}

func TestALiveTwinIsNotStillbornBecauseOfTheOthersFetalDeathReport(t *testing.T) {
	report := m{"resourceType": "Composition", "status": "final", "type": concept("69045-3")}
	for _, c := range []struct {
		name string
		doc  m
		want []string
	}{
		{"by the profile", bundle(report, mother(), patient("a", fetusProfile), child()), []string{"false", "true"}},
		{"by the profile, whatever the subject", bundle(report.With(about("Patient/child")), mother(), child(), patient("b", fetusProfile)), []string{"true", "false"}},
		{"by the subject", bundle(report.With(about("Patient/b")), mother(), twin(1), twin(2)), []string{"true", "false"}},
		{"untold where neither tells", bundle(report, mother(), twin(1), twin(2)), []string{"", ""}},
		{"a live birth report", bundle(report.With(m{"type": concept("68998-4")}), mother(), twin(1), patient("b", fetusProfile)), []string{"true", "false"}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, across(masked(t, c.doc), "live_birth")) })
	}
}

func TestAChildIsNotBornAliveIfAnObservationPlacesTheDeathBeforeTheBirth(t *testing.T) {
	dead := obs("73811-2", coded("434681000124104"))
	of := func(doc m, child string) m { return doc.With(about("Patient/" + child)) }
	own := func(option string) m { return obs("perinatal_death", coded(option)) }
	counted := func(code string, n int) m { return obs(code, integer(n)) }
	for _, c := range []struct {
		name string
		doc  m
		want []string // of the live births, and of the plurality
	}{
		{"a time of fetal death", bundle(mother(), child(), of(dead, "child")), []string{"", ""}},
		{"one that is not known", bundle(mother(), child(), obs("73811-2", coded("261665006"), about("Patient/child"))), []string{"true", ""}},
		{"a death in labor", bundle(mother(), child(), of(own("intrapartum"), "child")), []string{"", ""}},
		{"a death after the birth", bundle(mother(), child(), of(own("neonatal"), "child")), []string{"true", ""}},
		{"a fetus", bundle(mother(), patient("f", fetusProfile), of(dead, "f")), []string{"false", ""}},
		{"a fetus who lives", bundle(mother(), patient("f", fetusProfile), obs("73757-7", m{"valueBoolean": true}, about("Patient/f"))), []string{"", ""}},
		{"the second twin", bundle(mother(), twin(1), twin(2), of(dead, "b"), counted("73773-4", 1), counted("73772-6", 1)), []string{"true", "", "2"}},
		{"one of twins by their number", bundle(mother(), twin(1), twin(2), counted("73773-4", 1)), []string{"", "", "2"}},
		{"none by their number", bundle(mother(), child(), counted("73773-4", 0)), []string{"", ""}},
		{"more live births than children here", bundle(mother(), child(), counted("73773-4", 2)), []string{"true", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := masked(t, c.doc)
			require.Equal(t, c.want, append(across(d, "live_birth"), stated(d, "plurality")))
		})
	}
}

func TestTheMothersReportedAgeIsReadInYears(t *testing.T) {
	age := func(who string, value any, unit string) m {
		return extension(reportedAge, extended(
			extension("reportedAge", quantity(value, unit)), extension("motherOrFather", m{"valueCodeableConcept": concept(who)}),
		))
	}
	for _, c := range []struct {
		name string
		of   m
		want string
	}{
		{"the mother's", extended(age("MTH", 34, "a")), "34"},
		{"not the father's", extended(age("FTH", 35, "a")), ""},
		{"the mother's behind the father's", extended(age("FTH", 35, "a"), age("MTH", 34, "a")), "34"},
		{"-1 is unknown", extended(age("MTH", -1, "a")), ""},
		{"months are not years", extended(age("MTH", 34, "mo")), ""},
		{"without a value", extended(age("MTH", nil, "a")), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, stated(masked(t, bundle(mother(), child(c.of))), "mother_age_years"))
		})
	}
	dated := bundle(mother(m{"birthDate": "1990-01-02"}), child(m{"birthDate": "2019-02-12"}, extended(age("MTH", 34, "a"))))
	require.Equal(t, "29", stated(masked(t, dated), "mother_age_years"), "the dates win")
}

// padded returns a month, or only the year if the date has no more.
func padded(month, date string) string {
	if len(date) < len("2006-01") {
		return date
	}
	return month
}
