import type { Message } from '@signalman/slack'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { ThreatCases } from '../rows/cases.ts'
import { type HomeCases, PAGE_SIZE, type QueueAsked, queueView } from './views/queue.ts'

/** At most this many cases are counted; a page beyond them is still shown. */
const MOST_COUNTED = 1000
const SHOWN_AT_HOME = 5
const ENVIRONMENTS: readonly Environment[] = ['production', 'ote']

/** One page of the cases of an environment. */
export async function listCases(
  cases: Pick<ThreatCases, 'list' | 'count'>,
  context: Requester,
  asked: QueueAsked,
): Promise<Message> {
  const { workspaceId, userId, now } = context
  const { environment, state, isMine } = asked
  const filter = { workspaceId, environment, state, ...(isMine && { holderId: userId }) }
  const total = await cases.count(filter, MOST_COUNTED)
  // There may be cases beyond those that were counted.
  const last = total < MOST_COUNTED ? Math.max(1, Math.ceil(total / PAGE_SIZE)) : Number.POSITIVE_INFINITY
  const page = Math.min(asked.page, last)
  const found = await cases.list({ ...filter, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE })
  return queueView({ cases: found, page, total, most: MOST_COUNTED }, { ...asked, page }, now)
}

/** The cases that concern this person. */
export async function readHomeCases(
  cases: Pick<ThreatCases, 'list' | 'count'>,
  { workspaceId, userId }: Pick<Requester, 'workspaceId' | 'userId'>,
): Promise<HomeCases> {
  const found = await Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const where = { workspaceId, environment }
      const [mine, count] = await Promise.all([
        cases.list({ ...where, holderId: userId, limit: SHOWN_AT_HOME }),
        cases.count(where, MOST_COUNTED),
      ])
      return { environment, mine, count }
    }),
  )
  return {
    mine: found.flatMap(({ mine }) => mine).slice(0, SHOWN_AT_HOME),
    open: found.map(({ environment, count }) => ({ environment, count })),
    most: MOST_COUNTED,
  }
}
