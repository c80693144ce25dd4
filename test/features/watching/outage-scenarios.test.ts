import { describe, expect, it } from 'vitest'
import { readDigestModel } from '../../../src/features/watching/digests.ts'
import { IS_LONG } from '../../long.ts'
import { readSeed } from '../../random.ts'
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
   * For an event before the outage: the reasons of the messages right after its start, and later. Absent if the event can't come
   * before an outage.
   */
  ifBefore?: readonly [first: readonly string[], later: readonly string[]] | undefined
  /** The reasons of the messages if the event comes during the outage. */
  ifDuring: readonly string[]
  pagedIds: readonly string[]
  /** How many cards list it as down at the end. */
  downCards?: number
  /** The expected totals of a digest: outages, minutes down, and minutes up. */
  digest?: readonly [outages: number, down: number, up: number] | undefined
}

const DEFAULTS = {
  ifDuring: ['down', 'reminder'],
  pagedIds: ['S1', 'U1'],
  digest: [1, 78, 15],
} as const
const AS_USUAL = [['down'], ['down', 'reminder']] as const
/** Tested only during an outage, because nobody can be on an outage before it is reported. */
const ONLY_DURING = { ...DEFAULTS, ifBefore: undefined }

/**
 * The check is down for 77 minutes, plus the time that `event` takes. After it recovers, no message except a reminder may list it
 * as down, and at least one must show the recovery.
 */
const SCENARIOS: Record<string, Scenario> = {
  'a rename': {
    ...DEFAULTS,
    event: (model) => model.renameCheck('a1', 'check-z'),
    ifBefore: AS_USUAL,
  },
  'a mute of 15 min': {
    ...DEFAULTS,
    event: (model) => model.mute(0, 0),
    ifBefore: [[], ['silence-over', 'reminder']],
    ifDuring: ['down', 'silence-over', 'reminder'],
  },
  'maintenance of 15 min': {
    ...DEFAULTS,
    event: (model) => model.planMaintenance('*', { inMinutes: 0, forMinutes: 15 }),
    ifBefore: [[], ['silence-over', 'reminder']],
    ifDuring: ['down', 'silence-over', 'reminder'],
    digest: [1, 78 - 15, 15],
  },
  'a storm': {
    ...DEFAULTS,
    event: (model) => [1, 2, 3, 4, 5, 6].map((index) => model.setStatus(index, 'UNHEALTHY')),
    ifBefore: [['down'], ['down', 'down', 'reminder']],
    ifDuring: ['down', 'down', 'reminder'],
  },
  flapping: {
    ...DEFAULTS,
    event: async (model) => {
      for (let times = 0; times < 3; times += 1) {
        await recover(model)
        await goDown(model)
      }
    },
    ifBefore: [
      ['down', 'still-down'],
      ['down', 'still-down', 'reminder'],
    ],
    ifDuring: ['down', 'still-down', 'reminder'],
    // Up and down within ten minutes is the same incident.
    digest: [1, 78 + 3 * 2, 15 + 3 * 2],
  },
  'a service that can’t be reached': {
    ...DEFAULTS,
    event: async (model) => {
      model.setServiceFailure('unavailable')
      await model.passMinutes(8)
    },
    ifBefore: [
      ['down', 'down'],
      ['down', 'down', 'reminder'],
    ],
    // After the last successful poll, time counts neither as down nor as up.
    digest: [1, 77, 15],
    ifDuring: ['down', 'down', 'reminder'],
  },
  'a channel that is closed and reopened': {
    ...DEFAULTS,
    event: async (model) => {
      await model.pause(0)
      await model.passMinutes(8)
      await model.resume(0)
    },
    ifBefore: AS_USUAL,
    ifDuring: ['down', 'resumed', 'reminder'],
    digest: [1, 78 + 8, 15],
  },
  'a restart': {
    ...DEFAULTS,
    event: (model) => model.dieAt({ afterCalls: 5, isBefore: true }),
    ifBefore: AS_USUAL,
  },
  'a clock set two hours ahead': {
    ...DEFAULTS,
    event: (model) => model.jumpClock(120),
    ifBefore: AS_USUAL,
    digest: [1, 77, 15],
  },
  // On the changed clock, this outage ends before it begins, so a digest can't count it.
  'a clock set back by two hours': {
    ...DEFAULTS,
    event: (model) => model.jumpClock(-120),
    ifBefore: AS_USUAL,
    digest: undefined,
  },
  '“I’m on it”': {
    ...ONLY_DURING,
    event: (model) => model.press('take', 1),
    ifDuring: ['down'],
    pagedIds: [],
  },
  'handing over': {
    ...ONLY_DURING,
    event: async (model) => {
      await model.press('take', 0)
      await model.press('hand-over', 1)
    },
    ifDuring: ['down'],
    pagedIds: [],
  },
  'stepping down': {
    ...ONLY_DURING,
    event: async (model) => {
      await model.press('take', 1)
      await model.passWithoutFaults(3)
      await model.press('step-down', 1)
    },
    ifDuring: ['down', 'still-down', 'reminder'],
    digest: [1, 78 + 3, 15],
  },
  'an edit of the watch': {
    ...DEFAULTS,
    event: (model) => model.watch(0, 0, 1, { ...SETTINGS, notify: 'every' }),
    ifBefore: AS_USUAL,
  },
  // Polling ends with the only watch. The new watch finds an outage that began before it was observed.
  'a watch that ends and is created again': {
    ...DEFAULTS,
    event: async (model) => {
      await model.unwatch(0)
      await model.watch(0, 0, 1, SETTINGS)
    },
    ifBefore: AS_USUAL,
    ifDuring: ['down'],
    digest: [1, 78, 15],
    pagedIds: [],
    downCards: 0,
  },
  'a watch that ends and is created again while another channel keeps watching': {
    ...DEFAULTS,
    event: async (model) => {
      await model.watch(1, 0, 1)
      await model.unwatch(0)
      await model.passWithoutFaults(1)
      await model.watch(0, 0, 1, SETTINGS)
    },
    ifBefore: AS_USUAL,
    ifDuring: ['down'],
    digest: [1, 78 + 1, 15],
    pagedIds: [],
    downCards: 0,
  },
  'a person who is deactivated': {
    ...ONLY_DURING,
    event: async (model) => {
      await model.press('take', 1)
      await model.passWithoutFaults(3)
      await model.deactivatePerson(1)
    },
    ifDuring: ['down', 'still-down', 'reminder'],
    digest: [1, 78 + 3, 15],
  },
  'a check that is deleted and restored': {
    ...DEFAULTS,
    event: async (model) => {
      model.removeCheck(0)
      await model.passWithoutFaults(3)
      model.setStatus(0, 'UNHEALTHY')
    },
    ifBefore: AS_USUAL,
    ifDuring: ['down', 'down', 'reminder'],
    // The check doesn't count as down while it was deleted.
    digest: [2, 78, 15 + 3],
  },
}

/**
 * In a quick run, half of the events that can come before an outage come before it, and the others during it. The seed chooses which,
 * so the next run may choose the opposite.
 */
const CASES = Object.entries(SCENARIOS).map(([name, scenario], nth) => {
  const isBefore = scenario.ifBefore !== undefined && (nth + readSeed()) % 2 === 0
  return { name, ...scenario, runs: IS_LONG ? 'both' : isBefore ? 'before' : 'during' }
})

describe.each(CASES)(
  '$name',
  { timeout: 60_000 },
  ({ event, ifBefore, ifDuring, pagedIds, downCards = 1, digest, runs }) => {
    it.runIf(ifBefore && runs !== 'during')('before an outage leads to the right messages', async () => {
      await using model = await startWatchedModel()
      await event(model)
      await model.passWithoutFaults(2)
      await goDown(model)
      const first = listReasons(model)
      await model.passWithoutFaults(WAIT_MINUTES)
      expect([first, listReasons(model)]).toEqual(ifBefore)
    })

    it.skipIf(runs === 'before')(
      'during a reported outage leads to the right messages and pages',
      async () => {
        await using model = await startWatchedModel()
        await goDown(model)
        await event(model)
        await model.passWithoutFaults(WAIT_MINUTES)
        expect([listReasons(model), listPaged(model)]).toEqual([ifDuring, pagedIds])
        await model.passWithoutFaults(1)
        expect(listCards(model).filter(({ isDown }) => isDown)).toHaveLength(downCards)
        await recover(model)
        await model.passWithoutFaults(12)
        expect(listCards(model).some(({ isDown }) => isDown)).toBe(false)
        expect(listCards(model).some(({ hasRecovered }) => hasRecovered)).toBe(true)
        if (!digest) return
        const { checks } = await buildDigest(model)
        const { outages, downMs = 0, uptime = 0 } = checks.find(({ check }) => check.uuid === 'a1') ?? {}
        const upMs = (downMs * uptime) / (1 - uptime)
        expect([outages, Math.round(downMs / 60_000), Math.round(upMs / 60_000)]).toEqual(digest)
      },
    )
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

/** The reasons of all cards that were posted, oldest first. */
const listReasons = (model: Model): string[] => listCards(model).map(({ reason }) => reason)

/** Who was paged. */
const listPaged = ({ channels }: Model): string[] => [...new Set(channels.pagedPeople)]

function buildDigest(model: Model) {
  const to = model.now()
  const from = new Date(to.getTime() - 4 * HOUR_MS)
  const period = { from: from.toISOString(), to: to.toISOString(), timeZone: 'UTC' }
  return readDigestModel(model.store.watching, PLACE, { openedAt: to, period })
}
