package sheet

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestTheTransferInAFileUpdatesTheOneOnFile(t *testing.T) {
	intrapartum := birth.Transfer{Type: "intrapartum", Direction: "out", Source: birth.FHIRPush, Reason: "Slow progress"}
	neonatal := birth.Transfer{Type: "neonatal", Who: "child", Source: birth.Manual}
	byCar := birth.Transfer{Type: "intrapartum", Direction: "out", Mode: "private_car", Source: birth.CSV, Reason: "Slow progress"}
	for _, c := range []struct {
		why, file    string
		onFile, want []birth.Transfer
	}{
		{"nothing stated", "birth_date,transfer_mode\n2026-03-02,\n", []birth.Transfer{intrapartum}, []birth.Transfer{intrapartum}},
		{
			"a new one", "birth_date,transfer_type\n2026-03-02,In labor\n", nil,
			[]birth.Transfer{{Type: "intrapartum", Source: birth.CSV}},
		},
		{
			"the same stage: what is stated is added", "birth_date,transfer_type,transfer_mode\n2026-03-02,intrapartum,private_car\n",
			[]birth.Transfer{intrapartum, neonatal},
			[]birth.Transfer{byCar, neonatal},
		},
		{
			"no stage", "birth_date,transfer_mode\n2026-03-02,private_car\n", []birth.Transfer{intrapartum}, []birth.Transfer{byCar},
		},
		{
			"what is on file keeps its source", "birth_date,transfer_type,transfer_direction\n2026-03-02,intrapartum,out\n",
			[]birth.Transfer{intrapartum},
			[]birth.Transfer{intrapartum},
		},
		{
			"another stage: one more", "birth_date,transfer_type\n2026-03-02,postpartum\n",
			[]birth.Transfer{intrapartum},
			[]birth.Transfer{intrapartum, {Type: "postpartum", Source: birth.CSV}},
		},
	} {
		all := mustRead(t, c.file)
		require.Empty(t, all[0].Wrong, c.why)
		on := birth.Draft{Children: make([]birth.Values, 1), Transfers: c.onFile}
		d, problem := all[0].Amend(on)
		require.Nil(t, problem, c.why)
		require.Equal(t, c.want, d.Transfers, c.why)
	}
}

func TestTheRowsOfTwinsStateOneTransfer(t *testing.T) {
	all := mustRead(t, "chart_number,birth_date,transfer_type,transfer_mode\nA,2026-03-02,intrapartum,\nA,2026-03-02,,ambulance\n")
	require.Equal(t, []birth.Transfer{{Type: "intrapartum", Mode: "ambulance", Source: birth.CSV}}, all[0].Draft.Transfers)
	all = mustRead(t, "chart_number,birth_date,transfer_type\nA,2026-03-02,intrapartum\nA,2026-03-02,neonatal\n")
	require.Equal(t, "transfer_type", all[0].Wrong[0].Column)
	all = mustRead(t, "birth_date,transfer_mode\n2026-03-02,by carpet\n")
	require.Equal(t, "transfer_mode", all[0].Wrong[0].Column)
}
