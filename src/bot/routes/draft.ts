import { closestChoice, closestWord } from '../../domain/mistyped-word.ts'
import { quotedName } from '../../domain/quoting.ts'
import { type FlagSpec, flagType, isRepeatable, typedFlags } from '../grammar/flags.ts'
import { hasForm, readText, type Slot, takesName } from '../grammar/slots.ts'
import { findOurFlag } from './other-tools.ts'
import { canOpenForm } from './read-line.ts'
import type { Verb } from './routes.ts'
import { isPreposition, isWord, joinTokens, type Token } from './tokens.ts'

/** A line that is written from the words of another one. */
export interface Draft {
  readonly verb: Verb
  /** The word for the verb. */
  readonly word: string
  /** The words that nothing has taken. */
  readonly left: (Token | undefined)[]
  /** The values of arguments with a form of their own, as typed. */
  readonly values: Map<Slot, string[]>
  readonly flags: string[]
  readonly leftOut: string[]
}

/** Takes the values out of the words: flags, and what has a form of its own, wherever it is. */
export function takeValues(draft: Draft): void {
  takeFlags(draft)
  takeSteps(draft)
  takeForms(draft)
  takeAddresses(draft)
}

const ENVIRONMENT = { env: { type: ['production', 'ote'] } } as const

/** Takes `--flag value`, `flag=value` and, for a verb with many settings, `flag value`. */
function takeFlags(draft: Draft): void {
  const specs: Specs = { ...Object.fromEntries(typedFlags(draft.verb.flags)), ...ENVIRONMENT }
  for (const at of draft.left.keys()) {
    const token = draft.left[at]
    const flag = token && findFlag(draft, token, specs)
    const spec = flag === undefined ? undefined : specs[flag]?.type
    if (flag !== undefined && spec !== undefined) takeFlag(draft, at, flag, spec)
    else if (token?.key !== undefined) takeOtherFlag(draft, at, token)
  }
  takeNewName(draft)
}

type Specs = Readonly<Record<string, { readonly type: FlagSpec }>>

/** Our flag for a flag of other tools or, in a line about settings, for a word. */
function findFlag({ verb, word }: Draft, token: Token, specs: Specs): string | undefined {
  const text = (token.key ?? (isWord(token) ? token.text : '')).toLowerCase()
  const names = Object.keys(specs)
  const ours = findOurFlag(text)
  if (token.key !== undefined) return names.includes(ours) ? ours : findNearFlag(text, names)
  if (word === 'rename' && /^(?:to|as|into)$/.test(text)) return 'name'
  const isSetting = canOpenForm(verb) || listChoices(specs[ours]?.type) !== undefined
  return isSetting && ours !== 'env' && names.includes(ours) ? ours : undefined
}

/** The flag that a word is the beginning of, close to, or a part of. */
function findNearFlag(word: string, names: readonly string[]): string | undefined {
  const begun = names.filter((name) => word.length > 1 && name.startsWith(word))
  if (begun.length === 1) return begun[0]
  const isPart = (part: string, name: string): boolean => `-${name}-`.includes(`-${part}-`)
  return (
    closestWord(word, names, { lettersPerTypo: 3 }) ??
    names.find((name) => isPart(word, name) || isPart(name, word))
  )
}

function takeFlag({ word, left, flags }: Draft, at: number, flag: string, spec: FlagSpec): void {
  const { key, text = '' } = left[at] ?? {}
  const following = left.slice(at + 1)
  if (spec === 'switch') {
    flags.push(`--${flag}`)
    left[at] = undefined
  } else if (key !== undefined && text !== '') {
    flags.push(`--${flag} ${writeValue(text, spec)}`)
    left[at] = undefined
  } else if (key !== undefined || flag === 'name' || !following[0]?.isName) {
    const choice = findChoice(following, listChoices(spec))
    // A word may be the name of a filter, or not.
    if (key === undefined && listChoices(spec) && !choice) return
    const count = choice?.count ?? countValue(following, word === 'rename' && flag === 'name')
    const value = choice?.value ?? joinTokens(following.slice(0, count)).replace(SMALL_BEFORE_VALUE, '')
    if (value === '') return
    flags.push(`--${flag} ${writeValue(value, spec)}`)
    left.fill(undefined, at, at + 1 + count)
  }
}

/** Takes a flag of other tools as an argument: its value, or the word itself. */
function takeOtherFlag(draft: Draft, at: number, { key = '', text, isName }: Token): void {
  const {
    verb: { slots = [] },
    left,
    leftOut,
  } = draft
  left[at] = undefined
  if (text !== '') {
    const isFormed = slots.some(
      (slot) => isTyped(slot) && slot.kind !== 'number' && readText(slot, text) !== undefined,
    )
    if (isFormed || isName || NAME_KEY.test(key))
      left[at] = { text, isQuoted: !isFormed, ...(isName && { isName }) }
    else leftOut.push(`${key}=${text}`)
    return
  }
  if (slots.some(({ words = {} }) => Object.hasOwn(words, key))) {
    left[at] = { text: key }
    return
  }
  const next = left[at + 1]
  const isSwitch = next === undefined || next.key !== undefined || SWITCH.test(key)
  const isRead =
    next?.isName ||
    NAME_KEY.test(key) ||
    isPreposition({ text: key }) ||
    slots.some((slot) => readText(slot, next?.text ?? '') !== undefined)
  if (isSwitch) leftOut.push(`--${key}`)
  else if (!isRead) {
    leftOut.push(`--${key} ${next.text}`)
    left[at + 1] = undefined
  }
}

/** Switches of other tools. What follows another flag is its value. */
const SWITCH = /^(?:force|yes|confirm|now|all|quiet|verbose|json|dry-run|no-.+)$/
/** Flags of other tools for what a line is about. */
const NAME_KEY = /name$|^(?:check|monitor|instance|service|id|no|number|order|event|host|target)$/

/** `rename web "Web shop"` */
function takeNewName({ word, left, flags }: Draft): void {
  const last = left.findLastIndex((token) => token !== undefined)
  const token = left[last]
  if (word !== 'rename' || flags.length > 0 || !token) return
  flags.push(`--name ${writeWord(token.text)}`)
  left[last] = undefined
}

const SMALL_BEFORE_VALUE = /^(?:to|as|is|of|=) /i

/** How many of the words after a flag are its value, with a small word before it: one, with its unit, or all of them. */
function countValue(following: readonly (Token | undefined)[], isRest: boolean): number {
  const small = SMALL_BEFORE_VALUE.test(`${following[0]?.text} `) ? 1 : 0
  const end = following.findIndex((token) => token === undefined || token.key !== undefined)
  const all = end === -1 ? following.length : end
  const [value, unit] = following.slice(small)
  const hasUnit = /^\d+$/.test(value?.text ?? '') && /^(?:s|m|h|sec|min|hour)/i.test(unit?.text ?? '')
  return isRest ? all : Math.min(all, small + (hasUnit ? 2 : 1))
}

function listChoices(spec: FlagSpec | undefined): readonly string[] | undefined {
  const type = spec === undefined ? undefined : flagType(spec)
  const values = type !== undefined && isRepeatable(type) ? type.listOf : type
  return Array.isArray(values) ? values : undefined
}

/** The words that are a value of a closed list: `false positive`. */
function findChoice(following: readonly (Token | undefined)[], choices: readonly string[] | undefined) {
  for (const count of choices ? [2, 1] : []) {
    const run = following.slice(0, count).flatMap((token) => token?.text.toLowerCase() ?? [])
    const value = choices?.find((choice) => choice.toLowerCase() === run.join('-'))
    if (run.length === count && value !== undefined) return { value, count }
  }
  return undefined
}

function writeValue(value: string, spec: FlagSpec): string {
  const choices = listChoices(spec)
  return (choices && closestChoice(value, choices)) ?? writeWord(value.replace(/^(\d+) (?=[a-z])/i, '$1'))
}

const writeWord = (text: string): string => (/^[\p{L}\p{N}_.:/@#*-]+$/u.test(text) ? text : quotedName(text))

/** Takes whom to page after a while: `10m @on-call`. */
function takeSteps({ verb, left, flags }: Draft): void {
  const isPerson = (token: Token | undefined): boolean => token?.text.startsWith('@') === true
  const at = verb.flags?.escalate ? left.findIndex(isPerson) : -1
  const step = joinTokens(left.slice(at - 1, at + 1))
  if (at < 1 || readText({ name: '', kind: 'duration' }, left[at - 1]?.text ?? '') === undefined) return
  flags.push(`--escalate ${quotedName(step)}`)
  left.fill(undefined, at - 1, at + 1)
}

/** Takes the values with a form of their own, wherever they are. */
function takeForms({ verb: { slots = [] }, values, flags, left }: Draft): void {
  // Of a free text, only what is before it is a value.
  const isProse = slots.some((slot) => slot.isProse)
  for (const slot of slots.filter((each) => each.kind === 'event' || (hasForm(each) && isTyped(each)))) {
    const isGiven = [...values.keys()].some(({ group }) => group !== undefined && group === slot.group)
    if (isGiven || flags.some((flag) => flag.startsWith(`--${slot.flag} `))) continue
    do {
      const found = findForm(left, slot, isProse || slot.many === true, takesName(slots))
      if (!found) break
      values.set(slot, [...(values.get(slot) ?? []), found.value])
      left.fill(undefined, found.start, found.end)
    } while (slot.many)
  }
}

/** Whether people type an argument: what has no usage is for buttons, or for a line that is refused. */
export const isTyped = ({ usage, kind, isProse }: Slot): boolean =>
  usage !== '' || kind === 'choice' || isProse === true

/** `1 hour 30 minutes` */
const RUNS: Readonly<Record<string, number>> = { duration: 4, moment: 4, period: 4, interval: 2 }

/** The first or the last words that are an argument, with the small words before them. */
function findForm(left: readonly (Token | undefined)[], slot: Slot, isFirst: boolean, hasName: boolean) {
  for (let count = RUNS[slot.kind] ?? 1; count > 0; count -= 1) {
    const starts = [...left.keys()].slice(0, Math.max(0, left.length - count + 1))
    for (const start of isFirst ? starts : starts.toReversed()) {
      const value = readForm(
        left.slice(start, start + count),
        slot,
        hasName && !isPreposition(left[start - 1]),
      )
      if (value === undefined) continue
      const before = left.slice(0, start).findLastIndex((token) => !isPreposition(token)) + 1
      return { value, start: slot.kind === 'choice' && !slot.after ? start : before, end: start + count }
    }
  }
  return undefined
}

function readForm(run: readonly (Token | undefined)[], slot: Slot, mayBeName: boolean): string | undefined {
  // The name of a health check may look like anything; its address is one.
  const isApart = (token: Token | undefined): boolean =>
    token === undefined ||
    token.isComma === true ||
    token.key !== undefined ||
    (token.isName === true && slot.kind !== 'uuid')
  if (run.some(isApart)) return undefined
  const text = slot.kind === 'interval' ? joinTokens(run).replace(' ', '') : joinTokens(run)
  const isInside = (slot.kind === 'moment' || slot.kind === 'duration') && isPreposition(run[0])
  if (isInside) return undefined
  // A day alone is often part of a name.
  if (slot.kind === 'moment' && mayBeName && !/\d/.test(text)) return undefined
  return readText(slot, text) === undefined ? undefined : text
}

export const isAddress = (text: string): boolean =>
  readText({ name: '', kind: 'address' }, text) !== undefined

/** An address gets emails, doesn't get them any more, or is replaced. */
function takeAddresses({ verb, word, values, flags, left }: Draft): void {
  if (verb.verb !== 'recipients' || flags.length > 0) return
  const first = left.findIndex((token) => token !== undefined && isAddress(token.text))
  const [slot, [last = ''] = []] = [...values].find(([{ kind }]) => kind === 'address') ?? []
  if (slot && first !== -1) {
    values.set(slot, [left[first]?.text ?? ''])
    flags.push(`--replace-with ${last}`)
    left[first] = undefined
    return
  }
  const said = [word, ...left.map((token) => token?.text.toLowerCase() ?? '')]
  const isLess = said.some((each) => /^(?:remove|rm|delete|drop|stop|un\w+)$/.test(each))
  if (isLess || word !== 'recipients' || said.includes('add')) flags.push(isLess ? '--remove' : '--add')
}
