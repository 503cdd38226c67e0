package birth

// identity lists the fields about who the mother and the children are, and their dates of birth
// (spine rows 2–14). All of them are patient data, except the mother's age and the month of birth,
// which statistics need.
var identity = []Field{
	personName("mother_family_name", "Mother's family name", Mother),
	personName("mother_given_names", "Mother's given names", Mother),
	{Name: "mother_birth_date", Label: "Mother's date of birth", About: Mother, Kind: Date, Sealed: true, Demographic: true},
	{Name: "mother_age_years", Label: "Mother's age at the birth", About: Mother, Kind: Int, Unit: "a", Min: 8, Max: 70, Derived: true},
	{
		Name: "mother_postal_code", Label: "Postal code of residence", About: Mother, Kind: Text, Sealed: true, Demographic: true,
		Unknown: []string{"99999", "99999-9999", "99999-0000", "999999999", "00000", "00000-0000", "unk", "unknown"},
	},
	{
		Name: "mother_race", Label: "Mother's race", About: Mother, Kind: Codes, Sealed: true, Demographic: true,
		Codes: []string{"inputraceandethnicityMother"},
		Options: open(
			option(
				"american_indian_alaska_native", "American Indian or Alaska Native",
				category("1002-5"), vitalRecord("AmericanIndianOrAlaskanNative"),
			),
			option(
				"asian", "Asian", category("2028-9"),
				vitalRecord("AsianIndian"), vitalRecord("Chinese"), vitalRecord("Filipino"), vitalRecord("Japanese"),
				vitalRecord("Korean"), vitalRecord("Vietnamese"), vitalRecord("OtherAsian"),
			),
			option("black", "Black or African American", category("2054-5"), vitalRecord("BlackOrAfricanAmerican")),
			option(
				"native_hawaiian_pacific_islander", "Native Hawaiian or other Pacific Islander", category("2076-8"),
				vitalRecord("NativeHawaiian"), vitalRecord("GuamanianOrChamorro"), vitalRecord("Samoan"), vitalRecord("OtherPacificIslander"),
			),
			option("white", "White", category("2106-3"), vitalRecord("White")),
		),
	},
	{
		Name: "mother_ethnicity", Label: "Mother's ethnicity", About: Mother, Kind: Code, Sealed: true, Demographic: true,
		Codes: []string{"inputraceandethnicityMother"},
		Options: open(
			option(
				"hispanic", "Hispanic or Latina", category("2135-2"),
				vitalRecord("HispanicMexican"), vitalRecord("HispanicPuertoRican"), vitalRecord("HispanicCuban"), vitalRecord("HispanicOther"),
			),
			option("not_hispanic", "Not Hispanic or Latina", category("2186-5")),
		),
	},
	{
		Name: "mother_education", Label: "Mother's education", About: Mother, Kind: Code, Sealed: true,
		Codes: []string{"57712-2"},
		Options: open(
			option("elementary", "8th grade or less", education("ELEM")),
			option("some_secondary", "9th to 12th grade, no diploma", education("SEC")),
			option("high_school", "High school or GED", education("HS")),
			option("some_college", "Some college", education("SCOL")),
			option("associate", "Associate degree", education("AA"), education("AS")),
			option("bachelor", "Bachelor's degree", education("BA"), education("BS")),
			option("master", "Master's degree", education("MA"), education("MS")),
			option("doctoral", "Doctorate or professional degree", education("POSTG"), education("PHD")),
		),
	},
	{
		Name: "mother_married", Label: "Married during the pregnancy", About: Mother, Kind: Bool, Sealed: true,
		Days: Pregnancy, Codes: []string{"87301-8"},
	},

	personName("child_family_name", "Child's family name", Child),
	personName("child_given_names", "Child's given names", Child),
	{
		Name: "child_sex", Label: "Sex", About: Child, Kind: Code, Sealed: true, Demographic: true,
		Options: []Option{
			option("female", "Female", sex("F")),
			option("male", "Male", sex("M")),
			option("unknown", "Unknown", flavor("UNK"), sex("U"), flavor("OTH"), sex("other")),
		},
	},
	{Name: "birth_datetime", Label: "Date and time of birth", About: Child, Kind: DateTime, Sealed: true, Demographic: true},
	{Name: "birth_date", Label: "Date of birth", About: Child, Kind: Date, Sealed: true, Demographic: true},
	{Name: "birth_month", Label: "Month of birth", About: Child, Kind: Date, Derived: true},
}

func personName(name, label string, about Subject) Field {
	return Field{
		Name: name, Label: label, About: about, Kind: Text, Sealed: true, Demographic: true, Unknown: []string{"unk", "unknown"},
	}
}

// option returns an option of a field. codings are the codes of other code systems that mean this
// option.
func option(code, label string, codings ...Coding) Option {
	return Option{Code: code, Label: label, Codings: codings}
}

// drug adds an RxNorm code to the option's Drugs.
func (o Option) drug(code string) Option {
	o.Drugs = append(o.Drugs, Coding{RxNorm, code})
	return o
}

func (o Option) lasting() Option {
	o.Lasting = true
	return o
}

// open returns the options with “other” and “unknown” added. Of the FHIR null flavors, only OTH
// means an option; all others mean that nothing is stated (decision 34).
func open(options ...Option) []Option {
	return append(
		options,
		option("other", "Other", flavor("OTH"), vitalRecord("OtherRace"), sct("74964007")),
		option("unknown", "Unknown", sct("261665006")),
	)
}
