package birth

// Outcome holds what statistics need to know about a course of care, in the coarse categories that
// they count. It is derived from unsealed values when a record is written. It therefore contains no
// patient data, and statistics need no decryption. The zero value of every category means that
// nothing is stated: a missing value never means no (decision 34).
type Outcome struct {
	Consent  bool  // whether consent was granted; if not, shared figures and report files leave out the birth
	Planned  Where // the place of birth that was planned at the onset of labor
	Born     Where
	Multiple Tri // whether several children were born; a record with one child doesn't prove a single birth
	// Parous is whether the mother had given birth before. Scarred is whether she had an earlier
	// cesarean.
	Parous, Scarred Tri
	Onset           Onset
	// Elective is whether labor was induced only because the mother wished it, without a medical
	// reason. It is Unknown if the reason isn't recorded or isn't known.
	Elective  Tri
	Augmented Tri
	Doula     Tri
	// Labored is whether labor began, or was attempted before a cesarean.
	Labored  Tri
	Stat     Tri // whether a cesarean was an emergency (stat)
	Perineum Perineum
	Loss     Loss
	InWater  Tri    // born in water
	Position string // a birth_position of the spine, "" when not known
	// BeforeLabor, InLabor and AfterBirth are set if care was transferred before labor, during
	// labor, or after the birth. AfterBirth counts only transfers of the mother. These members,
	// Newborns and Urgent leave out transfers into the practice's care.
	BeforeLabor, InLabor, AfterBirth bool
	Newborns                         int // the number of transfers of newborns
	Urgent                           Tri // whether a transfer during labor or after the birth was urgent; Unknown if none states its urgency
	Children                         []Newborn
}

// Newborn holds what statistics need to know about one child.
type Newborn struct {
	Method    Method
	Weeks     int // completed weeks of gestation, or 0 if not known
	Weight    Weight
	Five, Ten Tri // whether the Apgar score was below 7 at 5 minutes (Five) and at 10 minutes (Ten)
	Delayed   Tri // whether cord clamping was delayed
	Alive     Tri // whether the child was alive at birth
	Living    Tri // whether the child was living at the time of the report
	Intensive Tri // whether the child was admitted to intensive care
	Breastfed Tri // whether breastfeeding was started
	Exclusive Tri // whether the child got only breast milk at six weeks
	HeadFirst Tri // whether the presentation was vertex
}

// Tri is the answer to a yes-or-no question. The answer may be missing.
type Tri uint8

// The three answers.
const (
	Unknown Tri = iota
	No
	Yes
)

// Where is a place where a birth was planned or took place.
type Where uint8

// The kinds of places. Nowhere means that no place is stated. Elsewhere is a clinic or any other
// named place.
const (
	Nowhere Where = iota
	AtHome
	AtCenter
	AtHospital
	Elsewhere
)

// Community reports whether the place is a home or a birth center.
func (w Where) Community() bool { return w == AtHome || w == AtCenter }

// Onset is the way in which labor began.
type Onset uint8

// The ways in which labor can begin. NoOnset means that none is stated. NoLabor means a cesarean
// before labor.
const (
	NoOnset Onset = iota
	Spontaneous
	Induced
	NoLabor
)

// Perineum describes the perineum after the birth.
type Perineum uint8

// The states of the perineum. NoPerineum means that no state is recorded. Severe is a third- or
// fourth-degree tear. Torn is a lesser tear or “other”.
const (
	NoPerineum Perineum = iota
	Intact
	Torn
	Severe
	Cut // episiotomy
)

// Loss is a range of the mother's blood loss.
type Loss uint8

// The ranges of blood loss: not stated, below 500 mL, 500 to 999 mL, 1000 mL or more.
const (
	NoLoss Loss = iota
	Below500
	Below1000
	From1000
)

// Method is the way in which a child was born.
type Method uint8

// The ways in which a child can be born. NoMethod means that the method isn't known. Assisted means
// with forceps or vacuum.
const (
	NoMethod Method = iota
	Unassisted
	Assisted
	Cesarean
)

// Weight is a range of birth weights.
type Weight uint8

// The ranges of birth weights: not stated, below 2500 g, 2500 to 3999 g, 4000 g or more.
const (
	NoWeight Weight = iota
	Below2500
	Below4000
	From4000
)
