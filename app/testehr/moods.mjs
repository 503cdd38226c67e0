// Moods: how EHRs differ, and how a hostile EHR would behave. The FHIR base chooses
// the mood: /fhir has none, /epic/fhir has Epic's.
//
// A mood may have
//   says            a description in one line, for people
//   host            the host name of the authorization server
//   configuration   alters the smart-configuration document
//   wellKnown       answers for smart-configuration
//   context         more for the token response
//   token           answers for the mood's own token endpoint
//   page            the maximum number of entries on a page
//   next            the address of the next page, from its opaque token
//   needs           parameters; an Observation search must have one of them
//   refuses         search parameters that get a 400
//   looks           alters the search parameters that are used
//   backwards       true: results come in reverse order
//   further         false: there is no page after the first
//   entries         alters the entries of a searchset
//   patient         alters the Patient that is read
//   answer          if it returns true, it has answered instead of the store
import { gzipSync } from 'node:zlib';

import { send } from './smart.mjs';

const outcome = (code, display) => ({
  resource: {
    resourceType: 'OperationOutcome',
    issue: [{
      severity: 'warning', code: 'suppressed',
      details: { coding: [{ system: 'urn:oid:1.2.840.114350.1.13.0.1.7.2.657369', code, display }] },
    }],
  },
  search: { mode: 'outcome' },
});

// only lets a mood answer searches of one type and nothing else.
const only = (type, answer) => (at, type_, id, response) => {
  if (type_ !== type || id) return false;
  answer(at, response);
  return true;
};
const observations = (answer) => only('Observation', answer);

// drip sends a byte per second, forever.
const drip = (response, type) => {
  response.writeHead(200, { 'Content-Type': type });
  const timer = setInterval(() => response.write(' '), 1000);
  response.on('close', () => clearInterval(timer));
};

// without removes search parameters.
const without = (...names) => (query) => { names.forEach((name) => query.delete(name)); return query; };

const searchset = (entries) => JSON.stringify({ resourceType: 'Bundle', type: 'searchset', entry: entries });
const redirect = (response, to, status = 302) => { response.writeHead(status, { Location: to }); response.end(); };

export const moods = {
  '': { says: 'follows the standards' },

  epic: {
    says: 'Epic: Observations by code or category only, notes among the entries, small pages',
    needs: ['code', 'category', '_id'],
    page: 10,
    entries: (entries) => [...entries, entries.length ? outcome('4119', 'may not contain the entire record') : outcome('4101', 'Resource request returns no results.')],
  },
  oracle: {
    says: 'Oracle Health: authorization on another host, more in the token response',
    host: 'localhost',
    context: { user: '12742069', username: 'portal', tenant: 'ec2458f2-1e24-41c8-b71b-0e701af7583d', smart_style_url: 'https://smart.example/styles.json' },
  },
  athena: {
    says: 'athenahealth: PKCE works and is not advertised, next links lead to another host',
    configuration: (document) => { delete document.code_challenge_methods_supported; },
    page: 20,
    next: (at, type, page) => `https://localhost:9443/fhir/${type}?_page=${page}`,
  },
  hapi: { says: 'HAPI: next links name no type', page: 20, next: (at, type, page) => `${at.base}?_getpages=${page}` },
  relative: { says: 'next links are relative', page: 20, next: (at, type, page) => `${type}?_page=${page}` },
  'small-pages': { says: 'twenty entries per page', page: 20 },
  v1: {
    says: 'scopes of SMART 1 only; others are silently dropped',
    configuration: (document) => { document.capabilities = document.capabilities.map((c) => c.replace('permission-v2', 'permission-v1')); },
  },
  nameless: {
    says: 'the authorization server does not identify itself (RFC 9207)',
    configuration: (document) => { delete document.issuer; delete document.authorization_response_iss_parameter_supported; },
  },
  classic: {
    says: 'no smart-configuration, only the CapabilityStatement',
    wellKnown: (response) => send(response, 404, 'text/html', '<h1>Not Found</h1>'),
  },
  'relative-endpoints': {
    says: 'the endpoints are relative to the FHIR base',
    configuration: (document) => { document.authorization_endpoint = '/auth?tenant=a'; document.token_endpoint = '../../token'; },
  },
  busy: {
    says: 'too busy for the first request',
    answer: (at, type, id, response, url) => {
      at.mood.asked ??= new Set();
      if (at.mood.asked.has(url.href)) return false;
      at.mood.asked.add(url.href);
      send(response, 429, 'text/plain', 'later', { 'Retry-After': '1' });
      return true;
    },
  },

  // EHRs that search differently than asked.
  'first-code': {
    says: 'searches only for the first code of a list',
    looks: (query) => { if (query.has('code')) query.set('code', query.get('code').split(',')[0]); return query; },
  },
  'ignores-codes': { says: 'codes are ignored: everything comes', page: 20, looks: without('code') },
  'ignores-codes-and-categories': { says: 'codes and categories are ignored: everything comes', page: 20, looks: without('code', 'category') },
  unsorted: { says: 'the requested order and dates are ignored', page: 20, backwards: true, looks: without('_sort', 'date') },
  'no-sort': { says: 'searches with an order or dates are refused', page: 20, refuses: ['_sort', 'date'] },

  // Partial: a part of the chart is unavailable.
  'first-page-only': { says: 'only the first page comes', page: 5, further: false },
  'no-observations': { says: 'Observations are refused', answer: observations((at, r) => send(r, 403, 'text/plain', 'no')) },
  'broken-observations': { says: 'Observations fail', answer: observations((at, r) => send(r, 500, 'text/html', '<h1>Oops')) },
  'no-conditions': { says: 'Conditions are refused', answer: only('Condition', (at, r) => send(r, 403, 'text/plain', 'no')) },
  'no-patient': {
    says: 'the Patient is refused',
    answer: (at, type, id, r) => type === 'Patient' && (send(r, 403, 'text/plain', 'no'), true),
  },
  expires: { says: 'the token expires after the Patient', answer: (at, type, id, r) => type !== 'Patient' && (send(r, 401, 'text/plain', 'expired'), true) },
  slow: { says: 'Observations never come', answer: observations(() => {}) },
  drips: { says: 'Observations come at a byte per second', answer: observations((at, r) => drip(r, 'application/fhir+json')) },

  // Hostile charts.
  'gzip-bomb': {
    says: 'Observations unpack to 256 MB',
    answer: observations((at, r) => {
      at.mood.bomb ??= gzipSync(Buffer.alloc(256 << 20, ' '));
      r.writeHead(200, { 'Content-Type': 'application/fhir+json', 'Content-Encoding': 'gzip' });
      r.end(at.mood.bomb);
    }),
  },
  huge: { says: 'a page of 64 MB', answer: observations((at, r) => send(r, 200, 'application/fhir+json', searchset([]).padEnd(64 << 20))) },
  deep: { says: 'nested 200,000 deep', answer: observations((at, r) => send(r, 200, 'application/fhir+json', '{"a":'.repeat(200_000))) },
  garbage: { says: 'HTML instead of a searchset', answer: observations((at, r) => send(r, 200, 'text/html', '<h1>Sign in</h1>')) },
  'fhir-redirects': { says: 'Observations redirect to a foreign host', answer: observations((at, r) => redirect(r, `${at.ehr.elsewhere}/fhir/Observation`)) },
  'next-elsewhere': { says: 'next leads to a foreign host', page: 5, refuses: ['_sort', 'date'], next: (at, type, page) => `${at.ehr.elsewhere}/fhir/${type}?_page=${page}` },
  'next-sideways': { says: 'next leads out of the FHIR base', page: 5, refuses: ['_sort', 'date'], next: (at, type, page) => `${at.base}/../../fhir/${type}?_page=${page}` },
  'next-loops': { says: 'next leads back to the first page', page: 5, refuses: ['_sort', 'date'], next: (at, type, page) => `${at.base}/${type}?${JSON.parse(Buffer.from(page, 'base64url')).query}` },
  'next-forever': {
    says: 'there is always a next page',
    answer: (at, type, id, r) => !id && type !== 'Patient' && (send(r, 200, 'application/fhir+json', {
      resourceType: 'Bundle', type: 'searchset', entry: [], link: [{ relation: 'next', url: `${at.base}/${type}?_page=${Math.random()}` }],
    }), true),
  },
  'wrong-patient': { says: 'another Patient is returned', patient: (patient) => ({ ...patient, id: 'somebody-else' }) },
  'wrong-type': { says: 'no Patient is returned', patient: (patient) => ({ ...patient, resourceType: 'Person' }) },
  'other-subjects': {
    says: 'findings about others among the entries',
    entries: (entries, at, type) => [...others(at, type), ...entries],
  },

  // Hostile discovery.
  'discovery-elsewhere': { says: 'the token endpoint is on a foreign host', configuration: (d, at) => { d.token_endpoint = `${at.ehr.elsewhere}/token`; } },
  'authorize-elsewhere': { says: 'the authorization endpoint is on a foreign host', configuration: (d, at) => { d.authorization_endpoint = `${at.ehr.elsewhere}/auth`; } },
  'authorize-script': { says: 'the authorization endpoint is a script', configuration: (d) => { d.authorization_endpoint = 'javascript:alert(1)//'; } },
  'discovery-redirects': { says: 'smart-configuration redirects to a foreign host', wellKnown: (r, d, at) => redirect(r, `${at.ehr.elsewhere}/.well-known/smart-configuration`) },
  'no-s256': { says: 'PKCE is plain only', configuration: (d) => { d.code_challenge_methods_supported = ['plain']; } },
  'discovery-html': { says: 'smart-configuration is an HTML page', wellKnown: (r) => send(r, 200, 'text/html', '<h1>Welcome</h1>') },
  'discovery-broken': { says: 'smart-configuration fails', wellKnown: (r) => send(r, 500, 'text/plain', 'oops') },
  'discovery-huge': { says: 'smart-configuration of 64 MB', wellKnown: (r, d) => send(r, 200, 'application/json', JSON.stringify(d).padEnd(64 << 20)) },
  'discovery-drips': { says: 'smart-configuration comes at a byte per second', wellKnown: (r) => drip(r, 'application/json') },

  // The mood's own token endpoints, instead of the real one.
  'token-redirects': ownToken('redirects to a foreign host', (at, r) => redirect(r, `${at.ehr.elsewhere}/token`, 307)),
  'token-broken': ownToken('fails', (at, r) => send(r, 500, 'text/plain', 'oops')),
  'token-html': ownToken('answers a page', (at, r) => send(r, 200, 'text/html', '<h1>Welcome</h1>')),
  'token-empty': ownToken('answers no token', (at, r) => send(r, 200, 'application/json', { token_type: 'bearer', patient: 'x' })),
  'token-mac': ownToken('answers a token that is no bearer token', (at, r) => send(r, 200, 'application/json', { access_token: 'x', token_type: 'mac', patient: 'x' })),
  'token-huge': ownToken('answers 64 MB', (at, r) => send(r, 200, 'application/json', '{}'.padEnd(64 << 20))),
  'token-drips': ownToken('answers a byte a second', (at, r) => drip(r, 'application/json')),
};

function ownToken(says, answer) {
  return {
    says: `the token endpoint ${says}`,
    configuration: (document, at) => { document.token_endpoint = `${at.origin}/${at.name}/token`; },
    token: answer,
  };
}

// others makes findings that must never reach the form: about another patient,
// about the same id on another server, and about nobody.
function others(at, type) {
  if (type !== 'Observation') return [];
  const weight = (id, subject) => ({
    fullUrl: `${at.base}/Observation/${id}`,
    resource: {
      resourceType: 'Observation', id, status: 'final', subject,
      code: { coding: [{ system: 'http://loinc.org', code: '8302-2' }] },
      effectiveDateTime: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
      valueQuantity: { value: 199.9, unit: 'cm', system: 'http://unitsofmeasure.org', code: 'cm' },
    },
    search: { mode: 'match' },
  });
  return [
    weight('other-1', { reference: 'Patient/somebody-else' }),
    weight('other-2', { reference: `${at.ehr.elsewhere}/fhir/Patient/${at.patient}` }),
    weight('other-3', undefined),
    weight('other-4', { display: 'the patient' }),
  ];
}

// moodOf returns the mood of a FHIR base, or nothing if there is no such mood.
export function moodOf(ehr, name = '') {
  if (!Object.hasOwn(moods, name)) return undefined;
  const mood = moods[name];
  const { port } = new URL(ehr.origin);
  return {
    ehr, name, mood,
    base: baseOf(ehr, name),
    origin: mood.host ? `http://${mood.host}:${port}` : ehr.origin,
  };
}

export const baseOf = (ehr, name) => `${ehr.origin}${name && `/${name}`}/fhir`;
