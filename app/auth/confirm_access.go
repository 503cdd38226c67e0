package auth

import "context"

// ConfirmAccess is like Confirm, for an action that gives access to the practice: a new API key, a
// webhook's address, an invitation or a reset link, a role with more permissions, enabling a user,
// or removing a second factor. It asks for nothing if the user is Recent. Actions that only take
// access away never call it, because an admin must be able to end access at once.
func (s *Service) ConfirmAccess(ctx context.Context, who User, password string) error {
	if who.Recent {
		return nil
	}
	return s.Confirm(ctx, who, password)
}
