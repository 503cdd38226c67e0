package erase

// Before sets what is called before each transaction that rewrites receipts.
func (s *Service) Before(call func(rows, bytes int) error) { s.before = call }
