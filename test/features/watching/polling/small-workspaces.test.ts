import { describe, expect, it } from 'vitest'
import { parseSubjectKey, type SubjectKey } from '../../../../src/domain/outages/observe.ts'
import {
  createSmallWorkspacePoll,
  MAX_CHECKS_OF_SMALL_WORKSPACE,
} from '../../../../src/features/watching/polling/small-workspaces.ts'
import { prepareWatch } from '../../../../src/features/watching/rules/matching.ts'
import { ALL_CHECKS, type Watch } from '../../../../src/features/watching/rules/watch.ts'
import { createService } from '../../../../src/service/service.ts'
import { reply, startVendor } from '../../../service/vendor.ts'

const CHECKS_PATH = '/healthcheck/v1/healthchecks'
const LIST_URL = `${CHECKS_PATH}?limit=${MAX_CHECKS_OF_SMALL_WORKSPACE}`

const WATCH: Watch = {
  id: 'w1',
  workspaceId: 'T1',
  channelId: 'C1',
  environment: 'production',
  filter: ALL_CHECKS,
  afterBadPolls: 1,
  notify: 'once',
  reminderHours: 0,
  ownerId: 'U1',
  madeAt: new Date(0),
  changedAt: new Date(0),
  baseline: [],
}

/** A service with these checks, over real HTTP, and one process that polls it. */
async function startService(statuses: Record<string, string>) {
  await using running = new AsyncDisposableStack()
  const state = { statuses, more: 0, note: '' }
  let unreadParts = 0
  const vendor = running.use(
    await startVendor((response, { url }) => {
      const rows = Object.entries(state.statuses).map(([uuid, status]) => ({
        uuid,
        name: uuid,
        status,
        port: 'none',
      }))
      const singleCheck = rows.find(({ uuid }) => url === `${CHECKS_PATH}/${uuid}`)
      if (singleCheck) return reply(response, { data: singleCheck })
      if (url !== LIST_URL) return reply(response, { errors: [{ title: 'gone' }] }, 404)
      const results = rows.filter(({ uuid }) => !uuid.startsWith('unlisted'))
      reply(response, { note: state.note, data: { total: results.length + state.more, results } })
    }),
  )
  const baseUrls = { production: vendor.url, ote: vendor.url }
  const onParseIssues = ({ count }: { count: number }) => {
    unreadParts += count
  }
  const service = running.use(createService({ baseUrls, onParseIssues }))
  const api = service.with({ environment: 'production', token: 'a-token-of-some-length' })
  const poll = createSmallWorkspacePoll()
  const resources = running.move()
  return {
    state,
    /** How many parts of responses couldn't be read. */
    countUnread: () => unreadParts,
    takeRequests: (): string[] => vendor.seen.splice(0).map(({ url }) => url),
    look: (known: SubjectKey[] = [], isFull = false) =>
      poll('T1 production', api, {
        poll: 1,
        knownSubjects: new Map(
          known.map((key) => [key, { check: { uuid: parseSubjectKey(key).uuid, name: '' } }]),
        ),
        watches: [prepareWatch(WATCH)],
        isFull,
        signal: new AbortController().signal,
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('polling a small workspace', () => {
  it('takes one request, even if something has changed', async () => {
    await using service = await startService({ a: 'HEALTHY', b: 'UNHEALTHY', c: 'INSTALLING', d: 'ODD' })
    const first = await service.look()
    expect(first?.bad).toMatchObject(new Map([['b UNHEALTHY', { check: { uuid: 'b' } }]]))
    expect(first?.total).toBe(4)
    expect(await service.look(['b UNHEALTHY'])).toEqual(first)
    service.state.statuses = { a: 'UNHEALTHY', b: 'HEALTHY' }
    const third = await service.look(['b UNHEALTHY'])
    expect([...(third?.bad.keys() ?? [])]).toEqual(['a UNHEALTHY'])
    expect(third?.good).toEqual(new Set(['b UNHEALTHY']))
    expect(service.takeRequests()).toEqual([LIST_URL, LIST_URL, LIST_URL])
  })

  it('parses an identical response again if it differs from a known state', async () => {
    await using service = await startService({ a: 'HEALTHY' })
    await service.look()
    const result = await service.look(['a UNHEALTHY'])
    expect(result?.good).toEqual(new Set(['a UNHEALTHY']))
    // The second good poll has the same response, and must count too.
    expect((await service.look(['a UNHEALTHY']))?.good).toEqual(new Set(['a UNHEALTHY']))
  })

  it.each([
    { isFull: false, read: 2 },
    { isFull: true, read: 4 },
  ])(
    'parses $read of four checks, one down and one recovered, with full counting $isFull',
    async ({ isFull, read }) => {
      await using service = await startService({ a: 'HEALTHY', b: 'UNHEALTHY', c: 'HEALTHY', d: 'HEALTHY' })
      const result = await service.look(['c UNHEALTHY'], isFull)
      expect(result).toMatchObject({ total: 4, good: new Set(['c UNHEALTHY']) })
      // Each parsed check has a part that can't be read.
      expect(service.countUnread()).toBe(read)
    },
  )

  it('requests checks missing from the listing by ID on every poll', async () => {
    await using service = await startService({ a: 'HEALTHY', unlisted: 'UNHEALTHY' })
    await service.look(['unlisted UNHEALTHY', 'deleted UNHEALTHY'])
    expect(service.takeRequests().toSorted()).toEqual(
      [`${CHECKS_PATH}/deleted`, `${CHECKS_PATH}/unlisted`, LIST_URL].toSorted(),
    )
    service.state.statuses = { a: 'HEALTHY', unlisted: 'HEALTHY' }
    const result = await service.look(['unlisted UNHEALTHY', 'deleted UNHEALTHY'])
    expect(result?.bad.size).toBe(0)
    expect(result?.good).toEqual(new Set(['unlisted UNHEALTHY']))
    expect(result?.deleted).toEqual(new Set(['deleted UNHEALTHY']))
  })

  it('counts matches for each watch on a full poll, even if nothing has changed', async () => {
    await using service = await startService({ a: 'HEALTHY', b: 'UNHEALTHY' })
    expect(await service.look()).toMatchObject({ isFull: false })
    const full = await service.look(['b UNHEALTHY'], true)
    expect(full).toMatchObject({ isFull: true, matched: new Map([['w1', 2]]) })
  })

  it('returns nothing if the checks don’t fit into one response', async () => {
    await using service = await startService({ a: 'UNHEALTHY' })
    await service.look()
    service.state.more = 1
    expect(await service.look(['a UNHEALTHY'])).toBeUndefined()
  })
})
