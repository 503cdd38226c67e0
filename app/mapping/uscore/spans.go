package uscore

// The spans of a pregnancy, in days (uscore-mapping §3).
const (
	term       = 280 // from the last menstrual period to the due date
	longest    = 301 // 43 weeks
	viable     = 140 // 20 weeks
	postTerm   = 21  // how long after the due date a birth can be
	afterwards = 3   // how long after the birth it is recorded
	latestLMP  = 140 // before the birth; the earliest is mapping.EarliestLMP
)
