import { DAY_MS, UserError } from '@signalman/runtime'
import { clip, type Message, oneLine } from '@signalman/slack'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { listNamesInTime } from '../../bot/unread/list-names.ts'
import { parsePeriod, toPastDates } from '../../domain/dates/period.ts'
import { startOfDay, toDate, toZoned } from '../../domain/dates/zoned.ts'
import { findCheck } from '../../domain/find-check.ts'
import { globMatcher } from '../../domain/name-pattern.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import type { CheckFacts, Span } from '../../domain/outages/outage.ts'
import { isNotFound } from '../../service/errors.ts'
import { LIST } from './find-checks.ts'
import { toCheckFacts } from './polling/poll-service.ts'
import type { WatchStore } from './rows/watching.ts'
import { sumHistory } from './rules/sum-history.ts'
import { RETENTION_DAYS } from './rules/watch.ts'
import { historyView } from './views/history.ts'

const MAX_OUTAGES = 5000

type Typed = Pick<Arguments, 'values' | 'lineFor' | 'takesPattern'>

export async function readHistory(
  { watching: { history, silences } }: { readonly watching: Pick<WatchStore, 'history' | 'silences'> },
  context: CommandContext,
  typed: Typed,
  page?: number,
): Promise<Message> {
  const { workspaceId, environment, channelId, now } = context
  const { timeZone = 'UTC' } = context.actor
  const { pattern, period = DEFAULT_PERIOD } = typed.values
  const { span, isShortened } = toSpan(period, now, timeZone)
  const isOne = (typed.values.uuid ?? typed.values.check) !== undefined
  const { check, isGone = false } = isOne ? await findSubject(history, context, typed) : {}
  const matches = globMatcher(pattern ?? '*')
  const scope = { workspaceId, environment }
  const [found, observed, maintenance] = await Promise.all([
    history.listIncidents({ ...scope, uuid: check?.uuid }, span, MAX_OUTAGES),
    history.listObserved(scope, span),
    silences.listMaintenance({ ...scope, channelId }, span),
  ])
  const incidents = found.filter((incident) => matches(incident.check.name))
  if (incidents.length === 0 && pattern !== undefined) await requireNamed(context, pattern)
  const days = splitIntoDays(span, timeZone)
  return historyView({
    ...{ check, pattern, isGone, timeZone, period, environment, now, page },
    totals: await sumHistory({ incidents, observed, maintenance, span, days, check }),
    unseen: await history.findUnseen(scope),
    isTruncated: found.length === MAX_OUTAGES,
    isShortened,
  })
}

/** Throws NothingFound for a pattern that no name matches: no outages of it aren't good news. */
async function requireNamed(context: Pick<CommandContext, 'api'>, pattern: string): Promise<void> {
  const names = await listNamesInTime(context)
  if (names?.unreadable !== 0 || names.checks.some(({ name }) => globMatcher(pattern)(name))) return
  throw new NothingFound(`No health check is named “${clip(oneLine(pattern), 80)}”.`, [LIST])
}

/** As many squares as fit on one line of a phone, beside two dates. */
const MAX_SQUARES = 10

/** Splits a period into days in the time zone; a long one into parts of several days. */
function splitIntoDays({ from, to }: Span, timeZone: string): Span[] {
  const first = toZoned(from, timeZone).toPlainDate()
  const count = Math.ceil((to.getTime() - from.getTime()) / DAY_MS) + 1
  const step = Math.ceil(count / MAX_SQUARES)
  const starts = Array.from({ length: count }, (_, days) =>
    toDate(startOfDay(first.add({ days: days * step }), timeZone)),
  ).filter((start) => start < to)
  return starts.map((start, index) => ({ from: start < from ? from : start, to: starts[index + 1] ?? to }))
}

/** Finds the check that was typed in the service, or else in its last incident: a card's button has its UUID. */
async function findSubject(
  history: WatchStore['history'],
  context: CommandContext,
  typed: Typed,
): Promise<{ check: CheckFacts; isGone: boolean }> {
  try {
    const check = await findCheck(context, typed, { reads: true })
    return { check: toCheckFacts(check), isGone: false }
  } catch (error) {
    if (!(error instanceof NothingFound) && !isNotFound(error)) throw error
    const { uuid = '' } = typed.values
    const [latest] = await history.listIncidents(
      { ...context, uuid },
      { from: new Date(0), to: context.now },
      1,
    )
    if (!latest) throw error
    return { check: latest.check, isGone: true }
  }
}

const DEFAULT_PERIOD = 'last 7 days'

/** The dates of a typed period, at most as far back as outages are kept. */
function toSpan(period: string, now: Date, timeZone: string): { span: Span; isShortened: boolean } {
  const zoned = toZoned(now, timeZone)
  const read = parsePeriod(period, zoned)
  if (!read) throw new UserError(`“${period}” isn’t a period. Type yesterday, last week, or since Monday.`)
  const { from, to } = toPastDates(read, zoned, period)
  const oldest = new Date(now.getTime() - RETENTION_DAYS * DAY_MS)
  if (to <= oldest)
    throw new UserError(`Outages are kept for ${RETENTION_DAYS} days, so there are none from “${period}”.`)
  const isShortened = from < oldest
  return { span: { from: isShortened ? oldest : from, to }, isShortened }
}
