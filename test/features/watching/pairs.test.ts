import { describe, expect, it } from 'vitest'
import { digestModel } from '../../../src/features/watching/digests.ts'
import { createModel, type Model } from './model/model.ts'

const PLACE = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
const SETTINGS = { calls: true, reminderHours: 1 } as const
const HOUR_MS = 3_600_000
/** Long enough for both escalation steps and one reminder. */
const LATER_MINUTES = 75

interface Pair {
  /** What happens before an outage, or while it is reported. */
  happens: (model: Model) => unknown
  /**
   * If it happened before the outage: the reason of the message that lists the outage as down, right after its start and
   * later.
   */
  post?: readonly [atOnce: string | undefined, later: string] | undefined
  /** If it happened during a reported outage: the same, later. */
  still: string
  calls: readonly string[]
  reminders: number
  /** Outages, minutes down, and minutes up in a digest: uptime is made of these. */
  digest?: readonly [outages: number, down: number, up: number] | undefined
}

const usual = { still: 'down', calls: ['S1', 'U1'], reminders: 1, digest: [1, 77, 5] } as const
const atOnce = ['down', 'down'] as const
/** Nobody can be on an outage before it is reported, so these are tested only during an outage. */
const onIt = { ...usual, post: undefined }

/**
 * The check is down for 77 minutes, plus the time that `happens` takes. In all cases, no message except a reminder still lists
 * it as down after it recovers, and at least one shows the recovery.
 */
const PAIRS: Record<string, Pair> = {
  'a rename': { ...usual, happens: (model) => model.rename('a1', 'check-z'), post: atOnce },
  'a mute of 15 min': {
    ...usual,
    happens: (model) => model.mute(0, 0),
    post: [undefined, 'silence-over'],
    still: 'silence-over',
  },
  'maintenance of 15 min': {
    ...usual,
    happens: (model) => model.plan('*', { inMinutes: 0, forMinutes: 15 }),
    post: [undefined, 'silence-over'],
    still: 'silence-over',
    digest: [1, 77 - 15, 5],
  },
  'a storm': {
    ...usual,
    happens: (model) => [1, 2, 3, 4, 5, 6].map((index) => model.set(index, 'UNHEALTHY')),
    post: ['down', 'still-down'],
  },
  flapping: {
    ...usual,
    happens: async (model) => {
      for (let times = 0; times < 3; times += 1) {
        await recover(model)
        await goDown(model)
      }
    },
    post: ['down', 'still-down'],
    still: 'still-down',
    digest: [4, 77 + 3 * 2, 5 + 3 * 2],
  },
  'a service that can’t be reached': {
    ...usual,
    happens: async (model) => {
      model.service('unavailable')
      await model.pass(8)
    },
    post: atOnce,
    // From the last successful poll on, time counts neither as down nor as up.
    digest: [1, 76, 5],
  },
  'a channel that is closed and reopened': {
    ...usual,
    happens: async (model) => {
      await model.pause(0)
      await model.pass(8)
      await model.resume(0)
    },
    post: atOnce,
    still: 'resumed',
    digest: [1, 77 + 8, 5],
  },
  'a restart': {
    ...usual,
    happens: (model) => model.dieAt({ afterCalls: 5, isBefore: true }),
    post: atOnce,
  },
  'a clock set two hours ahead': {
    ...usual,
    happens: (model) => model.jump(120),
    post: atOnce,
    digest: [1, 76, 5],
  },
  // By the clock, this outage ends before it begins, so a digest can't count it.
  'a clock set back by two hours': {
    ...usual,
    happens: (model) => model.jump(-120),
    post: atOnce,
    digest: undefined,
  },
  '“I’m on it”': { ...onIt, happens: (model) => model.press('take', 1), calls: [], reminders: 0 },
  'handing over': {
    ...onIt,
    happens: async (model) => {
      await model.press('take', 0)
      await model.press('hand-over', 1)
    },
    calls: [],
    reminders: 0,
  },
  'stepping down': {
    ...onIt,
    happens: async (model) => {
      await model.press('take', 1)
      await model.quietly(3)
      await model.press('step-down', 1)
    },
    still: 'still-down',
    digest: [1, 77 + 3, 5],
  },
  'an edit of the watch': {
    ...usual,
    happens: (model) => model.watch(0, 0, 1, { ...SETTINGS, notify: 'every' }),
    post: atOnce,
  },
  // Polling ends with the only watch. The new watch finds an outage that began before it was observed.
  'a watch that ends and is created again': {
    ...usual,
    happens: async (model) => {
      await model.unwatch(0)
      await model.watch(0, 0, 1, SETTINGS)
    },
    post: atOnce,
    still: 'still-down',
    digest: [1, 77, 5],
  },
  'the same while another channel keeps watching': {
    ...usual,
    happens: async (model) => {
      await model.watch(1, 0, 1)
      await model.unwatch(0)
      await model.quietly(1)
      await model.watch(0, 0, 1, SETTINGS)
    },
    post: atOnce,
    still: 'still-down',
    digest: [1, 77 + 1, 5],
  },
  'a person who is deactivated': {
    ...onIt,
    happens: async (model) => {
      await model.press('take', 1)
      await model.quietly(3)
      await model.leave(1)
    },
    still: 'still-down',
    digest: [1, 77 + 3, 5],
  },
  'a check that is deleted and restored': {
    ...usual,
    happens: async (model) => {
      model.remove(0)
      await model.quietly(3)
      model.set(0, 'UNHEALTHY')
    },
    post: atOnce,
    still: 'still-down',
    // While it was deleted, it doesn't count as down.
    digest: [2, 77, 5 + 3],
  },
}

describe.each(Object.entries(PAIRS))(
  '%s',
  { timeout: 60_000 },
  (_name, { happens, post, still, calls, reminders, digest }) => {
    it.runIf(post)('is handled before an outage', async () => {
      await using model = await watched()
      await happens(model)
      await model.quietly(2)
      await goDown(model)
      const first = listReasonsDown(model)
      await model.quietly(LATER_MINUTES)
      expect([first, listReasonsDown(model)]).toEqual(
        post?.map((reason) => (reason === undefined ? [] : [reason])),
      )
    })

    it('is handled during a reported outage', async () => {
      await using model = await watched()
      await goDown(model)
      await happens(model)
      await model.quietly(LATER_MINUTES)
      expect(listReasonsDown(model)).toEqual([still])
      expect(listPaged(model)).toEqual(calls)
      expect(cards(model).filter(({ reason }) => reason === 'reminder')).toHaveLength(reminders)
      await recover(model)
      await model.quietly(2)
      expect(listReasonsDown(model)).toEqual([])
      expect(cards(model).some(({ hasRecovered }) => hasRecovered)).toBe(true)
      if (!digest) return
      const { checks } = await digestNow(model)
      const { outages, downMs = 0, uptime = 0 } = checks.find(({ check }) => check.uuid === 'a1') ?? {}
      const upMs = (downMs * uptime) / (1 - uptime)
      expect([outages, Math.round(downMs / 60_000), Math.round(upMs / 60_000)]).toEqual(digest)
    })
  },
)

async function watched(): Promise<Model> {
  const model = await createModel()
  await model.watch(0, 0, 1, SETTINGS)
  await model.minute()
  return model
}

async function goDown(model: Model): Promise<void> {
  model.set(0, 'UNHEALTHY')
  await model.quietly(2)
}

async function recover(model: Model): Promise<void> {
  model.set(0, 'HEALTHY')
  await model.quietly(2)
}

/** How each message of the channel shows the check. */
const cards = ({ channels }: Model) =>
  [...channels.messages.values()].flatMap(({ channelId, model }) => {
    if (channelId !== PLACE.channelId) return []
    if (model.kind === 'outage')
      return [{ reason: 'down', isDown: model.state === 'down', hasRecovered: model.state === 'recovered' }]
    if (model.kind !== 'many') return []
    const row = model.rows.find(({ check }) => check.uuid === 'a1')
    const isDown = row !== undefined && !row.endedAt && row.listed === 'here'
    return [{ reason: `${model.reason}`, isDown, hasRecovered: row?.endedAt !== undefined }]
  })

const listReasonsDown = (model: Model): string[] =>
  cards(model).flatMap(({ reason, isDown }) => (isDown && reason !== 'reminder' ? [reason] : []))

/** Who was paged. */
const listPaged = ({ channels }: Model): string[] => [
  ...new Set(
    [...channels.threads.values()].flatMap(
      ({ text }) => /^<[@!](?:subteam\^)?(\w+)> Nobody/.exec(text)?.[1] ?? [],
    ),
  ),
]

function digestNow(model: Model) {
  const to = model.now()
  const from = new Date(to.getTime() - 4 * HOUR_MS)
  const period = { from: from.toISOString(), to: to.toISOString(), timeZone: 'UTC' }
  const card = { ...PLACE, id: 'digest', kind: 'digest', openedAt: to, changedAt: to, period } as const
  return digestModel(model.store.watching, PLACE, card)
}
