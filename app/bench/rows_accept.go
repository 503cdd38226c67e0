package main

// Accept: a Bundle is authenticated, strictly checked, sealed and durable when
// it is answered. Nothing works the queue meanwhile; that is the next group.

const (
	lean = 6 << 10
	rich = 60 << 10
)

// The ways of these rows.
const (
	oursAccept = "accept"
	echo202    = "Echo answering 202"
	writeFsync = "write + fsync"
	pocketBase = "PocketBase create"
)

func acceptGroups() []group {
	return []group{
		{name: "accept 6 KB, 64 callers", rows: []row{
			{"accept 6 KB, 64 callers", oursAccept, echo202, rate, atLeast(0.22)},
			{"accept 6 KB, 64 callers", oursAccept, writeFsync, rate, atLeast(2.5)},
			{"accept 6 KB, 64 callers", oursAccept, pocketBase, rate, atLeast(6)},
		}, ways: accepts(lean, 64)},
		{name: "accept 60 KB, 64 callers", rows: []row{
			{"accept 60 KB, 64 callers", oursAccept, pocketBase, rate, atLeast(11)},
		}, ways: accepts(rich, 64)},
		{name: "accept 6 KB, 1 caller", rows: []row{
			{"accept 6 KB, 1 caller, p50", oursAccept, writeFsync, p50, atMost(2.5)},
		}, ways: accepts(lean, 1)},
	}
}

// accepts makes the ways that take a body of so many bytes from so many callers.
func accepts(size, callers int) func(w *workshop) (map[string]way, error) {
	return func(w *workshop) (map[string]way, error) {
		body, long := course(size), w.scale.round
		s, err := w.site(8, "--workers", "0")
		if err != nil {
			return nil, err
		}
		ways := map[string]way{
			oursAccept: func() (Figure, error) { return s.run(s.post(body, callers, long)) },
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
