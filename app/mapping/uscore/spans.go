package uscore

// Periods of a pregnancy, in days (uscore-mapping §3).
const (
	term       = 280 // from the last menstrual period to the due date
	longest    = 301 // 43 weeks
	viable     = 140 // 20 weeks
	postTerm   = 21  // the maximum from the due date to the birth
	afterwards = 3   // the maximum from the birth to its record
	latestLMP  = 140 // the minimum from the last period to the birth; the maximum is birth.Pregnancy
)
