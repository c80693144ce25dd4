import { isFields, stringOf } from '../json.ts'
import type { Block, Fields } from '../protocol.ts'

/** The longest text that an input accepts if it doesn't set a limit. */
const TEXT_AT_MOST = 3000
const EMAIL = /^[^\s@<>]+@[^\s@<>.]+(?:\.[^\s@<>.]+)+$/
const ADDRESS = /^https?:\/\/[^\s/?#]+\S*$/i

function isEmpty(state: Fields): boolean {
  return Object.entries(state).every(
    ([name, value]) =>
      name === 'type' ||
      value === null ||
      (typeof value === 'string' && value.trim() === '') ||
      (Array.isArray(value) && value.length === 0),
  )
}

const characters = (count: number): string => (count === 1 ? '1 character' : `${count} characters`)

function lengthError(element: Fields, value: string): string | undefined {
  const { min_length: min, max_length: max } = element
  const length = [...value].length
  if (typeof min === 'number' && length < min) return `Enter at least ${characters(min)}.`
  const most = typeof max === 'number' ? max : TEXT_AT_MOST
  return length > most ? `Enter at most ${characters(most)}; this is ${length}.` : undefined
}

function numberError(element: Fields, value: string): string | undefined {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(value)) return 'Enter a number.'
  if (element.is_decimal_allowed !== true && value.includes('.')) return 'Enter a whole number.'
  const { min_value: min, max_value: max } = element
  if (min !== undefined && Number(value) < Number(min)) return `Enter ${min} or more.`
  if (max !== undefined && Number(value) > Number(max)) return `Enter ${max} or less.`
  return undefined
}

const FORMATS: Record<string, (element: Fields, value: string) => string | undefined> = {
  plain_text_input: lengthError,
  number_input: numberError,
  email_text_input: (_element, value) => (EMAIL.test(value) ? undefined : 'Enter an email address.'),
  url_text_input: (_element, value) =>
    ADDRESS.test(value) ? undefined : 'Enter a web address that starts with http:// or https://.',
}

function blockError(block: Block, state: Fields): string | undefined {
  if (isEmpty(state)) return block.optional === true ? undefined : 'Complete this required field.'
  const value = stringOf(state.value)
  const element = isFields(block.element) ? block.element : {}
  return value === undefined ? undefined : FORMATS[String(element.type)]?.(element, value.trim())
}

/**
 * What Slack's client refuses before it asks the app: required inputs left empty, lengths, numbers, emails, URLs. `filled` is the
 * view with its `state`; the answer maps block_ids to sentences, and is empty if everything is valid.
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
