package mapping

// MaxChart is the maximum length in bytes of a chart number from a spreadsheet or an EHR.
const MaxChart = 100

// MaxSiblings is the maximum number of rows for one course of care.
const MaxSiblings = 12
