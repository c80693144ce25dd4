import { describe, expect, it } from 'vitest'
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
  isResumed: false,
}

/** Starts an HTTP service with these checks, and one process that polls it. */
async function startService(statuses: Record<string, string>) {
  await using running = new AsyncDisposableStack()
  const state = { statuses, extraTotal: 0 }
  let unreadableParts = 0
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
      reply(response, { data: { total: results.length + state.extraTotal, results } })
    }),
  )
  const baseUrls = { production: vendor.url, ote: vendor.url }
  const onParseIssues = ({ count }: { count: number }) => {
    unreadableParts += count
  }
  const service = running.use(createService({ baseUrls, onParseIssues }))
  const api = service.with({ environment: 'production', token: 'a-token-of-some-length' })
  const poll = createSmallWorkspacePoll()
  const resources = running.move()
  return {
    state,
    /** How many fields of the service's responses couldn't be parsed. */
    countUnreadable: () => unreadableParts,
    drainRequests: (): string[] => vendor.seen.splice(0).map(({ url }) => url),
    runPoll: (known: string[] = [], isFull = false) =>
      poll('T1 production', api, {
        poll: 1,
        known: new Map(known.map((uuid) => [uuid, { check: { uuid, name: '' }, isDown: true }])),
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
    const first = await service.runPoll()
    expect(first?.bad).toMatchObject(new Map([['b', { uuid: 'b' }]]))
    expect(first?.total).toBe(4)
    expect(await service.runPoll(['b'])).toEqual(first)
    service.state.statuses = { a: 'UNHEALTHY', b: 'HEALTHY' }
    const third = await service.runPoll(['b'])
    expect([...(third?.bad.keys() ?? [])]).toEqual(['a'])
    expect(third?.good).toEqual(new Set(['b']))
    expect(service.drainRequests()).toEqual([LIST_URL, LIST_URL, LIST_URL])
  })

  it('parses an unchanged response again if the stored state of a check differs from it', async () => {
    await using service = await startService({ a: 'HEALTHY' })
    await service.runPoll()
    const result = await service.runPoll(['a'])
    expect(result?.good).toEqual(new Set(['a']))
    // The second good poll has the same response, and must count too.
    expect((await service.runPoll(['a']))?.good).toEqual(new Set(['a']))
  })

  it.each([
    { kind: 'partial', isFull: false, parsedCount: 2 },
    { kind: 'full', isFull: true, parsedCount: 4 },
  ])(
    'parses $parsedCount of four checks in a $kind poll, if one is down and one has recovered',
    async ({ isFull, parsedCount }) => {
      await using service = await startService({ a: 'HEALTHY', b: 'UNHEALTHY', c: 'HEALTHY', d: 'HEALTHY' })
      const result = await service.runPoll(['c'], isFull)
      expect(result).toMatchObject({ total: 4, good: new Set(['c']) })
      // Each check has one field that can't be parsed.
      expect(service.countUnreadable()).toBe(parsedCount)
    },
  )

  it('requests checks missing from the listing by ID', async () => {
    await using service = await startService({ a: 'HEALTHY', unlisted: 'UNHEALTHY' })
    await service.runPoll(['unlisted', 'deleted'])
    expect(service.drainRequests().toSorted()).toEqual(
      [`${CHECKS_PATH}/deleted`, `${CHECKS_PATH}/unlisted`, LIST_URL].toSorted(),
    )
    service.state.statuses = { a: 'HEALTHY', unlisted: 'HEALTHY' }
    const result = await service.runPoll(['unlisted', 'deleted'])
    expect(result?.bad.size).toBe(0)
    expect(result?.good).toEqual(new Set(['unlisted']))
    expect(result?.deleted).toEqual(new Set(['deleted']))
  })

  it('counts matches for each watch on a full poll, even if nothing has changed', async () => {
    await using service = await startService({ a: 'HEALTHY', b: 'UNHEALTHY' })
    expect(await service.runPoll()).toMatchObject({ isFull: false })
    const full = await service.runPoll(['b'], true)
    expect(full).toMatchObject({ isFull: true, matched: new Map([['w1', 2]]) })
  })

  it('returns nothing if the checks don’t fit into one response', async () => {
    await using service = await startService({ a: 'UNHEALTHY' })
    await service.runPoll()
    service.state.extraTotal = 1
    expect(await service.runPoll(['a'])).toBeUndefined()
  })
})
