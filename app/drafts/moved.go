package drafts

import (
	"errors"
	"net/url"

	"github.com/go-json-experiment/json"

	"birthregistry/app/mapping/form"
	"birthregistry/store"
)

// Moved converts the content of a draft from another installation, and returns the content and the
// token that the draft has in this installation. It adds shift to the provider IDs in the draft. A
// draft that amends a record gets the token for its new practice and author. Moved returns an error
// if content isn't the content of a draft.
func Moved(content []byte, token string, p store.PracticeID, author, shift int64) ([]byte, string, error) {
	var c Content
	if json.Unmarshal(content, &c, json.RejectUnknownMembers(true)) != nil {
		return nil, "", errors.New("drafts: a draft cannot be read")
	}
	for _, texts := range []url.Values{c.Typed, c.Row} {
		form.ShiftProviders(texts, shift)
	}
	if c.Other != nil {
		form.ShiftProviders(c.Other.Typed, shift)
	}
	if c.Record != "" {
		token = AmendmentToken(p, author, c.Record)
	}
	content, err := json.Marshal(c, json.Deterministic(true))
	return content, token, err
}
