// push.mjs CLIENT BASE FILE, with the API key in REGISTRY_API_KEY: pushes a Bundle with a
// FHIR library (fhir-kit-client or medplum), polls the receipt with the same library and
// prints it. BASE is the address of the FHIR endpoints.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const [name, base, file] = process.argv.slice(2)
const key = process.env.REGISTRY_API_KEY
const bundle = JSON.parse(readFileSync(file, 'utf8'))

const clients = {
  // fhir-kit-client leaves polling to its caller.
  async 'fhir-kit-client'() {
    const { Client } = await import('fhir-kit-client')
    const client = new Client({ baseUrl: base, bearerToken: key })
    const statement = await client.capabilityStatement()
    if (statement.resourceType !== 'CapabilityStatement') throw new Error('no CapabilityStatement')
    const outcome = await client.create({ resourceType: 'Bundle', body: bundle })
    const { response } = Client.httpFor(outcome)
    return () => client.request(response.headers.get('content-location'))
  },
  // Medplum follows FHIR's asynchronous pattern: it polls Content-Location until the answer is
  // no longer 202.
  async medplum() {
    const { MedplumClient } = await import('@medplum/core')
    const client = new MedplumClient({ baseUrl: new URL(base).origin + '/', fhirUrlPath: new URL(base).pathname.slice(1), accessToken: key, cacheTime: 0 })
    const receipt = await client.startAsyncRequest(client.fhirUrl('Bundle').toString(), {
      method: 'POST', body: JSON.stringify(bundle), pollStatusOnAccepted: true,
    })
    return () => client.get(`${base}/ingestions/${receipt.id}`, { cache: 'reload' })
  },
}

const read = await clients[name]()
let receipt
do {
  await setTimeout(100)
  receipt = await read()
} while (receipt.status === 'queued' || receipt.status === 'processing')
console.log(JSON.stringify(receipt))
