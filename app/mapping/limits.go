package mapping

// MaxChart is the maximum length, in bytes, of a chart number in a spreadsheet or from an EHR.
const MaxChart = 100

// MaxSiblings is the maximum number of newborns in one course of care, both in the form and in a
// spreadsheet.
const MaxSiblings = 12
