import type { Json } from '../protocol/json.ts'
import type { ValueType } from '../rules/rule.ts'

/** Control characters other than tabs and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** Whether the text has neither control characters nor unpaired surrogates. */
export function isPrintable(value: string): boolean {
  return !UNPRINTABLE.test(value) && value.isWellFormed()
}

type TypeNamed<Name extends ValueType['type']> = ValueType & { type: Name }

/** Validates a string of `min` to `max` code points, which is how Slack counts characters. */
function findTextErrors({ min, max }: { min: number; max: number }, value: Json): string[] {
  if (typeof value !== 'string') return ['must provide a string']
  const length = [...value].length
  return [
    ...(length > max ? [`must be less than ${max + 1} characters`] : []),
    ...(length < min ? [`must be more than ${min - 1} characters`] : []),
    ...(isPrintable(value) ? [] : ['must not contain control characters']),
  ]
}

function findIntegerErrors({ min, max }: TypeNamed<'integer'>, value: Json): string[] {
  if (typeof value !== 'number' || !Number.isInteger(value)) return ['must provide an integer']
  if (value < min) return [`must be greater than or equal to ${min}`]
  return value > max ? [`must be less than or equal to ${max}`] : []
}

function findUrlErrors({ schemes, max }: TypeNamed<'url'>, value: Json): string[] {
  const errors = findTextErrors({ min: 1, max }, value)
  if (typeof value !== 'string' || value === '') return errors
  const isAllowedUrl = URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1))
  const expected = schemes.map((scheme) => `${scheme}:`).join(' or ')
  return isAllowedUrl ? errors : [...errors, `must be a valid URL that starts with ${expected}`]
}

/** Validates a string, number, or boolean. Returns an error message for each problem. */
export function findValueErrors(
  valueType:
    | TypeNamed<'text'>
    | TypeNamed<'boolean'>
    | TypeNamed<'integer'>
    | TypeNamed<'pattern'>
    | TypeNamed<'url'>,
  value: Json,
): string[] {
  switch (valueType.type) {
    case 'text':
      return findTextErrors(valueType, value)
    case 'boolean':
      return typeof value === 'boolean' ? [] : ['must provide a boolean']
    case 'integer':
      return findIntegerErrors(valueType, value)
    case 'pattern':
      return typeof value === 'string' && valueType.pattern.test(value)
        ? []
        : [`must be ${valueType.expected}`]
    case 'url':
      return findUrlErrors(valueType, value)
  }
}
