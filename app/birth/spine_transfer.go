package birth

import "slices"

// The codes of a transfer of care (spine row 80).
var (
	TransferTypes      = []string{"antepartum", "intrapartum", "postpartum", "neonatal"}
	TransferDirections = []string{"in", "out"}
	TransferUrgencies  = []string{"urgent", "non_urgent"}
	TransferSubjects   = []string{"mother", "child"}
)

// TransferReasons lists the main reasons for a transfer. Anything more specific is stated as text
// in Transfer.Reason.
var TransferReasons = []Option{
	option("slow_progress", "Slow progress or exhaustion"),
	option("pain_relief", "Request for pain relief"),
	option("maternal_request", "The mother's request, for another reason"),
	option("membranes_ruptured_long", "Prolonged rupture of membranes"),
	option("fetal_heart_rate", "Concern about the fetal heart rate"),
	option("meconium", "Meconium"),
	option("malpresentation", "Breech or another presentation"),
	option("preterm", "Preterm labor"),
	option("post_dates", "Post dates"),
	option("hypertensive", "High blood pressure"),
	option("infection", "Fever or infection"),
	option("bleeding", "Bleeding"),
	option("retained_placenta", "Retained placenta"),
	option("tear_repair", "Repair of a tear"),
	option("newborn_breathing", "Breathing problem of the newborn"),
	option("newborn_other", "The newborn, for another reason"),
	option("other", "Other"),
}

// TransferModes lists the means of transport.
var TransferModes = []Option{
	option("ambulance", "Ambulance"),
	option("private_car", "Private car"),
	option("air", "Helicopter or airplane"),
	option("within_building", "Within the building"),
	option("other", "Other"),
}

// CodesOf returns the codes of the options.
func CodesOf(options []Option) []string {
	codes := make([]string, len(options))
	for i, o := range options {
		codes[i] = o.Code
	}
	return codes
}

// LabelIn returns the label of the option with the given code, or "" if there is no such option.
func LabelIn(options []Option, code string) string {
	if i := slices.IndexFunc(options, func(o Option) bool { return o.Code == code }); i >= 0 {
		return options[i].Label
	}
	return ""
}

// TransferMember describes a member of Transfer in the same way as a field of Spine.
type TransferMember struct {
	*Field
	// Of returns a pointer to the member of a transfer.
	Of func(*Transfer) *string
}

// TransferMembers lists the members of Transfer. Their names are the names of the columns in
// spreadsheets.
var TransferMembers = []TransferMember{
	transferCode("type", "Transfer: when", []Option{
		option("antepartum", "Before labor"), option("intrapartum", "In labor"), option("postpartum", "After the birth"),
		option("neonatal", "Of the newborn"),
	}, func(t *Transfer) *string { return &t.Type }),
	transferCode("who", "Transfer: who", []Option{option("mother", "The mother"), option("child", "The newborn")},
		func(t *Transfer) *string { return &t.Who }),
	transferCode("direction", "Transfer: direction", []Option{option("in", "To us"), option("out", "From us")},
		func(t *Transfer) *string { return &t.Direction }),
	transferCode("urgency", "Transfer: urgency", []Option{option("urgent", "Urgent"), option("non_urgent", "Not urgent")},
		func(t *Transfer) *string { return &t.Urgency }),
	transferCode("mode", "Transfer: how", TransferModes, func(t *Transfer) *string { return &t.Mode }),
	transferCode("reason_code", "Transfer: main reason", TransferReasons, func(t *Transfer) *string { return &t.ReasonCode }),
	{
		&Field{Name: "transfer_datetime", Label: "Transfer: date and time", About: Care, Kind: DateTime, Sealed: true},
		func(t *Transfer) *string { return &t.DateTime },
	},
	{
		&Field{Name: "transfer_reason", Label: "Transfer: more about the reason", About: Care, Kind: Text, Sealed: true},
		func(t *Transfer) *string { return &t.Reason },
	},
}

func transferCode(member, label string, options []Option, of func(*Transfer) *string) TransferMember {
	return TransferMember{&Field{Name: "transfer_" + member, Label: label, About: Care, Kind: Code, Options: options}, of}
}
