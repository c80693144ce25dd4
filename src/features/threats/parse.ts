import { type SuggestedCommand, UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { parameter } from '../../bot/grammar/parameters.ts'
import { suggestLine } from '../../bot/routes/lines.ts'
import {
  choiceField,
  type FieldTable,
  forButtons,
  numberField,
  pageField,
  switchField,
} from '../../bot/typed/fields.ts'
import { cmd } from '../../domain/command-names.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import { formatList } from '../../domain/wording.ts'
import { defang } from './rules/defang.ts'
import { EXAMPLE_ID, type FoundIds, findIds } from './rules/ids.ts'
import { ENDS, type End } from './rules/threat-case.ts'

/** The maximum number of cards in one answer. */
const MAX_IDS = 10
const MAX_NAMED_WORDS = 5

export const ID_FORMAT = `An ID looks like ${EXAMPLE_ID}: 32 hexadecimal digits, with or without dashes.`
const QUEUE: SuggestedCommand = { label: 'Queue', line: '/threat queue' }
export const HELP: SuggestedCommand = { label: 'Help', line: '/threat help' }

export const ONLY_BY_ID = 'The service finds threat events only by ID.'
/** Where people find the ID of an event. */
export const WHERE_IDS_ARE = 'You find the ID in the service’s email about the event, or in its portal.'

/** The IDs in a `/threat` command, up to ten, and notes about the words that aren't shown. */
export function parseIds(words: readonly string[]): FoundIds & { notes: string[] } {
  const { ids, otherWords } = findIds(words)
  const notes = [
    ...(otherWords.length === 0 ? [] : [`Skipped: ${formatList(otherWords, MAX_NAMED_WORDS, quoteWord)}.`]),
    ...(ids.length <= MAX_IDS ? [] : [`These are the first ${MAX_IDS} of ${ids.length} IDs.`]),
  ]
  return { ids: ids.slice(0, MAX_IDS), otherWords, notes }
}

/** The error for a `/threat` command without an ID, or with a domain or a URL in its place. */
export const createNoIdsError = (verb: string, otherWords: readonly string[]): UserError =>
  otherWords.length === 0
    ? new UserError(`Which threat event? Type its ID after ${cmd(`/threat ${verb}`.trim())}. ${ID_FORMAT}`, [
        QUEUE,
        HELP,
      ])
    : new NothingFound(
        `${notIdText(otherWords)}. ${ONLY_BY_ID} ${WHERE_IDS_ARE}${otherWords.some(isAddress) ? '' : ` ${ID_FORMAT}`}`,
        [QUEUE],
      )

/** The IDs that were typed for a verb, at most `max`. Throws UserError if there are none, more, or other words. */
export function requireIds(verb: string, words: readonly string[], max: number): string[] {
  const found = findIds(words)
  if (found.ids.length === 0) throw createNoIdsError(verb, found.otherWords)
  requireOnlyIds(verb, found, max)
  return found.ids
}

export function requireId(verb: string, words: readonly string[]): string {
  const [id = ''] = requireIds(verb, words, 1)
  return id
}

/** The ID of one event. `findIds` finds it in any spelling, and the verb refuses other words. */
export const ONE_EVENT = [parameter('id', 'event', { required: true })]

/** `--over`: the version of someone else's case that the person saw when they decided to take it over or to close it. */
export const TAKE_OVER_FIELDS: FieldTable<{ over?: number | undefined }> = {
  over: forButtons(
    numberField('over', 'The number of the case’s latest step when you looked at it', {
      min: 1,
      max: 999_999,
      invalidMessage: 'To take over a case, open it and press Take over.',
    }),
  ),
}

/** `--as`: how a case ended. */
export const CLOSE_FIELDS: FieldTable<{ as?: End | undefined; over?: number | undefined }> = {
  ...TAKE_OVER_FIELDS,
  as: choiceField('as', 'How it ended', ENDS),
}

export interface QueueFilters {
  mine?: true | undefined
  page?: number | undefined
}

export const QUEUE_FIELDS: FieldTable<QueueFilters> = {
  mine: switchField('mine', 'Yours', { description: 'yours' }),
  page: pageField,
}

/** Throws UserError unless a verb was typed with IDs alone, and with at most `max` of them. */
export function requireOnlyIds(verb: string, { ids, otherWords }: FoundIds, max: number): void {
  if (ids.length > max) {
    const limit = max === 1 ? 'one ID' : `up to ${max} IDs`
    throw new UserError(`${cmd(`/threat ${verb}`)} takes ${limit} at a time. You typed ${ids.length}.`)
  }
  if (otherWords.length > 0)
    throw new UserError(
      `${notIdText(otherWords)}. ${cmd(`/threat ${verb}`)} takes ${max === 1 ? 'one ID' : 'IDs'} and no other words.`,
      [suggestLine(`/threat ${verb} ${ids.join(' ')}`), HELP],
    )
}

/** `“foo” isn’t a threat event ID`, of the first word that looks like a domain or an address, or else of the first. */
function notIdText(words: readonly string[]): string {
  const [first = ''] = words
  return `${quoteWord(words.find(isAddress) ?? first)} isn’t a threat event ID`
}

/** Whether a word looks like a domain or an address, rather than a mistyped ID. */
const isAddress = (word: string): boolean => defang(word) !== word

/** Defanged, because typed words may be copied from anywhere. */
const quoteWord = (word: string): string => `“${clip(defang(word), 60)}”`
