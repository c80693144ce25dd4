import { describe, expect, it } from 'vitest'
import type { DownCheck } from '../../../src/domain/outages/outage.ts'
import { readListing, summarize } from '../../../src/features/health-checks/read-listing.ts'
import {
  formatSummaryHeadline,
  listView,
  summaryView,
} from '../../../src/features/health-checks/views/list.ts'
import type { CheckSeed } from '../../sandbox-control.ts'
import { page, reply, startVendor } from '../../service/vendor.ts'
import { startWorld } from '../../world.ts'

const named = (prefix: string, count: number, status: string): CheckSeed[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${String(index + 1).padStart(2, '0')}`,
    status,
  }))

const findListedNames = (message: { text: string } | undefined): string[] =>
  [...(message?.text ?? '').matchAll(/ · ((?:up|down|new|zz)-\d\d) · /g)].map((match) => match[1] ?? '')

describe('/hc list', () => {
  it('lists checks that are down first, then those that are installing, and then the rest', async () => {
    await using world = await startWorld({
      checks: [
        ...named('up', 3, 'HEALTHY'),
        ...named('new', 2, 'INSTALLING'),
        ...named('down', 2, 'UNHEALTHY'),
      ],
    })
    const { member } = world.slack
    const order = ['down-01', 'down-02', 'new-01', 'new-02', 'up-01', 'up-02', 'up-03']
    expect(findListedNames((await member.command('/hc', 'list')).message)).toEqual(order)
    expect(findListedNames((await member.command('/hc', 'list --sort name')).message)).toEqual(
      [...order].sort(),
    )
    // A page that doesn't exist is the last one.
    const last = await member.command('/hc', 'list --offset 500')
    expect(findListedNames(last.message)).toEqual(order)
    expect(last.message?.text).toContain('7 health checks · 2 down\n')
    const shown = await member.choose(last.message, 'Open a check…', 'up-02')
    expect(shown.message?.text).toContain('up-02 is up\n')
  })

  it('lists checks with an unknown status last, and counts them in the total', async () => {
    const checks = ['PAUSED', 'HEALTHY', 'UNHEALTHY'].map((status, index) => createCheck(index, status))
    const { listed, text, requests } = await read(() => page(checks))
    expect(listed).toMatchObject({ total: 3, down: 1, isByName: false })
    expect(listed.rows.map(({ status }) => status)).toEqual(['UNHEALTHY', 'HEALTHY', 'PAUSED'])
    expect(text).toContain('3 health checks · 1 down\n')
    expect(requests).toBe(1)
  })

  it('shows since when a check has been down, the latest first', async () => {
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    // The service lists them by name.
    const checks = [0, 1, 2].map((index) => createCheck(index, index < 2 ? 'UNHEALTHY' : 'HEALTHY'))
    const [first = '', second = '', third = ''] = checks.map(({ uuid }) => uuid)
    const { listed, text } = await read(() => page(checks), {
      since: new Map<string, DownCheck>([
        // Already down when watching began.
        [first, { at: at(25), isAtLeast: true }],
        [second, { at: at(4), acknowledgedBy: 'Ann' }],
        // Up again since the last poll.
        [third, { at: at(2) }],
      ]),
    })
    expect(listed.rows.map(({ name }) => name)).toEqual(['check-01', 'check-00', 'check-02'])
    expect(text).toMatch(/🔴 down · check-01 · since <!date[^>]*> · _?Ann is on it/)
    expect(text).toMatch(/🔴 down · check-00 · since at least <!date[^>]*>\n/)
    expect(text).toMatch(/up · check-02\n/)
  })

  it('sorts by name if the service can’t list all checks in one page, and says so', async () => {
    const checks = Array.from({ length: 40 }, (_, index) =>
      createCheck(index, index === 39 ? 'UNHEALTHY' : 'HEALTHY'),
    )
    const answer = ({ searchParams }: URL) => {
      const offset = Number(searchParams.get('offset'))
      return page(checks.slice(offset, offset + 20), { total: 40, limit: 20, offset })
    }
    const { listed, text, blocks, requests } = await read(answer)
    expect(listed).toMatchObject({ total: 40, start: 0, isByName: true })
    expect(requests).toBe(1)
    expect(text).toContain('40 health checks · page 1 of 3\n')
    expect(text).toContain('Too many to sort by status, so they’re sorted by name.')
    expect(JSON.stringify(blocks)).toContain('/hc list --status UNHEALTHY')
    expect((await read(answer, { offset: 15 })).listed.rows[0]).toMatchObject({ name: 'check-15' })
  })

  it('doesn’t say that nothing matches if the service counts some checks but lists none', async () => {
    const { text } = await read(() => page([], { total: 40 }), { name: 'web-*' })
    expect(text).toContain('40 health checks')
    expect(text).toContain('The service reports 40 health checks but listed none on this page.')
    expect(text).not.toContain('No health check matches')
  })

  it.each([200, 400])(
    'finds part of a name even if the service has * only at the end of one, and answers %d otherwise',
    async (status) => {
      const names = ['Bank open API', 'Open API', 'Ann’s shop']
      const checks = names.map((name, index) => ({ ...createCheck(index, 'HEALTHY'), name }))
      const answer = ({ searchParams }: URL) => {
        const isPart = searchParams.get('name')?.startsWith('*')
        return isPart && status === 400 ? undefined : page(isPart ? [] : checks)
      }
      for (const [name, expected] of [
        ['open api', ['Bank open API', 'Open API']],
        ["ann's", ['Ann’s shop']],
        ['wiki', []],
      ] as const)
        expect((await read(answer, { name })).listed.rows.map((row) => row.name)).toEqual(expected)
    },
  )

  const WITH_UNREADABLE = [
    { uuid: 7 },
    ...Array.from({ length: 16 }, (_, index) => createCheck(index, 'HEALTHY')),
  ]

  it('counts an unreadable row even though its position is unknown', async () => {
    const { listed, text, blocks } = await read(() => page(WITH_UNREADABLE), { offset: 15 })
    expect(listed).toMatchObject({ total: 17, start: 15, unreadable: 1, rows: [{ name: 'check-15' }] })
    expect(text).toContain('17 health checks · page 2 of 2\n')
    expect(text).toContain('1 couldn’t be read')
    expect(JSON.stringify(blocks)).not.toContain('Next')
  })

  it('doesn’t count unreadable rows as matches that only the app searched, nor as up', async () => {
    // The service finds no part of a name, so the app searches all names.
    const answer = ({ searchParams }: URL) => page(searchParams.has('name') ? [] : WITH_UNREADABLE)
    const { text } = await read(answer, { name: 'nowhere' })
    expect(text).toMatch(/^No readable health check matches · name nowhere\n/)
    expect(text).toContain('1 couldn’t be read')
    expect((await read(answer, { name: 'check-07' })).text).toMatch(/^1 health check · name check-07\n/)
    const second = await read(answer, { name: 'check', offset: 15 })
    expect(second.text).toMatch(/^16 health checks · page 2 of 2 · name check\n/)
    expect(formatSummaryHeadline(second.summary, '')).toBe('No readable health check is down')
  })
})

/**
 * Reads the list, and the summary, from a service that answers with what is returned for the URL, or with 400. Returns them, the view of
 * the list, and how many requests that took.
 */
async function read(
  answer: (url: URL) => object | undefined,
  {
    name,
    offset = 0,
    since,
  }: { name?: string; offset?: number; since?: Parameters<typeof readListing>[3] } = {},
) {
  await using vendor = await startVendor((response, { url }) => {
    const body = answer(new URL(url, 'http://localhost'))
    reply(response, body ?? { code: 'BAD_REQUEST' }, body ? 200 : 400)
  })
  const api = vendor.api()
  const filters = name === undefined ? {} : { name }
  const listed = await readListing(api, filters, offset, since)
  const requests = vendor.seen.length
  const summary = await summarize(api, { workspaceId: 'T1', environment: 'production', now: new Date() })
  return { listed, requests, summary, ...listView(listed, filters, {}, 'production', new Date()) }
}

const createCheck = (index: number, status: string) => ({
  uuid: `3f2a9c1e-7b4d-4e8a-9c55-${String(index).padStart(12, '0')}`,
  name: `check-${String(index).padStart(2, '0')}`,
  status,
})

it.each([
  { total: 2, expected: /^2 of 2 health checks are down · newest since .*\n🔴 down-1 / },
  { total: 101, expected: /^101 of about 101 health checks are down\n/ },
])(
  'says when the newest outage began only if it read all of the $total checks that are down',
  async ({ total, expected }) => {
    const down = [0, 1].map((index) => ({ ...createCheck(index, 'UNHEALTHY'), name: `down-${index}` }))
    await using vendor = await startVendor((response, { url }) =>
      reply(response, /=(?:HEALTHY|INSTALLING)/.test(url) ? page([]) : page(down, { total })),
    )
    const scope = { workspaceId: 'T1', environment: 'production', now: new Date() } as const
    const summary = await summarize(vendor.api(), scope, {
      findDownSince: async () => new Map(down.map(({ uuid }, index) => [uuid, { at: new Date(index) }])),
      findAllUpSince: async () => undefined,
      inMaintenance: async () => () => false,
      listSilenced: async () => [],
      describeRename: async () => undefined,
    })
    const { text } = summaryView(summary, 'production', new Date())
    expect(text).toMatch(expected)
  },
)
