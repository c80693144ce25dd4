import type { Verb } from '../../bot/routes/routes.ts'
import type { Arguments, FlagSpecs } from '../../bot/typed/command-line.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/durations.ts'
import { quoted } from '../../domain/quoting.ts'
import { UserError } from '../../errors.ts'
import type { AuditQuery } from '../../store/store.ts'

/** Which rows are wanted; a filter that is absent fits every row. */
export type AuditFilters = Pick<
  AuditQuery,
  'userId' | 'verb' | 'object' | 'reference' | 'from' | 'to' | 'withIntents'
>

export const FILTER_FLAGS: FlagSpecs = {
  by: 'value',
  verb: 'value',
  object: 'value',
  reference: 'value',
  from: 'value',
  to: 'value',
  intents: 'switch',
}

const AGO: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS }
const DATE = /^\d{4}-\d\d-\d\d$/
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)Z?$/i

/** Reads the flags except `--by`, for which Slack is asked. Throws UserError that names the flag and its values. */
export function parseFilters(
  { flags }: Arguments,
  verbs: readonly Pick<Verb, 'command' | 'verb'>[],
  now: Date,
): Omit<AuditFilters, 'userId'> {
  const from = typed(flags.from)
  const to = typed(flags.to)
  const filters = {
    ...(typed(flags.verb) && { verb: verbOf(typed(flags.verb) ?? '', verbs) }),
    ...(typed(flags.object) && { object: typed(flags.object) }),
    ...(typed(flags.reference) && { reference: typed(flags.reference) }),
    ...(from && { from: parseWhen('from', from, now) }),
    ...(to && { to: parseWhen('to', to, now) }),
    ...(flags.intents === true && { withIntents: true }),
  }
  if (filters.from && filters.to && filters.from >= filters.to)
    throw new UserError('`--from` lies behind `--to`, so nothing could be between them.')
  return filters
}

const typed = (value: string | true | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/**
 * The log names verbs as they are typed, `/hc edit`; `edit` alone finds the first command that has it, `hc` every verb of
 * that command. Anything else is searched for as it is: the log also has rows that no verb made.
 */
function verbOf(text: string, verbs: readonly Pick<Verb, 'command' | 'verb'>[]): string {
  const wanted = text.replace(/\s+/g, ' ').trim()
  if (wanted.startsWith('/')) return wanted
  const word = wanted.toLowerCase()
  const [first = '', ...rest] = word.split(' ')
  if (verbs.some(({ command }) => command === first))
    return ['/', first, ...rest.map((one) => ` ${one}`)].join('')
  const found = verbs.find(({ verb }) => verb !== '' && verb === word)
  return found ? `/${found.command} ${found.verb}` : wanted
}

/**
 * `2026-11-20`, `2026-11-20 14:05` (UTC), `90m`, `12h`, `7d` or `2w` ago. A day that ends a search is meant whole. Throws
 * UserError.
 */
export function parseWhen(flag: 'from' | 'to', text: string, now: Date): Date {
  const ago = /^(\d{1,5})([mhdw])$/i.exec(text)
  if (ago) return new Date(now.getTime() - Number(ago[1]) * (AGO[(ago[2] ?? '').toLowerCase()] ?? 0))
  if (DATE.test(text)) {
    const day = dateOf(`${text}T00:00:00Z`, text)
    return flag === 'to' ? new Date(day.getTime() + DAY_MS) : day
  }
  const parts = DATE_TIME.exec(text)
  if (parts) return dateOf(`${parts[1]}T${parts[2]}Z`, text)
  throw unclear(flag)

  function dateOf(iso: string, asTyped: string): Date {
    const date = new Date(iso)
    // Some programs read 2026-02-31 as a day in March.
    if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(asTyped.slice(0, 10)))
      throw unclear(flag)
    return date
  }
}

const unclear = (flag: string): UserError =>
  new UserError(
    `\`--${flag}\` takes a day such as 2026-11-20, a time such as “2026-11-20 14:05” (UTC), or 7d for a week ago.`,
  )

/** The filters as flags again, for a button. */
export function flagsOf({ userId, verb, object, reference, from, to, withIntents }: AuditFilters): string {
  return [
    userId && `--by ${userId}`,
    verb && `--verb ${quoted(verb)}`,
    object && `--object ${quoted(object)}`,
    reference && `--reference ${quoted(reference)}`,
    from && `--from ${from.toISOString()}`,
    to && `--to ${to.toISOString()}`,
    withIntents && '--intents',
  ]
    .filter(Boolean)
    .join(' ')
}

/** The filters in words, for a reader. */
export function filtersLine({
  userId,
  verb,
  object,
  reference,
  from,
  to,
  withIntents,
}: AuditFilters): string {
  return [
    userId && `by ${userId}`,
    verb && `verb ${verb}`,
    object && `object with “${object}”`,
    reference && `reference ${reference}`,
    from && `from ${from.toISOString()}`,
    to && `before ${to.toISOString()}`,
    withIntents && 'with what was about to be done',
  ]
    .filter(Boolean)
    .join(', ')
}
