package uscore

import (
	"testing"

	"birthregistry/app/mapping"
)

func TestAMethodOfDeliveryThatADiagnosisContradictsIsAHint(t *testing.T) {
	billed := func(code, on string) m { return diagnosed("c", mapping.ICD10URL, code, on) }
	requireDoubts(t, map[string]doubted{
		"vaginal, billed as a cesarean": {chart: []m{her(), bornMay1, routed("700000006", "Vaginal delivery"), billed("O82", "2026-05-01")}, field: "delivery_method", why: "a diagnosis says otherwise"},
		"a cesarean, billed as vaginal": {chart: []m{her(), bornMay1, routed("11466000", "Cesarean section"), billed("O80", "2026-05-01")}, field: "delivery_method", why: "a diagnosis says otherwise"},
		"vaginal, billed as vaginal":    {chart: []m{her(), bornMay1, routed("700000006", "Vaginal delivery"), billed("O80", "2026-05-01")}, field: "delivery_method", filled: `"vaginal_spontaneous"`},
		"a cesarean of before":          {chart: []m{her(), bornMay1, routed("700000006", "Vaginal delivery"), billed("O82", "2019-05-01")}, field: "delivery_method", filled: `"vaginal_spontaneous"`},
	})
}
