import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CommandContext } from '../../../src/bot/routes/command-context.ts'
import { previewWatch } from '../../../src/features/watching/preview-watch.ts'
import type { WatchField, WatchTerms } from '../../../src/features/watching/rules/watch.ts'
import { watchedView } from '../../../src/features/watching/views/outcomes.ts'
import { previewView } from '../../../src/features/watching/views/preview.ts'
import { createModel, type Model } from './model/model.ts'

const rule = (field: WatchField, pattern: string) => ({ field, pattern })
const only = (...include: ReturnType<typeof rule>[]) => ({ filter: { include, exclude: [] } })
const but = (...exclude: ReturnType<typeof rule>[]) => ({ filter: { include: [], exclude } })
const EVERYTHING = only()
const BOTH = only(rule('status', 'UNHEALTHY'), rule('status', 'INSTALLING'))

let model: Model

/** a1 falls three times, the last time soon after the second; a2 for one poll; b1 is stuck in being installed. */
beforeAll(async () => {
  model = await createModel()
  await model.watch(0, 0, 1, BOTH)
  await model.minute()
  const fall = async (index: number, status: string, minutes: number, up: number) => {
    model.set(index, status)
    await model.quietly(minutes)
    model.set(index, 'HEALTHY')
    await model.quietly(up)
  }
  await fall(0, 'UNHEALTHY', 4, 40)
  await fall(0, 'UNHEALTHY', 4, 5)
  await fall(0, 'UNHEALTHY', 2, 40)
  await fall(1, 'UNHEALTHY', 1, 40)
  await fall(3, 'INSTALLING', 4, 5)
}, 60_000)
afterAll(() => model[Symbol.asyncDispose]())

const preview = (terms: Partial<WatchTerms>) => {
  const place = { workspaceId: 'T1', environment: 'production', now: model.now() }
  // A preview asks for nothing else of it.
  const asked = { ...EVERYTHING, afterBadPolls: 1, notify: 'once', reminderHours: 0, ...terms } as const
  return previewWatch({ watching: model.store.watching, pollMs: 60_000 }, place as CommandContext, asked)
}

it.each<{ terms: Partial<WatchTerms>; messages: number; outages: number; tooShort?: number }>([
  { terms: EVERYTHING, messages: 3, outages: 4 },
  { terms: { afterBadPolls: 2 }, messages: 2, outages: 3, tooShort: 1 },
  { terms: { afterBadPolls: 3 }, messages: 2, outages: 2, tooShort: 2 },
  { terms: { afterBadPolls: 5 }, messages: 0, outages: 0, tooShort: 4 },
  { terms: { notify: 'every' }, messages: 4, outages: 4 },
  { terms: only(rule('name', 'check-a2')), messages: 1, outages: 1 },
  { terms: but(rule('name', '*-a1')), messages: 1, outages: 1 },
  { terms: only(rule('target', '*//a1.*')), messages: 2, outages: 3 },
  { terms: only(rule('uuid', 'a1'), rule('uuid', 'a2')), messages: 3, outages: 4 },
  { terms: only(rule('protocol', 'TCP')), messages: 0, outages: 0 },
  { terms: only(rule('customer', '7')), messages: 0, outages: 0 },
  { terms: only(rule('status', 'INSTALLING')), messages: 1, outages: 1 },
  { terms: BOTH, messages: 4, outages: 5 },
])('$terms would have told $messages messages', async ({ terms, messages, outages, tooShort = 0 }) => {
  expect(await preview(terms)).toMatchObject({ messages, outages, tooShort, unseen: [] })
})

it('says how much was observed, and of which status nothing is known', async () => {
  await using other = await createModel()
  await other.watch(0, 0, 1)
  await other.quietly(10)
  const place = { workspaceId: 'T1', environment: 'production', now: other.now() } as CommandContext
  const terms = { ...BOTH, afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const
  const found = await previewWatch({ watching: other.store.watching, pollMs: 60_000 }, place, terms)
  expect(found).toMatchObject({ unseen: ['INSTALLING'], messages: 0 })
  expect(found.observedMs).toBeGreaterThan(0)
  expect(found.observedMs).toBeLessThan(11 * 60_000)
})

it.each([
  [5, /^0 messages last week\. Nothing is saved yet\.$/, /4 outages of its .* over too soon for it/],
  [1, /^3 messages last week, about 4 outages of 2 health checks; the rest are edits/, /Nothing is saved/],
] as const)('of %i bad polls says nothing that is not so', async (afterBadPolls, first, also) => {
  const terms = { ...EVERYTHING, afterBadPolls, notify: 'once', reminderHours: 0 } as const
  const { text } = previewView({ terms, values: {}, preview: await preview(terms) })
  expect(text.split('\n')[0]).toMatch(first)
  expect(text).toMatch(also)
})

it('calls nothing down of a watch of what is being installed', async () => {
  const filter = { include: [{ field: 'status', pattern: 'INSTALLING' }], exclude: [] } as const
  const terms = { filter, afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const
  const found = await preview(terms)
  const words = (some: Partial<typeof found>) =>
    previewView({ terms, values: {}, preview: { ...found, ...some } }).text
  expect(words({ messages: 0, outages: 0, tooShort: 0 })).toMatch(
    /^0 messages last week: nothing of it began to be /,
  )
  expect(words({ messages: 1, outages: 1, checks: 1 })).toMatch(
    /^1 message last week, about 1 installation of 1 /,
  )
  expect(words({ unseen: ['INSTALLING'] })).toContain('Nobody looked for what is installing, so none of that')
  const watch = { ...terms, id: 'w', environment: 'production', channelId: 'C1' } as const
  const { text } = watchedView({ watch, what: 'new', here: ['C1', undefined] })
  expect(text).toMatch(
    /^From now on, this channel is told when these begin to be installed, and when they are: /,
  )
  expect(text).toContain('What is installing already is not told')
})
