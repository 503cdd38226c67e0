package metamorphic

// Charts of this project that state as much as a chart can.

func ofPregnancy() []object {
	return []object{
		dueInMay, noted("8665-2", "2025-10-01", dateOf("2025-07-28")),
		noted("11996-6", "2025-10-01", integer(3)), noted("11977-6", "2025-10-01", integer(1)), noted("11638-4", "2025-10-01", integer(1)),
		noted("68496-9", "2025-10-01", integer(0)), noted("69043-8", "2025-10-01", integer(1)), noted("68497-7", "2025-10-01", integer(1)),
		noted("68499-3", "2025-10-01", dateOf("2022-03")), noted("69044-6", "2025-10-01", dateOf("2025-09-18")),
		noted("8302-2", "2024-01-05", amount("170.2", "cm")), noted("56077-1", "2025-09-18", amount("65.8", "kg")),
		noted("64794-1", "2025-09-18", integer(5)), noted("87298-6", "2025-12-01", integer(2)), noted("72607-5", "2026-04-15", sct("10828004")),
		condition(concept(coding(snomed, "11687002")), object{"id": "gdm"}, onset("2026-02-02")),
		condition(concept(coding(icd10, "I10")), object{"id": "htn"}, onset("2019-01-01")),
		condition(concept(coding(icd10, "A56.02")), object{"id": "chl"}, onset("2025-11-01"), resolved("resolved"), object{"abatementDateTime": "2025-11-20"}),
		visit("AMB", "424441002", "2025-09-18", "2025-09-18"), visit("AMB", "424619006", "2025-10-20", "2025-10-20"),
	}
}

func fullWoman() object {
	return woman(object{
		"address":   list{object{"use": "home", "type": "physical", "postalCode": "05401"}},
		"extension": list{raceExtension("2054-5"), ethnicityExtension("2186-5")},
	})
}

func fullExpecting() object {
	return full("2026-04-20T12:00:00Z", append([]object{fullWoman()}, ofPregnancy()...)...)
}

func fullDelivered() object {
	return full("2026-05-03T12:00:00Z", append(append([]object{fullWoman(), bornInMay}, ofPregnancy()...),
		noted("68493-6", "2026-04-30", integer(12)), noted("69461-2", "2026-04-30", amount("79.4", "kg")),
		condition(concept(coding(icd10, "O70.1")), object{"id": "tear"}, onset("2026-05-01")),
		condition(concept(coding(icd10, "O15.1")), object{"id": "ecl"}, recorded("2026-05-01")),
		visit("IMP", "177184002", "2026-04-30T22:00:00-04:00", "2026-05-03T08:00:00-04:00", participants(object{
			"type": list{concept(coding(parts, "ATND"))}, "individual": object{"display": "Olive Reyes, CNM"},
		})),
	)...)
}

func fullNewborn() object {
	return full("2026-05-03T12:00:00Z",
		newborn(object{"name": list{object{"use": "official", "family": "Okonkwo", "given": list{"Zora"}}}}),
		noted("8339-4", "2026-05-01T05:00:00-04:00", amount("3410", "g")), noted("11884-4", "2026-05-01T05:00:00-04:00", amount("277", "d")),
		noted("9272-6", "2026-05-01T04:19:00-04:00", integer(8)), noted("9274-2", "2026-05-01T04:23:00-04:00", integer(9)),
		noted("73761-9", "2026-05-01T04:18:00-04:00", sct("70028003")),
		condition(concept(coding(snomed, "80281008")), object{"id": "lip"}, onset("2026-05-01")),
		condition(concept(coding(snomed, "91175000")), object{"id": "fit"}, onset("2026-05-01")),
	)
}

// full marks a chart as one whose dates the mutations know.
func full(at string, resources ...object) object {
	return with(chart(at, resources...), object{"full": true})
}
