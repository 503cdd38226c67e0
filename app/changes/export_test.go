package changes

// Witnesses is how many records with a fingerprint are read in addition to those of a change
// set.
const Witnesses = witnesses
