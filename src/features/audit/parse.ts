import type { AuditQuery } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { utc } from '@signalman/slack'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import { choice, type Slot, slot } from '../../bot/grammar/slots.ts'
import { MINE_WORDS } from '../../bot/grammar/vocabulary.ts'
import { findCommand } from '../../bot/routes/lines.ts'
import type { Verb } from '../../bot/routes/routes.ts'
import {
  describeFields,
  type Field,
  type FieldTable,
  flagSpecs,
  parsedTextField,
  readFields,
  switchField,
  textField,
  writeFields,
} from '../../bot/typed/fields.ts'
import { hasTwoEnds, PERIOD_EXAMPLES, readPeriod, toPastDates } from '../../domain/dates/period.ts'
import { toDate, toZoned, type Zoned } from '../../domain/dates/zoned.ts'
import { parseDate } from '../../service/dates.ts'

/** Which entries to find. An undefined filter matches every entry. */
export type AuditFilters = Pick<AuditQuery, 'userId' | 'verb' | 'object' | 'reference' | 'from' | 'to'> & {
  /** Also finds the entries that record the start of a change. */
  withIntents?: true
}

/** The filters of the audit log. Parsing them needs the existing verbs and the current time. */
const auditFields = (
  verbs: readonly Pick<Verb, 'command' | 'verb'>[],
  now: Zoned,
): FieldTable<AuditFilters> => ({
  // A mention or handle. The caller looks it up in Slack.
  userId: textField('by', 'By', { valueName: '@person' }),
  verb: parsedTextField('verb', 'Verb', { read: (text) => findVerb(text, verbs), write: String }),
  object: textField('object', 'Object', { describe: (object) => `object with “${object}”` }),
  reference: textField('reference', 'Reference'),
  from: dateField('from', 'from', now),
  to: dateField('to', 'before', now),
  withIntents: switchField('intents', 'Also show when changes started', {
    description: 'with the start of changes',
  }),
})

const dateField = (flag: 'from' | 'to', word: string, now: Zoned): Field<Date> =>
  parsedTextField(flag, flag, {
    valueName: 'DAY',
    read: (text) => parseWhen(flag, text, now),
    write: (at) => at.toISOString(),
    describe: (at) => `${word} ${utc(at)}`,
  })

const FILTER_FIELDS = auditFields([], toZoned(new Date(0), 'UTC'))
export const FILTER_FLAGS = flagSpecs(FILTER_FIELDS)

/** What can be typed without a flag: a person, a time, and text. */
export const AUDIT_SLOTS: readonly Slot[] = [
  choice('mine', MINE_WORDS, { flag: 'mine', usage: '' }),
  slot('person', 'person', { flag: 'by' }),
  slot('period', 'period'),
  slot('text', 'text', { flag: 'object', usage: 'TEXT' }),
]

/** Parses what was typed. Leaves `--by` as typed. Throws UserError that names the flag and its values. */
export function parseFilters(
  { flags, values: { period } }: Pick<Arguments, 'flags' | 'values'>,
  verbs: readonly Pick<Verb, 'command' | 'verb'>[],
  now: Date,
  timeZone: string,
): AuditFilters {
  const zoned = toZoned(now, timeZone)
  const filters = joinVerb(readFields(auditFields(verbs, zoned), flags), verbs)
  if (filters.from && filters.from > now) throw new UserError('`--from` is still to come.')
  if (filters.from && filters.to && filters.from >= filters.to)
    throw new UserError('`--from` must be before `--to`.')
  if (period === undefined) return filters
  if (filters.from ?? filters.to) throw new UserError(`Use either “${period}” or --from and --to, not both.`)
  const read = readPeriod(period, zoned)
  if (!read) throw new UserError(`“${period}” isn’t a period. Type ${PERIOD_EXAMPLES}.`)
  const { from, to } = toPastDates(read, zoned, period)
  return { ...filters, from, ...(read.to && { to }) }
}

/** `/hc delete` is typed as two words: a command, which looks like text, and a verb. */
function joinVerb(
  { verb = '', object, ...others }: AuditFilters,
  verbs: readonly Pick<Verb, 'command' | 'verb'>[],
): AuditFilters {
  const command = /^\/\S+$/.test(object ?? '') ? object : undefined
  const joined = command === undefined ? verb : findVerb(`${command} ${verb.replace(/^\/\S+ ?/, '')}`, verbs)
  return { ...others, ...(joined && { verb: joined }), ...(object !== undefined && !command && { object }) }
}

/**
 * Converts typed words to a verb as the log stores it, such as `/hc edit`. A verb without a command, such as `edit`, belongs to
 * the first command that has it. A command alone, such as `hc`, finds all its verbs. Commands can have the deployment's prefix.
 * Any other text is returned as it is.
 */
function findVerb(text: string, verbs: readonly Pick<Verb, 'command' | 'verb'>[]): string {
  const normalizedText = text.replace(/\s+/g, ' ').trim()
  const word = normalizedText.toLowerCase()
  const [first = '', ...rest] = word.split(' ')
  const command = findCommand(
    first,
    verbs.map((verb) => verb.command),
  )
  if (command) return [`/${command}`, ...rest].join(' ')
  const found = verbs.find(({ verb }) => verb !== '' && verb === word)
  return found ? `/${found.command} ${found.verb}` : normalizedText
}

/**
 * Parses a period or time in the person's zone (`yesterday`, `2026-11-20 14:05`, `7d`), or a time as a button writes it. `--to` is
 * the end of a period. Throws UserError.
 */
export function parseWhen(flag: 'from' | 'to', text: string, now: Zoned): Date {
  if (hasTwoEnds(text)) throw new UserError(`takes one day or time. Leave out the flag to type “${text}”.`)
  // A button writes the exact time.
  const period = /T.*Z$/.test(text) ? undefined : readPeriod(text, now)
  if (period) return toDate(flag === 'to' ? (period.to ?? period.from) : period.from)
  const at = parseDate(text)
  if (at) return at
  throw new UserError(
    'needs a day or time such as yesterday, 2026-11-20, “2026-11-20 14:05”, or 7d for a week ago.',
  )
}

/** Formats the filters as flags, for a button. */
export const formatFilters = (filters: AuditFilters): string => writeFields(FILTER_FIELDS, filters).join(' ')

/** Describes the filters in words, for people. */
export const describeFilters = (filters: AuditFilters): string =>
  describeFields(FILTER_FIELDS, filters).join(', ')
