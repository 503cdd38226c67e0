package views

// ProviderList is the providers of a practice.
type ProviderList struct {
	Rows         []ProviderRow
	Newer, Older string // the addresses of the pages beside, "" without one
	// Unnamed are those without a name, folded into one line; nil when there are none.
	// Unfolded is set on the page that lists them.
	Unnamed  *UnnamedProviders
	Unfolded bool
}

// UnnamedProviders are the providers of a practice that no record names.
type UnnamedProviders struct {
	Href                     string
	Count, Attended, Present int
}

// ProviderRow is a provider in the list.
type ProviderRow struct {
	Href, Name, Credentials, Role string
	Attended, Present             int
	Seen                          string
	Members                       int  // identities with the same NPI and name, itself included
	Like                          bool // another may be the same person
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
	MoreIdentities          string // the address of the next page of them, "" without one
	Similar                 int    // other providers of the same group
	Joined                  bool   // new ones of the group are merged
	Group                   string // the address that asks before it merges them
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

// ProviderGroupPage asks for confirmation before a group of providers is merged.
type ProviderGroupPage struct {
	Name, Path, Back string
	Others           int
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

func hasOrHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
