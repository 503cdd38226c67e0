package birth

// The limits of a course of care. Real ones have one or two children, three or four providers
// and no transfer. Anything beyond these limits is a mistake of the sender, and would delay
// everybody behind it in the queue.
const (
	MaxChildren  = 100
	MaxProviders = 200
	MaxTransfers = 100
	// MaxIdentifier is the maximum length in bytes of a chart number or a provider's
	// identifier.
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
