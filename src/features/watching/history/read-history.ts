import type { Message } from '../../../blocks/message.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { DAY_MS } from '../../../domain/durations.ts'
import { findCheck } from '../../../domain/find-check.ts'
import { WATCHING_KEPT_DAYS } from '../../../domain/watching/kept-days.ts'
import type { ObservedInterval, Outage } from '../../../domain/watching/outage.ts'
import { clipped } from '../../../domain/watching/uptime.ts'
import { UserError } from '../../../errors.ts'
import type { WatchStore } from '../../../store/store.ts'
import { historyLine, historyView } from '../views/history.ts'
import { sumHistory } from './sum-history.ts'

const MOST_OUTAGES = 5000

/** Reads outages and uptime of the last days, for one check or all. Throws UserError for too few or too many days. */
export async function readHistory(
  { history }: Pick<WatchStore, 'history'>,
  context: CommandContext,
  words: readonly string[],
  typedDays: string | true | undefined,
): Promise<Message> {
  const days = readDays(typedDays)
  const check =
    words.length > 0 ? await findCheck(context, words, (uuid) => historyLine({ uuid }, days)) : undefined
  const { workspaceId, environment, now } = context
  const span = { from: new Date(now.getTime() - days * DAY_MS), to: now }
  const of = { workspaceId, environment, ...span }
  const [outages, observed, { timeZone = 'UTC' }] = await Promise.all([
    history.outages({ ...of, ...(check && { uuid: check.uuid }), limit: MOST_OUTAGES }),
    history.observed(of),
    context.actor(),
  ])
  return historyView({
    sum: sumHistory(outages, sinceMade(observed, check?.createdAt, outages), span, timeZone),
    check,
    days,
    timeZone,
    environment,
    now,
    isCut: outages.length === MOST_OUTAGES,
    latest: outages.toReversed(),
  })
}

/** What was observed of a check that was made then. All of it where the service does not say when. */
function sinceMade(
  observed: readonly ObservedInterval[],
  madeAt: Date | undefined,
  [first]: readonly Outage[],
): readonly ObservedInterval[] {
  const end = observed.at(-1)?.to
  if (!madeAt || !end) return observed
  // By this clock it may have been down before it was made by the service's.
  return clipped(observed, first && first.startedAt < madeAt ? first.startedAt : madeAt, end)
}

function readDays(typed: string | true | undefined): number {
  if (typed === undefined) return 7
  if (
    typeof typed === 'string' &&
    /^\d{1,2}$/.test(typed) &&
    Number(typed) >= 1 &&
    Number(typed) <= WATCHING_KEPT_DAYS
  )
    return Number(typed)
  throw new UserError(`--days takes 1 to ${WATCHING_KEPT_DAYS}: what changed is kept for so long.`)
}
