package main

import "time"

// timed measures fn by calling it repeatedly for the duration long, but at least ten times. Before
// that, it calls fn for a quarter of long to warm up. bytes becomes the Bytes of the Figure.
func timed(long time.Duration, fn func() error, bytes float64) (Figure, error) {
	for began := time.Now(); time.Since(began) < long/4; {
		if err := fn(); err != nil {
			return Figure{}, err
		}
	}
	var took []time.Duration
	began := time.Now()
	for time.Since(began) < long || len(took) < 10 {
		start := time.Now()
		if err := fn(); err != nil {
			return Figure{}, err
		}
		took = append(took, time.Since(start))
	}
	f := among(took)
	f.Rate, f.Bytes = float64(len(took))/time.Since(began).Seconds(), bytes
	return f, nil
}
