import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Api } from '../../src/service/service.ts'
import { startWorld, type World } from './sandbox.ts'
import { catchFailure } from './vendor.ts'

const BODY = {
  name: 'shop',
  customerId: 1000,
  protocol: 'TCP',
  target: 'shop.example.com',
  port: 443,
  frequency: 60,
}
const ORDER = {
  action: 'create',
  csr: '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n',
  duration: '1 year',
}

let world: World
let api: Api

beforeAll(async () => {
  world = await startWorld({ headersMs: 100 })
  api = world.service.with({ environment: 'production', token: world.sandbox.token })
})
beforeEach(async () => {
  await world.control('PUT', 'faults', [])
  await world.control('DELETE', 'requests')
})
afterAll(() => world[Symbol.asyncDispose]())

const injectFault = (fault: object) => world.control('PUT', 'faults', [fault])
describe('an error of the service', () => {
  it.each([
    { status: 302, kind: 'unreadable', mayHaveHappened: true },
    { status: 400, kind: 'rejected', mayHaveHappened: false },
    { status: 401, kind: 'unauthorized', mayHaveHappened: false },
    { status: 403, kind: 'forbidden', mayHaveHappened: false },
    { status: 404, kind: 'not-found', mayHaveHappened: false },
    { status: 408, kind: 'timeout', mayHaveHappened: true },
    { status: 409, kind: 'conflict', mayHaveHappened: false },
    { status: 422, kind: 'rejected', mayHaveHappened: false },
    { status: 425, kind: 'rejected', mayHaveHappened: false },
    { status: 429, kind: 'rate-limited', mayHaveHappened: false },
    { status: 460, kind: 'timeout', mayHaveHappened: true },
    { status: 499, kind: 'timeout', mayHaveHappened: true },
    { status: 500, kind: 'unavailable', mayHaveHappened: true },
    { status: 504, kind: 'unavailable', mayHaveHappened: true },
  ])(
    'is $kind for $status, and says whether the service may have the order',
    async ({ status, ...error }) => {
      await injectFault({ kind: 'status', status, method: 'POST' })
      expect(await catchFailure(api.orders.create(ORDER))).toMatchObject({ status, ...error })
    },
  )

  it.each([
    { code: 'NOT_FOUND', kind: 'not-found' },
    { code: 'BAD_CONTEXT', kind: 'conflict' },
    { code: 'UNAUTHORIZED', kind: 'unauthorized' },
    { code: 'BAD_REQUEST', kind: 'rejected' },
    { code: 'constructor', kind: 'rejected' },
  ])('is recognized by the code $code in a response with status 400', async ({ code, kind }) => {
    await injectFault({ kind: 'status', status: 400, body: { errors: [{ code, message: 'A message.' }] } })
    const error = await catchFailure(api.healthChecks.get('u'))
    expect(error).toMatchObject({ kind, serviceMessages: ['A message.'] })
  })

  it('is returned by the sandbox: bad token, bad fields, duplicate, not found', async () => {
    const withInvalidToken = world.service.with({ environment: 'production', token: 'not-a-token' })
    expect(await catchFailure(withInvalidToken.tokens.list())).toMatchObject({ kind: 'unauthorized' })
    const invalid = await catchFailure(api.healthChecks.create({ ...BODY, port: 0, protocol: 'UDP' }))
    expect(invalid).toMatchObject({ kind: 'rejected', status: 400, mayHaveHappened: false })
    expect(invalid.serviceMessages).toHaveLength(2)
    await api.healthChecks.create({ ...BODY, name: 'twice' })
    const duplicate = await catchFailure(api.healthChecks.create({ ...BODY, name: 'twice' }))
    expect(duplicate).toMatchObject({ kind: 'conflict' })
    expect(await catchFailure(api.healthChecks.delete('nope'))).toMatchObject({ kind: 'not-found' })
    expect(await catchFailure(api.alerts.list('nope'))).toMatchObject({ kind: 'not-found' })
  })

  it.each([
    { form: 'text', body: 'Closed for repair', serviceMessages: ['Closed for repair'] },
    {
      form: 'HTML',
      body: '<html><title>502 Bad Gateway</title></html>',
      serviceMessages: [],
    },
    { form: 'one object', body: { errors: { code: 'X', message: 'No.' } }, serviceMessages: ['No.'] },
    { form: 'JSON:API', body: { errors: [{ title: 'T', detail: 'D' }] }, serviceMessages: ['D'] },
    { form: 'nothing', body: '', serviceMessages: [] },
  ])('includes the service’s message if the body is $form', async ({ body, serviceMessages }) => {
    await injectFault({ kind: 'status', status: 500, body })
    expect((await catchFailure(api.alerts.list('u'))).serviceMessages).toEqual(serviceMessages)
  })
})

describe('a short-lived fault', () => {
  it.each([
    { kind: 'reset', times: 2 },
    { kind: 'drop-reply', times: 2 },
    { kind: 'hang', times: 1 },
    { kind: 'status', status: 503, times: 2 },
    { kind: 'status', status: 429, headers: { 'retry-after': '0' }, times: 2 },
  ])('is handled by retrying a read, an update, or a deletion: $kind $status', async (shortFault) => {
    const { uuid } = await api.healthChecks.create({ ...BODY, name: `passing-${JSON.stringify(shortFault)}` })
    await injectFault(shortFault)
    expect((await api.healthChecks.get(uuid)).uuid).toBe(uuid)
    await injectFault(shortFault)
    const body = { ...BODY, name: `renamed-${uuid}` }
    expect((await api.healthChecks.update(uuid, body)).name).toBe(body.name)
    await injectFault(shortFault)
    const error = await api.healthChecks.delete(uuid).catch((thrown: unknown) => thrown)
    // After a lost response, the 404 of the retry alone doesn't prove that the first request deleted it.
    if (shortFault.kind === 'drop-reply')
      expect(error).toMatchObject({ kind: 'not-found', mayHaveHappened: true })
    else expect(error).toBeUndefined()
    await world.control('PUT', 'faults', [])
    expect(await catchFailure(api.healthChecks.get(uuid))).toMatchObject({ kind: 'not-found' })
  })
})
