package birth

// identity: who they are and when it was (spine rows 2–14). All of it is
// patient data, but for the mother's age, which statistics need.
var identity = []Field{
	{Name: "mother_family_name", Label: "Mother's family name", About: Mother, Kind: Text, Sealed: true, Demographic: true},
	{Name: "mother_given_names", Label: "Mother's given names", About: Mother, Kind: Text, Sealed: true, Demographic: true},
	{Name: "mother_birth_date", Label: "Mother's date of birth", About: Mother, Kind: Date, Sealed: true, Demographic: true},
	{Name: "mother_age_years", Label: "Mother's age at the birth", About: Mother, Kind: Int, Unit: "a", Min: 8, Max: 70, Derived: true},
	{Name: "mother_postal_code", Label: "Postal code of residence", About: Mother, Kind: Text, Sealed: true, Demographic: true},
	{
		Name: "mother_race", Label: "Mother's race", About: Mother, Kind: Codes, Sealed: true, Demographic: true,
		Codes: []string{"inputraceandethnicityMother"},
		Options: open(
			option("american_indian_alaska_native", "American Indian or Alaska Native", "1002-5", "AmericanIndianOrAlaskanNative"),
			option(
				"asian", "Asian", "2028-9",
				"AsianIndian", "Chinese", "Filipino", "Japanese", "Korean", "Vietnamese", "OtherAsian",
			),
			option("black", "Black or African American", "2054-5", "BlackOrAfricanAmerican"),
			option(
				"native_hawaiian_pacific_islander", "Native Hawaiian or other Pacific Islander", "2076-8",
				"NativeHawaiian", "GuamanianOrChamorro", "Samoan", "OtherPacificIslander",
			),
			option("white", "White", "2106-3", "White"),
		),
	},
	{
		Name: "mother_ethnicity", Label: "Mother's ethnicity", About: Mother, Kind: Code, Sealed: true, Demographic: true,
		Codes: []string{"inputraceandethnicityMother"},
		Options: open(
			option(
				"hispanic", "Hispanic or Latina", "2135-2",
				"HispanicMexican", "HispanicPuertoRican", "HispanicCuban", "HispanicOther",
			),
			option("not_hispanic", "Not Hispanic or Latina", "2186-5"),
		),
	},
	{
		Name: "mother_education", Label: "Mother's education", About: Mother, Kind: Code, Sealed: true,
		Codes: []string{"57712-2"},
		Options: open(
			option("elementary", "8th grade or less", "ELEM"),
			option("some_secondary", "9th to 12th grade, no diploma", "SEC"),
			option("high_school", "High school or GED", "HS"),
			option("some_college", "Some college", "SCOL"),
			option("associate", "Associate degree", "AA", "AS"),
			option("bachelor", "Bachelor's degree", "BA", "BS"),
			option("master", "Master's degree", "MA", "MS"),
			option("doctoral", "Doctorate or professional degree", "POSTG", "PHD"),
		),
	},
	{
		Name: "mother_married", Label: "Married during the pregnancy", About: Mother, Kind: Bool, Sealed: true,
		Codes: []string{"87301-8"},
	},

	{Name: "child_family_name", Label: "Child's family name", About: Child, Kind: Text, Sealed: true, Demographic: true},
	{Name: "child_given_names", Label: "Child's given names", About: Child, Kind: Text, Sealed: true, Demographic: true},
	{
		Name: "child_sex", Label: "Sex", About: Child, Kind: Code, Sealed: true, Demographic: true,
		Options: []Option{
			option("female", "Female", "F"),
			option("male", "Male", "M"),
			option("unknown", "Unknown", "UNK", "U", "OTH", "other"),
		},
	},
	{Name: "birth_datetime", Label: "Date and time of birth", About: Child, Kind: DateTime, Sealed: true, Demographic: true},
	{Name: "birth_date", Label: "Date of birth", About: Child, Kind: Date, Sealed: true, Demographic: true},
	{Name: "birth_month", Label: "Month of birth", About: Child, Kind: Date, Derived: true},
}

// option declares one value of a code field and the codes of other code
// systems that mean it.
func option(code, label string, codings ...string) Option {
	return Option{Code: code, Label: label, Codings: codings}
}

// drug is an option that RxNorm codes mean, too.
func (o Option) drug(codes ...string) Option {
	o.Drugs = codes
	return o
}

// open closes a value set with what every code field also accepts. Of the null
// flavors OTH alone states something; the others are silence (decisions 34).
func open(options ...Option) []Option {
	return append(
		options,
		option("other", "Other", "OTH", "OtherRace", "74964007"),
		option("unknown", "Unknown", "261665006"),
	)
}
