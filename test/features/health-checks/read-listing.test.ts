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
  [...(message?.text ?? '').matchAll(/^\S+ ((?:up|down|new|zz)-\d\d)\b/gm)].map((match) => match[1] ?? '')

describe('/hc list', () => {
  it('begins with what is down, and has the rest in the service’s order', async () => {
    await using world = await startWorld({
      checks: [
        ...named('up', 3, 'HEALTHY'),
        ...named('new', 2, 'INSTALLING'),
        ...named('zz', 2, 'UNHEALTHY'),
      ],
    })
    const { member } = world.slack
    const byName = ['new-01', 'new-02', 'up-01', 'up-02', 'up-03']
    const order = ['zz-01', 'zz-02', ...byName]
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

  it('shows every check on its pages, and none twice on one', async () => {
    await using world = await startWorld({
      checks: [...named('up', 28, 'HEALTHY'), ...named('zz', 12, 'UNHEALTHY')],
    })
    const { member } = world.slack
    let { message } = await member.command('/hc', 'list')
    expect(message?.text).toContain('40 health checks · 12 down · page 1 of 4\n')
    expect(message?.text).toContain('and 2 more that are down')
    const pages = [findListedNames(message)]
    const first = message?.ts
    for (const at of [2, 3, 4]) {
      message = (await member.click(message, 'Next')).message
      expect(message?.ts).toBe(first)
      expect(message?.text).toContain(`40 health checks · page ${at} of 4\n`)
      pages.push(findListedNames(message))
    }
    expect(JSON.stringify(message?.blocks)).not.toContain('"Next"')
    expect(pages.map(({ length }) => length)).toEqual([15, 15, 15, 5])
    expect(pages.every((names) => new Set(names).size === names.length)).toBe(true)
    // What is down stands on top of the first page, and in its place.
    expect(pages[0]?.slice(0, 10).every((name) => name.startsWith('zz'))).toBe(true)
    expect([...(pages[0]?.slice(10) ?? []), ...pages.slice(1).flat()]).toEqual([
      ...named('up', 28, '').map(({ name }) => name),
      ...named('zz', 12, '').map(({ name }) => name),
    ])
    const second = await member.click((await member.click(message, 'Previous')).message, 'Previous')
    expect((await member.click(second.message, 'Previous')).message?.text).toContain('page 1 of 4\n')
  })

  it('asks the service for no more than it shows, however many checks there are', async () => {
    const { listed, text, seen } = await read(({ searchParams }) => {
      const isDown = searchParams.has('status')
      const checks = Array.from({ length: Number(searchParams.get('limit')) }, (_, index) =>
        createCheck(isDown ? 50 + index : index, isDown ? 'UNHEALTHY' : 'HEALTHY'),
      )
      return page(checks, { total: isDown ? 900 : 100_000 })
    })
    expect(listed).toMatchObject({ total: 100_000, next: 5, down: { total: 900 } })
    expect(text).toContain('100,000 health checks · 900 down · page 1 of 6,668\n')
    expect(seen.map((url) => url.replace(/^.*\?/, '')).sort()).toEqual([
      'limit=10&offset=0&status=UNHEALTHY',
      'limit=15&offset=0',
    ])
  })

  it('has a check with an unknown status in its place, and counts it in the total', async () => {
    const checks = ['PAUSED', 'HEALTHY', 'UNHEALTHY'].map((status, index) => createCheck(index, status))
    const { listed, text, summary } = await read(answerFrom(checks))
    expect(listed).toMatchObject({ total: 3, down: { total: 1 } })
    expect(listed.rows.map(({ status }) => status)).toEqual(['PAUSED', 'HEALTHY'])
    expect(text).toContain('3 health checks · 1 down\n')
    expect(summaryView(summary, 'production', new Date()).text).toMatch(
      /^1 of 3 health checks is down · 1 installing or unknown\n/,
    )
  })

  it('shows since when a check has been down, the latest first', async () => {
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    // The service lists them by name.
    const checks = [0, 1, 2].map((index) => createCheck(index, index < 2 ? 'UNHEALTHY' : 'HEALTHY'))
    const [first = '', second = '', third = ''] = checks.map(({ uuid }) => uuid)
    const { listed, text } = await read(answerFrom(checks), {
      since: new Map<string, DownCheck>([
        // Already down when watching began.
        [first, { at: at(25), isAtLeast: true }],
        [second, { at: at(4), onIt: { by: 'U1', name: 'Ann', at: at(5) } }],
        // Up again since the last poll.
        [third, { at: at(2) }],
      ]),
    })
    expect(listed.down?.rows.map(({ name }) => name)).toEqual(['check-01', 'check-00'])
    expect(listed.rows.map(({ name }) => name)).toEqual(['check-02'])
    expect(text).toMatch(/🔴 check-01 · down since <!date[^>]*> · Ann has been on it since <!date/)
    expect(text).toMatch(/🔴 check-00 · down since at least <!date[^>]*> · nobody is on it/)
    expect(text).toMatch(/🟢 check-02\n/)
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
        return isPart && status === 400 ? undefined : isPart ? page([]) : answerFrom(checks)({ searchParams })
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
    const answer = answerFrom(WITH_UNREADABLE)
    const first = await read(answer)
    expect(first.listed).toMatchObject({ total: 17, next: 15, unreadable: 1 })
    expect(first.text).toContain('17 health checks · page 1 of 2\n')
    expect(first.text).toContain('1 couldn’t be read')
    const { listed, blocks } = await read(answer, { offset: 15 })
    expect(listed.rows.map(({ name }) => name)).toEqual(['check-14', 'check-15'])
    expect(JSON.stringify(blocks)).not.toContain('Next')
  })

  it('says that a check that is down couldn’t be read', async () => {
    const down = { uuid: 7, status: 'UNHEALTHY' }
    const { text, summary } = await read(answerFrom([down, createCheck(1, 'HEALTHY')]))
    expect(text).toContain('2 health checks · 1 down\n')
    expect(text).toContain('1 of those that are down couldn’t be read')
    expect(text).not.toContain('more:')
    expect(summaryView(summary, 'production', new Date()).text).toMatch(
      /^1 of 2 health checks is down\n(?:.*\n)*1 of them couldn’t be read/,
    )
  })

  it('doesn’t count unreadable rows as matches that only the app searched', async () => {
    // The service finds no part of a name, so the app searches all names.
    const answer = ({ searchParams }: { searchParams: URLSearchParams }) =>
      searchParams.has('name') ? page([]) : answerFrom(WITH_UNREADABLE)({ searchParams })
    const { text } = await read(answer, { name: 'nowhere' })
    expect(text).toMatch(/^No readable health check matches · name nowhere\n/)
    expect(text).toContain('1 couldn’t be read')
    expect((await read(answer, { name: 'check-07' })).text).toMatch(/^1 health check · name check-07\n/)
    const second = await read(answer, { name: 'check', offset: 15 })
    expect(second.text).toMatch(/^16 health checks · page 2 of 2 · name check\n/)
    expect(formatSummaryHeadline(second.summary, '')).toBe('No health check is down')
  })

  it('says that others may match if there are too many names to compare', async () => {
    const answer = ({ searchParams }: { searchParams: URLSearchParams }) => {
      const name = searchParams.get('name')
      if (name?.startsWith('*')) return page([])
      return page([createCheck(1, 'HEALTHY')], { total: name === null ? 10_001 : 1 })
    }
    const named = await read(answer, { name: '*check' })
    expect(named.text).toMatch(/^The service finds no match · .*\n.*Others may match, too/)
    const { text, seen } = await read(answer, { name: 'check' })
    expect(text).toContain('Others may match, too')
    // One of them showed how many names there are.
    expect(seen.filter((url) => url.includes('limit=500'))).toHaveLength(1)
  })
})

/** A service that filters by status and pages, as documented. */
const answerFrom =
  (all: readonly object[]) =>
  ({ searchParams }: { searchParams: URLSearchParams }) => {
    const status = searchParams.get('status')
    const found = status === null ? all : all.filter((check) => 'status' in check && check.status === status)
    const offset = Number(searchParams.get('offset'))
    const limit = Number(searchParams.get('limit'))
    return page(found.slice(offset, offset + limit), { total: found.length, limit, offset })
  }

/**
 * Reads the list, and the summary, from a service that answers with what is returned for the URL, or with 400. Returns them, the view of
 * the list, and the requests for it.
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
  const seen = vendor.seen.map(({ url }) => url)
  const summary = await summarize(api, { workspaceId: 'T1', environment: 'production', now: new Date() })
  return {
    listed,
    seen,
    summary,
    ...listView(listed, filters, {}, 'production', new Date()),
  }
}

const createCheck = (index: number, status: string) => ({
  uuid: `3f2a9c1e-7b4d-4e8a-9c55-${String(index).padStart(12, '0')}`,
  name: `check-${String(index).padStart(2, '0')}`,
  status,
})
