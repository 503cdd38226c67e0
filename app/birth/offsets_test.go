package birth_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestATimeThatIsRepeatedWithoutItsOffsetKeepsItWhereverItIs(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	before := birth.Draft{
		Transfers: []birth.Transfer{{Type: "intrapartum", DateTime: "2026-03-02T02:00:00-05:00", Source: birth.FHIRPush}},
		Consent:   birth.Consent{DateTime: "2026-02-01T15:00:00Z"},
	}
	text(&before.Care, "labor_onset_datetime", "2026-03-02T04:18:00Z")
	now := birth.Draft{
		Transfers: []birth.Transfer{{Type: "intrapartum", DateTime: "2026-03-02T02:00:00", Source: birth.CSV}},
		Consent:   birth.Consent{DateTime: "2026-02-01T10:00:00"},
	}
	now.Care.Set(birth.Must("labor_onset_datetime"), birth.Value{Text: "2026-03-01T23:18:00", Source: birth.CSV})
	amended := now
	amended.Transfers = slices.Clone(now.Transfers)
	amended.Transfers[0].Mode = "ambulance"

	now.KeepOffsets(before, zone)
	require.Equal(t, before, now)

	amended.KeepOffsets(before, zone)
	require.Equal(t, birth.CSV, amended.Transfers[0].Source, "the transfer has changed")
	require.Equal(t, "2026-03-02T02:00:00-05:00", amended.Transfers[0].DateTime)
}

func TestATimeThatStatesSomethingElseReplacesTheTimeOnFile(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	for _, c := range []struct{ name, onFile, stated string }{
		{"another minute", "2026-03-02T04:18:00-05:00", "2026-03-02T04:19:00"},
		{"another second", "2026-03-02T04:18:00-05:00", "2026-03-02T04:18:30"},
		{"another day", "2026-03-02T04:18:00-05:00", "2026-03-03T04:18:00"},
		{"the clock of UTC", "2026-03-02T04:18:00Z", "2026-03-02T04:18:00"},
		{"another offset", "2026-03-02T04:18:00-05:00", "2026-03-02T09:18:00Z"},
		{"nothing but a date on file", "2026-03-02", "2026-03-02T04:18:00"},
		{"only a date stated", "2026-03-02T04:18:00-05:00", "2026-03-02"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := birth.Draft{Consent: birth.Consent{DateTime: c.onFile}}
			now := birth.Draft{Consent: birth.Consent{DateTime: c.stated}}
			now.KeepOffsets(before, zone)
			require.Equal(t, c.stated, now.Consent.DateTime)
		})
	}
}
