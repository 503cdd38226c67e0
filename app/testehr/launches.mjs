// Launches: what the EHR knows between the press of the button and the reading
// of the chart (SMART App Launch 2.2.0, "launch" and "context").
import { randomBytes } from 'node:crypto';

const life = 5 * 60 * 1000; // of a launch token, in milliseconds

export class Launches {
  #byToken = new Map();

  #byGrant = new Map();

  // make keeps a launch and returns its token: {base, patient, encounter, ask,
  // context}. The token is long and full of characters that want escaping.
  make(launch) {
    const token = randomBytes(96).toString('base64');
    this.#byToken.set(token, { ...launch, made: Date.now() });
    return token;
  }

  find(token) {
    const launch = this.#byToken.get(token);
    return launch && Date.now() - launch.made < life ? launch : undefined;
  }

  // bind ties the launch to what the clinician granted.
  bind(grant, token) { this.#byGrant.set(grant, this.#byToken.get(token)); }

  of(grant) { return this.#byGrant.get(grant); }

  // context is what a token response says besides the token; launch.context
  // overrides it, null takes a member out.
  context(grant, scope = '') {
    const launch = this.of(grant);
    if (!launch || !scope.split(' ').includes('launch')) return {};
    const said = { patient: launch.patient, need_patient_banner: true, ...launch.context };
    if (launch.encounter) said.encounter = launch.encounter;
    return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
  }
}
