package mapping

// MaxChart is how long a chart number may be, in bytes, that comes from a
// spreadsheet or is offered from an EHR.
const MaxChart = 100

// MaxSiblings is how many rows one course may have.
const MaxSiblings = 12
