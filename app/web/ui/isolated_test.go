package ui

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/drafts"
	"birthregistry/app/records"
)

func TestARightToLeftNameDoesNotMoveTheNumbersNearIt(t *testing.T) {
	offered := func(name, credentials string) string {
		var k records.KnownProvider
		k.Name, k.Credentials, k.Births = name, credentials, 41
		return offer(k)
	}
	require.Equal(t, "\u2068מרים לוי\u2069, CNM · 41 births", offered("מרים לוי", "CNM"))
	require.Equal(t, "\u2068ليلى حداد\u2069 · 41 births", offered("ليلى حداد", ""))
	require.Equal(t, "Zoë Nguyễn, CPM · 41 births", offered("Zoë Nguyễn", "CPM"), "a left-to-right name gets no invisible character")
	require.Equal(t, "\u2068מרים\u2069", providerName("מרים"))

	var draft drafts.Draft
	draft.Typed = url.Values{
		"mother_family_name": {"כהן"}, "mother_given_names": {"שרה"}, "child.0.birth_date": {"2026-03-02"},
	}
	require.Contains(t, draftTitle(draft), "\u2068כהן, שרה\u2069, Mar 2")
}
