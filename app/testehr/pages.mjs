// The pages of the test EHR: a list of patients with a button, and the questions
// that a clinician may have to answer before the chart is shared.
import { deny, grant } from './authorization.mjs';
import { baseOf, moods } from './moods.mjs';
import { send } from './smart.mjs';

const safe = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const page = (title, body) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:1rem/1.5 system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}fieldset{margin:1rem 0}label{display:block}</style>
</head><body><main><h1>${title}</h1>${body}</main></body></html>`;

const html = (response, text) => send(response, 200, 'text/html; charset=utf-8', text);

// nameOf writes a patient's current name.
function nameOf(patient) {
  const { name = [] } = patient;
  const current = name.filter((n) => !['old', 'maiden'].includes(n.use) && !n.period?.end)[0] ?? name[0] ?? {};
  return [...(current.given ?? []), current.family].filter(Boolean).join(' ') || patient.id;
}

export function start(ehr, response) {
  const patients = ehr.charts.patients().map((p, i) => `<label><input type="radio" name="patient" value="${safe(p.id)}" ${i ? '' : 'checked'}>
    ${safe(nameOf(p))}, born ${safe(p.birthDate ?? 'unknown')}</label>`).join('\n');
  const choices = Object.entries(moods).map(([name, { says }]) => `<option value="${name}">${safe(name || 'plain')}: ${safe(says)}</option>`).join('\n');
  html(response, page('Test EHR', `
    <p>Invented people. Pick one, press the button: the birth registry at ${safe(ehr.apps[0])} opens.</p>
    <form method="post" action="/launch">
    <fieldset><legend>Patient</legend>${patients}</fieldset>
    <p><label>This EHR behaves like <select name="mood">${choices}</select></label></p>
    <p><label><input type="checkbox" name="ask" value="1"> Ask me before the chart is shared</label></p>
    <p><button>Record a birth</button></p>
    </form><p><a href="/journal">What was asked of this EHR so far</a></p>`));
}

// launch starts a launch and sends the browser to the registry. Tests can add
// parameters: encounter "none", and context, JSON that overrides members of the token
// response.
export async function launch(ehr, request, response) {
  const form = await read(request);
  const patient = form.get('patient');
  if (!ehr.charts.read('Patient', patient)) return send(response, 400, 'text/plain', 'pick a patient');
  const mood = form.get('mood') ?? '';
  if (!Object.hasOwn(moods, mood)) return send(response, 400, 'text/plain', 'there is no such mood');
  const base = baseOf(ehr, mood);
  const token = ehr.launches.make({
    base, patient,
    encounter: form.get('encounter') === 'none' ? undefined : ehr.charts.encounterOf(patient),
    ask: form.has('ask'),
    context: { ...moods[mood].context, ...JSON.parse(form.get('context') || '{}') },
  });
  response.writeHead(303, { Location: `${ehr.apps[0]}/smart/launch?${new URLSearchParams({ iss: base, launch: token })}` });
  return response.end();
}

// consent ends the interaction that oidc-provider began, immediately or after the
// clinician has answered.
export async function consent(ehr, request, response) {
  const interaction = await ehr.provider.interactionDetails(request, response);
  const { params } = interaction;
  const all = params.scope.split(' ');
  if (request.method === 'POST') {
    const form = await read(request);
    if (form.get('answer') !== 'share') return deny(ehr, request, response);
    return grant(ehr, request, response, interaction, ['launch', ...form.getAll('scope')]);
  }
  if (!ehr.launches.find(params.launch)?.ask) return grant(ehr, request, response, interaction, all);
  const boxes = all.filter((s) => s !== 'launch')
    .map((s) => `<label><input type="checkbox" name="scope" value="${safe(s)}" checked> ${safe(s)}</label>`).join('\n');
  return html(response, page('Share this chart?', `<form method="post">
    <fieldset><legend>${safe(params.client_id)} asks for</legend>${boxes}</fieldset>
    <p><button name="answer" value="share">Share</button> <button name="answer" value="deny">Do not share</button></p></form>`));
}

async function read(request) {
  let text = '';
  for await (const part of request) text += part;
  return new URLSearchParams(text);
}
