package audit

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"birthregistry/store"
)

// Event is an entry of the audit trail as a FHIR R4 AuditEvent resource, which other audit systems
// can read.
//
// If a request from a known network address created, read or updated one record, the event follows
// a profile of IHE's Basic Audit Log Patterns (BALP 1.1), and names this profile in meta.profile.
// Every other entry is a plain AuditEvent. For some actions, BALP has no profile. For others, BALP
// requires an address, but there is none when an operator works at the machine itself.
type Event struct {
	ResourceType string     `json:"resourceType"`
	ID           string     `json:"id"`
	Meta         *eventMeta `json:"meta,omitzero"`
	Type         coding     `json:"type"`
	Subtype      []coding   `json:"subtype"`
	Action       string     `json:"action"`
	Recorded     string     `json:"recorded"`
	Outcome      string     `json:"outcome"`
	Agent        []agent    `json:"agent"`
	Source       source     `json:"source"`
	Entity       []entity   `json:"entity,omitempty"`
}

type eventMeta struct {
	Profile []string `json:"profile"`
}

type coding struct {
	System  string `json:"system"`
	Code    string `json:"code"`
	Display string `json:"display,omitzero"`
}

type concept struct {
	Coding []coding `json:"coding"`
}

type reference struct {
	Type       string      `json:"type,omitzero"`
	Identifier *identifier `json:"identifier,omitzero"`
	Display    string      `json:"display,omitzero"`
}

type identifier struct {
	System string `json:"system"`
	Value  string `json:"value"`
}

type agent struct {
	Type      *concept  `json:"type,omitzero"`
	Who       reference `json:"who"`
	Name      string    `json:"name,omitzero"`
	Requestor bool      `json:"requestor"`
	Network   *network  `json:"network,omitzero"`
}

// network is the address of a machine. Type is "1" for a host name, and "2" for an IP address.
type network struct {
	Address string `json:"address"`
	Type    string `json:"type"`
}

type source struct {
	Site     string    `json:"site"`
	Observer reference `json:"observer"`
	Type     []coding  `json:"type"`
}

type entity struct {
	What *reference `json:"what,omitzero"`
	Type coding     `json:"type"`
	Role *coding    `json:"role,omitzero"`
	Name string     `json:"name,omitzero"`
}

const (
	dicom         = "http://dicom.nema.org/resources/ontology/DCM"
	terminology   = "http://terminology.hl7.org/CodeSystem/"
	participation = terminology + "v3-ParticipationType"
	balp          = "https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit."
)

// interaction describes an action on one record in the terms of BALP.
type interaction struct {
	profile, subtype, action string
	client, server           coding // the roles of the machine that sends the request and the machine that answers it
	user                     coding
}

var (
	sender   = coding{dicom, "110153", "Source Role ID"}
	receiver = coding{dicom, "110152", "Destination Role ID"}
	author   = coding{participation, "AUT", "author (originator)"}
	reader   = coding{participation, "IRCP", "information recipient"}

	creates = interaction{"PatientCreate", "create", "C", sender, receiver, author}
	reads   = interaction{"PatientRead", "read", "R", receiver, sender, reader}
	updates = interaction{"PatientUpdate", "update", "U", sender, receiver, author}
)

// interactions lists the actions that create, read or update one record. The object of such an
// entry is the record's ID.
var interactions = map[string]interaction{
	"record.create": creates, "record.read": reads,
	"record.amend": updates, "record.void": updates, "record.restore": updates, "record.reinstate": updates,
	"duplicate.merge": updates, "duplicate.void": updates, "duplicate.undo": updates,
}

// kinds maps the other actions to the type and action of the AuditEvent, in DICOM's audit event
// codes (PS3.16, CID 400). A key is a whole action, such as user.sign-in, or only its noun, such as
// user. If neither is a key, the action is an "Application Activity".
var kinds = map[string]struct {
	typ    coding
	action string
}{
	"user.sign-in":        {coding{dicom, "110114", "User Authentication"}, "E"},
	"user.sign-in-failed": {coding{dicom, "110114", "User Authentication"}, "E"},
	"user.confirm-failed": {coding{dicom, "110114", "User Authentication"}, "E"},
	"user.sign-out":       {coding{dicom, "110114", "User Authentication"}, "E"},
	"user":                {coding{dicom, "110113", "Security Alert"}, "U"},
	"key":                 {coding{dicom, "110113", "Security Alert"}, "U"},
	"record.export":       {coding{dicom, "110106", "Export"}, "R"},
	"statistics.export":   {coding{dicom, "110106", "Export"}, "R"},
	"import":              {coding{dicom, "110107", "Import"}, "C"},
	"import.undo":         {coding{dicom, "110107", "Import"}, "U"},
	"import.forget":       {coding{dicom, "110107", "Import"}, "D"},
	"audit":               {coding{dicom, "110101", "Audit Log Used"}, "R"},
}

// newEvent returns an AuditEvent for an entry. base is the URL of the service without a slash at
// the end, such as https://births.example.org.
func newEvent(e store.Audit, base string) Event {
	host := hostOf(base)
	event := Event{
		ResourceType: "AuditEvent",
		ID:           "entry-" + strconv.FormatInt(e.ID, 10),
		Recorded:     e.At.UTC().Format(time.RFC3339Nano),
		Outcome:      "0",
		Subtype:      []coding{{System: base + "/docs/secure#audit", Code: e.Action}},
		Source: source{
			Site:     host,
			Observer: machine(base),
			Type:     []coding{{terminology + "security-source-type", "4", "Application Server"}},
		},
	}
	if strings.HasSuffix(e.Action, "-failed") {
		event.Outcome = "4" // a minor failure
	}
	if act, ok := interactions[e.Action]; ok {
		event.interaction(act, e, base, host)
		return event
	}
	event.act(e, base)
	return event
}

// interaction completes the event for an action on one record. It adds BALP's profile and the two
// machines only if the client's address is known.
func (event *Event) interaction(act interaction, e store.Audit, base, host string) {
	event.Type = coding{terminology + "audit-event-type", "rest", "Restful Operation"}
	event.Subtype = append([]coding{{"http://hl7.org/fhir/restful-interaction", act.subtype, act.subtype}}, event.Subtype...)
	event.Action = act.action
	who := person(e, base)
	who.Type = &concept{[]coding{act.user}}
	event.Agent = []agent{who}
	if e.Address != "" {
		event.Meta = &eventMeta{[]string{balp + act.profile}}
		event.Agent = append(event.Agent,
			agent{Type: &concept{[]coding{act.client}}, Who: reference{Display: "the caller's browser or program"}, Network: address(e.Address)},
			agent{Type: &concept{[]coding{act.server}}, Who: machine(base), Network: address(host)})
	}
	record := &identifier{base + "/registry/records", e.Object}
	event.Entity = []entity{
		{
			What: &reference{Type: "Patient", Identifier: record},
			Type: coding{terminology + "audit-entity-type", "1", "Person"}, Role: &coding{terminology + "object-role", "1", "Patient"},
		},
		{
			What: &reference{Identifier: record},
			Type: coding{terminology + "audit-entity-type", "2", "System Object"}, Role: &coding{terminology + "object-role", "4", "Domain Resource"},
		},
	}
}

// act completes the event for an action that isn't in interactions. It sets the type and action
// from kinds. If kinds doesn't have the action either, the event is an "Application Activity".
func (event *Event) act(e store.Audit, base string) {
	noun, _, _ := strings.Cut(e.Action, ".")
	event.Type, event.Action = coding{dicom, "110100", "Application Activity"}, "E"
	if kind, ok := kinds[e.Action]; ok {
		event.Type, event.Action = kind.typ, kind.action
	} else if kind, ok := kinds[noun]; ok {
		event.Type, event.Action = kind.typ, kind.action
	}
	who := person(e, base)
	if e.Address != "" {
		who.Network = address(e.Address)
	}
	event.Agent = []agent{who}
	if e.Object != "" {
		event.Entity = []entity{{Type: coding{terminology + "audit-entity-type", "2", "System Object"}, Name: e.Object}}
	}
}

// person returns the agent who performed the action.
func person(e store.Audit, base string) agent {
	who := agent{Who: reference{Display: e.Actor}, Name: e.Actor, Requestor: true}
	if e.User != 0 {
		who.Who.Identifier = &identifier{base + "/registry/users", strconv.FormatInt(e.User, 10)}
	}
	return who
}

// machine returns a reference that identifies the service itself.
func machine(base string) reference {
	return reference{Type: "Device", Identifier: &identifier{"urn:ietf:rfc:3986", base}, Display: "birthregistry"}
}

func address(host string) *network {
	if _, err := netip.ParseAddr(host); err == nil {
		return &network{host, "2"}
	}
	return &network{host, "1"}
}

// hostOf returns the host name or IP address in a URL. If the text isn't a URL with a host, it
// returns the text.
func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return base
	}
	return u.Hostname()
}
