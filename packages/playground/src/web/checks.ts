import type { Block, InputValue, InputValues } from '../protocol.ts'
import { currentValue } from './values.ts'
import { type Element, type InputBlock, wire } from './wire.ts'

const MAIL = /^[^\s@<>]+@[^\s@<>.]+(?:\.[^\s@<>.]+)+$/
const ADDRESS = /^https?:\/\/[^\s/?#]+\S*$/i

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}

function lengthFault(value: string, element: Element): string | undefined {
  const length = [...value].length
  if (element.min_length !== undefined && length < element.min_length) {
    return `Enter at least ${characters(element.min_length)}.`
  }
  if (element.max_length !== undefined && length > element.max_length) {
    return `Enter at most ${characters(element.max_length)}; this is ${length}.`
  }
  return undefined
}

function numberFault(value: string, element: Element): string | undefined {
  const typed = value.trim()
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(typed)) return 'Enter a number.'
  if (!element.is_decimal_allowed && typed.includes('.')) return 'Enter a whole number.'
  const number = Number(typed)
  if (element.min_value !== undefined && number < Number(element.min_value)) {
    return `Enter ${element.min_value} or more.`
  }
  if (element.max_value !== undefined && number > Number(element.max_value)) {
    return `Enter ${element.max_value} or less.`
  }
  return undefined
}

const FAULTS: Record<string, (value: string, element: Element) => string | undefined> = {
  plain_text_input: lengthFault,
  number_input: numberFault,
  email_text_input: (value) => (MAIL.test(value.trim()) ? undefined : 'Enter an email address.'),
  url_text_input: (value) =>
    ADDRESS.test(value.trim()) ? undefined : 'Enter a web address that starts with http:// or https://.',
}

function isEmpty(value: InputValue): boolean {
  return value === null || value.length === 0 || (typeof value === 'string' && value.trim() === '')
}

function faultOf(block: InputBlock, value: InputValue): string | undefined {
  if (isEmpty(value)) return block.optional ? undefined : 'Complete this required field.'
  return typeof value === 'string' ? FAULTS[block.element.type]?.(value, block.element) : undefined
}

/** What a form says before it is sent, by block_id: the checks that Slack's clients make, so that the app never sees these. */
export function checkForm(blocks: readonly Block[], typed: InputValues): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const block of blocks.map(wire)) {
    if (block.type !== 'input') continue
    const fault = faultOf(block, currentValue(typed, block.block_id, block.element))
    if (fault !== undefined) errors[block.block_id] = fault
  }
  return errors
}
