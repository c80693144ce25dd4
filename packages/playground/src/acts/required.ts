import { isFields, stringOf } from '../json.ts'
import type { Block, Fields } from '../protocol.ts'

/** What a text input takes when it does not say: as much as it ever may. */
const TEXT_AT_MOST = 3000
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

function isEmpty(state: Fields): boolean {
  return Object.entries(state).every(
    ([name, value]) =>
      name === 'type' || value === null || value === '' || (Array.isArray(value) && value.length === 0),
  )
}

function lengthError(element: Fields, value: string): string | undefined {
  const { min_length: min, max_length: max = TEXT_AT_MOST } = element
  const length = [...value].length
  if (typeof min === 'number' && length < min) return `Must be at least ${min} characters.`
  if (typeof max === 'number' && length > max) return `Must be at most ${max} characters.`
  return undefined
}

function numberError(element: Fields, value: string): string | undefined {
  const pattern = element.is_decimal_allowed === true ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/
  if (!pattern.test(value))
    return element.is_decimal_allowed === true ? 'Must be a number.' : 'Must be a whole number.'
  const { min_value: min, max_value: max } = element
  if (min !== undefined && Number(value) < Number(min)) return `Must be at least ${min}.`
  if (max !== undefined && Number(value) > Number(max)) return `Must be at most ${max}.`
  return undefined
}

const FORMATS: Record<string, (element: Fields, value: string) => string | undefined> = {
  plain_text_input: lengthError,
  number_input: numberError,
  email_text_input: (_element, value) => (EMAIL.test(value) ? undefined : 'Enter a valid email address.'),
  url_text_input: (_element, value) => (/^https?:\/\/\S+$/.test(value) ? undefined : 'Enter a valid URL.'),
}

function blockError(block: Block, state: Fields): string | undefined {
  if (isEmpty(state)) return block.optional === true ? undefined : 'Please complete this required field.'
  const value = stringOf(state.value)
  const element = isFields(block.element) ? block.element : {}
  return value === undefined ? undefined : FORMATS[String(element.type)]?.(element, value)
}

/**
 * What Slack's client refuses before it asks the app: required inputs left empty, lengths, numbers, e-mails, URLs.
 * `filled` is the view with its `state`; the answer maps block_ids to sentences, empty when all is well.
 */
export function clientErrors(blocks: Block[], filled: Fields): Record<string, string> {
  const values = isFields(filled.state) && isFields(filled.state.values) ? filled.state.values : {}
  const errors: Record<string, string> = {}
  for (const block of blocks.filter(({ type }) => type === 'input')) {
    const states = values[block.block_id]
    const state = isFields(states) ? Object.values(states)[0] : undefined
    const error = isFields(state) ? blockError(block, state) : undefined
    if (error) errors[block.block_id] = error
  }
  return errors
}
