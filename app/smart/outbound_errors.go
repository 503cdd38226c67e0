package smart

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"birthregistry/app/dial"
)

// The reasons why a call to an EHR failed, other than ErrSlow. Each wraps ErrUpstream and has a
// fixed text. The texts quote nothing that the EHR sent, and name no EHR and no address.
var (
	errAddress  = fmt.Errorf("%w: it named an invalid address", ErrUpstream)
	errScheme   = fmt.Errorf("%w: it named an address without https", ErrUpstream)
	errHost     = fmt.Errorf("%w: it named a host that is not its own; if it is, list it: birthregistry ehr add --auth-host", ErrUpstream)
	errTooLarge = fmt.Errorf("%w: its answer is too large", ErrUpstream)
	// errForbiddenAddress is returned before anything is sent to the address.
	errForbiddenAddress = fmt.Errorf("%w: its name leads to a private address; "+
		"if the EHR is there, start with --ehr-networks (or --ehr-loopback for development)", ErrUpstream)
	errUnknownName = fmt.Errorf("%w: its name cannot be resolved", ErrUpstream)
	errCertificate = fmt.Errorf("%w: its certificate cannot be verified", ErrUpstream)
	errConnection  = fmt.Errorf("%w: the connection failed", ErrUpstream)
	errLeft        = fmt.Errorf("%w: the call was given up: %w", ErrUpstream, context.Canceled)
)

// failure turns the error of a call into ErrUpstream or ErrSlow, with a text that quotes nothing.
// The original errors aren't safe to pass on. Errors from net/http and x/oauth2 contain addresses,
// and errors from x/oauth2 also contain the response's body.
func failure(err error) error {
	for _, known := range []error{errAddress, errScheme, errHost} {
		if errors.Is(err, known) {
			return known
		}
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return errTooLarge
	}
	switch dial.Reason(err) {
	case dial.ErrForbidden:
		return errForbiddenAddress
	case dial.ErrSlow:
		return ErrSlow
	case context.Canceled: // the browser has closed the connection
		return errLeft
	case dial.ErrUnknownName:
		return errUnknownName
	case dial.ErrCertificate:
		return errCertificate
	}
	return errConnection
}

// fixOf returns what an operator can do about the error of a call that reads an EHR's description of
// itself, or "" if the error's text says it.
func fixOf(err error) string {
	for of, reason := range map[error]error{
		ErrSlow: dial.ErrSlow, errUnknownName: dial.ErrUnknownName, errCertificate: dial.ErrCertificate, errConnection: dial.ErrConnection,
	} {
		if errors.Is(err, of) {
			return dial.Fix(reason)
		}
	}
	switch {
	case errors.Is(err, errHost), errors.Is(err, errForbiddenAddress):
		return ""
	case errors.Is(err, errAddress), errors.Is(err, errScheme):
		return "ask the vendor for a configuration whose addresses begin with https"
	}
	return "compare the issuer with the FHIR base URL that the vendor names, letter by letter; if they are the same, ask the vendor"
}
