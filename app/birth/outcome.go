package birth

// Outcome is what statistics need from a course of care, in the coarse classes that they count. It
// is derived when a record is written, from unsealed values. So it contains no patient data, and no
// figure needs unsealing. The zero value of every class is "not stated": a missing value never means
// no (decision 34).
type Outcome struct {
	Consent  bool  // consent was granted; if not, shared figures and report files omit the birth
	Planned  Where // the planned place of birth at the onset of labor
	Born     Where
	Multiple Tri // whether several were born; one child on record doesn't prove a single birth
	// Parous says whether an earlier pregnancy reached birth, and Scarred whether there was
	// an earlier cesarean.
	Parous, Scarred Tri
	Onset           Onset
	// Elective says whether labor was induced only because the mother wished it, without a
	// medical reason. It is Unknown if the indication is not recorded or not known.
	Elective  Tri
	Augmented Tri
	Doula     Tri
	// Labored says whether labor began, or was attempted before a cesarean.
	Labored  Tri
	Stat     Tri // whether a cesarean was an emergency (stat)
	Perineum Perineum
	Loss     Loss
	InWater  Tri    // born in water
	Position string // a birth_position of the spine, "" when not known
	// BeforeLabor, InLabor and AfterBirth say whether care was transferred before labor, during
	// labor or, if the mother was transferred, after the birth. Like Newborns and Urgent, they
	// leave out transfers into the practice's care.
	BeforeLabor, InLabor, AfterBirth bool
	Newborns                         int // how many transfers of a newborn
	Urgent                           Tri // whether a transfer from labor on was urgent; Unknown if none states it
	Children                         []Newborn
}

// Newborn is what statistics need to know about one child.
type Newborn struct {
	Method    Method
	Weeks     int // completed weeks of gestation; 0 if not known
	Weight    Weight
	Five, Ten Tri // the Apgar score is below 7
	Delayed   Tri // cord clamping was delayed
	Alive     Tri // alive at birth
	Living    Tri // living at the time of the report
	Intensive Tri // admitted to intensive care
	Breastfed Tri // breastfed at discharge
	Exclusive Tri // breastfed and nothing else, at six weeks
	HeadFirst Tri // vertex presentation
}

// Tri is an answer that may be missing.
type Tri uint8

// The three answers.
const (
	Unknown Tri = iota
	No
	Yes
)

// Where is the place where a birth was planned or happened.
type Where uint8

// The places. Nowhere means that no place is stated. Elsewhere is a clinic or any other named
// place.
const (
	Nowhere Where = iota
	AtHome
	AtCenter
	AtHospital
	Elsewhere
)

// Community reports whether a place is a home or a birth center.
func (w Where) Community() bool { return w == AtHome || w == AtCenter }

// Onset is how labor began.
type Onset uint8

// The onsets. NoOnset means that none is stated. NoLabor is a cesarean before labor.
const (
	NoOnset Onset = iota
	Spontaneous
	Induced
	NoLabor
)

// Perineum is the state of the perineum after the birth.
type Perineum uint8

// The states. NoPerineum means that none is stated. Severe is a third- or fourth-degree tear. Torn
// is a lesser tear or “other”.
const (
	NoPerineum Perineum = iota
	Intact
	Torn
	Severe
	Cut // episiotomy
)

// Loss is the class of the mother's blood loss.
type Loss uint8

// The classes: not stated, below 500 mL, 500 to 999 mL, 1000 mL and more.
const (
	NoLoss Loss = iota
	Below500
	Below1000
	From1000
)

// Method is how a child was born.
type Method uint8

// The methods. NoMethod means that none is known. Assisted is by forceps or vacuum.
const (
	NoMethod Method = iota
	Unassisted
	Assisted
	Cesarean
)

// Weight is the class of a birth weight.
type Weight uint8

// The classes: not stated, below 2500 g, 2500 to 3999 g, 4000 g and more.
const (
	NoWeight Weight = iota
	Below2500
	Below4000
	From4000
)
