import { type LateOutcomes, openAct, type Steps, type Work } from '@signalman/durable'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import type { Store } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/act-errors.ts'
import { createAuditedSteps } from '../../../src/bot/audit/audited-step.ts'
import type { CommandContext } from '../../../src/bot/routes/command-context.ts'

const REQUESTER = { workspaceId: 'T1', environment: 'production', userId: 'U1', reference: 'R' } as const

/** Stores an act, without running it. */
export const storeAct = async ({ work }: Pick<Store, 'work'>): Promise<Work> =>
  (await work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')).work

/** The context of a command in an act, in its first run or, with more `attempts`, in one after a crash. It has only what is given. */
export async function openActContext(
  store: Store,
  work: Work,
  attempts: number,
  others: Partial<CommandContext> = {},
): Promise<CommandContext> {
  const { now = new Date() } = others
  const leased = trackLeasedWork('me').add({ ...work, attempts })
  const steps = createAuditedSteps({
    ...{ audit: store.audit, refusalLog: { write: async () => undefined }, environment: 'production' },
    request: {
      ...{ ...REQUESTER, channelId: others.channelId },
      act: await openAct({ ...store, errors: ACT_ERRORS, maxInFlightMs: 1 }, leased),
    },
    now: () => now,
    recheckAccess: async () => undefined,
  })
  return { ...REQUESTER, now, actor: { name: 'Bea' }, ...steps, ...others } as CommandContext
}

/** Takes each outcome as late: the database has it only once somebody waits for it. */
export function storeWhenAwaited(
  steps: Pick<Steps, 'recordOutcome'>,
): Pick<LateOutcomes, 'recordOutcome' | 'whenSettled'> {
  const late: (() => Promise<unknown>)[] = []
  return {
    recordOutcome: async (...outcome) => void late.push(() => steps.recordOutcome(...outcome)),
    whenSettled: async () => void (await Promise.all(late.map((store) => store()))),
  }
}
