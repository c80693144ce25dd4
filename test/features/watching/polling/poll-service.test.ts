import { expect, it } from 'vitest'
import { pollService } from '../../../../src/features/watching/polling/poll-service.ts'
import { prepareWatch } from '../../../../src/features/watching/rules/matching.ts'
import { ALL_CHECKS, type Watch } from '../../../../src/features/watching/rules/watch.ts'
import { createService } from '../../../../src/service/service.ts'
import { reply, startVendor } from '../../../service/vendor.ts'

const CHECKS_PATH = '/healthcheck/v1/healthchecks'
const UNLISTED_UUIDS = Array.from({ length: 120 }, (_, index) => `unlisted-${index}`)
const KNOWN = new Map(UNLISTED_UUIDS.map((uuid) => [uuid, { check: { uuid, name: 'web' } }] as const))

it('requests checks missing from the listing individually, 50 per poll', async () => {
  await using vendor = await startVendor((response, { url }) => {
    const uuid = UNLISTED_UUIDS.find((uuid) => url === `${CHECKS_PATH}/${uuid}`)
    // INSTALLING is neither up nor down, so this response neither confirms the outage nor ends it.
    if (uuid) return reply(response, { data: { uuid, name: uuid, status: 'INSTALLING' } })
    reply(response, { data: { total: 0, results: [] } })
  })
  await using service = createService({ baseUrls: { production: vendor.url, ote: vendor.url } })
  const api = service.with({ environment: 'production', token: 'a-token-of-some-length' })
  const { signal } = new AbortController()
  const requestedUuids = new Set<string>()
  for (const poll of [7, 8, 9]) {
    const pollRequest = {
      poll,
      known: KNOWN,
      watches: [],
      isFull: true,
      signal,
    }
    await pollService(api, pollRequest)
    const uuids = vendor.seen.splice(0).map(({ url }) => url.slice(`${CHECKS_PATH}/`.length))
    const singleRequests = uuids.filter((uuid) => UNLISTED_UUIDS.includes(uuid))
    expect(singleRequests).toHaveLength(50)
    for (const uuid of singleRequests) requestedUuids.add(uuid)
  }
  expect(requestedUuids.size).toBe(UNLISTED_UUIDS.length)
})

it('requests a single check only if it’s missing from the listing', async () => {
  const rows = UNLISTED_UUIDS.map((uuid) => ({ uuid, name: uuid, status: 'HEALTHY' }))
  for (const missingCount of [0, 1]) {
    const [missing, listed] = [rows.slice(0, missingCount), rows.slice(missingCount)]
    await using vendor = await startVendor((response, { url }) => {
      const requested = missing.find(({ uuid }) => url === `${CHECKS_PATH}/${uuid}`)
      if (requested) return reply(response, { data: requested })
      const results = url.includes('status=') ? [] : listed
      reply(response, { data: { total: results.length, results } })
    })
    await using service = createService({ baseUrls: { production: vendor.url, ote: vendor.url } })
    const api = service.with({ environment: 'production', token: 'a-token-of-some-length' })
    const { signal } = new AbortController()
    const { good } = await pollService(api, {
      poll: 7,
      known: KNOWN,
      watches: [],
      isFull: true,
      signal,
    })
    const singleRequests = vendor.seen.filter(({ url }) => url.startsWith(`${CHECKS_PATH}/`))
    expect(singleRequests.map(({ url }) => url)).toEqual(missing.map(({ uuid }) => `${CHECKS_PATH}/${uuid}`))
    expect(good).toEqual(new Set(KNOWN.keys()))
  }
})

it('lists installing checks by status instead of listing all checks, if many are installing', async () => {
  const rows = UNLISTED_UUIDS.map((uuid) => ({ uuid, name: 'web', status: 'INSTALLING' }))
  await using vendor = await startVendor((response, { url }) => {
    const isInstalling = url.includes('status=INSTALLING')
    const results = isInstalling ? rows : []
    reply(response, { data: { total: isInstalling ? rows.length : 5000, results } })
  })
  await using service = createService({ baseUrls: { production: vendor.url, ote: vendor.url } })
  const api = service.with({ environment: 'production', token: 'a-token-of-some-length' })
  const { signal } = new AbortController()
  const pollRequest = {
    poll: 7,
    known: KNOWN,
    watches: [],
    isFull: false,
    signal,
  }
  const result = await pollService(api, pollRequest)
  expect(result).toMatchObject({ isFull: false, deleted: new Set(), total: 5000 })
  expect(result.good).toEqual(new Set(KNOWN.keys()))
  expect(result.installing).toEqual(result.good)
  const urls = vendor.seen.map(({ url }) => new URL(url, vendor.url))
  const listsAllChecks = ({ searchParams }: URL): boolean =>
    !searchParams.has('status') && searchParams.get('limit') !== '1'
  expect(urls.filter(listsAllChecks)).toEqual([])
})

it('reuses the details of an unchanged check, and reads those of a changed one', async () => {
  const rows = ['same', 'renamed'].map((uuid) => ({
    ...{ uuid, name: uuid, status: 'UNHEALTHY', created_at: '2026-02-03T04:05:06.000Z' },
  }))
  await using vendor = await startVendor((response) =>
    reply(response, { data: { total: rows.length, results: rows } }),
  )
  await using service = createService({ baseUrls: { production: vendor.url, ote: vendor.url } })
  const api = service.with({ environment: 'production', token: 'a-token-of-some-length' })
  const { signal } = new AbortController()
  const check = { uuid: 'same', name: 'same' }
  const known = new Map([
    ['same', { check }],
    ['renamed', { check: { uuid: 'renamed', name: 'before' } }],
  ])
  const { bad } = await pollService(api, {
    poll: 7,
    known,
    watches: [],
    isFull: false,
    signal,
  })
  expect(bad.get('same')).toBe(check)
  expect(bad.get('renamed')).toEqual({
    ...{ uuid: 'renamed', name: 'renamed', madeAt: '2026-02-03T04:05:06.000Z' },
  })
})

it('matches a page of 500 checks against 250 watches of 20 names each without blocking the event loop', async () => {
  const results = Array.from({ length: 500 }, (_, index) => ({
    uuid: `u${index}`,
    name: `web-${index}`,
    status: 'HEALTHY',
  }))
  await using vendor = await startVendor((response, { url }) => {
    reply(response, {
      data: { total: 500, results: url.includes('limit=1&') ? results.slice(0, 1) : results },
    })
  })
  await using service = createService({ baseUrls: { production: vendor.url, ote: vendor.url } })
  const api = service.with({ environment: 'production', token: 'a-token-of-some-length' })
  const { signal } = new AbortController()
  const include = Array.from({ length: 20 }, (_, index) => ({
    field: 'name' as const,
    pattern: `*x${index}*`,
  }))
  // Cast: only these fields of a watch are read.
  const createWatch = (id: number) =>
    ({ id: `w${id}`, filter: { ...ALL_CHECKS, include } }) as unknown as Watch
  /** How many health checks are compared with the first watch in each turn of the event loop. */
  const comparedPerTurn: number[] = []
  let compared = 0
  const endTurn = (): void => {
    comparedPerTurn.push(compared)
    compared = 0
    nextTurn = setImmediate(endTurn)
  }
  let nextTurn = setImmediate(endTurn)
  const watches = Array.from({ length: 250 }, (_, id) => {
    const prepared = prepareWatch(createWatch(id))
    if (id > 0) return prepared
    return {
      ...prepared,
      matches: (check: Parameters<typeof prepared.matches>[0]) => {
        compared += 1
        return prepared.matches(check)
      },
    }
  })
  const result = await pollService(api, {
    poll: 7,
    known: new Map(),
    watches,
    isFull: true,
    signal,
  })
  clearImmediate(nextTurn)
  expect(result.matched?.size).toBe(250)
  expect(Math.max(...comparedPerTurn, compared)).toBeLessThan(400)
})
