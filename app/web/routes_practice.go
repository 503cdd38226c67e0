package web

import (
	"net/http"

	"birthregistry/app/auth"
)

func (s *Server) signInRoutes() []route {
	return []route{
		{http.MethodGet, "/sign-in", s.public, s.ui.Account.getSignIn},
		{http.MethodPost, "/sign-in", s.public, s.ui.Account.postSignIn},
		{http.MethodGet, "/sign-in/verify", s.public, s.ui.Account.getVerify},
		{http.MethodPost, "/sign-in/verify", s.public, s.ui.Account.postVerify},
		{http.MethodPost, "/sign-out", s.public, s.ui.Account.postSignOut},
	}
}

func (s *Server) takeUpRoutes() []route {
	return []route{
		{http.MethodGet, "/invite", s.public, s.ui.Account.getTakeUp},
		{http.MethodPost, "/invite", s.public, s.ui.Account.postTakeUp},
		{http.MethodPost, "/invite/join", s.signedIn(auth.SignedIn), s.ui.Account.postJoin},
		{http.MethodGet, "/reset", s.public, s.ui.Account.getTakeUp},
		{http.MethodPost, "/reset", s.public, s.ui.Account.postTakeUp},
	}
}

func (s *Server) accountRoutes() []route {
	own := s.signedIn(auth.SignedIn)
	return []route{
		{http.MethodGet, "/account", own, s.ui.Account.getAccount},
		{http.MethodPost, "/account/practice", own, s.ui.Account.postPractice},
		{http.MethodPost, "/account/password", own, s.ui.Account.postPassword},
		{http.MethodPost, "/account/factor/start", own, s.ui.Account.postFactorStart},
		{http.MethodGet, "/account/factor", own, s.ui.Account.getFactor},
		{http.MethodPost, "/account/factor", own, s.ui.Account.postFactor},
		{http.MethodPost, "/account/factor/change", own, s.ui.Account.postFactorChange},
		{http.MethodGet, "/account/codes", own, s.ui.Account.getCodes},
		{http.MethodPost, "/account/sessions/end", own, s.ui.Account.postEndSession},
		{http.MethodPost, "/account/sessions/end-others", own, s.ui.Account.postEndOthers},
	}
}

func (s *Server) userRoutes() []route {
	admin := s.signedIn(auth.UserManage)
	const one = "/registry/users/:user"
	return []route{
		{http.MethodGet, "/registry/users", admin, s.ui.Users.getUsers},
		{http.MethodPost, "/registry/users", admin, s.ui.Users.postInvite},
		{http.MethodGet, "/registry/users/invite", admin, s.ui.Users.getInvite},
		{http.MethodGet, "/registry/users/link", admin, s.ui.Users.getLink},
		{http.MethodGet, one, admin, s.ui.Users.getUser},
		{http.MethodPost, one + "/role", admin, s.ui.Users.postRole},
		{http.MethodPost, one + "/link", admin, s.ui.Users.postLink},
		{http.MethodGet, one + "/disable", admin, s.ui.Users.getUserDecision("disable")},
		{http.MethodGet, one + "/factor", admin, s.ui.Users.getUserDecision("factor")},
		{http.MethodPost, one + "/disable", admin, s.ui.Users.userAct((*auth.Service).Disable, "They are disabled and signed out.")},
		{http.MethodPost, one + "/enable", admin, s.ui.Users.userAct((*auth.Service).Enable, "They can sign in again.")},
		{http.MethodPost, one + "/end-sessions", admin, s.ui.Users.userAct((*auth.Service).EndSessions, "Their sessions have ended.")},
		{http.MethodPost, one + "/factor", admin, s.ui.Users.userAct((*auth.Service).ResetSecondFactor, "Their second factor is off; they are signed out.")},
	}
}

func (s *Server) settingsRoutes() []route {
	mint, revoke := s.signedIn(auth.KeyMint), s.signedIn(auth.KeyRevoke)
	return []route{
		{http.MethodGet, settingsPath, s.signedIn(auth.KeyList), s.ui.Keys.getSettings},
		{http.MethodPost, keysPath, mint, s.ui.Keys.postKey},
		{http.MethodGet, mintedPath, mint, s.ui.Keys.getMinted},
		{http.MethodGet, keysPath + "/:key/revoke", revoke, s.ui.Keys.getRevoke},
		{http.MethodPost, keysPath + "/:key/revoke", revoke, s.ui.Keys.postRevoke},
	}
}

func (s *Server) fieldRoutes() []route {
	define := s.signedIn(auth.FieldDefine)
	return []route{
		{http.MethodGet, fieldsPath, define, s.ui.CustomFields.getFields},
		{http.MethodPost, fieldsPath, define, s.ui.CustomFields.postField},
		{http.MethodGet, fieldsPath + "/:field/edit", define, s.ui.CustomFields.getField},
		{http.MethodPost, fieldsPath + "/:field/label", define, s.ui.CustomFields.postFieldLabel},
		{http.MethodPost, fieldsPath + "/:field/:change", define, s.ui.CustomFields.postFieldChange},
	}
}

func (s *Server) auditRoutes() []route {
	view := s.signedIn(auth.AuditView)
	return []route{
		{http.MethodGet, auditPath, view, s.ui.Audit.getAudit},
		{http.MethodGet, auditPath + "/csv", view, s.ui.Audit.getAuditCSV},
	}
}

func (s *Server) docRoutes() []route {
	return []route{
		{http.MethodGet, "/docs", s.public, s.ui.Docs.getDoc},
		{http.MethodGet, "/docs/:page", s.public, s.ui.Docs.getDoc},
		{http.MethodGet, "/docs/samples/:sample", open, getSample},
	}
}

func (s *Server) smartRoutes() []route {
	return []route{
		{http.MethodGet, launchPath, s.throttled("default", s.networks), s.ui.Launch.getLaunch},
		{http.MethodGet, callbackPath, s.throttled("smart-callback", s.callbacks), s.ui.Launch.getCallback},
		{http.MethodGet, keySetPath, open, s.ui.Launch.getKeySet},
	}
}

func (s *Server) frameRoutes() []route {
	return []route{
		{http.MethodGet, "/", s.public, toHome},
		{http.MethodGet, "/registry", s.signedIn(auth.SignedIn), s.ui.Home.getHome},
		{http.MethodGet, "/assets/:file", open, s.ui.Home.getAsset},
	}
}
