package birth

import "slices"

// Post is a role that a provider has from a month on (2006-01), as the career
// log tells it. The month is one of birth: the day would tell of a patient.
type Post struct {
	Role  Role
	Since string
}

// Career is the posts of a provider by month; of those of one month the last
// counts.
type Career []Post

// MaxPosts is how many posts a career has at most. Nobody has as many; where a
// sender's title for somebody changes with every message, what comes after them
// counts for its own record alone.
const MaxPosts = 100

// At returns the role in a month: that of the last post that had begun, else of
// the first one. It is empty without any.
func (c Career) At(month string) (role Role) {
	if len(c) > 0 {
		role = c[0].Role
	}
	for _, post := range c {
		if post.Since <= month {
			role = post.Role
		}
	}
	return role
}

// RoleAtBirth returns the role that counts for a birth: the one on the day of
// the birth. A later amendment tells how things are when it is sent, so that
// somebody who has become a midwife meanwhile does not rewrite the past:
//
//   - What the record said before of the same provider stands (before, "" when it
//     did not name them, or named them in this very month: that is corrected).
//     RoleOther gives way: nothing was known then.
//   - What a record says that names them for the first time stands, unless they
//     came to that role after the month of the birth.
func (c Career) RoleAtBirth(month string, before, stated Role) Role {
	if before != "" && before != RoleOther {
		return before
	}
	if month == "" || len(c) == 0 || c.At(month) == RoleOther {
		return stated
	}
	for _, post := range c {
		if post.Role == stated && post.Since <= month {
			return stated
		}
	}
	for _, post := range c {
		if post.Role == stated { // they came to it later
			return c.At(month)
		}
	}
	return stated
}

// Learn returns the month since which a role is news, given what a record says
// of it; false when it tells nothing new. before is what the record said before,
// "" when it did not name the provider: then it tells of the birth in month. An
// amendment tells of now.
func (c Career) Learn(role, before Role, month, now string) (since string, news bool) {
	if role == before || before == "" && c.RoleAtBirth(month, before, role) != role { // said under the title of today
		return "", false
	}
	since = now
	if before == "" && month != "" {
		since = month
	}
	if len(c) >= MaxPosts {
		return "", false
	}
	if len(c) > 0 && role != RoleOther && !slices.ContainsFunc(c, func(p Post) bool { return p.Role != RoleOther }) {
		since = min(since, c[0].Since) // nothing was known before: it holds from the beginning
	}
	return since, len(c) == 0 || c.At(since) != role
}

// Add returns the career with a post in its place.
func (c Career) Add(post Post) Career {
	n := len(c)
	for n > 0 && c[n-1].Since > post.Since {
		n--
	}
	longer := append(Career{}, c[:n]...)
	longer = append(longer, post)
	return append(longer, c[n:]...)
}

// Present returns the last post's role, "" without any.
func (c Career) Present() Role {
	if len(c) == 0 {
		return ""
	}
	return c[len(c)-1].Role
}
