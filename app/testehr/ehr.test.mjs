// Tests of the test EHR itself: it refuses what an EHR must refuse.
// Run with: node --test
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
let keys; // the app's key set, from its own server
let app;
let child;
let ehr;

before(async () => {
  keys = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'ES384' }] }));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => { keys.once('listening', done); });
  app = `http://127.0.0.1:${keys.address().port}`;
  child = spawn(process.execPath, [fileURLToPath(new URL('ehr.mjs', import.meta.url)), '--port', '0', '--app', app,
    '--charts', fileURLToPath(new URL('charts', import.meta.url))], { stdio: ['ignore', 'pipe', 'ignore'] });
  ehr = JSON.parse(await new Promise((done) => { child.stdout.once('data', done); }));
});
after(() => { child.kill(); keys.close(); });

const callback = () => `${app}/smart/callback`;
const form = (fields) => ({ method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
const secret = Buffer.from('registry-secret:not-a-secret-in-a-test-ehr-0123456789').toString('base64');

// press starts a launch and returns {iss, launch}.
async function press(more = {}) {
  const answer = await fetch(`${ehr.address}/launch`, form({ patient: 'okonkwo-amara', ...more }));
  return Object.fromEntries(new URL(answer.headers.get('location')).searchParams);
}

// authorize calls the authorization endpoint and follows the EHR's redirects until
// one leads to the app. If none does, it returns the EHR's answer.
async function authorize({ iss, launch }, more = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const query = {
    response_type: 'code', client_id: 'registry-public', redirect_uri: callback(), state: 's', launch, aud: iss,
    scope: 'launch patient/Patient.r patient/Observation.rs patient/Condition.rs patient/Encounter.rs',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256', ...more,
  };
  const params = new URLSearchParams(Object.entries(query).filter(([, v]) => v !== undefined));
  const jar = new Map();
  let url = `${ehr.address}/auth?${params}`;
  for (;;) {
    const answer = await fetch(url, { redirect: 'manual', headers: { Cookie: [...jar].map((c) => c.join('=')).join('; ') } });
    for (const c of answer.headers.getSetCookie()) jar.set(...c.split(';')[0].split(/=(.*)/s).slice(0, 2));
    const to = answer.headers.get('location');
    if (!to) return { answer, text: await answer.text() };
    url = new URL(to, url).href;
    if (url.startsWith(app)) return { verifier, ...Object.fromEntries(new URL(url).searchParams) };
  }
}

async function exchange({ code, verifier }, more = {}, headers = {}) {
  const answer = await fetch(`${ehr.address}/token`, {
    ...form({ grant_type: 'authorization_code', code, redirect_uri: callback(), code_verifier: verifier, ...more }), headers,
  });
  return { status: answer.status, ...await answer.json() };
}

const publicly = { client_id: 'registry-public' };
const through = async (launch, more) => exchange(await authorize(await press(launch), more), publicly);

async function get(path, token) {
  const answer = await fetch(path.startsWith('http') ? path : ehr.address + path, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  return { status: answer.status, ...await answer.json() };
}

test('a launch ends in a token that is bound to its patient, and a chart', async () => {
  const token = await through();
  assert.equal(token.status, 200);
  assert.equal(token.patient, 'okonkwo-amara');
  assert.equal(token.encounter, 'okonkwo-delivery');
  assert.equal(token.need_patient_banner, true);
  const patient = await get('/fhir/Patient/okonkwo-amara', token.access_token);
  assert.equal(patient.id, 'okonkwo-amara');
  const heights = await get('/fhir/Observation?patient=okonkwo-amara&code=8302-2,69461-2&_count=2', token.access_token);
  assert.equal(heights.total, 4);
  assert.equal(heights.entry.length, 2);
  const rest = await get(heights.link.find((l) => l.relation === 'next').url, token.access_token);
  assert.equal(rest.entry.length, 2);
  assert.equal((await get('/fhir/Condition?patient=okonkwo-amara', token.access_token)).total, 1);
});

test('a code works once, and its second use kills the token', async () => {
  const code = await authorize(await press());
  const token = await exchange(code, publicly);
  assert.equal((await exchange(code, publicly)).error, 'invalid_grant');
  assert.equal((await get('/fhir/Patient/okonkwo-amara', token.access_token)).status, 401);
});

test('PKCE, redirect URI, launch and aud are held against what was said', async () => {
  const launch = await press();
  assert.equal((await authorize(launch, { code_challenge: undefined, code_challenge_method: undefined })).error, 'invalid_request');
  assert.equal((await authorize(launch, { code_challenge_method: 'plain' })).error, 'invalid_request');
  assert.equal((await authorize(launch, { aud: `${launch.iss}/` })).error_description, 'Bad audience value');
  assert.equal((await authorize(launch, { launch: 'guessed' })).error, 'invalid_request');
  assert.equal((await authorize(launch, { redirect_uri: `${callback()}/` })).answer.status, 400);
  assert.equal((await authorize(launch, { client_id: 'unknown' })).answer.status, 400);
  const code = await authorize(launch);
  assert.equal((await exchange({ ...code, verifier: randomBytes(32).toString('base64url') }, publicly)).error, 'invalid_grant');
});

test('each client has to say who it is in its own way', async () => {
  const bySecret = { client_id: 'registry-secret' };
  const basic = (value) => ({ Authorization: `Basic ${value}` });
  assert.equal((await exchange(await authorize(await press(), bySecret), {}, basic(secret))).status, 200);
  assert.equal((await exchange(await authorize(await press(), bySecret), {}, basic(btoa('registry-secret:wrong')))).status, 401);
  assert.equal((await exchange(await authorize(await press(), bySecret), bySecret)).status, 401);

  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const assertion = (claims) => {
    const input = `${part({ alg: 'ES384', kid: 'k1', typ: 'JWT' })}.${part({
      iss: 'registry-key', sub: 'registry-key', aud: `${ehr.address}/token`, exp: Math.floor(Date.now() / 1000) + 60, jti: randomBytes(8).toString('hex'), ...claims,
    })}`;
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${input}.${sign('sha384', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`,
    };
  };
  const byKey = { client_id: 'registry-key' };
  assert.equal((await exchange(await authorize(await press(), byKey), assertion())).status, 200);
  assert.equal((await exchange(await authorize(await press(), byKey), assertion({ aud: 'https://elsewhere.example/token' }))).status, 401);
  const once = assertion();
  assert.equal((await exchange(await authorize(await press(), byKey), once)).status, 200);
  assert.equal((await exchange(await authorize(await press(), byKey), once)).status, 401);
});

test('a token opens its own patient, its own base and what its scopes name', async () => {
  const { access_token: token } = await through({}, { scope: 'launch patient/Patient.r patient/Observation.r patient/Procedure.foo' });
  assert.equal((await get('/fhir/Patient/okonkwo-baby', token)).status, 403);
  assert.equal((await get('/epic/fhir/Patient/okonkwo-amara', token)).status, 401);
  assert.equal((await get('/fhir/Observation?patient=okonkwo-amara', token)).status, 403, '.r does not allow a search');
  assert.equal((await get('/fhir/Condition?patient=okonkwo-amara', token)).status, 403);
  assert.equal((await get('/fhir/Patient/okonkwo-amara')).status, 401);
  assert.equal((await through({}, { scope: 'patient/Patient.r' })).patient, undefined, 'no context without the scope launch');
});

test('moods: Epic wants a code, v1 drops the scopes of v2, the context can be overridden', async () => {
  const epic = (await through({ mood: 'epic' })).access_token;
  const refused = await get('/epic/fhir/Observation?patient=okonkwo-amara', epic);
  assert.equal(refused.status, 400);
  assert.equal(refused.issue[0].code, 'required');
  const page = await get('/epic/fhir/Observation?patient=okonkwo-amara&category=social-history', epic);
  assert.equal(page.entry.at(-1).search.mode, 'outcome');
  assert.equal((await through({ mood: 'v1' })).scope, 'launch');
  assert.match((await through({ mood: 'v1' }, { scope: 'launch patient/Patient.read' })).scope, /Patient\.read/);
  assert.equal((await through({ context: '{"patient":"../Observation"}' })).patient, '../Observation');
  assert.equal((await through({ context: '{"patient":null}' })).patient, undefined);
});
