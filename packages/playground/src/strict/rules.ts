import { isFields } from '../json.ts'
import type { Json } from '../protocol.ts'

export type Surface = 'message' | 'modal' | 'home'

/** One run of the rules: where the blocks are to be shown, and the faults found so far. */
export interface Check {
  surface: Surface
  /** As Slack words them: `must be less than 151 characters [json-pointer:/blocks/0/text/text]`. */
  faults: string[]
}

export type Rule = (value: Json, at: string, check: Check) => void
/** Field → rule; a name that ends in `!` is required. */
export type Shape = Record<string, Rule>

export function createCheck(surface: Surface): Check {
  return { surface, faults: [] }
}

export function fault(check: Check, at: string, message: string): void {
  check.faults.push(`${message} [json-pointer:${at}]`)
}

/** Control characters but tab and line ends, and half of a surrogate pair: nothing that a person could have typed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

export function isPrintable(value: string): boolean {
  return !UNPRINTABLE.test(value) && value.isWellFormed()
}

/** A string of `min` to `max` characters; Slack counts code points. */
export const text =
  (max: number, min = 1): Rule =>
  (value, at, check) => {
    if (typeof value !== 'string') return fault(check, at, 'must provide a string')
    const length = [...value].length
    if (length > max) fault(check, at, `must be less than ${max + 1} characters`)
    if (length < min) fault(check, at, `must be more than ${min - 1} characters`)
    if (!isPrintable(value)) fault(check, at, 'must not contain control characters')
  }

export const flag: Rule = (value, at, check) => {
  if (typeof value !== 'boolean') fault(check, at, 'must provide a boolean')
}

export const whole =
  (min: number, max: number): Rule =>
  (value, at, check) => {
    if (typeof value !== 'number' || !Number.isInteger(value))
      return fault(check, at, 'must provide an integer')
    if (value < min) fault(check, at, `must be greater than or equal to ${min}`)
    if (value > max) fault(check, at, `must be less than or equal to ${max}`)
  }

export const finite: Rule = (value, at, check) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) fault(check, at, 'must provide a number')
}

export const among =
  (...allowed: string[]): Rule =>
  (value, at, check) => {
    if (typeof value !== 'string' || !allowed.includes(value))
      fault(check, at, `must be one of: ${allowed.join(', ')}`)
  }

export const matching =
  (pattern: RegExp, wanted: string): Rule =>
  (value, at, check) => {
    if (typeof value !== 'string' || !pattern.test(value)) fault(check, at, `must be ${wanted}`)
  }

/** An address of at most 3000 characters with one of the schemes. */
export const address =
  (...schemes: string[]): Rule =>
  (value, at, check) => {
    text(3000)(value, at, check)
    if (typeof value !== 'string' || value === '') return
    if (!URL.canParse(value) || !schemes.includes(new URL(value).protocol.slice(0, -1)))
      fault(
        check,
        at,
        `must be a valid URL that starts with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`,
      )
  }

export const list =
  (item: Rule, max: number, min = 1): Rule =>
  (value, at, check) => {
    if (!Array.isArray(value)) return fault(check, at, 'must provide an array')
    if (value.length > max) fault(check, at, `no more than ${max} items allowed`)
    if (value.length < min) fault(check, at, `must provide at least ${min} items`)
    for (const [index, each] of value.entries()) item(each, `${at}/${index}`, check)
  }

/** An object with exactly these fields, `type` among them; unknown ones are faults, as they are at Slack. */
export function object(shape: Shape): Rule {
  const rules = new Map(Object.entries(shape).map(([name, rule]) => [name.replace('!', ''), rule]))
  const required = Object.keys(shape).flatMap((name) => (name.endsWith('!') ? [name.slice(0, -1)] : []))
  return (value, at, check) => {
    if (!isFields(value)) return fault(check, at, 'must provide an object')
    for (const name of required)
      if (value[name] === undefined) fault(check, at, `missing required field: ${name}`)
    for (const [name, inner] of Object.entries(value)) {
      const rule = rules.get(name)
      if (rule) rule(inner, `${at}/${name}`, check)
      else fault(check, at, `invalid additional property: ${name}`)
    }
  }
}

/** Chooses the rule by the object's `type`. */
export function byType(kinds: Record<string, Rule>): Rule {
  return (value, at, check) => {
    if (!isFields(value)) return fault(check, at, 'must provide an object')
    if (value.type === undefined) return fault(check, at, 'missing required field: type')
    const rule =
      typeof value.type === 'string' && Object.hasOwn(kinds, value.type) ? kinds[value.type] : undefined
    if (rule) rule(value, at, check)
    else fault(check, `${at}/type`, `unsupported type: ${String(value.type)}`)
  }
}

/** All of these. */
export const all =
  (...rules: Rule[]): Rule =>
  (value, at, check) => {
    for (const rule of rules) rule(value, at, check)
  }

/** Passes over `null`, which Slack takes for "left out". */
export const nullable =
  (rule: Rule): Rule =>
  (value, at, check) => {
    if (value !== null) rule(value, at, check)
  }

export const anything: Rule = () => undefined
