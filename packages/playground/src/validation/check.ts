// This folder: checking blocks, messages, and views against the rules.

import type { Fields, Json } from '../protocol/json.ts'
import { isFields } from '../protocol/json.ts'
import { getKind } from '../rules/kinds.ts'
import type { Kind, Surface, ValueType } from '../rules/rule.ts'
import { isEscaped } from './escaped.ts'
import { findValueErrors } from './values.ts'

/** An error and its position. */
export interface ContentError {
  pointer: string
  message: string
}

/** One validation: the surface, and the errors found so far. */
export interface Check {
  surface: Surface
  errors: ContentError[]
}

export const createCheck = (surface: Surface): Check => ({ surface, errors: [] })

export const addError = (check: Check, pointer: string, message: string): undefined =>
  void check.errors.push({ pointer, message })

/** Refuses what the rules don't have. Slack may have it, because the rules only have what this repository's app uses. */
export const refuseUnknown = (check: Check, pointer: string, message: string): undefined =>
  addError(check, pointer, `${message} (unless Slack has it and the playground lacks it)`)

/** Formats an error as Slack does: `must be less than 151 characters [json-pointer:/blocks/0/text/text]`. */
export const formatError = ({ pointer, message }: ContentError): string =>
  `${message} [json-pointer:${pointer}]`

const UNESCAPED_MESSAGE = "must escape &, <, and > as &amp;, &lt;, and &gt; where they aren't markup"

/** Reports unescaped characters, unlike Slack, which guesses their meaning: untrusted text must be escaped. */
export function checkEscaped(text: string, pointer: string, check: Check): undefined {
  if (!isEscaped(text)) addError(check, pointer, UNESCAPED_MESSAGE)
}

function checkList(
  valueType: ValueType & { type: 'list' },
  value: Json,
  pointer: string,
  check: Check,
): undefined {
  if (!Array.isArray(value)) return addError(check, pointer, 'must provide an array')
  if (value.length > valueType.max) addError(check, pointer, `no more than ${valueType.max} items allowed`)
  if (value.length < valueType.min) addError(check, pointer, `must provide at least ${valueType.min} items`)
  const seen = new Set<string>()
  for (const [index, item] of value.entries()) {
    checkType(valueType.of, item, `${pointer}/${index}`, check)
    const key = JSON.stringify(item)
    if (valueType.distinct && seen.has(key)) addError(check, `${pointer}/${index}`, 'must not be a duplicate')
    seen.add(key)
  }
}

function checkTextObject(
  { styles, max }: ValueType & { type: 'text object' },
  value: Json,
  pointer: string,
  check: Check,
): undefined {
  if (!isFields(value)) return addError(check, pointer, 'must provide an object')
  if (value.type === undefined) return addError(check, pointer, 'missing required field: type')
  const style = styles.find((candidate) => candidate === value.type)
  if (style === undefined) {
    if (styles.length === 1) return addError(check, `${pointer}/type`, 'must be plain_text')
    return refuseUnknown(check, `${pointer}/type`, `unsupported type: ${String(value.type)}`)
  }
  checkKind(getKind(style === 'plain_text' ? 'plain text' : 'mrkdwn text'), value, pointer, check)
  // checkKind has already applied the limit of 3,000 characters that all text objects have.
  const tooLong = typeof value.text === 'string' && [...value.text].length > max && max < 3000
  if (tooLong) addError(check, `${pointer}/text`, `must be less than ${max + 1} characters`)
}

function checkObject(kinds: readonly string[], value: Json, pointer: string, check: Check): undefined {
  if (!isFields(value)) return addError(check, pointer, 'must provide an object')
  const candidates = kinds.map(getKind)
  const [singleKind] = candidates
  if (singleKind && candidates.length === 1 && singleKind.type === undefined)
    return checkKind(singleKind, value, pointer, check)
  if (value.type === undefined) return addError(check, pointer, 'missing required field: type')
  const kind = candidates.find(({ type }) => type === value.type)
  if (kind) return checkKind(kind, value, pointer, check)
  refuseUnknown(check, `${pointer}/type`, `unsupported type: ${String(value.type)}`)
}

/** Validates a value against its type. */
export function checkType(valueType: ValueType, value: Json, pointer: string, check: Check): undefined {
  switch (valueType.type) {
    case 'list':
      return checkList(valueType, value, pointer, check)
    case 'text object':
      return checkTextObject(valueType, value, pointer, check)
    case 'kind':
      return checkObject(valueType.kinds, value, pointer, check)
    case 'enum':
      if (typeof value === 'string' && valueType.values.includes(value)) return
      return addError(check, pointer, `must be one of: ${valueType.values.join(', ')}`)
    case 'any':
      return
    default:
      if (valueType.type === 'text' && valueType.escaped && typeof value === 'string')
        checkEscaped(value, pointer, check)
      for (const message of findValueErrors(valueType, value)) addError(check, pointer, message)
  }
}

/** Validates an object against the rules for its kind. Unknown fields are errors, as in Slack. */
export function checkKind(
  { fields, crossFieldRules = [] }: Kind,
  value: Fields,
  pointer: string,
  check: Check,
): undefined {
  for (const [name, { required }] of Object.entries(fields))
    if (required && value[name] === undefined) addError(check, pointer, `missing required field: ${name}`)
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field) checkType(field.type, inner, `${pointer}/${name}`, check)
    else refuseUnknown(check, pointer, `invalid additional property: ${name}`)
  }
  for (const rule of crossFieldRules)
    rule.check(value, (path, message) => addError(check, pointer + path, message), check.surface)
}
