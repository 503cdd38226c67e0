package main

// These rows measure how the cost of work grows with the database.

const (
	withMany = "1,000,000 records on file"
	withFew  = "10,000 records on file"
)

var growthGroups = []group{
	{name: "growth", rows: []row{
		{"cost of a course, 1,000,000 records on file", withMany, withFew, p50, atMost(2)},
	}, ways: growth},
}

// growth posts a batch of small, new courses of care to an installation with many records, and to
// one with few. The chart numbers are in scattered order. growth measures the time from the answer
// 202 until the batch is completed.
func growth(w *workshop) (map[string]way, error) {
	courses := int(w.scale.pick(2_500, 500))
	ways := map[string]way{}
	for name, records := range map[string]uint64{withMany: w.scale.pick(1_000_000, 5_000), withFew: w.scale.pick(10_000, 1_000)} {
		s, err := w.filled(int(records))
		if err != nil {
			return nil, err
		}
		if err := s.serve(); err != nil {
			return nil, err
		}
		ways[name] = func() (f Figure, err error) {
			body, before := batch(course(0), int(s.next), courses), onDisk(s.folder)
			s.next += uint64(courses)
			took, err := s.through(body)
			if err != nil {
				return f, err
			}
			each := took.Seconds() / float64(courses)
			return Figure{Rate: 1 / each, P50: each, Bytes: max(0, onDisk(s.folder)-before) / float64(courses)}, nil
		}
	}
	return ways, nil
}
