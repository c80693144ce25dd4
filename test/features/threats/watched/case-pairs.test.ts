import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../../src/app/store.ts'
import type { CaseStepRequest } from '../../../../src/features/threats/rows/cases.ts'
import { isOpen } from '../../../../src/features/threats/rules/case-steps.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../../databases/databases.ts'
import { eitherOf, IS_LONG } from '../../../long.ts'
import { readSeed } from '../../../random.ts'
import { listProblems } from './case-problems.ts'

const DAY_MS = 86_400_000
const ANN = { userId: 'U1', name: 'Ann' }
const BEN = { userId: 'U2', name: 'Ben' }
const TARGET = { name: 'Takedown', target: 'https://exa.mple/', protocol: 'HTTPS', port: 443 }

/** One case at a time, its events, and the clock. `open` starts another process on the same database. */
async function createCaseEvents(open: () => Promise<Pick<Store, 'threatCases'> & AsyncDisposable>) {
  const replica = await open()
  let current = await open()
  let now = new Date('2026-11-20T12:00:00.000Z')
  let count = 0
  let event = { workspaceId: 'T1', environment: 'production', eventId: 'e' } as const as {
    workspaceId: string
    environment: 'production'
    eventId: string
  }
  const cases = () => current.threatCases
  const find = () => cases().find(event)
  async function step(kind: CaseStepRequest['kind'], more: Partial<CaseStepRequest> = {}) {
    count += 1
    now = new Date(now.getTime() + 60_000)
    const newCase = { eventSnapshot: { domain: 'exa.mple', targets: [] }, severity: 1 }
    return cases().step({
      ...event,
      enterpriseId: undefined,
      kind,
      by: ANN,
      now,
      reference: `r${count}`,
      newCase,
      ...more,
    })
  }
  async function read(status: string) {
    const { checkUuid: uuid } = (await find()) ?? {}
    now = new Date(now.getTime() + 60_000)
    await cases().storeLook(event, { reading: uuid ? { uuid, status } : undefined, now })
  }
  const readDown = async () => {
    await read('UNHEALTHY')
    await read('UNHEALTHY')
  }
  const end = (ask?: 'unwatched') => async () => {
    if ((await find())?.checkUuid) await step('note', { by: undefined, watched: 'ended', ask })
  }
  const EVENTS: Readonly<Record<string, () => Promise<unknown>>> = {
    take: () => step('take'),
    async watch() {
      const threatCase = await find()
      if (!threatCase || !isOpen(threatCase) || threatCase.checkUuid) return
      const watched = {
        ...TARGET,
        by: ANN,
        reference: 'w',
        at: now.toISOString(),
        checkUuid: `check ${count}`,
      }
      await step('note', { watched })
    },
    unwatch: end(),
    'hand over': () => step('hand-over', { handOver: { from: ANN.userId, to: BEN } }),
    'take over': async () => step('take', { by: BEN, seenVersion: (await find())?.version }),
    leave: () => cases().recheckQuestionsFor('T1', ANN.userId),
    edit: end('unwatched'),
    delete: end('unwatched'),
    'false positive': () => step('false-positive'),
    reopen: () => step('reopen'),
    down: readDown,
    up: () => read('HEALTHY'),
    'it’s down': () => step('down'),
    'still up': () => step('up'),
    'takedown sent': () => step('takedown-sent'),
    'give back': () => step('release'),
    async restart() {
      if (current !== replica) await current[Symbol.asyncDispose]()
      current = await open()
    },
    async 'second replica'() {
      current = replica
    },
    async 'a week'() {
      now = new Date(now.getTime() + 8 * DAY_MS)
      await cases().storeLook(event, { now })
    },
  }
  const startCase = (eventId: string) => {
    event = { ...event, eventId }
  }
  return { EVENTS, find, startCase, getNow: () => now }
}

const BEGINNINGS = [['take'], ['take', 'watch', 'down'], ['take', 'watch', 'down', 'it’s down']]

/**
 * Every history in a long run. A quick run takes a sixth of them, chosen by the seed; or a twelfth on PostgreSQL, which takes four
 * times as long.
 */
function takeShare(name: string, histories: string[][]): string[][] {
  if (IS_LONG) return histories
  const share = name === 'PostgreSQL' ? 12 : 6
  // The kind of database follows from whether the seed is odd, so that must not choose the histories too.
  return histories.filter((_, index) => (index + Math.floor(readSeed() / 2)) % share === 0)
}

describe.each(eitherOf(SHARED_DATABASES))('the watch of a case in $name', ({ name, start }) => {
  let database: TestDatabase
  let store: Store
  beforeAll(async () => {
    database = await start()
    store = await openStore(database)
  })
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it('a case keeps its watch and its question right through every pair of events', async () => {
    await using opened = new AsyncDisposableStack()
    const { EVENTS, find, startCase, getNow } = await createCaseEvents(async () =>
      opened.use(await openStore(database)),
    )
    const names = Object.keys(EVENTS)
    const histories = BEGINNINGS.flatMap((beginning) =>
      names.flatMap((first) => names.map((second) => [...beginning, first, second])),
    )
    const problems: string[] = []
    for (const history of takeShare(name, histories)) {
      startCase(history.join(', '))
      for (const name of history) {
        await EVENTS[name]?.()
        const threatCase = await find()
        const found = threatCase ? listProblems(threatCase, getNow()) : []
        problems.push(...found.map((problem) => `${history.join(', ')}: ${problem} after ${name}`))
      }
    }
    expect(problems.slice(0, 10)).toEqual([])
    expect(histories).toHaveLength(3 * 19 * 19)
  })

  it.each([
    {
      description: 'two bad readings',
      days: 0,
      statuses: ['UNHEALTHY', 'UNHEALTHY'],
      state: 'taken',
      asks: 'down',
    },
    {
      description: 'one bad reading',
      days: 0,
      statuses: ['HEALTHY', 'UNHEALTHY'],
      state: 'taken',
      asks: undefined,
    },
    {
      description: 'an unknown status',
      days: 0,
      statuses: ['PAUSED', 'PAUSED'],
      state: 'taken',
      asks: undefined,
    },
    { description: 'three quiet days', days: 4, statuses: ['HEALTHY'], state: 'taken', asks: 'quiet' },
    { description: 'a day without a reading', days: 2, statuses: [], state: 'taken', asks: 'unread' },
    {
      description: 'a page that stayed down for a week',
      days: 7,
      statuses: ['UNHEALTHY', 'UNHEALTHY'],
      state: 'down',
      asks: 'stayed-down',
    },
    {
      description: 'a page that is reached after a week',
      days: 7,
      statuses: ['HEALTHY'],
      state: 'down',
      asks: 'answers-again',
    },
    {
      description: 'a page that was reached once more in the week and then not',
      days: 7,
      statuses: ['HEALTHY', 'UNHEALTHY'],
      state: 'down',
      asks: 'unclear',
    },
    {
      description: 'a check that is still being installed after a week',
      days: 7,
      statuses: ['INSTALLING'],
      state: 'down',
      asks: 'unclear',
    },
    {
      description:
        'a check that says nothing at the end of the week, although it couldn’t reach the page before',
      days: 7,
      statuses: ['UNHEALTHY', 'UNHEALTHY', 'INSTALLING'],
      state: 'down',
      asks: 'unclear',
    },
    {
      description: 'a check that can’t be read at the end of the week',
      days: 7,
      statuses: [],
      state: 'down',
      asks: 'unread',
    },
  ] as const)(
    'after $description of a case that is $state, Signalman asks: $asks',
    async ({ description, days, statuses, state, asks }) => {
      const { threatCases } = store
      const startedAt = new Date('2026-11-20T12:00:00.000Z')
      const event = { workspaceId: 'T1', environment: 'production', eventId: description } as const
      const step = { ...event, enterpriseId: undefined, by: ANN, now: startedAt }
      const newCase = { eventSnapshot: { domain: 'exa.mple', targets: [] }, severity: 1 }
      await threatCases.step({ ...step, kind: 'take', reference: 'r1', newCase })
      const watched = { ...TARGET, by: ANN, reference: 'w', at: startedAt.toISOString(), checkUuid: 'u' }
      await threatCases.step({ ...step, kind: 'note', reference: 'r2', watched })
      if (state === 'down') await threatCases.step({ ...step, kind: 'down', reference: 'r3' })
      const end = new Date(startedAt.getTime() + days * DAY_MS)
      const beforeEnd = new Date(end.getTime() - (days === 7 ? 60_000 : 0))
      for (const status of statuses)
        await threatCases.storeLook(event, { reading: { uuid: 'u', status }, now: beforeEnd })
      // A reading of an earlier check says nothing.
      await threatCases.storeLook(event, { reading: { uuid: 'earlier', status: 'UNHEALTHY' }, now: end })
      expect((await threatCases.find(event))?.askKind).toBe(asks)
    },
  )
})
