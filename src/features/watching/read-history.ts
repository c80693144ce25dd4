import { DAY_MS, runInSlices, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { readPeriod, toPastDates } from '../../domain/dates/period.ts'
import { startOfDay, toDate, toZoned } from '../../domain/dates/zoned.ts'
import type { Outage, Span } from '../../domain/outages/outage.ts'
import { findHistorySubject, type HistoryDeps } from './find-recorded-check.ts'
import type { WatchScope } from './rows/row.ts'
import type { WatchStore } from './rows/watching.ts'
import type { GoneCheck } from './rules/history-subject.ts'
import { type HistoryInput, sumHistory } from './rules/sum-history.ts'
import { RETENTION_DAYS } from './rules/watch.ts'
import { formatHistoryCommand, type HistoryPeriod, historyView } from './views/history.ts'

/** The maximum number of outages in a history. */
const MAX_OUTAGES = 5000

/**
 * Answers `/hc history`: outages and uptime of a period, for one check or all. A check that was deleted is read from the records.
 * Throws UserError for an invalid period.
 */
export async function readHistory(
  deps: HistoryDeps,
  context: CommandContext,
  typed: Pick<Arguments, 'values' | 'flags' | 'words'>,
  page?: number,
): Promise<Message> {
  const { uuid, check: name } = typed.values
  const { workspaceId, environment, now } = context
  const { timeZone = 'UTC' } = await context.actor()
  const typedSpan = toSpan(typed, now, timeZone)
  const subject =
    (uuid ?? name) === undefined
      ? undefined
      : await findHistorySubject(deps, context, typed, {
          lineFor: (found) => formatHistoryCommand(found, typedSpan.shown),
          timeZone,
        })
  // A deleted check may have been deleted long ago, so all of its records are shown unless a period was typed.
  const { shown, ...span } = subject?.gone ? toSpan(typed, now, timeZone, RETENTION_DAYS) : typedSpan
  const { check, gone } = subject ?? {}
  const { history } = deps.watching
  const scope = { workspaceId, environment, ...span, uuid: check?.uuid }
  const [found, input, unseen] = await Promise.all([
    history.listOutages({ ...scope, limit: MAX_OUTAGES }),
    readHistoryInput(deps.watching, { ...scope, channelId: context.channelId }, span),
    history.findUnseen({ workspaceId, environment }),
  ])
  const outages = gone ? found.map((outage) => endWithCheck(outage, gone, now)) : found
  return historyView({
    totals: await runInSlices(
      sumHistory({
        ...input,
        outages,
        parts: splitIntoDays(span, timeZone),
        check,
        deletedAt: gone?.deletedAt,
      }),
    ),
    ...subject,
    period: shown,
    timeZone,
    environment,
    now,
    unseen,
    isTruncated: found.length === MAX_OUTAGES,
    latest: outages.toReversed(),
    page,
  })
}

/** Reads what `sumHistory` needs besides outages: when the environment was polled, and maintenance. */
async function readHistoryInput(
  { history, silences }: Pick<WatchStore, 'history' | 'silences'>,
  scope: WatchScope & { channelId?: string | undefined },
  { from, to }: Span,
): Promise<Pick<HistoryInput<Span>, 'span' | 'observed' | 'planned'>> {
  const span = { from, to }
  const [observed, planned] = await Promise.all([
    history.listObserved({ ...scope, ...span }),
    silences.listMaintenance(scope, span),
  ])
  return { span, observed, planned }
}

/** The last poll may have found the check down, and the next one hasn't missed it yet. */
function endWithCheck(outage: Outage, gone: GoneCheck, now: Date): Outage {
  if (outage.endedAt) return outage
  const deletedAt = gone.deletedAt ?? now
  return {
    ...outage,
    endedAt: deletedAt,
    ending: 'deleted',
    downs: outage.downs.map((down) => ({ ...down, to: down.to ?? deletedAt })),
  }
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
  defaultDays = 7,
): Span & { shown: HistoryPeriod } {
  const typedDays = flags.days
  if (period === undefined) {
    const days = readDays(typedDays, defaultDays)
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

function readDays(typed: string | true | undefined, defaultDays: number): number {
  if (typed === undefined) return defaultDays
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
