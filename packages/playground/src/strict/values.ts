import type { Json } from '../protocol.ts'
import type { Type } from '../rules/rule.ts'

/** Control characters other than tabs and line breaks, and half of a surrogate pair: nothing that a person could have typed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

export function isPrintable(value: string): boolean {
  return !UNPRINTABLE.test(value) && value.isWellFormed()
}

const isDay = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true

type Of<Name extends Type['is']> = Type & { is: Name }

/** A string of `min` to `max` characters; Slack counts code points. */
function textFaults({ min, max }: { min: number; max: number }, value: Json): string[] {
  if (typeof value !== 'string') return ['must provide a string']
  const length = [...value].length
  return [
    ...(length > max ? [`must be less than ${max + 1} characters`] : []),
    ...(length < min ? [`must be more than ${min - 1} characters`] : []),
    ...(isPrintable(value) ? [] : ['must not contain control characters']),
  ]
}

function wholeFaults({ min, max }: Of<'whole'>, value: Json): string[] {
  if (typeof value !== 'number' || !Number.isInteger(value)) return ['must provide an integer']
  if (value < min) return [`must be greater than or equal to ${min}`]
  return value > max ? [`must be less than or equal to ${max}`] : []
}

function numberFaults({ above }: Of<'number'>, value: Json): string[] {
  if (typeof value !== 'number' || !Number.isFinite(value)) return ['must provide a number']
  return above !== undefined && value <= above ? [`must be greater than ${above}`] : []
}

function addressFaults({ schemes, max }: Of<'address'>, value: Json): string[] {
  const faults = textFaults({ min: 1, max }, value)
  if (typeof value !== 'string' || value === '') return faults
  const isAddress = URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1))
  const wanted = schemes.map((scheme) => `${scheme}:`).join(' or ')
  return isAddress ? faults : [...faults, `must be a valid URL that starts with ${wanted}`]
}

/** The problems of one plain value, by its type. */
export function valueFaults(
  type: Of<'text'> | Of<'flag'> | Of<'whole'> | Of<'number'> | Of<'pattern'> | Of<'date'> | Of<'address'>,
  value: Json,
): string[] {
  switch (type.is) {
    case 'text':
      return textFaults(type, value)
    case 'flag':
      return typeof value === 'boolean' ? [] : ['must provide a boolean']
    case 'whole':
      return wholeFaults(type, value)
    case 'number':
      return numberFaults(type, value)
    case 'pattern':
      return typeof value === 'string' && type.pattern.test(value) ? [] : [`must be ${type.wanted}`]
    case 'date':
      return typeof value === 'string' && isDay(value) ? [] : ['must be a date in the form YYYY-MM-DD']
    case 'address':
      return addressFaults(type, value)
  }
}
