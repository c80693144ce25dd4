import { DAY_MS, inTurns, readDuration, UserError } from '@signalman/runtime'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Outage, Span, WatchedStatus } from '../../../domain/outages/outage.ts'
import { readMoment } from '../../../domain/typed-moment.ts'
import { momentOf, wallTimeOf } from '../../../domain/zoned-time.ts'
import { channelHere, threadHere } from '../channel.ts'
import { seenIn, summedStatuses, watchedOutages } from '../digests.ts'
import { mayConcern } from '../maintenance/rules.ts'
import { MOST_OUTAGES } from '../read-history.ts'
import type { WatchStore } from '../rows/watching.ts'
import { WATCHING_KEPT_DAYS, type WatchPlace } from '../rules/watch.ts'
import type { Report, ReportedCard } from './rules.ts'
import { checksOf, concerning, reportOf, spanOf } from './rules.ts'

/** Who asks, where and when. */
type Asking = Pick<CommandContext, 'workspaceId' | 'environment' | 'channelId' | 'threadTs' | 'now'>

export type ReportStore = Pick<WatchStore, 'history' | 'maintenance' | 'watches' | 'reports'>

/** Uptime of what a card tells of is over so many days up to its end: over its own time alone it says nothing. */
const UPTIME_DAYS = 30

/** Gathers what is known of one card, or of all that a channel watches in a stretch of time. Throws UserError. */
export async function readReport(
  store: ReportStore,
  context: Asking,
  cardId: string | undefined,
  span: Span | undefined,
): Promise<{ report: Report; card: ReportedCard | undefined }> {
  if (span) return { report: await reportOfTime(store, placeHere(context), span), card: undefined }
  const card =
    cardId === undefined
      ? await store.reports.latest(placeHere(context))
      : await store.reports.card(context.workspaceId, cardId)
  if (!card || card.outages.length === 0) throw new UserError(cardId === undefined ? NOTHING_HERE : TOO_OLD)
  return { report: await reportOfCard(store, context, card), card }
}

const NOTHING_HERE =
  'No outage was told in this channel in the last 90 days. /hc report --from 7d reports on all that was down of what it watches, or of everything where it watches nothing.'
const TOO_OLD = 'This card is not known, or is older than 90 days: nothing is known of it any more.'

const placeHere = (context: Asking): WatchPlace => ({
  workspaceId: context.workspaceId,
  environment: context.environment,
  channelId: threadHere(context) ?? channelHere(context),
})

async function reportOfCard(store: ReportStore, { workspaceId, now }: Asking, card: ReportedCard) {
  const { environment, channelId } = card.card
  const span = spanOf(card, now)
  const uptimeSpan = { from: new Date(span.to.getTime() - UPTIME_DAYS * DAY_MS), to: span.to }
  const place = { workspaceId, environment, channelId }
  const longer = { from: earlier(uptimeSpan.from, span.from), to: span.to }
  const all = await outagesIn(store, place, longer)
  const fell = new Set(checksOf(card.outages).map(({ uuid }) => uuid))
  const own = new Set(card.outages.map(({ id }) => id))
  const retold = await store.reports.retold(place, span)
  return inTurns(
    reportOf({
      ...(await seenIn(store, place, longer)),
      span,
      uptimeSpan,
      own: card,
      cards: [card, ...retold.filter(({ outages }) => outages.some(({ id }) => own.has(id)))],
      muted: await store.reports.muted(place, span),
      outages: card.outages,
      before: all.filter(({ check }) => fell.has(check.uuid)),
      concerns: concerning(card.outages),
      isCut: all.length === MOST_OUTAGES,
      isOfWatched: false,
    }),
  )
}

async function reportOfTime(store: ReportStore, place: WatchPlace, span: Span) {
  const cards = await store.reports.within(place, span)
  const watches = await store.watches.list(place.workspaceId, place)
  const isWatching = watches.length > 0
  const statuses = isWatching ? summedStatuses(watches) : undefined
  const outages = statuses
    ? await outagesHere(store, place, span, { cards, statuses })
    : await outagesIn(store, place, span)
  const fell = concerning(outages)
  return inTurns(
    reportOf({
      ...(await seenIn(store, place, span)),
      statuses,
      uptimeSpan: span,
      cards: [...cards, ...(await store.reports.retold(place, span))],
      muted: await store.reports.muted(place, span),
      outages,
      before: outages,
      concerns: (about) =>
        !isWatching || watches.some(({ filter }) => mayConcern(filter, about)) || fell(about),
      isCut: !isWatching && outages.length === MOST_OUTAGES,
      isOfWatched: isWatching,
    }),
  )
}

const outagesIn = ({ history }: ReportStore, { workspaceId, environment }: WatchPlace, span: Span) =>
  history.outages({ workspaceId, environment, ...span, limit: MOST_OUTAGES })

/** What the daily summary sums up, and what was told here of it that is not watched any more. */
async function outagesHere(
  store: ReportStore,
  place: WatchPlace,
  span: Span,
  { cards, statuses }: { cards: readonly ReportedCard[]; statuses: readonly WatchedStatus[] },
): Promise<Outage[]> {
  const watched = (await Array.fromAsync(watchedOutages(store, place, span))).flat()
  const told = cards
    .flatMap((card) => card.outages)
    .filter(({ status }) => statuses.includes(status))
    .filter(({ startedAt, endedAt }) => startedAt < span.to && !(endedAt && endedAt <= span.from))
  const all = new Map([...told, ...watched].map((one) => [one.id, one]))
  return [...all.values()].sort((left, right) => left.startedAt.getTime() - right.startedAt.getTime())
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other)

const HOW = 'takes 24h, 7d, 2026-11-20, 2026-11-20 14:00, Monday 9:00 or 14:00'

/** `--from` and `--to`; undefined where neither is typed. Throws UserError. */
export function readSpan(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: Date,
  timeZone: string,
): Span | undefined {
  if (from === undefined && to === undefined) return undefined
  if (from === undefined) throw new UserError(`From when? --from ${HOW}.`)
  const span = {
    from: readPast('from', from, now, timeZone),
    to: to === undefined ? now : readPast('to', to, now, timeZone),
  }
  if (span.from >= span.to) throw new UserError('--from is to be before --to.')
  if (now.getTime() - span.from.getTime() > WATCHING_KEPT_DAYS * DAY_MS)
    throw new UserError(
      `--from takes a time within ${WATCHING_KEPT_DAYS} days: what happened is kept for so long.`,
    )
  return span
}

/** A time of the past: a weekday or a time of day is the last one that there was. */
function readPast(flag: string, typed: string, now: Date, timeZone: string): Date {
  const text = typed.trim()
  if (/^now$/i.test(text)) return now
  const agoMs = readDuration(text)
  if (agoMs !== undefined) return new Date(now.getTime() - agoMs)
  const at = readMoment(text, now, timeZone)
  if (!at) throw new UserError(`--${flag} ${HOW}; “${text.slice(0, 40)}” is none of these.`)
  if (at <= now) return at
  if (/^\d{4}-|^tomorrow/i.test(text)) throw new UserError(`--${flag} takes a time that has passed.`)
  const wall = wallTimeOf(at, timeZone)
  return momentOf({ ...wall, day: wall.day - (/^\d/.test(text) ? 1 : 7) }, timeZone)
}
