import type { KnownBlock } from '@slack/types'
import { ANSWER } from '../../blocks/inputs.ts'
import type { StateValues } from '../../slack/receive/form-answers.ts'

/** Where Slack's state keeps an answer → the property that an element starts with. */
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
    // The same element of the same type with other initial values, in the form that Slack itself reported them.
    return {
      ...block,
      element: Object.fromEntries([...element, ...typed]) as unknown as typeof block.element,
    }
  })
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
