import { DAY_MS, runInSlices, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { readPeriod, toPastDates } from '../../domain/dates/period.ts'
import { startOfDay, toDate, toZoned } from '../../domain/dates/zoned.ts'
import { findCheck } from '../../domain/find-check.ts'
import type { Span } from '../../domain/outages/outage.ts'
import { readHistoryInput } from './digests.ts'
import { toCheckFacts } from './polling/poll-service.ts'
import type { WatchStore } from './rows/watching.ts'
import { sumHistory } from './rules/sum-history.ts'
import { RETENTION_DAYS } from './rules/watch.ts'
import { formatHistoryCommand, type HistoryPeriod, historyView } from './views/history.ts'

/** The maximum number of outages in a history. */
export const MAX_OUTAGES = 5000

/** Answers `/hc history`: outages and uptime of a period, for one check or all. Throws UserError for an invalid period. */
export async function readHistory(
  store: Pick<WatchStore, 'history' | 'silences'>,
  context: CommandContext,
  typed: Pick<Arguments, 'values' | 'flags' | 'words'>,
  page?: number,
): Promise<Message> {
  const { uuid, check: name } = typed.values
  const { workspaceId, environment, now } = context
  const { timeZone = 'UTC' } = await context.actor()
  const { shown, ...span } = toSpan(typed, now, timeZone)
  const check =
    (uuid ?? name) === undefined
      ? undefined
      : await findCheck(context, typed, (found) => formatHistoryCommand(found, shown), { reads: true })
  const scope = { workspaceId, environment, ...span, uuid: check?.uuid }
  const [outages, input] = await Promise.all([
    store.history.listOutages({ ...scope, limit: MAX_OUTAGES }),
    readHistoryInput(store, { ...scope, channelId: context.channelId }, span),
  ])
  return historyView({
    totals: await runInSlices(
      sumHistory({
        ...input,
        outages,
        parts: splitIntoDays(span, timeZone),
        check: check && toCheckFacts(check),
      }),
    ),
    check,
    period: shown,
    timeZone,
    environment,
    now,
    isTruncated: outages.length === MAX_OUTAGES,
    latest: outages.toReversed(),
    page,
  })
}

/** Slack charts have at most 20 columns. */
const MAX_COLUMNS = 20

/** Splits a period into calendar days in the time zone. A long period is split into at most 20 parts of several days. */
export function splitIntoDays({ from, to }: Span, timeZone: string): (Span & { days: number })[] {
  const starts: Date[] = []
  const first = toZoned(from, timeZone).toPlainDate()
  for (let days = 0; ; days += 1) {
    const start = toDate(startOfDay(first.add({ days }), timeZone))
    if (start >= to) break
    starts.push(start)
  }
  const daysPerPart = Math.ceil(starts.length / MAX_COLUMNS)
  return starts.flatMap((start, index) => {
    if (index % daysPerPart !== 0) return []
    const end = starts[index + daysPerPart] ?? to
    return [
      { from: start < from ? from : start, to: end, days: Math.min(daysPerPart, starts.length - index) },
    ]
  })
}

/** The typed period, at most as long as outages are kept, and how to show it: a number of days or the typed words. */
function toSpan(
  { values: { period }, flags }: Pick<Arguments, 'values' | 'flags'>,
  now: Date,
  timeZone: string,
): Span & { shown: HistoryPeriod } {
  const typedDays = flags.days
  if (period === undefined) {
    const days = readDays(typedDays)
    return { from: new Date(now.getTime() - days * DAY_MS), to: now, shown: { days } }
  }
  if (typedDays !== undefined) throw new UserError(`Use either “${period}” or --days ${typedDays}, not both.`)
  const zoned = toZoned(now, timeZone)
  const read = readPeriod(period, zoned)
  if (!read) throw new UserError(`“${period}” isn’t a period. Type yesterday, last week, or since Monday.`)
  const { from, to } = toPastDates(read, zoned, period)
  const oldest = new Date(now.getTime() - RETENTION_DAYS * DAY_MS)
  if (to <= oldest)
    throw new UserError(`Outages are kept for ${RETENTION_DAYS} days, so there are none from “${period}”.`)
  return { from: from < oldest ? oldest : from, to, shown: { typed: period } }
}

function readDays(typed: string | true | undefined): number {
  if (typed === undefined) return 7
  if (
    typeof typed === 'string' &&
    /^\d{1,2}$/.test(typed) &&
    Number(typed) >= 1 &&
    Number(typed) <= RETENTION_DAYS
  )
    return Number(typed)
  throw new UserError(
    `--days must be between 1 and ${RETENTION_DAYS}. Outages are kept for ${RETENTION_DAYS} days.`,
  )
}
