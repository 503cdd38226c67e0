package views

// ProviderList is the providers of a practice.
type ProviderList struct {
	Rows []ProviderRow
}

// ProviderRow is a provider in the list.
type ProviderRow struct {
	Href, Name, Credentials, Role string
	Attended, Present             int
	Seen                          string
	Like                          int // how many may be the same person
}

// ProviderPage is one provider.
type ProviderPage struct {
	ID                      int64
	Name, Credentials, Role string
	Other                   bool // the role is left out of the figures by attendant
	Attended, Present       int
	Survivor                *Link // whom it was merged into
	Identities              []ProviderIdentity
	Career                  []CareerLine
	Like, Others            []ProviderChoice
	MayMerge                bool
}

// ProviderIdentity is one of the identities of a provider.
type ProviderIdentity struct {
	Name, Credentials, Role string
	ID                      string // the stable id, its middle left out
	NPI                     string
	Attended, Present       int
	Seen                    string
	Unmerge                 string // the address that undoes the merge, "" for the provider's own
}

// CareerLine is an entry of the career log.
type CareerLine struct{ At, What, Since string }

// ProviderChoice is somebody a provider can be merged with.
type ProviderChoice struct {
	Href, Text, Why string
}

// ProviderMergePage asks before two providers are merged.
type ProviderMergePage struct {
	Path        string
	Goes, Stays ProviderRow
	Swap, Back  string
	Moves       int  // births
	Unlike      bool // nothing says that they are the same person
	Unmerge     bool // it is about undoing
}
