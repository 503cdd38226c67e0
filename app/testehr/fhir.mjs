// The FHIR store: Patient by id, and the searches of US Core with paging. Every
// request needs a token from oidc-provider for this FHIR base, with the scope for
// the type, and sees only the patient of its launch.
import { filters } from './charts.mjs';
import { send } from './smart.mjs';

const most = 100; // entries per page, whatever _count says

export async function fhir(at, url, request, response) {
  const [type, id] = url.pathname.slice(new URL(at.base).pathname.length + 1).split('/');
  const query = unfold(url.searchParams);
  const wanted = type || query.type; // HAPI's next link has no type
  const [status, code] = await refusal(at, request, wanted, id, query);
  if (status) return refuse(response, status, code);
  if (at.mood.answer?.(at, wanted, id, response, url)) return undefined;
  if (query.from > 0 && at.mood.further === false) return refuse(response, 500, 'exception');
  if (id) return read(at, wanted, id, response);
  return search(at, wanted, query, response);
}

// refusal returns why a request is refused, as status and issue code; nothing if it is not.
async function refusal(at, request, type, id, { search: asked }) {
  const { ehr, base } = at;
  if (request.method !== 'GET') return [405, 'not-supported'];
  const [scheme, value] = (request.headers.authorization ?? '').split(' ');
  const token = scheme.toLowerCase() === 'bearer' && await ehr.provider.AccessToken.find(value);
  if (!token || token.aud !== base) return [401, 'login'];
  at.patient = ehr.launches.of(token.grantId).patient;
  const right = new RegExp(`^patient/${type}\\.(read|${id ? 'c?r' : 'c?r?u?d?s'}|rs)$`);
  if (!token.scope?.split(' ').some((scope) => right.test(scope))) return [403, 'forbidden'];
  if (id) return type === 'Patient' && id !== at.patient ? [403, 'forbidden'] : [];
  const patient = asked.get('patient') ?? asked.get('subject');
  if (patient?.replace(/^Patient\//, '') !== at.patient) return [403, 'forbidden'];
  if ([...asked.keys()].some((name) => !(name in filters) || at.mood.refuses?.includes(name))) return [400, 'not-supported'];
  if (type === 'Observation' && at.mood.needs && !at.mood.needs.some((name) => asked.has(name))) return [400, 'required'];
  return [];
}

const words = { required: 'Must have either code or category.' };

function refuse(response, status, code) {
  send(response, status, 'application/fhir+json', {
    resourceType: 'OperationOutcome', issue: [{ severity: 'error', code, diagnostics: words[code] }],
  }, status === 401 ? { 'WWW-Authenticate': 'Bearer error="invalid_token"' } : {});
}

// The clinician who signs in, whoever that is (authorization.mjs).
const clinician = { resourceType: 'Practitioner', id: 'dr-test', name: [{ family: 'Rivers', given: ['Jane'], suffix: ['CNM'] }] };

function read(at, type, id, response) {
  if (type === 'Practitioner' && id === clinician.id) return send(response, 200, 'application/fhir+json', clinician);
  let found = at.ehr.charts.read(type, id);
  if (!found || (type !== 'Patient' && found.subject?.reference !== `Patient/${at.patient}`)) return refuse(response, 404, 'not-found');
  if (type === 'Patient' && at.mood.patient) found = at.mood.patient(found);
  return send(response, 200, 'application/fhir+json', found);
}

// unfold decodes the opaque address of a page to {type, query, from}.
function unfold(params) {
  const page = params.get('_page') ?? params.get('_getpages');
  if (!page) return { search: params, from: 0 };
  try {
    const { type, query, from } = JSON.parse(Buffer.from(page, 'base64url'));
    return { type, search: new URLSearchParams(query), from };
  } catch {
    return { search: new URLSearchParams(), from: 0 };
  }
}

function search(at, type, { search: asked, from }, response) {
  const found = at.ehr.charts.search(type, at.mood.looks?.(new URLSearchParams(asked), type) ?? asked);
  if (at.mood.backwards) found.reverse();
  const size = Math.max(1, Math.min(Number(asked.get('_count')) || most, at.mood.page ?? most));
  let entry = found.slice(from, from + size).map((resource) => ({
    fullUrl: `${at.base}/${type}/${resource.id}`, resource, search: { mode: 'match' },
  }));
  if (at.mood.entries) entry = at.mood.entries(entry, at, type);
  const link = [{ relation: 'self', url: `${at.base}/${type}?${asked}` }];
  if (from + size < found.length) {
    const page = Buffer.from(JSON.stringify({ type, query: `${asked}`, from: from + size })).toString('base64url');
    const next = at.mood.next ?? ((_, t, p) => `${at.base}/${t}?_page=${p}`);
    link.push({ relation: 'next', url: next(at, type, page) });
  }
  send(response, 200, 'application/fhir+json', { resourceType: 'Bundle', type: 'searchset', total: found.length, link, entry });
}
