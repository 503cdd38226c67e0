// A test EHR: an authorization server (the certified npm package
// oidc-provider, which makes every OAuth decision), the SMART App Launch layer
// on top of it, and a FHIR store that serves a folder of charts. Use
// it to try and test the pull lane on one machine; it lets everybody in.
//
//   node ehr.mjs [--port 9400] [--app http://127.0.0.1:8080]... [--charts FOLDER]...
//
// When it starts, it prints one line of JSON with its address and its clients.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { authorization, clientsOf } from './authorization.mjs';
import { Charts } from './charts.mjs';
import { fhir } from './fhir.mjs';
import { Launches } from './launches.mjs';
import { moodOf } from './moods.mjs';
import { consent, launch, start } from './pages.mjs';
import { discovery } from './smart.mjs';

const { values: flags } = parseArgs({
  options: {
    port: { type: 'string', default: '9400' }, // 0 takes any free one
    app: { type: 'string', multiple: true, default: ['http://127.0.0.1:8080'] }, // addresses of registries; the first is launched
    charts: { type: 'string', multiple: true }, // folders instead of the default ones
    elsewhere: { type: 'string', default: 'http://127.0.0.1:9' }, // the foreign host that hostile moods use
    'token-life': { type: 'string', default: '300' }, // seconds
  },
});

const usual = ['charts']
  .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  .filter(existsSync);

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
});
server.listen(Number(flags.port), '127.0.0.1');
await once(server, 'listening');

// Shared by all parts. origin is the address of this EHR, and the issuer.
const ehr = {
  origin: `http://127.0.0.1:${server.address().port}`,
  apps: flags.app.map((address) => address.replace(/\/$/, '')),
  elsewhere: flags.elsewhere,
  tokenLife: Number(flags['token-life']),
  charts: new Charts(flags.charts ?? usual),
  launches: new Launches(),
  journal: [], // every request, newest last
};
ehr.provider = authorization(ehr);
const provider = ehr.provider.callback();

async function handle(request, response) {
  const url = new URL(request.url, ehr.origin);
  note(request, response, url);
  const [, mood, rest] = /^(?:\/([a-z0-9-]+))?\/(fhir\b.*|token)$/.exec(url.pathname) ?? [];
  if (url.pathname === '/') return start(ehr, response);
  if (url.pathname === '/launch' && request.method === 'POST') return launch(ehr, request, response);
  if (url.pathname === '/journal') return json(response, 200, ehr.journal);
  if (url.pathname.startsWith('/interaction/')) return consent(ehr, request, response);
  if (rest === undefined || (rest === 'token' && mood === undefined)) return provider(request, response);

  const at = moodOf(ehr, mood);
  if (!at) return json(response, 404, { error: 'there is no such mood' });
  if (rest === 'token') return at.mood.token(at, response, request);
  if (/^fhir\/(\.well-known\/smart-configuration|metadata)$/.test(rest)) return discovery(at, rest, response);
  return fhir(at, url, request, response);
}

// note records each request for tests and curious people: what was called, and how
// the caller authenticated. The tokens in it are for invented people.
function note(request, response, url) {
  const [credentials, token] = (request.headers.authorization ?? '').split(' ');
  const entry = {
    method: request.method, path: url.pathname, query: Object.fromEntries(url.searchParams),
    credentials: credentials.toLowerCase(), token, status: 0,
  };
  ehr.journal.push(entry);
  if (ehr.journal.length > 10_000) ehr.journal.shift();
  response.on('close', () => { entry.status = response.statusCode; });
}

function json(response, status, document) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(document, null, 1));
}

console.log(JSON.stringify({
  address: ehr.origin,
  fhir: `${ehr.origin}/fhir`,
  launches: `${ehr.apps[0]}/smart/launch`,
  clients: clientsOf(ehr).map(({ client_id, client_secret, token_endpoint_auth_method }) => ({
    client_id, client_secret, token_endpoint_auth_method,
  })),
  patients: ehr.charts.patients().map((p) => p.id),
}));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
