import { expect, it } from 'vitest'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import {
  endAnswered,
  readState,
  type Writer,
  writeRow,
} from '../../../../src/features/health-checks/write/write-row.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { HealthCheckBody, HealthCheckQuery } from '../../../../src/service/health-checks.ts'
import { createService, createSettings, type FakeService } from '../bulk/changes-run.ts'

const WEB = createSettings('web')
const ANN = { type: 'EMAIL', recipients: ['ann@example.com'] }
const BOB = { type: 'EMAIL', recipients: ['bob@example.com'] }
const DELETION: Row = {
  do: 'delete',
  line: 1,
  name: 'web',
  uuid: 'web',
  before: { settings: WEB, alerts: [] },
}
const CREATION: Row = { do: 'create', line: 1, name: 'web', to: WEB, alerts: [ANN] }
const edit = (alerts?: (typeof ANN)[]): Row => ({
  do: 'edit',
  line: 1,
  name: 'web',
  uuid: 'web',
  before: { settings: WEB },
  set: { port: 25 },
  alerts,
})

const refused = new ApiError('rejected', 'No.', { status: 422, serviceMessages: ['No such mailbox.'] })
const gone = new ApiError('not-found', 'There is no such check.', { status: 404 })
const lost = new ApiError('unavailable', 'The connection broke.', { mayHaveHappened: true })

/** A service with these checks, and with other settings than usual. `change` replaces some of its calls. */
function createWriter(
  names: readonly string[],
  {
    settings = {},
    change,
  }: { settings?: Partial<HealthCheckBody>; change?: (service: FakeService) => void } = {},
): Writer {
  const service = createService(names)
  for (const { check } of service.checks.values()) Object.assign(check, settings)
  change?.(service)
  // Cast: these are all that a row uses.
  const api = service.api as unknown as Writer['api']
  return { api, hold: (_, work) => work({ send: (request) => request() }) }
}
const refusesAlert = (error: Error) => ({
  change: ({ api }: FakeService) => {
    api.alerts.create = () => Promise.reject(error)
  },
})

it('takes a 404 at a deletion for done only if the check is gone', async () => {
  const refusing = createWriter(['web'], {
    change: ({ api }) => {
      api.healthChecks.delete = () => Promise.reject(gone)
    },
  })
  await expect(writeRow(refusing, DELETION)).rejects.toBe(gone)
  const deletedByOthers = createWriter(['web'], {
    change: ({ api, checks }) => {
      api.healthChecks.delete = async (uuid) => {
        checks.delete(uuid)
        throw gone
      }
    },
  })
  expect(await writeRow(deletedByOthers, DELETION)).toMatchObject({ is: 'done' })
})

const editAlerts = (...alerts: (typeof ANN)[]): Row => ({
  ...{ do: 'edit', line: 1, name: 'web', uuid: 'web', set: {}, alerts },
  before: { settings: WEB, alerts: [{ id: '1', ...ANN }] },
})

it.each<[what: string, call: string, row: Row, isDone: boolean]>(
  [true, false].flatMap((isDone) => [
    ['an edit', 'healthChecks.update', edit(), isDone],
    ['a deletion', 'healthChecks.delete', { ...DELETION, before: { settings: WEB, alerts: [] } }, isDone],
    ['other recipients', 'alerts.update', editAlerts(BOB), isDone],
    ['a removed alert', 'alerts.delete', editAlerts(), isDone],
    ['an added alert', 'alerts.create', editAlerts(ANN, BOB), isDone],
  ]),
)(
  'reads what became of %s (%s) that the service calls failed inside a success',
  async (_, name, row, isDone) => {
    const failed = { status: 200, mayHaveHappened: true, isAnswered: true, serviceMessages: ['Not today.'] }
    const error = new ApiError('rejected', 'No.', failed)
    let sent = 0
    const writer = createWriter(['web'], {
      change: ({ api, checks }) => {
        if (row.do === 'edit' && row.alerts) checks.get('web')?.alerts.push({ id: '1', ...ANN })
        const [part, call] = name.split('.') as ['alerts', 'create']
        const send = api[part][call]
        api[part][call] = async (...args) => {
          sent += 1
          if (isDone) await send(...args)
          throw error
        }
      },
    })
    const ending = writeRow(writer, row).catch((thrown) => endAnswered(writer.api, row, thrown))
    if (isDone) expect(await ending).toMatchObject({ is: 'done' })
    else
      await expect(ending).rejects.toMatchObject({ mayHaveHappened: false, serviceMessages: ['Not today.'] })
    expect(sent).toBe(1)
  },
)

it('says that a row was done in part if the service refuses its alert, also if an earlier request did that part', async () => {
  const partly = {
    is: 'partly',
    uuid: 'web',
    reason: 'Only a part was done. The service refused the rest: No such mailbox.',
  }
  expect(await writeRow(createWriter([], refusesAlert(refused)), CREATION)).toMatchObject(partly)
  const writer = createWriter(['web'], { settings: { port: 25 }, ...refusesAlert(refused) })
  expect(await writeRow(writer, edit([ANN]), { mayHaveBeenSent: true })).toMatchObject(partly)
})

it('doesn’t know what became of a creation whose alert isn’t answered', async () => {
  const busy = new ApiError('rate-limited', 'Later.', { status: 429 })
  const unclear = new ApiError('rejected', 'Perhaps.', { status: 422, mayHaveHappened: true })
  for (const error of [lost, busy, unclear]) {
    const writing = writeRow(createWriter([], refusesAlert(error)), CREATION)
    await expect(writing).rejects.toMatchObject({ mayHaveHappened: true })
  }
})

it('says what the service saved otherwise', async () => {
  const writer = createWriter([], {
    change: ({ api }) => {
      api.healthChecks.create = async (body) => ({ uuid: 'web', ...body, port: 8443 })
    },
  })
  expect(await writeRow(writer, CREATION)).toMatchObject({
    is: 'partly',
    reason: 'The service saved another port: 8443. Its recipients weren’t saved.',
  })
})

it('doesn’t take a check of a subsidiary with the same name for the one to create', async () => {
  const writer = createWriter(['web'], { settings: { customerId: 2 } })
  expect(await writeRow(writer, { ...CREATION, alerts: [] })).toMatchObject({ is: 'done' })
})

it('takes a name in other capitals for the one to create, and a name that only looks the same for another', async () => {
  const create = (name: string): Row => ({ ...CREATION, name, to: { ...WEB, name }, alerts: [] })
  const writer = createWriter(['Ann’s'])
  expect(await writeRow(writer, create('ANN’S'))).toMatchObject({ is: 'outdated' })
  expect(await writeRow(writer, create("Ann's"))).toMatchObject({ is: 'done', uuid: "Ann's" })
})

it('doesn’t filter by a name with a *, which is a wildcard', async () => {
  const queries: HealthCheckQuery[] = []
  const writer = createWriter([], {
    change: ({ api: { healthChecks } }) => {
      const { listAll } = healthChecks
      healthChecks.listAll = (query) => {
        queries.push(query)
        return listAll(query)
      }
    },
  })
  await writeRow(writer, { ...CREATION, name: 'web*', to: { ...WEB, name: 'web*' }, alerts: [] })
  expect(queries).toMatchObject([{ target: 'www.example.com', customerId: 1 }])
  expect(queries[0]).not.toHaveProperty('name')
})

it('takes a 404 for the alerts of a check that exists for an error, not for a deletion', async () => {
  const { api } = createWriter(['web'], {
    change: ({ api }) => {
      api.alerts.list = () => Promise.reject(gone)
    },
  })
  await expect(readState(api, 'web')).rejects.toBe(gone)
  expect(await readState(createWriter([]).api, 'web')).toBeUndefined()
})

it('doesn’t know what became of a creation that the service calls failed inside a success, if no check has its name', async () => {
  const failed = { status: 200, mayHaveHappened: true, isAnswered: true, serviceMessages: ['Not today.'] }
  const error = new ApiError('rejected', 'No.', failed)
  expect(await endAnswered(createWriter([]).api, CREATION, error)).toEqual({
    is: 'unclear',
    reason: 'Not today. It may have been created. No check has this name now.',
  })
})
