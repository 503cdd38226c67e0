package birth_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/app/birth"
)

var student = birth.Career{{Role: birth.RoleAssistant, Since: "2024-05"}, {Role: birth.RoleMidwife, Since: "2026-03"}}

func TestTheRoleThatCountsIsTheOneOnTheDayOfTheBirth(t *testing.T) {
	for _, c := range []struct {
		name           string
		career         birth.Career
		month          string
		before, stated birth.Role
		want           birth.Role
	}{
		{"nobody knows anything yet: as stated", nil, "2026-03", "", birth.RoleNurse, birth.RoleNurse},
		{"a new record in the month in which they became a midwife: as stated", student, "2026-03", "", birth.RoleMidwife, birth.RoleMidwife},
		{"a new record of a later month: as stated", student, "2026-09", "", birth.RoleMidwife, birth.RoleMidwife},
		{"an old birth that comes late, under the title of today: the role of then", student, "2025-06", "", birth.RoleMidwife, birth.RoleAssistant},
		{"an old birth before anything was known: the first role", student, "2023-01", "", birth.RoleMidwife, birth.RoleAssistant},
		{"an old birth sent again under the title of today: what it said stands", student, "2025-06", birth.RoleAssistant, birth.RoleMidwife, birth.RoleAssistant},
		{"a birth that said nothing of the role: a correction", student, "2025-06", birth.RoleOther, birth.RoleMidwife, birth.RoleAssistant},
		{"and where nothing else is known, as stated", birth.Career{{Role: birth.RoleOther, Since: "2025-01"}}, "2025-06", birth.RoleOther, birth.RoleMidwife, birth.RoleMidwife},
		{"a role that the log does not know: as stated", student, "2025-06", "", birth.RoleNurse, birth.RoleNurse},
		{"a birth without a date: as stated", student, "", "", birth.RoleMidwife, birth.RoleMidwife},
	} {
		require.Equal(t, c.want, c.career.RoleAtBirth(c.month, c.before, c.stated), c.name)
	}
}

func TestANewRecordCreditsTheDayOfBirthAndAnAmendmentToday(t *testing.T) {
	const now = "2026-11"
	assistant := birth.Career{{Role: birth.RoleAssistant, Since: "2024-05"}}
	for _, c := range []struct {
		name         string
		career       birth.Career
		role, before birth.Role
		month        string
		since        string
		news         bool
	}{
		{"a new record in another role: since its month", assistant, birth.RoleMidwife, "", "2026-03", "2026-03", true},
		{"a new record without a month: since now", assistant, birth.RoleMidwife, "", "", now, true},
		{"an amendment in another role: since now", assistant, birth.RoleMidwife, birth.RoleAssistant, "2025-06", now, true},
		{"an amendment that repeats itself: nothing", student, birth.RoleAssistant, birth.RoleAssistant, "2025-06", "", false},
		{"a new record in the role that is known: nothing", student, birth.RoleMidwife, "", "2026-09", "2026-09", false},
		{"an old birth in the role of then: nothing", student, birth.RoleAssistant, "", "2025-06", "2025-06", false},
		{"an old birth in a role that nobody knew of: since its month", student, birth.RoleNurse, "", "2025-06", "2025-06", true},
		{"an old birth under the title of today: nothing", student, birth.RoleMidwife, "", "2025-06", "", false},
		{"a role at last, where none was known: from the beginning", birth.Career{{Role: birth.RoleOther, Since: "2024-05"}}, birth.RoleMidwife, "", "2026-03", "2024-05", true},
	} {
		since, news := c.career.Learn(c.role, c.before, c.month, now)
		require.Equal(t, c.news, news, c.name)
		if news {
			require.Equal(t, c.since, since, c.name)
		}
	}
}

func TestACareerIsInOrderOfMonthsWhateverArrivesFirst(t *testing.T) {
	roles := []birth.Role{birth.RoleMidwife, birth.RoleDoula, birth.RoleNurse, birth.RoleAssistant}
	rapid.Check(t, func(t *rapid.T) {
		var career birth.Career
		posts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) birth.Post {
			return birth.Post{Role: rapid.SampledFrom(roles).Draw(t, "role"), Since: rapid.StringMatching(`20[0-9]{2}-(0[1-9]|1[0-2])`).Draw(t, "since")}
		}), 1, 12).Draw(t, "posts")
		for _, post := range posts {
			career = career.Add(post)
			require.Equal(t, post.Role, career.At(post.Since), "the last one said of a month counts")
		}
		for i := 1; i < len(career); i++ {
			require.LessOrEqual(t, career[i-1].Since, career[i].Since)
		}
		require.Len(t, career, len(posts))
		require.Equal(t, career.Present(), career.At("9999-12"))
		require.Equal(t, career[0].Role, career.At(""))
	})
}
