import type { Block, InputValue, InputValues } from '../protocol.ts'
import { currentValue } from './values.ts'
import { type Element, type InputBlock, wire } from './wire.ts'

/** Of a file input that says nothing. */
export const MAX_FILES = 10

const MAIL = /^[^\s@<>]+@[^\s@<>.]+(?:\.[^\s@<>.]+)+$/
const ADDRESS = /^https?:\/\/[^\s/?#]+\S*$/i

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}

/** Where the app sets none (https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element, November 2026). */
const MAX_LENGTH = 3000

function lengthFault(value: string, element: Element): string | undefined {
  const length = [...value].length
  if (element.min_length !== undefined && length < element.min_length) {
    return `Enter at least ${characters(element.min_length)}.`
  }
  const { max_length: most = MAX_LENGTH } = element
  if (length > most) return `Enter at most ${characters(most)}; this is ${length}.`
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

/** Several of something: at most so many of them. */
function countFault(
  values: readonly string[],
  { type, max_selected_items, max_files }: Element,
): string | undefined {
  const most = type === 'file_input' ? (max_files ?? MAX_FILES) : max_selected_items
  return most !== undefined && values.length > most ? `Choose at most ${most}.` : undefined
}

function isEmpty(value: InputValue): boolean {
  return value === null || value.length === 0 || (typeof value === 'string' && value.trim() === '')
}

function faultOf(block: InputBlock, value: InputValue): string | undefined {
  if (isEmpty(value)) return block.optional ? undefined : 'Complete this required field.'
  if (Array.isArray(value)) return countFault(value, block.element)
  return typeof value === 'string' ? FAULTS[block.element.type]?.(value, block.element) : undefined
}

const SAME_TYPE: Readonly<Record<string, string>> = { jpeg: 'jpg', tiff: 'tif', htm: 'html', yml: 'yaml' }

function fileType(name: string): string {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return SAME_TYPE[ending] ?? ending
}

/** Why files cannot be chosen for an input: of a type that it does not take, or too many with those it has. */
export function fileFault(names: readonly string[], has: number, element: Element): string | undefined {
  const { filetypes = [], max_files: most = MAX_FILES } = element
  if (has + names.length > most) return `At most ${most} ${most === 1 ? 'file' : 'files'} here.`
  const taken = filetypes.map((type) => fileType(`.${type}`))
  const other = taken.length > 0 ? names.find((name) => !taken.includes(fileType(name))) : undefined
  return other === undefined ? undefined : `${other} is none of these: ${filetypes.join(', ')}.`
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
