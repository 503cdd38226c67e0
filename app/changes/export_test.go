package changes

// Witnesses is how many records under a fingerprint are read besides those of a set.
const Witnesses = witnesses
