import type { Fields } from '../protocol/json.ts'
import { asString, isFields } from '../protocol/json.ts'
import type { Block } from '../protocol/protocol.ts'

/** The maximum length of an input's text if the input sets no limit. */
const DEFAULT_MAX_LENGTH = 3000

function isEmpty(state: Fields): boolean {
  return Object.entries(state).every(
    ([name, value]) =>
      name === 'type' ||
      value === null ||
      (typeof value === 'string' && value.trim() === '') ||
      (Array.isArray(value) && value.length === 0),
  )
}

const formatCharacterCount = (count: number): string => (count === 1 ? '1 character' : `${count} characters`)

function lengthError(element: Fields, value: string): string | undefined {
  const { max_length: max } = element
  const length = [...value].length
  const limit = typeof max === 'number' ? max : DEFAULT_MAX_LENGTH
  return length > limit ? `Enter at most ${formatCharacterCount(limit)}; this is ${length}.` : undefined
}

function numberError(element: Fields, value: string): string | undefined {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(value)) return 'Enter a number.'
  if (element.is_decimal_allowed !== true && value.includes('.')) return 'Enter a whole number.'
  const { min_value: min, max_value: max } = element
  if (min !== undefined && Number(value) < Number(min)) return `Enter ${min} or more.`
  if (max !== undefined && Number(value) > Number(max)) return `Enter ${max} or less.`
  return undefined
}

const FORMAT_ERRORS: Record<string, (element: Fields, value: string) => string | undefined> = {
  plain_text_input: lengthError,
  number_input: numberError,
}

function blockError(block: Block, state: Fields): string | undefined {
  if (isEmpty(state)) return block.optional === true ? undefined : 'Complete this required field.'
  const value = asString(state.value)
  const element = isFields(block.element) ? block.element : {}
  return value === undefined ? undefined : FORMAT_ERRORS[String(element.type)]?.(element, value.trim())
}

/**
 * Validates a form as Slack's client does before it sends the form to the app: required inputs, lengths, and numbers.
 * `filled` is the view with its `state`. Returns error messages by block_id.
 */
export function findClientErrors(blocks: Block[], filled: Fields): Record<string, string> {
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
