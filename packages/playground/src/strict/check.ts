import { isFields } from '../json.ts'
import type { Fields, Json } from '../protocol.ts'
import { kindOf } from '../rules/kinds.ts'
import type { Kind, Level, Surface, Type } from '../rules/rule.ts'
import { isEscaped } from './escaped.ts'
import { valueFaults } from './values.ts'

/** What is wrong and where, as `blocks.validate` returns it. */
export interface Fault {
  pointer: string
  message: string
  /** For a value that isn't in the list. */
  constraint?: { type: 'enum'; expected: string[]; got: string }
}

/** One run of the rules: where the blocks will be shown, whose rules apply, and what was found so far. */
export interface Check {
  surface: Surface
  levels: ReadonlySet<Level>
  faults: Fault[]
  /** Broken rules of levels that don't apply. */
  advice: Fault[]
}

/** Whose rules apply in Slack. */
export const SLACK_ONLY: readonly Level[] = ['slack']
/** Whose rules apply by default when an app checks what it is about to send. */
export const CAREFUL: readonly Level[] = ['slack', 'careful']

export function createCheck(surface: Surface, levels: readonly Level[] = CAREFUL): Check {
  return { surface, levels: new Set(levels), faults: [], advice: [] }
}

export function fault(check: Check, pointer: string, message: string, level: Level = 'slack'): undefined {
  ;(check.levels.has(level) ? check.faults : check.advice).push({ pointer, message })
}

/** In Slack's words: `must be less than 151 characters [json-pointer:/blocks/0/text/text]`. */
export const worded = ({ pointer, message }: Fault): string => `${message} [json-pointer:${pointer}]`

const UNESCAPED = 'must escape &, < and > as &amp;, &lt; and &gt; where they are not markup'

/** Slack guesses what an unescaped character means; an app that sends text from outside must not rely on that. */
export function checkEscaped(text: string, at: string, check: Check): undefined {
  if (!isEscaped(text)) fault(check, at, UNESCAPED, 'careful')
}

function checkList(type: Type & { is: 'list' }, value: Json, at: string, check: Check): undefined {
  if (!Array.isArray(value)) return fault(check, at, 'must provide an array')
  if (value.length > type.max) fault(check, at, `no more than ${type.max} items allowed`)
  if (value.length < type.min) fault(check, at, `must provide at least ${type.min} items`)
  const seen = new Set<string>()
  for (const [index, each] of value.entries()) {
    checkType(type.of, each, `${at}/${index}`, check)
    const key = JSON.stringify(each)
    if (type.distinct && seen.has(key)) fault(check, `${at}/${index}`, 'must not be a duplicate')
    seen.add(key)
  }
}

function checkWords(
  { styles, max }: Type & { is: 'words' },
  value: Json,
  at: string,
  check: Check,
): undefined {
  if (!isFields(value)) return fault(check, at, 'must provide an object')
  if (value.type === undefined) return fault(check, at, 'missing required field: type')
  const style = styles.find((one) => one === value.type)
  if (style === undefined) {
    const isPlain = styles.length === 1
    return fault(
      check,
      `${at}/type`,
      isPlain ? 'must be plain_text' : `unsupported type: ${String(value.type)}`,
    )
  }
  checkKind(kindOf(style === 'plain_text' ? 'plain text' : 'mrkdwn text'), value, at, check)
  const tooLong = typeof value.text === 'string' && [...value.text].length > max && max < 3000
  if (tooLong) fault(check, `${at}/text`, `must be less than ${max + 1} characters`)
}

function checkChoice(kinds: readonly string[], value: Json, at: string, check: Check): undefined {
  if (!isFields(value)) return fault(check, at, 'must provide an object')
  const known = kinds.map(kindOf)
  const [only] = known
  if (only && known.length === 1 && only.type === undefined) return checkKind(only, value, at, check)
  if (value.type === undefined) return fault(check, at, 'missing required field: type')
  const found = known.find(({ type }) => type === value.type)
  if (found) return checkKind(found, value, at, check)
  fault(check, `${at}/type`, `unsupported type: ${String(value.type)}`)
}

/** Checks one value by what its field can contain. */
export function checkType(type: Type, value: Json, at: string, check: Check): undefined {
  switch (type.is) {
    case 'list':
      return checkList(type, value, at, check)
    case 'words':
      return checkWords(type, value, at, check)
    case 'kind':
      return checkChoice(type.kinds, value, at, check)
    case 'null or':
      return value === null ? undefined : checkType(type.of, value, at, check)
    case 'either': {
      const [first, second] = type.of
      return checkType(fits(first, value) ? first : second, value, at, check)
    }
    case 'among':
      return checkAmong(type.values, value, at, check)
    case 'any':
      return
    default:
      if (type.is === 'text' && type.escaped && typeof value === 'string') checkEscaped(value, at, check)
      for (const message of valueFaults(type, value)) fault(check, at, message)
  }
}

function checkAmong(values: readonly string[], value: Json, at: string, check: Check): undefined {
  if (typeof value === 'string' && values.includes(value)) return
  check.faults.push({
    pointer: at,
    message: `must be one of: ${values.join(', ')}`,
    constraint: { type: 'enum', expected: [...values], got: String(value) },
  })
}

/** Whether a value is meant as this one of two. */
function fits(type: Type, value: Json): boolean {
  if (type.is === 'text') return typeof value === 'string'
  return type.is === 'words' && isFields(value) && type.styles.some((style) => style === value.type)
}

/** An object with exactly the fields of its kind; unknown ones are problems, as in Slack. */
export function checkKind(
  { fields, together = [], isOpen }: Kind,
  value: Fields,
  at: string,
  check: Check,
): undefined {
  for (const [name, { required }] of Object.entries(fields))
    if (required && value[name] === undefined) fault(check, at, `missing required field: ${name}`)
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field) checkType(field.type, inner, `${at}/${name}`, check)
    else if (!isOpen) fault(check, at, `invalid additional property: ${name}`)
  }
  for (const rule of together)
    rule.check(value, (below, message) => fault(check, at + below, message), check.surface)
}
