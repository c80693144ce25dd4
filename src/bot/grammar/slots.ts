import { isIP } from 'node:net'
import { readDuration } from '../../domain/dates/duration.ts'
import { readMoment } from '../../domain/dates/moment.ts'
import { readPeriod } from '../../domain/dates/period.ts'
import { toZoned } from '../../domain/dates/zoned.ts'
import { EVENT_ID } from '../../domain/event-id.ts'
import type { Word } from '../../domain/quoting.ts'
import { refang } from '../../domain/typed-text/typed-address.ts'

/** Every kind of argument. `pattern`, `name`, `text`, and `event` have no form of their own, so they take what is left. */
export type Kind =
  | 'uuid'
  | 'event'
  | 'person'
  | 'channel'
  | 'address'
  | 'host'
  | 'number'
  | 'choice'
  | 'pattern'
  | 'duration'
  | 'moment'
  | 'period'
  | 'name'
  | 'text'

/** An argument of a verb that is typed without a flag. */
export interface Slot {
  readonly name: string
  readonly kind: Kind
  /** What stands for it in the usage. By default, that of its kind. */
  readonly usage?: string
  readonly required?: true
  /** Several can be typed. Their values are in `lists`. */
  readonly many?: true
  /** The flag that sets the same value. The value is stored under the flag, so a verb reads it in one place. */
  readonly flag?: string
  /** The words of a choice, in lowercase, and the value of each. */
  readonly words?: Readonly<Record<string, string>>
  /** Only one slot of a group can be typed: `2h`, `until 9:00`, or `forever`. */
  readonly group?: string
  /** True for free text, such as a note. It's kept as typed, with its quotes. */
  readonly isProse?: true
}

type SlotOptions = Omit<Slot, 'name' | 'kind'>

export const slot = (name: string, kind: Kind, options: SlotOptions = {}): Slot => ({
  name,
  kind,
  ...options,
})

export const choice = (
  name: string,
  words: Readonly<Record<string, string>>,
  options: Omit<SlotOptions, 'words'> = {},
): Slot => slot(name, 'choice', { words, ...options })

/** What stands for a kind in the usage of a verb. */
const PLACEHOLDERS: Readonly<Record<Exclude<Kind, 'choice'>, string>> = {
  uuid: 'UUID',
  event: 'ID',
  person: '@person',
  channel: '#channel',
  address: 'ADDRESS',
  host: 'TARGET',
  number: 'N',
  pattern: 'NAME*',
  duration: '2h',
  moment: 'until TIME',
  period: 'PERIOD',
  name: 'NAME',
  text: 'TEXT',
}

export const placeholder = ({ usage, kind, words = {} }: Slot): string =>
  usage ?? (kind === 'choice' ? [...new Set(Object.values(words))].join('|') : PLACEHOLDERS[kind])

const UUID = /^[{("'`<]*([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})[})"'`>]*$/i
// A link to a page about one health check.
const UUID_IN_LINK = /^https?:\/\/\S*?\/([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?![0-9a-f-])\S*$/i
const PERSON = /^@[\p{L}\d][\p{L}\d._-]*$|^[UW](?=[A-Z0-9]*\d)[A-Z0-9]{6,}$/u
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/
const HOST = /^[a-z]+:\/\/\S+$|^(?:[\p{L}\d*_-]+\.)+\p{L}{2,}(?::\d+)?(?:\/\S*)?$/iu
const ID = new RegExp(`(?<![0-9a-f])${EVENT_ID}(?![0-9a-f])`, 'i')

/** Longer words are names, patterns, or pasted text, never a kind with its own form. */
const MAX_KIND_LENGTH = 300
/** `until 2026-12-01 22:00` */
const MAX_RUN = 4

const matching =
  (pattern: RegExp) =>
  (text: string): string | undefined =>
    pattern.test(text) ? text : undefined

/** Only whether the words have the form of a time matters here. The verb reads them in the person's zone. */
const SOME_DAY = toZoned(new Date(0), 'UTC')
const ifRead =
  (read: (text: string) => unknown) =>
  (text: string): string | undefined =>
    read(text) === undefined ? undefined : text

type Reader = (text: string, slot: Pick<Slot, 'words'>) => string | undefined

const READERS: Partial<Record<Kind, Reader>> = {
  uuid: (text) => (UUID.exec(text) ?? UUID_IN_LINK.exec(text))?.[1]?.toLowerCase(),
  event: matching(ID),
  person: matching(PERSON),
  channel: matching(/^#[\p{L}\d_-]+$/u),
  address: matching(ADDRESS),
  host: (text) => {
    const address = text.includes('.') || text.includes(':') ? refang(text) : ''
    return HOST.test(address) || isIP(address) || isIP(address.replace(/:\d+$/, '')) ? address : undefined
  },
  number: (text) => /^#?(\d{1,9})$/.exec(text)?.[1],
  choice: (text, { words = {} }) => {
    const word = text.toLowerCase()
    return Object.hasOwn(words, word) ? words[word] : undefined
  },
}

const RUN_READERS: Partial<Record<Kind, Reader>> = {
  duration: ifRead(readDuration),
  moment: ifRead((text) => (/^(?:until|from|at) /i.test(text) ? readMoment(text, SOME_DAY) : undefined)),
  period: ifRead((text) => readPeriod(text, SOME_DAY)),
}

/** Whether a kind has a form of its own, so that it is found among the other words. */
export const hasForm = ({ kind }: Slot): boolean =>
  kind !== 'event' && (kind in READERS || kind in RUN_READERS)

/** Whether quotes around words make them a name. Elsewhere, they only hold words together. */
export const takesName = (slots: readonly Slot[]): boolean =>
  slots.some(
    ({ kind, flag }) => kind === 'name' || kind === 'pattern' || (kind === 'text' && flag === 'name'),
  )

/** Reads the word at one end as a slot's kind or, for a time, as many words at the end as it has. Undefined if they aren't one. */
export function readAtEdge(
  slot: Slot,
  words: readonly Word[],
  edge: 'start' | 'end',
  isNameQuoted = true,
): { value: string; count: number } | undefined {
  const isRun = slot.kind in RUN_READERS
  if (isRun && edge === 'start') return undefined
  for (let count = isRun ? Math.min(MAX_RUN, words.length) : 1; count > 0; count -= 1) {
    const run = edge === 'end' ? words.slice(-count) : words.slice(0, count)
    const text = run.map(({ text }) => text).join(' ')
    const isName = isNameQuoted && run[0]?.isQuoted
    if (run.length === 0 || isName || text.length > MAX_KIND_LENGTH) continue
    const value = (READERS[slot.kind] ?? RUN_READERS[slot.kind])?.(text, slot)
    if (value !== undefined) return { value, count }
  }
  return undefined
}
