import { openAct } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/act-errors.ts'
import { createAuditedSteps } from '../../../src/bot/audit/audited-step.ts'
import type { Arguments } from '../../../src/bot/grammar/read-words.ts'
import type { CommandContext } from '../../../src/bot/routes/command-context.ts'
import { onItCommands } from '../../../src/features/watching/commands/on-it.ts'
import { ALL_CHECKS } from '../../../src/features/watching/rules/watch.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { claimPolling, SCOPE } from './poll-world.ts'

const CHANNEL = 'C1'
const PAGE = [{ afterMs: 600_000, responders: [{ name: '@on-call', id: 'S1', isGroup: true }] }]
const WATCH = { ...SCOPE, channelId: CHANNEL, filter: ALL_CHECKS, afterBadPolls: 1, ownerId: 'U9' }
const sees = (bad: readonly string[]) => ({
  ...{ bad: new Map(bad.map((name) => [name, { uuid: name, name }])), good: new Set<string>() },
  ...{ installing: new Set<string>(), deleted: new Set<string>() },
})

/** Adds a watch whose channel has a card about a check that is down. Returns the card's ID. */
async function openCard({ watching, work }: Store, pass: () => void): Promise<string> {
  await watching.watches.add({ ...WATCH, id: newId(), page: PAGE })
  const { savePoll } = await claimPolling({ work }, 'one', 30_000)
  await savePoll(watching, sees([]))
  pass()
  await savePoll(watching, sees(['shop']))
  const [incident] = await watching.history.listDown(SCOPE)
  const card = await watching.onIt.findCard('T1', CHANNEL, incident?.id ?? '')
  if (!card) throw new Error('There is no card.')
  return card.id
}

const countOnIt = async ({ watching }: Store) => (await watching.onIt.listTaken('T1', 'U1', 9)).length
const countPosts = async ({ watching }: Store) => (await watching.readStats()).outbox.waiting

describe.each(SHARED_DATABASES)('a press that is resumed after a crash, on $name', ({ start }) => {
  it.each([
    { line: '/hc watch-ack', isOnIt: false, readEffect: countOnIt, expected: 1, answer: 'You’re on it' },
    { line: '/hc watch-step-down', isOnIt: true, readEffect: countOnIt, expected: 0, answer: 'stepped down' },
    { line: '/hc watch-page', isOnIt: false, readEffect: countPosts, expected: 2, answer: 'Paging @on-call' },
  ])('has been made once, and has the same answer: $line', async ({ line, isOnIt, ...effect }) => {
    await using database = await start()
    let ms = Date.UTC(2026, 10, 28)
    await using store = await openStore({ ...database, clock: () => new Date(ms) })
    const card = await openCard(store, () => (ms += 60_000))
    if (isOnIt) await store.watching.onIt.take('T1', card, { userId: 'U1', name: 'Bea' })
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')

    async function press(attempts: number): Promise<unknown> {
      const leased = trackLeasedWork('me').add({ ...work, attempts })
      const requester = { ...SCOPE, userId: 'U1', channelId: CHANNEL, reference: 'R', now: new Date(ms) }
      const steps = createAuditedSteps({
        ...{ audit: store.audit, refusalLog: { write: async () => undefined }, environment: 'production' },
        request: {
          ...requester,
          act: await openAct({ ...store, errors: ACT_ERRORS, maxInFlightMs: 1 }, leased),
        },
        now: () => new Date(ms),
        recheckAccess: async () => undefined,
      })
      // Casts: only these are used.
      const context = { ...requester, ...steps, actor: { name: 'Bea' }, tell: async () => '' }
      const deps = { watching: store.watching } as unknown as Parameters<typeof onItCommands>[0]
      const args = { values: { card }, flags: {} } as unknown as Arguments
      const command = onItCommands(deps).find((one) => one.line === line)
      return command?.run(context as unknown as CommandContext, args)
    }

    const first = await press(1)
    expect(JSON.stringify(first)).toContain(effect.answer)
    ms += 5000
    expect(await press(2)).toEqual(first)
    expect(await effect.readEffect(store)).toBe(effect.expected)
    const entries = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 9 })
    expect(entries.map(({ outcome, object }) => `${outcome} ${object}`)).toEqual(['done outage shop (shop)'])
  })
})
