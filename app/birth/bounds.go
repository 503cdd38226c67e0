package birth

// What a course of care may hold at most. Real ones have a child or two, three or
// four providers and no transfer; what is beyond these is a mistake of the sender's,
// and would cost everybody who waits behind it.
const (
	MaxChildren  = 100
	MaxProviders = 200
	MaxTransfers = 100
	// MaxIdentifier is how long a chart number may be, and what identifies a
	// provider, in bytes.
	MaxIdentifier = 255
)

// Exceeds reports whether a draft holds more than a course of care may.
func (d *Draft) Exceeds() bool {
	if len(d.Children) > MaxChildren || len(d.Providers) > MaxProviders || len(d.Transfers) > MaxTransfers {
		return true
	}
	for i := range d.Providers {
		if p := &d.Providers[i]; len(p.Key) > MaxIdentifier || len(p.NPI) > MaxIdentifier {
			return true
		}
	}
	return len(d.Chart) > MaxIdentifier
}
