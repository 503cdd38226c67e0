package fhir

import "fmt"

// OperationOutcome is the body of every error response, and of the response 202.
type OperationOutcome struct {
	ResourceType string  `json:"resourceType"`
	Issue        []Issue `json:"issue"`
}

// Issue is one problem (spec, "Errors"). Diagnostics describes the problem in words. No field ever
// contains a submitted value.
type Issue struct {
	Severity    string           `json:"severity"`
	Code        string           `json:"code"`
	Details     *CodeableConcept `json:"details,omitzero"`
	Diagnostics string           `json:"diagnostics"`
	Expression  []string         `json:"expression,omitempty"`
}

// OutcomeSystem is the code system of issue.details. Its codes are the names in the error catalog.
// They never change, so that programs can rely on them.
const OutcomeSystem = "urn:birthregistry:outcome"

// Outcome returns the OperationOutcome for the problem. The expressions are the places of the
// problem in the Bundle. Without any, Outcome uses the problem's default place.
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

// Error returns the name and the text of the problem.
func (p *Problem) Error() string { return fmt.Sprintf("%s: %s", p.Name, p.Text) }
