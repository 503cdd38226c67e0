// Discovery (SMART App Launch 2.2.0): /.well-known/smart-configuration and, for
// older clients and EHRs, the oauth-uris of the CapabilityStatement.
const oauthUris = 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris';

export async function discovery(at, rest, response) {
  const { ehr, mood, origin } = at;
  const document = {
    issuer: ehr.origin,
    authorization_endpoint: `${origin}/auth`,
    token_endpoint: `${origin}/token`,
    jwks_uri: `${origin}/jwks`,
    revocation_endpoint: `${origin}/token/revocation`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
    grant_types_supported: ['authorization_code'],
    response_types_supported: ['code'],
    scopes_supported: ['launch', 'patient/Patient.rs', 'patient/Observation.rs', 'patient/Condition.rs', 'patient/Encounter.rs'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    capabilities: [
      'launch-ehr', 'client-public', 'client-confidential-symmetric', 'client-confidential-asymmetric',
      'context-ehr-patient', 'context-ehr-encounter', 'context-banner', 'permission-patient', 'permission-v2',
    ],
  };
  mood.configuration?.(document, at);
  if (rest === 'fhir/metadata') return send(response, 200, 'application/fhir+json', capabilities(at, document));
  if (mood.wellKnown) return mood.wellKnown(response, document, at);
  return send(response, 200, 'application/json', document);
}

const capabilities = (at, document) => ({
  resourceType: 'CapabilityStatement', status: 'active', kind: 'instance', date: '2026-01-01', fhirVersion: '4.0.1', format: ['json'],
  implementation: { description: 'test EHR', url: at.base },
  rest: [{
    mode: 'server',
    security: {
      extension: [{
        url: oauthUris,
        extension: [
          { url: 'authorize', valueUri: document.authorization_endpoint },
          { url: 'token', valueUri: document.token_endpoint },
        ],
      }],
    },
  }],
});

export function send(response, status, type, document, headers = {}) {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', ...headers });
  response.end(typeof document === 'string' ? document : JSON.stringify(document));
}
