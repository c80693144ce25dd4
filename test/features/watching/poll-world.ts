import type { Store } from '../../../src/app/store.ts'
import type { PollFailure } from '../../../src/domain/outages/outage.ts'
import type { LeaseHolder } from '../../../src/features/watching/rows/polls.ts'
import { WATCH_WORK } from '../../../src/features/watching/rows/work.ts'
import type { PollResult } from '../../../src/features/watching/rules/decide-poll.ts'

export const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
export const POLL_KEY = { workspaceId: 'T1', kind: WATCH_WORK.poll, key: 'production' } as const

/** Claims the polling of T1's production, and returns a function that polls it with these outcomes. */
export async function claimPolling({ work }: Pick<Store, 'work'>, owner: string, intervalMs: number) {
  const [{ id: workId } = { id: '' }] = await work.claimDue(owner, [POLL_KEY.kind], 1)
  const lease: LeaseHolder = { workId, owner }
  const savePoll = async (
    { polls }: Store['watching'],
    outcome: PollResult | PollFailure,
    { as = lease, account }: { as?: LeaseHolder; account?: string } = {},
  ) => {
    const polled = await polls.find(SCOPE)
    return polled !== undefined && polls.save(polled, as, outcome, { intervalMs, account })
  }
  return { lease, savePoll }
}
