package ui

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/customfields"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// CustomFields serves the pages on which a practice adds custom fields to the form "Record a
// birth", and moves, retires or restores them.
type CustomFields struct {
	*pages.Pages
	customFields *customfields.Service
}

// fieldForm is the form that adds a custom field, as the user filled it in.
type fieldForm struct{ label, kind, options string }

func (h *CustomFields) GetFields(c echo.Context) error {
	return h.fieldsPage(c, http.StatusOK, fieldForm{})
}

func (h *CustomFields) fieldsPage(c echo.Context, status int, form fieldForm, mistakes ...views.Mistake) error {
	all, err := h.customFields.List(c.Request().Context(), session.User(c).Practice.ID)
	if err != nil {
		return err
	}
	used := slices.DeleteFunc(slices.Clone(all), func(f birth.CustomField) bool { return f.Retired })
	retired := slices.DeleteFunc(all, func(f birth.CustomField) bool { return !f.Retired })
	page := views.CustomFields{
		Warning: customfields.Warning, Fields: append(used, retired...), InUse: len(used), Full: len(used) >= customfields.Max,
		Label: views.Input{
			Name: "label", Label: "Label", Hint: "The name shown on the form, such as “Water temperature”.", Value: form.label, Width: "m",
		},
		Kind:    views.Input{Name: "kind", Label: "Asks for"},
		Options: views.Input{Name: "options", Label: "Choices", Hint: "One per line; only for a field with choices.", Value: form.options},
	}
	for _, k := range birth.CustomKinds {
		page.Kinds = append(page.Kinds, views.Choice{Value: k.Code, Label: k.Label, Chosen: k.Code == form.kind})
	}
	return h.Render(c, status, "Custom fields", views.CustomFieldsPage(page), mistakes...)
}

func (h *CustomFields) PostField(c echo.Context) error {
	form := pages.Posted(c)
	typed := fieldForm{label: form.Get("label"), kind: form.Get("kind"), options: form.Get("options")}
	f, err := h.customFields.Define(session.User(c), birth.CustomField{
		Label: typed.label, Kind: birth.CustomKind(typed.kind), Options: strings.Split(typed.options, "\n"),
	})
	if mistakes := fieldMistakes(err); len(mistakes) > 0 {
		return h.fieldsPage(c, http.StatusUnprocessableEntity, typed, mistakes...)
	}
	if err != nil {
		return err
	}
	return h.Done(c, pages.FieldsPath, "“"+f.Label+"” is added to the form.")
}

// fieldMistakes returns a mistake for each thing that is wrong with a custom field, in the order of
// the form.
func fieldMistakes(err error) (all []views.Mistake) {
	for _, m := range []struct {
		wrong      error
		name, text string
	}{
		{auth.ErrBadLabel, "label", "Write a label of 1 to 60 characters."},
		{customfields.ErrLabelTaken, "label", "The form has a field with this label; choose another label."},
		{customfields.ErrTooMany, "label", "The practice has reached its limit of custom fields. Retire one or, if that does not help, bring a retired one back."},
		{customfields.ErrKind, "kind", "Choose what the field asks for."},
		{customfields.ErrChoices, "options", "Write 2 to 50 different choices, one per line, each of at most 60 characters."},
	} {
		if errors.Is(err, m.wrong) {
			all = append(all, views.Mistake{Name: m.name, Text: m.text})
		}
	}
	return all
}

// field returns the practice's custom field whose ID is in the path.
func (h *CustomFields) field(c echo.Context) (birth.CustomField, error) {
	all, err := h.customFields.List(c.Request().Context(), session.User(c).Practice.ID)
	if err != nil {
		return birth.CustomField{}, err
	}
	at := slices.IndexFunc(all, func(f birth.CustomField) bool { return f.ID == idParam(c, "field") })
	if at < 0 {
		return birth.CustomField{}, pages.ErrNotFound
	}
	return all[at], nil
}

func (h *CustomFields) GetField(c echo.Context) error {
	f, err := h.field(c)
	if err != nil {
		return err
	}
	return h.fieldPage(c, http.StatusOK, f, f.Label)
}

func (h *CustomFields) fieldPage(c echo.Context, status int, f birth.CustomField, typed string, mistakes ...views.Mistake) error {
	label := views.Input{Name: "label", Label: "Label", Hint: "Its CSV column stays " + f.Name() + ".", Value: typed, Width: "m"}
	return h.Render(c, status, "Change a field", views.CustomFieldPage(f, label), mistakes...)
}

func (h *CustomFields) PostFieldLabel(c echo.Context) error {
	f, err := h.field(c)
	if err != nil {
		return err
	}
	typed := pages.Posted(c).Get("label")
	err = h.customFields.Relabel(session.User(c), f.ID, typed)
	if mistakes := fieldMistakes(err); len(mistakes) > 0 {
		return h.fieldPage(c, http.StatusUnprocessableEntity, f, typed, mistakes...)
	}
	return h.fieldChanged(c, err, "The label is changed.")
}

// PostFieldChange retires, restores or moves a custom field.
func (h *CustomFields) PostFieldChange(c echo.Context) error {
	f, err := h.field(c)
	if err != nil {
		return err
	}
	who := session.User(c)
	switch c.Param("change") {
	case "up":
		return h.fieldChanged(c, h.customFields.Move(who, f.ID, true), "“"+f.Label+"” moved up.")
	case "down":
		return h.fieldChanged(c, h.customFields.Move(who, f.ID, false), "“"+f.Label+"” moved down.")
	case "retire":
		return h.fieldChanged(c, h.customFields.SetRetired(who, f.ID, true), "“"+f.Label+"” is retired. Records keep the values they have.")
	case "restore":
		err := h.customFields.SetRetired(who, f.ID, false)
		if mistakes := fieldMistakes(err); len(mistakes) > 0 {
			return h.fieldPage(c, http.StatusUnprocessableEntity, f, f.Label, mistakes...)
		}
		return h.fieldChanged(c, err, "The form asks for “"+f.Label+"” again.")
	}
	return pages.ErrNotFound
}

func (h *CustomFields) fieldChanged(c echo.Context, err error, done string) error {
	if err != nil {
		return err
	}
	return h.Done(c, pages.FieldsPath, done)
}
