import { clip } from '@signalman/slack'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { type FlagSpecs, flagType, INTERNAL_FLAGS, isSynonym, matchFlag } from './flags.ts'
import { Refused } from './refused.ts'
import { isRunKind, isRunOrBadDate, KINDS, type Kind, MAX_RUN, readWord, type Slot } from './slots.ts'
import { type TypedLine, textOf, type WordRules } from './typed-line.ts'

/** Names that other programs have for what a slot takes. */
const KEYS: Partial<Record<Kind, string>> = {
  uuid: 'id uuid',
  event: 'id event case uuid',
  person: 'user person who assignee',
  channel: 'channel room',
  address: 'email mail address',
  host: 'domain domains host hostname url ip site target fqdn cn cert-name d n',
  number: 'id order number n',
  duration: 'for duration length time t d',
  moment: 'until till end end-at end-time ends expires',
  period: 'period last past range window within timeframe since',
  pattern: 'name check monitor service host alertname instance',
  name: 'name check monitor service host alertname instance',
}
const hasKey = (kind: Kind, key: string): boolean => KEYS[kind]?.split(' ').includes(key) === true

/** `--duration`, `duration=2h`, or `duration: 2 hours`. `values` are the words that may belong to it. */
interface Form {
  readonly key: string
  readonly isFlag: boolean
  readonly values: readonly Word[]
  /** How many words the form has without the values. */
  readonly count: number
}

const ASSIGNED = /^([a-z][a-z-]*)[=:](?!\/)(.*)$/is

/**
 * Reads the forms of other programs for what a verb takes: `--duration 2h`, `duration=2h`, and `for: 2h` are `for 2h`, `status=down` is
 * `--status=down`, and `--all` is `all`. Throws Refused for another name of a flag, and suggests the line with that flag.
 */
export function readOtherForms(rules: WordRules, typed: readonly Word[], now: TypedLine['now']): Word[] {
  const read: Word[] = []
  const renamed: { from: string; to: string }[] = []
  const hasProse = rules.slots.some(({ isProse }) => isProse)
  for (let index = 0; index < typed.length; ) {
    const form = findForm(typed, index)
    const found = form && (hasProse ? readReasonFlag(rules, form) : readForm(rules, form, now))
    if (!found) {
      // The value of a flag is never another form: `--not target=*.example.org`.
      const length = takesNext(rules.flags, form) ? 2 : 1
      read.push(...typed.slice(index, index + length))
      index += length
      continue
    }
    if (found.flag && form) renamed.push({ from: form.key, to: found.flag })
    read.push(...found.words)
    index += found.count
  }
  const [first] = renamed
  if (first)
    throw new Refused(`This command has no flag --${clip(first.from, 60)}. Did you mean --${first.to}?`, [
      `${rules.line} ${joinWords(read)}`,
    ])
  return read
}

/** Whether a declared flag has its value in the next word. */
function takesNext(flags: FlagSpecs, form: Form | undefined): boolean {
  const spec = form?.isFlag && form.count > 0 && Object.hasOwn(flags, form.key) ? flags[form.key] : undefined
  return spec !== undefined && flagType(spec) !== 'switch'
}

function findForm(typed: readonly Word[], index: number): Form | undefined {
  const word = typed[index]
  if (!word || word.isQuoted) return undefined
  const flag = matchFlag(word)
  const [, key = '', value = ''] = flag ? [] : (ASSIGNED.exec(word.text) ?? [])
  if (!flag && key === '') return undefined
  const following = typed.slice(index + 1)
  const end = following.findIndex((next) => matchFlag(next) !== undefined || isAssigned(next))
  const values = end < 0 ? following : following.slice(0, end)
  if (flag)
    return flag.value === undefined
      ? { key: flag.name, isFlag: true, values, count: 1 }
      : { key: flag.name, isFlag: true, values: [toWord(flag.value)], count: 0 }
  return value === ''
    ? { key: key.toLowerCase(), isFlag: false, values, count: 1 }
    : { key: key.toLowerCase(), isFlag: false, values: [toWord(value)], count: 0 }
}

const isAssigned = ({ text, isQuoted }: Word): boolean => !isQuoted && ASSIGNED.test(text)
/** `name="Shop checkout"` has the value in quotes. */
const toWord = (text: string): Word => ({ text, isQuoted: /\s/.test(text) })
const plain = (text: string): Word => ({ text, isQuoted: false })

interface Found {
  readonly words: readonly Word[]
  readonly count: number
  /** The flag that was meant, if another program’s name was typed. */
  readonly flag?: string
}

function readForm(rules: WordRules, form: Form, now: TypedLine['now']): Found | undefined {
  const { flags } = rules
  const { key, isFlag } = form
  const slots = rules.slots.filter(({ flag }) => flag === undefined || Object.hasOwn(flags, flag))
  if (Object.hasOwn(flags, key) && flagType(flags[key] ?? 'switch') !== 'switch') return readDeclared(form)
  if (isFlag && Object.hasOwn(flags, key)) return undefined
  const renamed = readRenamed(flags, form)
  // `--host` is a target rather than a name, where a verb has both.
  const isOther = renamed !== undefined && renamed.flag !== 'name'
  const likely = isOther ? slots.filter(({ kind }) => kind !== 'name' && kind !== 'pattern') : slots
  const slot = readSlot(likely, form, now)
  if (slot) return slot
  if (isFlag && isWordOf(slots, key)) return { words: [plain(key)], count: 1 }
  return readExpiry(flags, form) ?? renamed
}

/** `status=down`. `status:` with a space after it is hardly a flag. */
function readDeclared({ key, isFlag, values: [value], count }: Form): Found | undefined {
  return isFlag || !value || count > 0 ? undefined : { words: [plain(`--${key}=${value.text}`)], count: 1 }
}

function readSlot(slots: readonly Slot[], form: Form, now: TypedLine['now']): Found | undefined {
  const isSpaced = !form.isFlag && form.count > 0
  for (const kind of KINDS)
    for (const slot of slots.filter((known) => known.kind === kind)) {
      const length = isSpaced && !isRunKind(kind) ? 0 : countValues(slot, form, now)
      const values = form.values.slice(0, length)
      if (length > 0) return { words: writeSlot(slot, form.key, values), count: lengthOf(form, length) }
    }
  return undefined
}

const lengthOf = ({ count }: Form, values: number): number => (count === 0 ? 1 : count + values)

/** How many of the values are what a slot takes: the longest time, or one word. */
function countValues(slot: Slot, { key, values }: Form, now: TypedLine['now']): number {
  const { kind, after = [] } = slot
  const [value] = values
  if (!value || !(after.includes(key) || hasKey(kind, key))) return 0
  if (isRunKind(kind)) {
    const lengths = Array.from({ length: Math.min(MAX_RUN, values.length) }, (_, index) => index + 1)
    return lengths.findLast((length) => isRunOrBadDate(kind, textOf(values.slice(0, length)), now)) ?? 0
  }
  return kind === 'name' || kind === 'text' || readWord(slot, value) !== undefined ? 1 : 0
}

/** The value, with the word that says which slot is meant. */
function writeSlot({ kind, after = [], needsWord }: Slot, key: string, values: readonly Word[]): Word[] {
  const word = after.includes(key) ? key : needsWord || kind === 'moment' ? after[0] : undefined
  const words = isRunKind(kind) ? values.flatMap(({ text }) => text.split(' ').map(plain)) : values
  return [...(word === undefined ? [] : [plain(word)]), ...words]
}

/** `--all`, `--down`, `--forever` */
const isWordOf = (slots: readonly Slot[], key: string): boolean =>
  slots.some(
    ({ kind, words, needsWord, flag }) =>
      // The name of a verb isn’t a flag: `audit --export`.
      kind === 'choice' && !needsWord && flag !== 'verb' && Object.hasOwn(words ?? {}, key),
  )

/** `--expiring-in 30`: within so many days. */
function readExpiry(flags: FlagSpecs, { key, values: [value], count }: Form): Found | undefined {
  const days = /^(\d{1,4})(?:d|days?)?$/i.exec(value?.text ?? '')?.[1]
  if (days === undefined || !/^expir\w*-(?:in|within|days)$/.test(key)) return undefined
  if (!Object.hasOwn(flags, 'expiring') || !Object.hasOwn(flags, 'days')) return undefined
  return { words: [plain('--expiring'), plain(`--days=${days}`)], count: count + 1 }
}

/** `--interval 60`: the value stays where it is. */
function readRenamed(flags: FlagSpecs, { key, isFlag, values, count }: Form): Found | undefined {
  const known = Object.keys(flags).find((flag) => !INTERNAL_FLAGS.has(flag) && isSynonym(flag, key))
  const [value] = values
  if (known === undefined || (!value && !isFlag)) return undefined
  // A filter isn’t what is changed.
  const flag = Object.hasOwn(flags, `set-${known}`) ? `set-${known}` : known
  if (isFlag && (count > 0 || !value)) return { words: [plain(`--${flag}`)], count: 1, flag }
  const text = count === 0 ? (value?.text ?? '') : textOf(values)
  return {
    words: [plain(`--${flag}=${text}`)],
    count: lengthOf({ key, isFlag, values, count }, values.length),
    flag,
  }
}

const REASON = /^(?:m|message|comment|note|reason|because|text|description|msg)$/

/** `--reason "wrong name"`, where the reason is free text anyway. */
function readReasonFlag({ flags }: WordRules, { key, isFlag, values, count }: Form): Found | undefined {
  const [value] = values
  if (!isFlag || !value || Object.hasOwn(flags, key) || !REASON.test(key)) return undefined
  return { words: count === 0 ? [value] : [], count: 1 }
}
