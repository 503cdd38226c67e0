package uscore

// The spans of a pregnancy, in days (uscore-mapping §3).
const (
	term       = 280 // from the last menstrual period to the due date
	longest    = 301 // 43 weeks
	viable     = 140 // 20 weeks
	postTerm   = 21  // a birth that much after the due date
	afterwards = 3   // what is recorded soon after the birth
	latestLMP  = 140 // before the birth; the earliest is earliestLMP
)
