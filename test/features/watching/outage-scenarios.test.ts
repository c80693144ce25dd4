import { describe, expect, it } from 'vitest'
import { readDigestModel } from '../../../src/features/watching/digests.ts'
import { createModel, type Model } from './model/model.ts'

const PLACE = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
const SETTINGS = { calls: true, reminderHours: 1 } as const
const HOUR_MS = 3_600_000
/** Long enough for both escalation steps and one reminder. */
const WAIT_MINUTES = 75

interface Scenario {
  /** What happens before an outage, or while it is reported. */
  happens: (model: Model) => unknown
  /**
   * The reason of the message that lists the outage as down if this happens before the outage: right after the outage begins,
   * and later. Absent if it can't happen before an outage.
   */
  reasonsIfBefore?: readonly [first: string | undefined, later: string] | undefined
  /** The reason of that message, later, if this happens during a reported outage. */
  reasonIfDuring: string
  calls: readonly string[]
  reminders: number
  /** Outages, minutes down, and minutes up in a digest, which computes uptime from them. */
  digest?: readonly [outages: number, down: number, up: number] | undefined
}

const USUAL = { reasonIfDuring: 'down', calls: ['S1', 'U1'], reminders: 1, digest: [1, 77, 5] } as const
const DOWN_BOTH_TIMES = ['down', 'down'] as const
/** Nobody can be on an outage before it is reported, so these are tested only during an outage. */
const USUAL_DURING = { ...USUAL, reasonsIfBefore: undefined }

/**
 * The check is down for 77 minutes, plus the time that `happens` takes. In all cases, no message except a reminder still lists
 * it as down after it recovers, and at least one shows the recovery.
 */
const SCENARIOS: Record<string, Scenario> = {
  'a rename': {
    ...USUAL,
    happens: (model) => model.renameCheck('a1', 'check-z'),
    reasonsIfBefore: DOWN_BOTH_TIMES,
  },
  'a mute of 15 min': {
    ...USUAL,
    happens: (model) => model.mute(0, 0),
    reasonsIfBefore: [undefined, 'silence-over'],
    reasonIfDuring: 'silence-over',
  },
  'maintenance of 15 min': {
    ...USUAL,
    happens: (model) => model.planMaintenance('*', { inMinutes: 0, forMinutes: 15 }),
    reasonsIfBefore: [undefined, 'silence-over'],
    reasonIfDuring: 'silence-over',
    digest: [1, 77 - 15, 5],
  },
  'a storm': {
    ...USUAL,
    happens: (model) => [1, 2, 3, 4, 5, 6].map((index) => model.setStatus(index, 'UNHEALTHY')),
    reasonsIfBefore: ['down', 'still-down'],
  },
  flapping: {
    ...USUAL,
    happens: async (model) => {
      for (let times = 0; times < 3; times += 1) {
        await recover(model)
        await goDown(model)
      }
    },
    reasonsIfBefore: ['down', 'still-down'],
    reasonIfDuring: 'still-down',
    digest: [4, 77 + 3 * 2, 5 + 3 * 2],
  },
  'a service that can’t be reached': {
    ...USUAL,
    happens: async (model) => {
      model.setServiceFailure('unavailable')
      await model.passMinutes(8)
    },
    reasonsIfBefore: DOWN_BOTH_TIMES,
    // From the last successful poll on, time counts neither as down nor as up.
    digest: [1, 76, 5],
  },
  'a channel that is closed and reopened': {
    ...USUAL,
    happens: async (model) => {
      await model.pause(0)
      await model.passMinutes(8)
      await model.resume(0)
    },
    reasonsIfBefore: DOWN_BOTH_TIMES,
    reasonIfDuring: 'resumed',
    digest: [1, 77 + 8, 5],
  },
  'a restart': {
    ...USUAL,
    happens: (model) => model.dieAt({ afterCalls: 5, isBefore: true }),
    reasonsIfBefore: DOWN_BOTH_TIMES,
  },
  'a clock set two hours ahead': {
    ...USUAL,
    happens: (model) => model.jumpClock(120),
    reasonsIfBefore: DOWN_BOTH_TIMES,
    digest: [1, 76, 5],
  },
  // By the clock, this outage ends before it begins, so a digest can't count it.
  'a clock set back by two hours': {
    ...USUAL,
    happens: (model) => model.jumpClock(-120),
    reasonsIfBefore: DOWN_BOTH_TIMES,
    digest: undefined,
  },
  '“I’m on it”': { ...USUAL_DURING, happens: (model) => model.press('take', 1), calls: [], reminders: 0 },
  'handing over': {
    ...USUAL_DURING,
    happens: async (model) => {
      await model.press('take', 0)
      await model.press('hand-over', 1)
    },
    calls: [],
    reminders: 0,
  },
  'stepping down': {
    ...USUAL_DURING,
    happens: async (model) => {
      await model.press('take', 1)
      await model.passQuietly(3)
      await model.press('step-down', 1)
    },
    reasonIfDuring: 'still-down',
    digest: [1, 77 + 3, 5],
  },
  'an edit of the watch': {
    ...USUAL,
    happens: (model) => model.watch(0, 0, 1, { ...SETTINGS, notify: 'every' }),
    reasonsIfBefore: DOWN_BOTH_TIMES,
  },
  // Polling ends with the only watch. The new watch finds an outage that began before it was observed.
  'a watch that ends and is created again': {
    ...USUAL,
    happens: async (model) => {
      await model.unwatch(0)
      await model.watch(0, 0, 1, SETTINGS)
    },
    reasonsIfBefore: DOWN_BOTH_TIMES,
    reasonIfDuring: 'still-down',
    digest: [1, 77, 5],
  },
  'the same while another channel keeps watching': {
    ...USUAL,
    happens: async (model) => {
      await model.watch(1, 0, 1)
      await model.unwatch(0)
      await model.passQuietly(1)
      await model.watch(0, 0, 1, SETTINGS)
    },
    reasonsIfBefore: DOWN_BOTH_TIMES,
    reasonIfDuring: 'still-down',
    digest: [1, 77 + 1, 5],
  },
  'a person who is deactivated': {
    ...USUAL_DURING,
    happens: async (model) => {
      await model.press('take', 1)
      await model.passQuietly(3)
      await model.deactivatePerson(1)
    },
    reasonIfDuring: 'still-down',
    digest: [1, 77 + 3, 5],
  },
  'a check that is deleted and restored': {
    ...USUAL,
    happens: async (model) => {
      model.removeCheck(0)
      await model.passQuietly(3)
      model.setStatus(0, 'UNHEALTHY')
    },
    reasonsIfBefore: DOWN_BOTH_TIMES,
    reasonIfDuring: 'still-down',
    // While it was deleted, it doesn't count as down.
    digest: [2, 77, 5 + 3],
  },
}

describe.each(Object.entries(SCENARIOS))(
  '%s',
  { timeout: 60_000 },
  (_name, { happens, reasonsIfBefore, reasonIfDuring, calls, reminders, digest }) => {
    it.runIf(reasonsIfBefore)('is handled before an outage', async () => {
      await using model = await startWatchedModel()
      await happens(model)
      await model.passQuietly(2)
      await goDown(model)
      const first = listReasonsDown(model)
      await model.passQuietly(WAIT_MINUTES)
      expect([first, listReasonsDown(model)]).toEqual(
        reasonsIfBefore?.map((reason) => (reason === undefined ? [] : [reason])),
      )
    })

    it('is handled during a reported outage', async () => {
      await using model = await startWatchedModel()
      await goDown(model)
      await happens(model)
      await model.passQuietly(WAIT_MINUTES)
      expect(listReasonsDown(model)).toEqual([reasonIfDuring])
      expect(listPaged(model)).toEqual(calls)
      expect(listCards(model).filter(({ reason }) => reason === 'reminder')).toHaveLength(reminders)
      await recover(model)
      await model.passQuietly(2)
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
  await model.passQuietly(2)
}

async function recover(model: Model): Promise<void> {
  model.setStatus(0, 'HEALTHY')
  await model.passQuietly(2)
}

/** How each message of the channel shows the check. */
const listCards = ({ channels }: Model) =>
  [...channels.messages.values()].flatMap(({ channelId, model }) => {
    if (channelId !== PLACE.channelId) return []
    if (model.kind === 'outage')
      return [{ reason: 'down', isDown: model.state === 'down', hasRecovered: model.state === 'recovered' }]
    if (model.kind !== 'multi-check') return []
    const row = model.rows.find(({ check }) => check.uuid === 'a1')
    const isDown = row !== undefined && !row.endedAt && row.listed === 'here'
    return [{ reason: `${model.reason}`, isDown, hasRecovered: row?.endedAt !== undefined }]
  })

const listReasonsDown = (model: Model): string[] =>
  listCards(model).flatMap(({ reason, isDown }) => (isDown && reason !== 'reminder' ? [reason] : []))

/** Who was paged. */
const listPaged = ({ channels }: Model): string[] => [
  ...new Set(
    [...channels.threads.values()].flatMap(
      ({ text }) => /^<[@!](?:subteam\^)?(\w+)> Nobody/.exec(text)?.[1] ?? [],
    ),
  ),
]

function buildDigest(model: Model) {
  const to = model.now()
  const from = new Date(to.getTime() - 4 * HOUR_MS)
  const period = { from: from.toISOString(), to: to.toISOString(), timeZone: 'UTC' }
  const card = { ...PLACE, id: 'digest', kind: 'digest', openedAt: to, changedAt: to, period } as const
  return readDigestModel(model.store.watching, PLACE, card)
}
