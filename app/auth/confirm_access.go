package auth

import "context"

// ConfirmAccess is like Confirm, for an action that gives somebody access to the practice. Such
// actions are a new API key, a webhook's address, an invitation or a reset link, a role with more
// permissions, enabling a user, and removing a second factor. ConfirmAccess checks nothing if
// who.Recent is set. Actions that only take access away don't call it, because an admin must be
// able to end access immediately.
func (s *Service) ConfirmAccess(ctx context.Context, who User, password string) error {
	if who.Recent {
		return nil
	}
	return s.Confirm(ctx, who, password)
}
