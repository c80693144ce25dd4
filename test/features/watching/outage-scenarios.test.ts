import { describe, expect, it } from 'vitest'
import { readDigestModel } from '../../../src/features/watching/digests.ts'
import { createModel, type Model } from './model/model.ts'

const PLACE = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
const SETTINGS = { pages: true, reminderHours: 1 } as const
const HOUR_MS = 3_600_000
/** Long enough for both escalation steps and one reminder. */
const WAIT_MINUTES = 75

interface Scenario {
  /** Something that happens before an outage, or during an outage that was already reported. */
  event: (model: Model) => unknown
  /**
   * For an event before the outage: the reasons of the messages that list the outage as down, first right after its start and then
   * later. Absent if the event can't come before an outage.
   */
  reasonsIfEventBefore?: readonly [first: string | undefined, later: string] | undefined
  /** For an event during the outage: the reason of the message that lists the outage as down afterwards. */
  reasonIfEventDuring: string
  pagedIds: readonly string[]
  reminders: number
  /** The expected totals of a digest: outages, minutes down, and minutes up. */
  digest?: readonly [outages: number, down: number, up: number] | undefined
}

const DEFAULTS = {
  reasonIfEventDuring: 'down',
  pagedIds: ['S1', 'U1'],
  reminders: 1,
  digest: [1, 77, 5],
} as const
const DOWN_BOTH_TIMES = ['down', 'down'] as const
/** Tested only during an outage, because nobody can be on an outage before it is reported. */
const ONLY_DURING = { ...DEFAULTS, reasonsIfEventBefore: undefined }

/**
 * The check is down for 77 minutes, plus the time that `event` takes. After it recovers, no message except a reminder may list it
 * as down, and at least one must show the recovery.
 */
const SCENARIOS: Record<string, Scenario> = {
  'a rename': {
    ...DEFAULTS,
    event: (model) => model.renameCheck('a1', 'check-z'),
    reasonsIfEventBefore: DOWN_BOTH_TIMES,
  },
  'a mute of 15 min': {
    ...DEFAULTS,
    event: (model) => model.mute(0, 0),
    reasonsIfEventBefore: [undefined, 'silence-over'],
    reasonIfEventDuring: 'silence-over',
  },
  'maintenance of 15 min': {
    ...DEFAULTS,
    event: (model) => model.planMaintenance('*', { inMinutes: 0, forMinutes: 15 }),
    reasonsIfEventBefore: [undefined, 'silence-over'],
    reasonIfEventDuring: 'silence-over',
    digest: [1, 77 - 15, 5],
  },
  'a storm': {
    ...DEFAULTS,
    event: (model) => [1, 2, 3, 4, 5, 6].map((index) => model.setStatus(index, 'UNHEALTHY')),
    reasonsIfEventBefore: ['down', 'still-down'],
  },
  flapping: {
    ...DEFAULTS,
    event: async (model) => {
      for (let times = 0; times < 3; times += 1) {
        await recover(model)
        await goDown(model)
      }
    },
    reasonsIfEventBefore: ['down', 'still-down'],
    reasonIfEventDuring: 'still-down',
    digest: [4, 77 + 3 * 2, 5 + 3 * 2],
  },
  'a service that can’t be reached': {
    ...DEFAULTS,
    event: async (model) => {
      model.setServiceFailure('unavailable')
      await model.passMinutes(8)
    },
    reasonsIfEventBefore: DOWN_BOTH_TIMES,
    // After the last successful poll, time counts neither as down nor as up.
    digest: [1, 76, 5],
  },
  'a channel that is closed and reopened': {
    ...DEFAULTS,
    event: async (model) => {
      await model.pause(0)
      await model.passMinutes(8)
      await model.resume(0)
    },
    reasonsIfEventBefore: DOWN_BOTH_TIMES,
    reasonIfEventDuring: 'resumed',
    digest: [1, 77 + 8, 5],
  },
  'a restart': {
    ...DEFAULTS,
    event: (model) => model.dieAt({ afterCalls: 5, isBefore: true }),
    reasonsIfEventBefore: DOWN_BOTH_TIMES,
  },
  'a clock set two hours ahead': {
    ...DEFAULTS,
    event: (model) => model.jumpClock(120),
    reasonsIfEventBefore: DOWN_BOTH_TIMES,
    digest: [1, 76, 5],
  },
  // On the changed clock, this outage ends before it begins, so a digest can't count it.
  'a clock set back by two hours': {
    ...DEFAULTS,
    event: (model) => model.jumpClock(-120),
    reasonsIfEventBefore: DOWN_BOTH_TIMES,
    digest: undefined,
  },
  '“I’m on it”': { ...ONLY_DURING, event: (model) => model.press('take', 1), pagedIds: [], reminders: 0 },
  'handing over': {
    ...ONLY_DURING,
    event: async (model) => {
      await model.press('take', 0)
      await model.press('hand-over', 1)
    },
    pagedIds: [],
    reminders: 0,
  },
  'stepping down': {
    ...ONLY_DURING,
    event: async (model) => {
      await model.press('take', 1)
      await model.passWithoutFaults(3)
      await model.press('step-down', 1)
    },
    reasonIfEventDuring: 'still-down',
    digest: [1, 77 + 3, 5],
  },
  'an edit of the watch': {
    ...DEFAULTS,
    event: (model) => model.watch(0, 0, 1, { ...SETTINGS, notify: 'every' }),
    reasonsIfEventBefore: DOWN_BOTH_TIMES,
  },
  // Polling ends with the only watch. The new watch finds an outage that began before it was observed.
  'a watch that ends and is created again': {
    ...DEFAULTS,
    event: async (model) => {
      await model.unwatch(0)
      await model.watch(0, 0, 1, SETTINGS)
    },
    reasonsIfEventBefore: DOWN_BOTH_TIMES,
    reasonIfEventDuring: 'still-down',
    digest: [1, 77, 5],
  },
  'a watch that ends and is created again while another channel keeps watching': {
    ...DEFAULTS,
    event: async (model) => {
      await model.watch(1, 0, 1)
      await model.unwatch(0)
      await model.passWithoutFaults(1)
      await model.watch(0, 0, 1, SETTINGS)
    },
    reasonsIfEventBefore: DOWN_BOTH_TIMES,
    reasonIfEventDuring: 'still-down',
    digest: [1, 77 + 1, 5],
  },
  'a person who is deactivated': {
    ...ONLY_DURING,
    event: async (model) => {
      await model.press('take', 1)
      await model.passWithoutFaults(3)
      await model.deactivatePerson(1)
    },
    reasonIfEventDuring: 'still-down',
    digest: [1, 77 + 3, 5],
  },
  'a check that is deleted and restored': {
    ...DEFAULTS,
    event: async (model) => {
      model.removeCheck(0)
      await model.passWithoutFaults(3)
      model.setStatus(0, 'UNHEALTHY')
    },
    reasonsIfEventBefore: DOWN_BOTH_TIMES,
    reasonIfEventDuring: 'still-down',
    // The check doesn't count as down while it was deleted.
    digest: [2, 77, 5 + 3],
  },
}

describe.each(Object.entries(SCENARIOS))(
  '%s',
  { timeout: 60_000 },
  (_name, { event, reasonsIfEventBefore, reasonIfEventDuring, pagedIds, reminders, digest }) => {
    it.runIf(reasonsIfEventBefore)('before an outage leads to the right messages', async () => {
      await using model = await startWatchedModel()
      await event(model)
      await model.passWithoutFaults(2)
      await goDown(model)
      const first = listReasonsDown(model)
      await model.passWithoutFaults(WAIT_MINUTES)
      expect([first, listReasonsDown(model)]).toEqual(
        reasonsIfEventBefore?.map((reason) => (reason === undefined ? [] : [reason])),
      )
    })

    it('during a reported outage leads to the right messages, pages, and reminders', async () => {
      await using model = await startWatchedModel()
      await goDown(model)
      await event(model)
      await model.passWithoutFaults(WAIT_MINUTES)
      expect(listReasonsDown(model)).toEqual([reasonIfEventDuring])
      expect(listPaged(model)).toEqual(pagedIds)
      expect(listCards(model).filter(({ reason }) => reason === 'reminder')).toHaveLength(reminders)
      await recover(model)
      await model.passWithoutFaults(2)
      expect(listReasonsDown(model)).toEqual([])
      expect(listCards(model).some(({ hasRecovered }) => hasRecovered)).toBe(true)
      if (!digest) return
      const { checks } = await buildDigest(model)
      const { outages, downMs = 0, uptime = 0 } = checks.find(({ check }) => check.uuid === 'a1') ?? {}
      const upMs = (downMs * uptime) / (1 - uptime)
      expect([outages, Math.round(downMs / 60_000), Math.round(upMs / 60_000)]).toEqual(digest)
    })
  },
)

async function startWatchedModel(): Promise<Model> {
  const model = await createModel()
  await model.watch(0, 0, 1, SETTINGS)
  await model.passMinute()
  return model
}

async function goDown(model: Model): Promise<void> {
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(2)
}

async function recover(model: Model): Promise<void> {
  model.setStatus(0, 'HEALTHY')
  await model.passWithoutFaults(2)
}

/** Returns each card's reason, and whether it shows the check as down or recovered. */
const listCards = ({ channels }: Model) =>
  [...channels.messages.values()].flatMap(({ channelId, model }) => {
    if (channelId !== PLACE.channelId || model.kind !== 'card') return []
    const row = model.rows.find(({ check }) => check.uuid === 'a1')
    const isDown = row?.isDown === true
    return [{ reason: model.reason, isDown, hasRecovered: row !== undefined && !isDown }]
  })

const listReasonsDown = (model: Model): string[] =>
  listCards(model).flatMap(({ reason, isDown }) => (isDown && reason !== 'reminder' ? [reason] : []))

/** Who was paged. */
const listPaged = ({ channels }: Model): string[] => [
  ...new Set(channels.pagedPeople.map((page) => page.split(' ')[0] ?? '')),
]

function buildDigest(model: Model) {
  const to = model.now()
  const from = new Date(to.getTime() - 4 * HOUR_MS)
  const period = { from: from.toISOString(), to: to.toISOString(), timeZone: 'UTC' }
  return readDigestModel(model.store.watching, PLACE, { openedAt: to, period })
}
