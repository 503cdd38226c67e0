package fhir

import "fmt"

// OperationOutcome is the body of every error response, and of the response 202.
type OperationOutcome struct {
	ResourceType string  `json:"resourceType"`
	Issue        []Issue `json:"issue"`
}

// Issue is one problem (spec, "Errors"). Diagnostics is the text of the problem. No submitted value
// ever appears in it.
type Issue struct {
	Severity    string           `json:"severity"`
	Code        string           `json:"code"`
	Details     *CodeableConcept `json:"details,omitzero"`
	Diagnostics string           `json:"diagnostics"`
	Expression  []string         `json:"expression,omitempty"`
}

// OutcomeSystem is the code system of issue.details. Its codes are the names in the catalog,
// which never change, so that programs can branch on them.
const OutcomeSystem = "urn:birthregistry:outcome"

// Outcome makes the OperationOutcome of a problem at the given places or, if none are given, at its
// default place.
func (p *Problem) Outcome(expressions ...string) OperationOutcome {
	severity := "error"
	if p.Code == "informational" {
		severity = "information"
	}
	if len(expressions) == 0 && p.Expression != "" {
		expressions = []string{p.Expression}
	}
	return OperationOutcome{
		ResourceType: "OperationOutcome",
		Issue: []Issue{{
			Severity:    severity,
			Code:        p.Code,
			Details:     &CodeableConcept{Coding: []Coding{{System: OutcomeSystem, Code: p.Name}}, Text: p.Hint},
			Diagnostics: p.Text,
			Expression:  expressions,
		}},
	}
}

// Error makes Problem an error.
func (p *Problem) Error() string { return fmt.Sprintf("%s: %s", p.Name, p.Text) }
