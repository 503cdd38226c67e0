// Charts: folders of JSON files, each a collection Bundle or a single resource.
// In a file, "{-12d}" stands for the day twelve days ago, so that the charts in this
// folder never become outdated.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export class Charts {
  #resources = new Map(); // "Type/id" to resource, in the order of the files

  constructor(folders) { folders.forEach((folder) => this.#load(folder)); }

  #load(path) {
    if (statSync(path).isDirectory()) {
      readdirSync(path).sort().forEach((name) => this.#load(join(path, name)));
    } else if (path.endsWith('.json')) {
      const document = JSON.parse(readFileSync(path, 'utf8').replace(/\{([+-]?\d+)d\}/g, (_, days) => day(Number(days))));
      if (document.type === 'searchset') return; // an answer, not a chart
      for (const r of document.resourceType === 'Bundle' ? document.entry.map((e) => e.resource) : [document]) {
        this.#resources.set(`${r.resourceType}/${r.id}`, r);
      }
    }
  }

  patients() { return [...this.#resources.values()].filter((r) => r.resourceType === 'Patient'); }

  read(type, id) { return this.#resources.get(`${type}/${id}`); }

  // search supports the search parameters of US Core; a resource must match all of
  // them. The only order is newest first.
  search(type, query) {
    const found = [...this.#resources.values()].filter((r) => r.resourceType === type
      && [...query].every(([name, value]) => filters[name]?.(r, value) ?? true));
    return query.get('_sort') === '-date' ? found.sort((a, b) => momentOf(b).localeCompare(momentOf(a))) : found;
  }

  // encounterOf returns the newest Encounter of a patient: the one in context.
  encounterOf(patient) {
    return this.search('Encounter', new URLSearchParams({ patient }))
      .sort((a, b) => (b.period?.start ?? '').localeCompare(a.period?.start ?? ''))[0]?.id;
  }
}

const subject = (r, value) => r.subject?.reference === `Patient/${value.replace(/^Patient\//, '')}`;

// filters maps each search parameter to the function that matches a resource.
export const filters = {
  patient: subject,
  subject,
  _id: (r, value) => value.split(',').includes(r.id),
  code: (r, value) => coded([r.code ?? {}], value),
  category: (r, value) => coded(r.category ?? [], value),
  type: (r, value) => coded(r.type ?? [], value),
  'clinical-status': (r, value) => coded([r.clinicalStatus ?? {}], value),
  status: (r, value) => value.split(',').includes(r.status),
  date: (r, value) => within(momentOf(r), value),
  _count: undefined, _sort: undefined, _format: undefined, _total: undefined,
};

const momentOf = (r) => r.effectiveDateTime ?? r.effectivePeriod?.start ?? r.period?.start ?? '';

// coded matches codings against a list of [system|]code.
const coded = (concepts, list) => list.split(',').some((token) => {
  const [code, system] = token.split('|').reverse();
  return concepts.some((c) => c.coding?.some((is) => is.code === code && (!system || is.system === system)));
});

const within = (moment, value) => {
  const [, prefix, bound] = /^(ge|gt|le|lt|eq)?(.*)$/.exec(value);
  const order = moment.slice(0, bound.length).localeCompare(bound);
  return { ge: order >= 0, gt: order > 0, le: order <= 0, lt: order < 0 }[prefix] ?? order === 0;
};

const day = (offset) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
