package guide

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The types below are the parts of an OpenAPI 3.1 document that the contract uses and the page
// shows.

type document struct {
	Info struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	} `json:"info"`
	Paths      members[members[operation]] `json:"paths"`
	Webhooks   members[members[operation]] `json:"webhooks"`
	Components struct {
		Responses members[response] `json:"responses"`
		Headers   members[named]    `json:"headers"`
		Schemas   members[schema]   `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	Summary     string              `json:"summary"`
	Description string              `json:"description"`
	Security    []members[[]string] `json:"security"`
	Parameters  []parameter         `json:"parameters"`
	Body        struct {
		Description string           `json:"description"`
		Content     members[content] `json:"content"`
	} `json:"requestBody"`
	Responses members[response] `json:"responses"`
}

type parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Required    bool   `json:"required"`
	Description string `json:"description"`
}

type response struct {
	Ref         string           `json:"$ref"`
	Description string           `json:"description"`
	Headers     members[named]   `json:"headers"`
	Content     members[content] `json:"content"`
}

type named struct {
	Ref         string `json:"$ref"`
	Description string `json:"description"`
}

type content struct {
	Schema   schema           `json:"schema"`
	Examples members[example] `json:"examples"`
}

type example struct {
	Summary string         `json:"summary"`
	Value   jsontext.Value `json:"value"`
}

type schema struct {
	Ref         string          `json:"$ref"`
	Type        jsontext.Value  `json:"type"`
	Format      string          `json:"format"`
	Const       jsontext.Value  `json:"const"`
	Enum        []string        `json:"enum"`
	Description string          `json:"description"`
	Required    []string        `json:"required"`
	Properties  members[schema] `json:"properties"`
	Items       *schema         `json:"items"`
	OneOf       []schema        `json:"oneOf"`
	AnyOf       []schema        `json:"anyOf"`
}

// members holds the members of a JSON object in their order, because the page shows them in this
// order.
type members[T any] []member[T]

type member[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSONFrom decodes the members of a JSON object in their order.
func (m *members[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		each := member[T]{Name: name.String()}
		if err := json.UnmarshalDecode(d, &each.Value); err != nil {
			return err
		}
		*m = append(*m, each)
	}
	_, err := d.ReadToken()
	return err
}

func (m members[T]) get(name string) (value T) {
	for _, each := range m {
		if each.Name == name {
			return each.Value
		}
	}
	return value
}
