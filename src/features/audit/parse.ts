import type { AuditQuery } from '@signalman/durable'
import { DAY_MS, parseDuration, UserError } from '@signalman/runtime'
import { utc } from '@signalman/slack'
import { findCommand } from '../../bot/routes/resolve-line.ts'
import type { Verb } from '../../bot/routes/routes.ts'
import type { Arguments } from '../../bot/typed/command-line.ts'
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
import { parseDate } from '../../service/dates.ts'

/** Which entries to find. An undefined filter matches every entry. */
export type AuditFilters = Pick<AuditQuery, 'userId' | 'verb' | 'object' | 'reference' | 'from' | 'to'> & {
  /** Also finds the entries that record the start of a change. */
  withIntents?: true
}

const DATE = /^\d{4}-\d\d-\d\d$/

/** The filters of the audit log. Parsing them needs the existing verbs and the current time. */
export const auditFields = (
  verbs: readonly Pick<Verb, 'command' | 'verb'>[],
  now: Date,
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

const dateField = (flag: 'from' | 'to', word: string, now: Date): Field<Date> =>
  parsedTextField(flag, flag, {
    valueName: 'DAY',
    read: (text) => parseWhen(flag, text, now),
    write: (at) => at.toISOString(),
    describe: (at) => `${word} ${utc(at)}`,
  })

export const FILTER_FIELDS = auditFields([], new Date(0))
export const FILTER_FLAGS = flagSpecs(FILTER_FIELDS)

/** Parses the flags. Leaves `--by` as typed. Throws UserError that names the flag and its values. */
export function parseFilters(
  { flags }: Arguments,
  verbs: readonly Pick<Verb, 'command' | 'verb'>[],
  now: Date,
): AuditFilters {
  const filters = readFields(auditFields(verbs, now), flags)
  if (filters.from && filters.to && filters.from >= filters.to)
    throw new UserError('`--from` must be before `--to`.')
  return filters
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

/** Parses the words outside of flags: a verb, followed by part of the object's name. Without a verb, all words are the object. */
export function parseWords(
  words: readonly string[],
  verbs: readonly Pick<Verb, 'command' | 'verb'>[],
): Pick<AuditFilters, 'verb' | 'object'> {
  const [first = '', ...rest] = words
  const verbText = first.startsWith('/') ? [first, rest.shift()].filter(Boolean).join(' ') : first
  const verb = findVerb(verbText, verbs)
  if (!verb.startsWith('/')) return words.length > 0 ? { object: words.join(' ') } : {}
  return { verb, ...(rest.length > 0 && { object: rest.join(' ') }) }
}

/**
 * Parses a day (`2026-11-20`), a time (`2026-11-20 14:05`, in UTC), or how long ago (`90m`, `12h`, `7d`, `2w`). A day in `--to`
 * includes the whole day. Throws UserError.
 */
export function parseWhen(flag: 'from' | 'to', text: string, now: Date): Date {
  const durationMs = parseDuration(text)
  const at = durationMs === undefined ? parseDate(text) : new Date(now.getTime() - durationMs)
  if (!at)
    throw new UserError(
      `needs a day such as 2026-11-20, a time such as “2026-11-20 14:05” (UTC), or 7d for a week ago.`,
    )
  return flag === 'to' && DATE.test(text) ? new Date(at.getTime() + DAY_MS) : at
}

/** Formats the filters as flags, for a button. */
export const formatFilters = (filters: AuditFilters): string => writeFields(FILTER_FIELDS, filters).join(' ')

/** Describes the filters in words, for people. */
export const describeFilters = (filters: AuditFilters): string =>
  describeFields(FILTER_FIELDS, filters).join(', ')
