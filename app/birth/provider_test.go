package birth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestTheRoleOfAPractitionerIsRecognized(t *testing.T) {
	for _, c := range []struct {
		name   string
		stated []string
		want   birth.Role
	}{
		{"a midwife", []string{"Midwife"}, birth.RoleMidwife},
		{"midwifery is a midwife's", []string{"Doctor of Midwifery Practice"}, birth.RoleMidwife},
		{"midwives, too", []string{"North American Registry of Midwives"}, birth.RoleMidwife},
		{"a CNM is a midwife", []string{"CNM"}, birth.RoleMidwife},
		{"a CPM is a midwife", []string{"Jane Doe, CPM"}, birth.RoleMidwife},
		{"an LM is a midwife", []string{"lm"}, birth.RoleMidwife},
		{"letters with full stops are the same word", []string{"C.N.M., M.S.N."}, birth.RoleMidwife},
		{"a nurse-midwife is a midwife", []string{"Certified Nurse-Midwife"}, birth.RoleMidwife},
		{"a midwife who is a nurse as well", []string{"RN", "CPM"}, birth.RoleMidwife},
		{"a midwife's assistant is a midwife by keyword", []string{"Midwife's assistant"}, birth.RoleMidwife},
		{"a doula", []string{"Birth Doula"}, birth.RoleDoula},
		{"a doula who is a nurse", []string{"Registered nurse", "postpartum doula (DONA)"}, birth.RoleDoula},
		{"a nurse", []string{"Labor and delivery nurse"}, birth.RoleNurse},
		{"an RN is a nurse", []string{"RN"}, birth.RoleNurse},
		{"an RN among other letters", []string{"BSN/RN-OB"}, birth.RoleNurse},
		{"an R.N. is a nurse", []string{"R.N."}, birth.RoleNurse},
		{"a nurse's assistant is a nurse by keyword", []string{"Nurse assistant"}, birth.RoleNurse},
		{"an assistant", []string{"Birth Assistant"}, birth.RoleAssistant},
		{"a physician assistant", []string{"PHYSICIAN ASSISTANT"}, birth.RoleAssistant},
		{"a physician is other", []string{"Medical Doctor"}, birth.RoleOther},
		{"an osteopath is other", []string{"Osteopath (occupation)"}, birth.RoleOther},
		{"an intern is no RN", []string{"Intern"}, birth.RoleOther},
		{"modern, govern and film hold no abbreviation", []string{"modern", "governor", "film", "cpmx"}, birth.RoleOther},
		{"a letter with an accent is a letter", []string{"Bjørn", "Ólm"}, birth.RoleOther},
		{"texts do not run into each other", []string{"r", "n", "c", "pm"}, birth.RoleOther},
		{"nothing said is other", nil, birth.RoleOther},
		{"an empty text is other", []string{"", "  "}, birth.RoleOther},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, birth.RoleOf(c.stated...)) })
	}
}

func TestEveryRoleIsAnAttendantType(t *testing.T) {
	field := birth.Must("attendant_type")
	roles := []birth.Role{birth.RoleMidwife, birth.RoleDoula, birth.RoleNurse, birth.RoleAssistant, birth.RoleOther}
	require.Len(t, field.Options, len(roles))
	for _, role := range roles {
		require.True(t, field.HasOption(string(role)), role)
	}
}

func TestOnlyTheFirstOfSeveralAttendantsAttendsAndTheOthersArePresent(t *testing.T) {
	named := func(name string, role birth.Role, attending bool) birth.Provider {
		return birth.Provider{Key: name, Name: name, Role: role, Attending: attending, Source: birth.Manual}
	}
	d := birth.Mask(birth.Draft{Children: make([]birth.Values, 1), Providers: []birth.Provider{
		named("Doe", birth.RoleDoula, false), named("Lee", birth.RoleMidwife, true), named("Mora", birth.RoleNurse, true),
	}}).Draft()
	var attending []string
	for _, p := range d.Providers {
		if p.Attending {
			attending = append(attending, p.Name)
		}
	}
	require.Equal(t, []string{"Lee"}, attending)
	require.Equal(t, "Lee", d.Care.Text("attendant_name"))
	require.Equal(t, "midwife", d.Care.Text("attendant_type"))
}
