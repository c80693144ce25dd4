import { expect, it } from 'vitest'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import { readState, type Writer, writeRow } from '../../../../src/features/health-checks/write/write-row.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { HealthCheckBody, HealthCheckQuery } from '../../../../src/service/health-checks.ts'

const WEB: HealthCheckBody = {
  name: 'web',
  protocol: 'TCP',
  target: 'www.example.com',
  port: 443,
  frequency: 60,
  customerId: 1,
}
const ANN = { type: 'EMAIL', recipients: ['ann@example.com'] }
const DELETION: Row = { do: 'delete', line: 1, name: 'web', uuid: 'U', before: { settings: WEB, alerts: [] } }
const CREATION: Row = { do: 'create', line: 1, name: 'web', to: WEB, alerts: [ANN] }

const refused = new ApiError('rejected', 'No.', { status: 422, serviceMessages: ['No such mailbox.'] })
const gone = new ApiError('not-found', 'There is no such check.', { status: 404 })
const lost = new ApiError('unavailable', 'The connection broke.', { mayHaveHappened: true })

/** A service with these checks, in which some calls end otherwise. */
function createWriter(
  checks: HealthCheckBody[],
  calls: {
    deletes?: () => unknown
    addsAlert?: () => unknown
    saves?: (body: HealthCheckBody) => HealthCheckBody
  },
) {
  const queries: HealthCheckQuery[] = []
  const find = () => {
    const [check] = checks
    if (!check) throw gone
    return { uuid: 'U', ...check }
  }
  const healthChecks = {
    get: async () => find(),
    async *listAll(query: HealthCheckQuery) {
      queries.push(query)
      yield { results: checks.map((check) => ({ uuid: 'U', ...check })), total: checks.length, unreadable: 0 }
    },
    create: async (body: HealthCheckBody) => ({ uuid: 'U', ...(calls.saves?.(body) ?? body) }),
    delete: async () => calls.deletes?.(),
  }
  const alerts = { list: async () => [], create: async () => calls.addsAlert?.() }
  // Cast: these are all that a row uses.
  const api = { address: 'https://service', account: 'A', healthChecks, alerts } as unknown as Writer['api']
  const writer: Writer = { api, hold: (_, work) => work({ send: (request) => request() }) }
  return { writer, queries }
}
const fail = (error: Error) => () => {
  throw error
}

it('takes a 404 at a deletion for done only if the check is gone', async () => {
  const { writer } = createWriter([WEB], { deletes: fail(gone) })
  await expect(writeRow(writer, DELETION)).rejects.toBe(gone)
  const checks = [WEB]
  const deletedByOthers = createWriter(checks, {
    deletes() {
      checks.pop()
      throw gone
    },
  })
  expect(await writeRow(deletedByOthers.writer, DELETION)).toMatchObject({ state: 'done' })
})

it('says that a creation was done in part if the service refuses its alert', async () => {
  const { writer } = createWriter([], { addsAlert: fail(refused) })
  expect(await writeRow(writer, CREATION)).toMatchObject({
    state: 'skipped',
    uuid: 'U',
    hasWritten: true,
    reason: 'Only a part was done. The service refused the rest: No such mailbox.',
  })
})

it('says that an edit was done in part if an earlier request did that part, and the service refuses the rest', async () => {
  const { writer } = createWriter([{ ...WEB, port: 25 }], { addsAlert: fail(refused) })
  const edit: Row = {
    do: 'edit',
    line: 1,
    name: 'web',
    uuid: 'U',
    before: { settings: WEB },
    set: { port: 25 },
    alerts: [ANN],
  }
  expect(await writeRow(writer, edit, { mayHaveBeenSent: true })).toMatchObject({
    state: 'skipped',
    hasWritten: true,
    reason: 'Only a part was done. The service refused the rest: No such mailbox.',
  })
})

it('doesn’t know what became of a creation whose alert isn’t answered', async () => {
  const busy = new ApiError('rate-limited', 'Later.', { status: 429 })
  const unclear = new ApiError('rejected', 'Perhaps.', { status: 422, mayHaveHappened: true })
  for (const error of [lost, busy, unclear]) {
    const { writer } = createWriter([], { addsAlert: fail(error) })
    await expect(writeRow(writer, CREATION)).rejects.toMatchObject({ mayHaveHappened: true })
  }
})

it('says what the service saved otherwise', async () => {
  const { writer } = createWriter([], { saves: (body) => ({ ...body, port: 8443 }) })
  expect(await writeRow(writer, CREATION)).toMatchObject({
    state: 'skipped',
    hasWritten: true,
    reason: 'The service saved another port: 8443.',
  })
})

it('doesn’t take a check of a subsidiary with the same name for the one to create', async () => {
  const { writer } = createWriter([{ ...WEB, customerId: 2 }], {})
  expect(await writeRow(writer, { ...CREATION, alerts: [] })).toMatchObject({ state: 'done' })
})

it('doesn’t filter by a name with a *, which is a wildcard', async () => {
  const { writer, queries } = createWriter([], {})
  await writeRow(writer, { ...CREATION, name: 'web*', to: { ...WEB, name: 'web*' }, alerts: [] })
  expect(queries).toMatchObject([{ target: 'www.example.com', customerId: 1 }])
  expect(queries[0]).not.toHaveProperty('name')
})

it('doesn’t call done what somebody else has done, unless an earlier request of its own may have done it', async () => {
  const edit: Row = {
    do: 'edit',
    line: 1,
    name: 'web',
    uuid: 'U',
    before: { settings: WEB },
    set: { port: 25 },
  }
  const { writer } = createWriter([{ ...WEB, port: 25 }], {})
  expect(await writeRow(writer, edit)).toMatchObject({ state: 'skipped', reason: 'It’s already so.' })
  expect(await writeRow(writer, edit, { mayHaveBeenSent: true })).toMatchObject({ state: 'done' })
  const gone = createWriter([], {})
  expect(await writeRow(gone.writer, DELETION)).toMatchObject({
    state: 'skipped',
    reason: 'It was already deleted.',
  })
  expect(await writeRow(gone.writer, DELETION, { mayHaveBeenSent: true })).toMatchObject({ state: 'done' })
})

it('takes a 404 for the alerts of a check that exists for an error, not for a deletion', async () => {
  const { writer } = createWriter([WEB], {})
  const api = { ...writer.api, alerts: { ...writer.api.alerts, list: () => Promise.reject(gone) } }
  await expect(readState(api, 'U')).rejects.toBe(gone)
  expect(await readState(createWriter([], {}).writer.api, 'U')).toBeUndefined()
})
