package main

// These rows measure how fast the service accepts Bundles. Before it answers 202, it authenticates
// the caller, strictly checks the Bundle, seals it and writes it durably. While they are measured,
// nothing processes the queue. The rows in rows_complete.go measure the processing.

const (
	lean = 6 << 10
	rich = 60 << 10
)

// These are the names of the ways that acceptGroups compares.
const (
	serviceAccept = "accept"
	echo202       = "Echo answering 202"
	writeFsync    = "write + fsync"
	pocketBase    = "PocketBase create"
)

var acceptGroups = []group{
	{name: "accept 6 KB, 64 callers", rows: []row{
		{"accept 6 KB, 64 callers", serviceAccept, echo202, rate, atLeast(0.20)},
		{"accept 6 KB, 64 callers", serviceAccept, writeFsync, rate, atLeast(2.5)},
		{"accept 6 KB, 64 callers", serviceAccept, pocketBase, rate, atLeast(5.5)},
	}, ways: accepts(lean, 64)},
	{name: "accept 60 KB, 64 callers", rows: []row{
		{"accept 60 KB, 64 callers", serviceAccept, pocketBase, rate, atLeast(8)},
	}, ways: accepts(rich, 64)},
	{name: "accept 6 KB, 1 caller", rows: []row{
		{"accept 6 KB, 1 caller, p50", serviceAccept, writeFsync, p50, atMost(2.5)},
	}, ways: accepts(lean, 1)},
}

// accepts returns a function that prepares the ways of a group. In each way, callers post bodies of
// size bytes, either to the service or to a server with which the service is compared.
func accepts(size, callers int) func(w *workshop) (map[string]way, error) {
	return func(w *workshop) (map[string]way, error) {
		body, long := course(size), w.scale.round
		s, err := w.installation(8, "--workers", "0")
		if err != nil {
			return nil, err
		}
		ways := map[string]way{
			serviceAccept: func() (Figure, error) { return s.run(s.post(body, callers, long)) },
		}
		if ways[echo202], err = w.echo("", s.post(body, callers, long)); err != nil {
			return nil, err
		}
		if ways[writeFsync], err = w.fsync([]byte(body)); err != nil {
			return nil, err
		}
		ways[pocketBase], err = w.pocketbase(body, callers, long)
		return ways, err
	}
}
