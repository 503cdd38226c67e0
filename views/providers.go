package views

// ProviderList is the list of a practice's providers.
type ProviderList struct {
	Rows         []ProviderRow
	Newer, Older string // the addresses of the neighboring pages, or ""
	// Unnamed is a single line for all providers without a name, or nil if there are none. Unfolded
	// is set on the page that lists each of these providers.
	Unnamed  *UnnamedProviders
	Unfolded bool
}

// UnnamedProviders describes a practice's providers without a name.
type UnnamedProviders struct {
	Href                     string
	Count, Attended, Present int
}

// ProviderRow is a provider in the list of providers.
type ProviderRow struct {
	Href, Name, Credentials, Role string
	Attended, Present             int
	Seen                          string
	Members                       int  // identities with the same NPI and name, itself included
	Like                          bool // identities with another NPI or name may be the same person
}

// ProviderPage is the page of one provider.
type ProviderPage struct {
	Name, Credentials, Role string
	Other                   bool // set if the role is left out of the figures by attendant
	Attended, Present       int
	Survivor                *Link // the provider into which it was merged
	Identities              []ProviderIdentity
	Career                  []CareerLine
	Like, Others            []ProviderChoice
	Fewer                   bool // set if Like and Others leave out the providers with the fewest births
	MayMerge                bool
	MoreIdentities          string // the address of the next page of identities, or ""
	Similar                 int    // how many other providers have the same NPI and name
	Joined                  bool   // set if new identities with this NPI and name join it
	Group                   string // the address of the page that merges the similar providers
}

// ProviderIdentity is one of the identities of a provider.
type ProviderIdentity struct {
	Name, Credentials, Role string
	ID                      string // the stable ID without its middle
	NPI                     string
	Attended, Present       int
	Seen                    string
	Unmerge                 string // the address that undoes the merge, or "" for the provider's own identity
}

// CareerLine is an entry in the log of a provider's career.
type CareerLine struct{ At, What, Since string }

// ProviderChoice is another provider, with whom the provider on the page can be merged.
type ProviderChoice struct {
	Href, Text, Why string
}

// ProviderGroupPage asks for confirmation before a group of providers is merged.
type ProviderGroupPage struct {
	Name, Path, Back string
	Others           int
}

// ProviderMergePage is the page that asks for confirmation before two providers are merged.
type ProviderMergePage struct {
	Path        string
	Goes, Stays ProviderRow
	Swap, Back  string
	Moves       int  // how many births move
	Unlike      bool // nothing suggests that they are the same person
	Unmerge     bool // the page is about undoing the merge
}
