package uscore

import "testing"

func TestACountOfEarlierBirthsThatWasMadeAfterThisOneIsAHint(t *testing.T) {
	at := seen("b", deliveryTime, "2026-05-01T05:00:00-04:00", day1("2026-05-01T04:18:00-04:00"))
	stay := stayed("s", "IMP", "177184002", "2026-05-01T02:00:00-04:00", "2026-05-03T10:00:00-04:00")
	living := func(when string) m { return seen("o", "11638-4", when, counted(2)) }
	requireDoubts(t, map[string]doubted{
		"hours after the birth":       {chart: []m{her(), at, living("2026-05-01T15:00:00-04:00")}, field: "previous_live_births_living", why: afterBirth},
		"hours before it":             {chart: []m{her(), at, living("2026-05-01T02:30:00-04:00")}, field: "previous_live_births_living", filled: "2"},
		"at some time of that day":    {chart: []m{her(), at, living("2026-05-01")}, field: "previous_live_births_living", why: afterBirth},
		"on that day, at no time":     {chart: []m{her(), bornMay1, living("2026-05-01T02:30:00-04:00")}, field: "previous_live_births_living", why: afterBirth},
		"in the stay for the birth":   {chart: []m{her(), stay, living("2026-05-02")}, field: "previous_live_births_living", why: afterBirth},
		"before the stay":             {chart: []m{her(), stay, living("2026-04-30")}, field: "previous_live_births_living", filled: "2"},
		"cesareans, this one perhaps": {chart: []m{her(), stay, seen("o", "68497-7", "2026-05-02", counted(1))}, field: "previous_cesareans", why: afterBirth},
	})
}
