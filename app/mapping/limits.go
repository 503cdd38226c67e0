package mapping

// MaxChart is the maximum length in bytes of a chart number from a spreadsheet or an EHR.
const MaxChart = 100

// MaxSiblings is the maximum number of newborns of one course of care, on the form and as rows of a
// spreadsheet.
const MaxSiblings = 12
