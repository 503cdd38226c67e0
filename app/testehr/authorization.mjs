// The authorization server: oidc-provider, configured for SMART App Launch. It
// makes all decisions about clients, redirect URIs, codes, PKCE, scopes and
// tokens; this file is only its configuration.
import { randomBytes } from 'node:crypto';

import Provider, { errors } from 'oidc-provider';

export const types = ['Patient', 'Observation', 'Condition', 'Encounter', 'Practitioner', 'Procedure'];

// Scopes in SMART 2 style (r and s) and in SMART 1 style (read).
const scopesV2 = ['launch', ...types.flatMap((t) => [`patient/${t}.r`, `patient/${t}.s`, `patient/${t}.rs`])];
const scopesV1 = ['launch', ...types.map((t) => `patient/${t}.read`)];

// The clients, one for each kind of client authentication.
export function clientsOf({ apps }) {
  const shared = {
    application_type: 'web',
    redirect_uris: apps.map((app) => `${app}/smart/callback`),
    response_types: ['code'],
    grant_types: ['authorization_code'],
  };
  return [
    { ...shared, client_id: 'registry-public', token_endpoint_auth_method: 'none' },
    {
      ...shared, client_id: 'registry-secret', token_endpoint_auth_method: 'client_secret_basic',
      client_secret: 'not-a-secret-in-a-test-ehr-0123456789',
    },
    { ...shared, client_id: 'registry-key', token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `${apps[0]}/smart/jwks.json` },
  ];
}

export function authorization(ehr) {
  const { launches } = ehr;
  const provider = new Provider(ehr.origin, {
    clients: clientsOf(ehr),
    scopes: ['openid', 'fhirUser'],
    claims: { openid: ['sub'], fhirUser: ['fhirUser'] },
    conformIdTokenClaims: false, // fhirUser is in the id_token (SMART App Launch 2.2.0)
    clientAuthMethods: ['none', 'client_secret_basic', 'private_key_jwt'],
    enabledJWA: { clientAuthSigningAlgValues: ['RS384', 'ES384'] },
    responseTypes: ['code'],
    pkce: { required: () => true },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    ttl: { AccessToken: ehr.tokenLife, AuthorizationCode: 60, Interaction: 600, Session: 3600, Grant: 3600, IdToken: 300 },
    // The client's key set is on this machine, which the default fetch refuses.
    fetch: (url, { dispatcher, ...options }) => globalThis.fetch(url, options),
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, fhirUser: `Practitioner/${id}` }) }),
    // Two launches in one browser can both finish.
    expiresWithSession: () => false,
    // A grant belongs to one launch: the next launch is about another patient.
    loadExistingGrant: ({ oidc }) => oidc.result?.consent?.grantId && oidc.provider.Grant.find(oidc.result.consent.grantId),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    extraParams: {
      launch(_, value) {
        if (!launches.find(value)) throw new errors.InvalidRequest('launch is unknown or too old');
      },
      aud(ctx, value) {
        if (launches.find(ctx.oidc.params.launch)?.base !== value) throw new errors.InvalidRequest('Bad audience value');
      },
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: { enabled: true },
      // The FHIR base is the resource: a token for one base is not valid at another.
      resourceIndicators: {
        enabled: true,
        defaultResource: ({ oidc }) => oidc.params.aud,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, base) => ({ scope: scopesOf(ehr, base).join(' '), accessTokenFormat: 'opaque' }),
      },
    },
  });
  provider.use(async (ctx, next) => {
    await next();
    const { route, entities } = ctx.oidc ?? {};
    if (route === 'token' && ctx.status === 200) Object.assign(ctx.body, launches.context(entities.Grant.jti, ctx.body.scope));
  });
  return provider;
}

export const scopesOf = (ehr, base) => (base.startsWith(`${ehr.origin}/v1/`) ? scopesV1 : scopesV2);

// grant ends the interaction: the clinician allowed the scopes.
export async function grant(ehr, request, response, interaction, scopes) {
  const { params } = interaction;
  const accountId = 'dr-test';
  const made = new ehr.provider.Grant({ accountId, clientId: params.client_id });
  const wanted = params.scope.split(' ');
  made.addOIDCScope(['openid', 'fhirUser'].filter((s) => wanted.includes(s)).join(' '));
  made.addResourceScope(params.aud, wanted.filter((s) => scopes.includes(s)).join(' '));
  made.rejectResourceScope(params.aud, wanted.filter((s) => !scopes.includes(s)).join(' '));
  const grantId = await made.save();
  ehr.launches.bind(grantId, params.launch);
  return ehr.provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId } });
}

// deny ends the interaction: the clinician refused.
export const deny = (ehr, request, response) => ehr.provider.interactionFinished(request, response, {
  error: 'access_denied', error_description: 'The clinician said no',
});
