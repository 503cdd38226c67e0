package records

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/birth"
)

// MarshalJSONTo writes the values as {FIELD: {"value", "unit", "source"}}. A value that isn't
// revealed is written as {"sealed": true, "source"}.
func (v Values) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, value := range v {
		if err := enc.WriteToken(jsontext.String(value.Field.Name)); err != nil {
			return err
		}
		shown := struct {
			Value  jsontext.Value `json:"value,omitzero"`
			Sealed bool           `json:"sealed,omitzero"`
			Unit   string         `json:"unit,omitzero"`
			Source birth.Source   `json:"source"`
		}{Source: value.Value.Source}
		if value.Hidden {
			shown.Sealed = true
		} else {
			shown.Value, shown.Unit = value.Value.JSON(value.Field.Kind), value.Field.Unit
		}
		if err := json.MarshalEncode(enc, shown); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}
