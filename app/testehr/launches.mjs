// Launches: what the EHR remembers from the press of the button until the chart is
// read (SMART App Launch 2.2.0, "launch" and "context").
import { randomBytes } from 'node:crypto';

const life = 5 * 60 * 1000; // of a launch token, in milliseconds

export class Launches {
  #byToken = new Map();

  #byGrant = new Map();

  // make stores a launch {base, patient, encounter, ask, context} and returns its
  // token, which is long and full of characters that need escaping.
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

  // context returns the other members of a token response. launch.context overrides
  // them; null removes a member.
  context(grant, scope = '') {
    const launch = this.of(grant);
    if (!launch || !scope.split(' ').includes('launch')) return {};
    const said = { patient: launch.patient, need_patient_banner: true, ...launch.context };
    if (launch.encounter) said.encounter = launch.encounter;
    return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
  }
}
