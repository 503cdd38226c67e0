// An identity provider: the certified npm package oidc-provider, as single sign-on meets it. It
// lets everybody in: its page asks which subject and which address the person has, and whether
// the address is verified. Use it to try and test single sign-on on one machine.
//
//   node identity.mjs [--port 9500] [--app http://127.0.0.1:8080] [--name clinic-id]
//
// When it starts, it prints one line of JSON with its issuer and its clients.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

import Provider from 'oidc-provider';

const { values: flags } = parseArgs({
  options: {
    port: { type: 'string', default: '9500' }, // 0 takes any free one
    app: { type: 'string', default: 'http://127.0.0.1:8080' }, // the address of the registry
    name: { type: 'string', default: 'clinic-id' }, // the provider's name in the registry's addresses
  },
});

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
});
server.listen(Number(flags.port), '127.0.0.1');
await once(server, 'listening');

// A host name other than the registry's, so that the two don't share cookies.
const issuer = `http://localhost:${server.address().port}`;
const accounts = new Map(); // what each subject states of itself: its address, and whether that is verified

const secret = () => randomBytes(32).toString('base64url');
const shared = { application_type: 'web', response_types: ['code'], grant_types: ['authorization_code'] };
const clients = [
  {
    ...shared, client_id: 'registry', client_secret: secret(), token_endpoint_auth_method: 'client_secret_basic',
    redirect_uris: [`${flags.app}/sign-in/with/${flags.name}/callback`], post_logout_redirect_uris: [`${flags.app}/sign-in`],
  },
  // Somebody else's service, to which the same people sign in.
  { ...shared, client_id: 'other', client_secret: secret(), redirect_uris: [`${issuer}/other`] },
];

const provider = new Provider(issuer, {
  clients,
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  responseTypes: ['code'],
  pkce: { required: (_, { clientId }) => clientId === 'registry' },
  cookies: { keys: [secret()] },
  ttl: { AccessToken: 300, AuthorizationCode: 60, Interaction: 600, Session: 3600, Grant: 3600, IdToken: 300 },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) }),
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  async loadExistingGrant({ oidc }) { // nobody is asked for consent
    const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope('openid email');
    await grant.save();
    return grant;
  },
  features: { devInteractions: { enabled: false } },
});
const oauth = provider.callback();

async function handle(request, response) {
  const { pathname } = new URL(request.url, issuer);
  if (pathname === '/other') return page(response, 'The other service', '<p>It has the code.</p>');
  if (pathname.startsWith('/interaction/')) return signIn(request, response);
  return oauth(request, response);
}

// signIn asks a person who they are.
async function signIn(request, response) {
  await provider.interactionDetails(request, response); // this browser's
  if (request.method !== 'POST') {
    return page(response, 'Clinic ID', `<form method="post">
      <p><label>Subject <input id="subject" name="subject"></label></p>
      <p><label>Email address <input id="address" name="email"></label></p>
      <p><label><input id="verified" type="checkbox" name="verified" checked> It is verified</label></p>
      <p><button>I am this person</button> <button name="refuse" value="yes">Refuse</button></p></form>`);
  }
  const form = await read(request);
  if (form.has('refuse')) return provider.interactionFinished(request, response, { error: 'access_denied' });
  const sub = form.get('subject');
  accounts.set(sub, { email: form.get('email'), email_verified: form.has('verified') });
  return provider.interactionFinished(request, response, { login: { accountId: sub } });
}

async function read(request) {
  let text = '';
  for await (const part of request) text += part;
  return new URLSearchParams(text);
}

function page(response, title, body) {
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`);
}

console.log(JSON.stringify({ issuer, clients: clients.map(({ client_id, client_secret }) => ({ client_id, client_secret })) }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
