import { DAY_MS, runInSlices, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { startOfDay, toDate, toZoned } from '../../domain/dates/zoned.ts'
import { findCheck } from '../../domain/find-check.ts'
import type { Span } from '../../domain/outages/outage.ts'
import { readHistoryInput } from './digests.ts'
import { toCheckFacts } from './polling/poll-service.ts'
import type { WatchStore } from './rows/watching.ts'
import { sumHistory } from './rules/sum-history.ts'
import { RETENTION_DAYS } from './rules/watch.ts'
import { formatHistoryCommand, historyView } from './views/history.ts'

/** The maximum number of outages in a history. */
export const MAX_OUTAGES = 5000

/** Answers `/hc history`: outages and uptime of recent days, for one check or all. Throws UserError for invalid days. */
export async function readHistory(
  store: Pick<WatchStore, 'history' | 'silences'>,
  context: CommandContext,
  words: readonly string[],
  typedDays: string | true | undefined,
  page?: number,
): Promise<Message> {
  const { nameWords, days } = readPeriod(words, typedDays)
  const check =
    nameWords.length > 0
      ? await findCheck(context, nameWords, (uuid) => formatHistoryCommand({ uuid }, days))
      : undefined
  const { workspaceId, environment, now } = context
  const span = { from: new Date(now.getTime() - days * DAY_MS), to: now }
  const scope = { workspaceId, environment, ...span, uuid: check?.uuid }
  const [outages, input, { timeZone = 'UTC' }] = await Promise.all([
    store.history.listOutages({ ...scope, limit: MAX_OUTAGES }),
    readHistoryInput(store, { ...scope, channelId: context.channelId }, span),
    context.actor(),
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
    days,
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

/** Phrases that people type after a name instead of `--days`, and how many days they mean. */
const PERIODS: Readonly<Record<string, number>> = {
  today: 1,
  'last night': 1,
  yesterday: 2,
  'this week': 7,
  'last week': 7,
  'last month': 30,
}

/** Splits `Shop API since yesterday` into a name and a number of days. With `--days`, all words are the name. */
function readPeriod(words: readonly string[], typedDays: string | true | undefined) {
  const typed = words.join(' ')
  const match = typedDays === undefined ? PERIOD_AT_END.exec(typed) : null
  const days = PERIODS[match?.[1]?.toLowerCase() ?? '']
  if (!match || days === undefined) return { nameWords: words, days: readDays(typedDays) }
  return { nameWords: typed.slice(0, match.index).split(' ').filter(Boolean), days }
}

const PERIOD_AT_END = new RegExp(`(?:^|(?<= ))(?:since |from )?(${Object.keys(PERIODS).join('|')})$`, 'i')

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
