package birth

// setting lists the fields about the planned and the actual place of birth, and about the people
// who were there (spine rows 37–47). Providers are not patients, so their names and credentials
// aren't sealed.
var setting = []Field{
	{
		Name: "planned_birth_setting", Label: "Planned place of birth", About: Care, Kind: Code,
		Codes: []string{"73765-0"}, // "home birth intended": only yes states a setting
		Options: open(
			option("home", "Home", yesOrNo("true"), yesOrNo("Y"), sct("408839006")),
			option("birth_center", "Birth center"),
			option("hospital", "Hospital"),
		),
	},
	plannedAt("booking", "at booking"),
	plannedAt("admission", "when she was admitted in labor"),
	{
		Name: "birth_setting", Label: "Place of birth", About: Care, Kind: Code,
		Options: open(
			option("home_planned", "Home, planned", sct("408839006")),
			option("home_unplanned", "Home, not planned", sct("408838003")),
			option("home_unknown", "Home, plan not known", vitalRecord("unknownplannedhomebirth")),
			option("birth_center", "Birth center", sct("91154008")),
			option("hospital", "Hospital", sct("22232009")),
			option("clinic", "Clinic or office", sct("67190003")),
		),
	},
	{Name: "facility_name", Label: "Facility", About: Care, Kind: Text, Sealed: true, Unknown: []string{"unk", "unknown"}},
	{
		Name: "attendant_type", Label: "Attendant's role", About: Care, Kind: Code, Derived: true,
		Options: []Option{
			option("midwife", "Midwife"),
			option("doula", "Doula"),
			option("nurse", "Nurse"),
			option("assistant", "Assistant"),
			option("other", "Other"),
		},
	},
	{
		Name: "attendant_title", Label: "Attendant's title", About: Care, Kind: Code, Demographic: true,
		Options: open(
			option("md", "Doctor of medicine", sct("309343006"), sct("112247003")),
			option("do", "Doctor of osteopathy", sct("76231001")),
			option("cnm_cm", "CNM or CM", sct("445521000124102")),
			option("other_midwife", "Other midwife", sct("445531000124104")),
		),
	},
	{Name: "attendant_name", Label: "Attendant", About: Care, Kind: Text, Demographic: true},
	{Name: "attendant_credentials", Label: "Attendant's credentials", About: Care, Kind: Text, Demographic: true},
	{Name: "doula_present", Label: "Doula present", About: Care, Kind: Bool},
	{
		Name: "water_immersion", Label: "Water immersion", About: Care, Kind: Code,
		Options: open(
			option("none", "None", sct(none)),
			option("labor", "In labor"),
			option("birth", "At the birth", sct("177185001")),
			option("both", "In labor and at the birth"),
		),
	},
}

// plannedAt returns a field for the place of birth that was planned at a given moment, such as at
// booking. Statistics use another field, planned_birth_setting, which is the plan at the onset of
// labor.
func plannedAt(moment, when string) Field {
	return added(Field{
		Name: "planned_birth_setting_" + moment, Label: "Planned place of birth " + when, About: Care, Kind: Code,
		Options: open(
			option("home", "Home"),
			option("birth_center", "Birth center"),
			option("hospital", "Hospital"),
		),
	})
}
