package web

import (
	"net/http"

	"birthregistry/app/auth"
	"birthregistry/app/sso"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/ui"
)

func (s *Server) signInRoutes() []route {
	return []route{
		{http.MethodGet, "/sign-in", s.public, s.ui.Account.GetSignIn},
		{http.MethodPost, "/sign-in", s.public, s.ui.Account.PostSignIn},
		{http.MethodGet, "/sign-in/verify", s.public, s.ui.Account.GetVerify},
		{http.MethodPost, "/sign-in/verify", s.public, s.ui.Account.PostVerify},
		{http.MethodGet, sso.Path + ":sso", s.throttled("default", s.networks, ui.TooManySignIns), s.ui.Account.GetSSO},
		{http.MethodGet, sso.Path + ":sso/callback", s.throttlesAnswers, s.ui.Account.GetSSOCallback},
		{http.MethodGet, ui.ConfirmPath, s.public, s.ui.Account.GetSSOConfirm},
		{http.MethodPost, ui.ConfirmPath, s.public, s.ui.Account.PostSSOConfirm},
		{http.MethodPost, "/sign-in/passkey/options", s.throttled("default", s.networks, ui.TooManySignIns), s.ui.Account.PostPasskeySignInOptions},
		{http.MethodPost, "/sign-in/passkey", s.public, s.ui.Account.PostPasskeySignIn},
		{http.MethodPost, "/sign-in/verify/passkey/options", s.public, s.ui.Account.PostPasskeyVerifyOptions},
		{http.MethodPost, "/sign-in/verify/passkey", s.public, s.ui.Account.PostPasskeyVerify},
		{http.MethodPost, "/sign-out", s.public, s.ui.Account.PostSignOut},
	}
}

func (s *Server) invitationRoutes() []route {
	return []route{
		{http.MethodGet, "/setup", s.public, s.ui.Account.GetSetUp},
		{http.MethodPost, "/setup", s.public, s.ui.Account.PostSetUp},
		{http.MethodGet, "/invite", s.public, s.ui.Account.GetInvitation},
		{http.MethodPost, "/invite", s.public, s.ui.Account.PostInvitation},
		{http.MethodPost, "/invite/join", s.signedIn(auth.SignedIn), s.ui.Account.PostJoin},
		{http.MethodGet, "/reset", s.public, s.ui.Account.GetInvitation},
		{http.MethodPost, "/reset", s.public, s.ui.Account.PostInvitation},
	}
}

func (s *Server) accountRoutes() []route {
	own := s.signedIn(auth.SignedIn)
	return []route{
		{http.MethodGet, ui.SecondFactorPath, s.settingUp, s.ui.Account.GetSecondFactor},
		{http.MethodGet, "/account", own, s.ui.Account.GetAccount},
		{http.MethodGet, pages.StepUpPath, s.file(auth.SignedIn), s.ui.Account.GetStepUp},
		{http.MethodPost, pages.StepUpPath + "/options", own, s.ui.Account.PostConfirmOptions},
		{http.MethodPost, "/account/practice", s.settingUp, s.ui.Account.PostPractice},
		{http.MethodPost, "/account/password", own, s.ui.Account.PostPassword},
		{http.MethodPost, "/account/factor/start", s.settingUp, s.ui.Account.PostFactorStart},
		{http.MethodGet, "/account/factor", s.settingUp, s.ui.Account.GetFactor},
		{http.MethodPost, "/account/factor", s.settingUp, s.ui.Account.PostFactor},
		{http.MethodPost, "/account/factor/change", own, s.ui.Account.PostFactorChange},
		{http.MethodGet, "/account/codes", own, s.ui.Account.GetCodes},
		{http.MethodPost, "/account/passkeys/options", s.settingUp, s.ui.Account.PostPasskeyOptions},
		{http.MethodPost, "/account/passkeys", s.settingUp, s.ui.Account.PostPasskey},
		{http.MethodGet, "/account/passkeys/:passkey/delete", own, s.ui.Account.GetDeletePasskey},
		{http.MethodPost, "/account/passkeys/:passkey/delete", own, s.ui.Account.PostDeletePasskey},
		{http.MethodGet, "/account/providers/:sso/unlink", own, s.ui.Account.GetUnlink},
		{http.MethodPost, "/account/providers/:sso/unlink", own, s.ui.Account.PostUnlink},
		{http.MethodPost, "/account/sessions/end", own, s.ui.Account.PostEndSession},
		{http.MethodPost, "/account/sessions/end-others", own, s.ui.Account.PostEndOthers},
	}
}

func (s *Server) userRoutes() []route {
	admin := s.signedIn(auth.UserManage)
	const one = "/registry/users/:user"
	return []route{
		{http.MethodGet, "/registry/users", admin, s.ui.Users.GetUsers},
		{http.MethodPost, "/registry/users", admin, s.ui.Users.PostInvite},
		{http.MethodGet, "/registry/users/invite", admin, s.ui.Users.GetInvite},
		{http.MethodGet, "/registry/users/link", admin, s.ui.Users.GetLink},
		{http.MethodGet, ui.SignInWaysPath, admin, s.ui.Users.GetSignInWays},
		{http.MethodPost, ui.SignInWaysPath, admin, s.ui.Users.PostSignInWays},
		{http.MethodGet, one, admin, s.ui.Users.GetUser},
		{http.MethodPost, one + "/role", admin, s.ui.Users.PostRole},
		{http.MethodPost, one + "/link", admin, s.ui.Users.GivesAccess(s.ui.Users.PostLink)},
		{http.MethodGet, one + "/disable", admin, s.ui.Users.GetUserDecision("disable")},
		{http.MethodGet, one + "/factor", admin, s.ui.Users.GetUserDecision("factor")},
		{http.MethodPost, one + "/disable", admin, s.ui.Users.UserAct((*auth.Service).Disable, "They are disabled and signed out.")},
		{http.MethodPost, one + "/enable", admin, s.ui.Users.GivesAccess(s.ui.Users.UserAct((*auth.Service).Enable, "They can sign in again."))},
		{http.MethodPost, one + "/end-sessions", admin, s.ui.Users.UserAct((*auth.Service).EndSessions, "Their sessions have ended.")},
		{http.MethodPost, one + "/factor", admin, s.ui.Users.EasesSignIn(s.ui.Users.UserAct((*auth.Service).ResetSecondFactor, "Their second factor is off; they are signed out."))},
	}
}

func (s *Server) settingsRoutes() []route {
	mint, revoke := s.signedIn(auth.KeyMint), s.signedIn(auth.KeyRevoke)
	return []route{
		{http.MethodGet, pages.SettingsPath, s.signedIn(auth.KeyList), s.ui.Keys.GetSettings},
		{http.MethodGet, ui.FactorRulePath, s.signedIn(auth.UserManage), s.ui.Users.GetFactorRule},
		{http.MethodPost, ui.FactorRulePath, s.signedIn(auth.UserManage), s.ui.Users.PostFactorRule},
		{http.MethodPost, ui.KeysPath, mint, s.ui.Keys.PostKey},
		{http.MethodGet, ui.MintedPath, mint, s.ui.Keys.GetMinted},
		{http.MethodGet, ui.KeysPath + "/:key/revoke", revoke, s.ui.Keys.GetRevoke},
		{http.MethodPost, ui.KeysPath + "/:key/revoke", revoke, s.ui.Keys.PostRevoke},
		{http.MethodGet, ui.WebhookPath, mint, s.ui.Keys.GetWebhook},
		{http.MethodPost, ui.WebhookPath, mint, s.ui.Keys.PostWebhook},
		{http.MethodGet, ui.WebhookPath + "/secret", mint, s.ui.Keys.GetWebhookSecret},
		{http.MethodPost, ui.WebhookPath + "/off", mint, s.ui.Keys.PostWebhookOff},
		{http.MethodPost, ui.WebhookPath + "/again", mint, s.ui.Keys.PostSendAgain},
	}
}

func (s *Server) fieldRoutes() []route {
	define := s.signedIn(auth.FieldDefine)
	return []route{
		{http.MethodGet, pages.FieldsPath, define, s.ui.CustomFields.GetFields},
		{http.MethodPost, pages.FieldsPath, define, s.ui.CustomFields.PostField},
		{http.MethodGet, pages.FieldsPath + "/:field/edit", define, s.ui.CustomFields.GetField},
		{http.MethodPost, pages.FieldsPath + "/:field/label", define, s.ui.CustomFields.PostFieldLabel},
		{http.MethodPost, pages.FieldsPath + "/:field/:change", define, s.ui.CustomFields.PostFieldChange},
	}
}

func (s *Server) auditRoutes() []route {
	view := s.signedIn(auth.AuditView)
	return []route{
		{http.MethodGet, pages.AuditPath, view, s.ui.Audit.GetAudit},
		{http.MethodGet, pages.AuditPath + "/csv", s.file(auth.AuditView), s.ui.Audit.GetAuditCSV},
	}
}

func (s *Server) yourDataRoutes() []route {
	export := s.signedIn(auth.PracticeExport)
	return []route{
		{http.MethodGet, pages.DataPath, export, s.ui.YourData.GetYourData},
		{http.MethodPost, pages.ArchivePath, export, s.ui.YourData.PostYourData},
	}
}

func (s *Server) docRoutes() []route {
	return []route{
		{http.MethodGet, "/docs", s.public, s.ui.Docs.GetDoc},
		{http.MethodGet, "/docs/:page", s.public, s.ui.Docs.GetDoc},
		{http.MethodGet, "/docs/samples/:sample", open, ui.GetSample},
	}
}

func (s *Server) smartRoutes() []route {
	return []route{
		{http.MethodGet, ui.LaunchPath, s.throttled("default", s.networks, ui.TooManyLaunches), s.ui.Launch.GetLaunch},
		{http.MethodGet, ui.CallbackPath, s.throttled("smart-callback", s.callbacks, ui.TooManyLaunches), s.ui.Launch.GetCallback},
		{http.MethodGet, ui.KeySetPath, open, s.ui.Launch.GetKeySet},
	}
}

func (s *Server) frameRoutes() []route {
	return []route{
		{http.MethodGet, "/", s.public, ui.ToHome},
		{http.MethodGet, "/registry", s.signedIn(auth.SignedIn), s.ui.Home.GetHome},
		{http.MethodGet, "/assets/:file", open, s.ui.Home.GetAsset},
	}
}
