package form

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// members returns a form whose list has this many members.
func members(list string, count int) url.Values {
	typed := url.Values{}
	for n := range count {
		typed.Set(birth.Of(list, n, firstFields[list]).String(), "2026-03-02")
	}
	return typed
}

func TestMoreEntriesThanABirthMayHaveAreAProblemAndStayInTheForm(t *testing.T) {
	for list, ward := range map[string]int{birth.ChildList: 12, birth.ProviderList: 30, birth.TransferList: 10} {
		require.Empty(t, Read(members(list, ward), nil).Problems, list)
		typed := members(list, ward+1)
		form := Read(typed, nil)
		require.Len(t, form.Problems, 1, list)
		require.True(t, form.Problems[0].Blocks)
		require.Contains(t, form.Problems[0].Text, "Remove the others")
		require.Equal(t, ward, max(len(form.Draft.Children), len(form.Draft.Providers), len(form.Draft.Transfers)))
		require.Equal(t, ward+1, Count(typed, list), "nothing that was typed is gone")
		require.Empty(t, Read(Remove(typed, list, 3), nil).Problems, list)
	}
}

func TestTheFormHasRoomForEveryRecordOnFile(t *testing.T) {
	onFile := birth.Draft{Providers: make([]birth.Provider, 40)}
	require.Empty(t, Read(members(birth.ProviderList, 40), &onFile).Problems)
	require.Len(t, Read(members(birth.ProviderList, 41), &onFile).Problems, 1)
}
