package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/stats"
	"birthregistry/store"
)

func TestAKeyThatNobodyUsedForNinetyDaysIsCounted(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	before := func(days int) *time.Time { at := now.AddDate(0, 0, -days); return &at }
	require.Equal(t, 2, unusedKeys([]store.APIKey{
		{CreatedAt: *before(200), LastUsedAt: before(1)},
		{CreatedAt: *before(200), LastUsedAt: before(91)},
		{CreatedAt: *before(200)},
		{CreatedAt: *before(80)},
		{CreatedAt: *before(200), RevokedAt: before(100)},
	}, now))
}

func TestTheHomePageGreetsByThePracticesClock(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 6, 1, hour, 30, 0, 0, time.UTC) }
	require.Equal(t, "Good morning, Dana", greeting("Dana Rivers", at(9)))
	require.Equal(t, "Good afternoon", greeting("", at(13)))
	require.Equal(t, "Good evening, Dana", greeting("Dana", at(2)))
}

func TestTheHomePageGreetsNobodyByTheirTitle(t *testing.T) {
	at := time.Date(2026, 6, 1, 9, 30, 0, 0, time.UTC)
	require.Equal(t, "Good morning, Jane", greeting("Dr. Jane Rivers", at))
	require.Equal(t, "Good morning, مريم", greeting("د. مريم الهاشمي", at))
	require.Equal(t, "Good morning, Jane", greeting("J. Jane R. Rivers", at))
	require.Equal(t, "Good morning", greeting("Dr.", at))
}

func TestASparklineNeedsThreeMonthsAndIsDescribedInWords(t *testing.T) {
	line, text := sparkline(stats.Lookup("svb"), make([]stats.Group, 0))
	require.Empty(t, line+text)
}
