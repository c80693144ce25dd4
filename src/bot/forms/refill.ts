import type { KnownBlock } from '@slack/types'
import { ANSWER } from '../../blocks/inputs.ts'
import type { StateValues } from '../../slack/receive/form-answers.ts'

/** From the place of an answer in Slack's state to the property with the element's initial value. */
const INITIAL: Readonly<Record<string, string>> = {
  value: 'initial_value',
  selected_option: 'initial_option',
  selected_options: 'initial_options',
  selected_users: 'initial_users',
  selected_conversations: 'initial_conversations',
  selected_conversation: 'initial_conversation',
  selected_date: 'initial_date',
}

/**
 * The blocks of a submitted form with what was typed as their initial values: shown again, nothing is lost. The fields
 * named in `secret` come back empty instead.
 */
export function refill(
  blocks: readonly KnownBlock[],
  values: StateValues,
  secret: readonly string[] = [],
): KnownBlock[] {
  return blocks.map((block) => {
    if (block.type !== 'input') return block
    const field = block.block_id ?? ''
    const state = secret.includes(field) ? {} : values[field]?.[ANSWER]
    if (!state) return block
    const initials = new Set(Object.values(INITIAL))
    const element = Object.entries(block.element).filter(([key]) => !initials.has(key))
    const typed = Object.entries(state).flatMap(([key, value]) => {
      const initial = INITIAL[key]
      return initial && !isEmpty(value) ? [[initial, value] as const] : []
    })
    // The element as it was, with initial values in the form in which Slack reported them.
    return {
      ...block,
      element: Object.fromEntries([...element, ...typed]) as unknown as typeof block.element,
    }
  })
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
