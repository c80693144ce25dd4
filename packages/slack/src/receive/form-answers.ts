import { FieldErrors, TEXT_LIMITS } from '@signalman/runtime'
import { ANSWER } from '../blocks/inputs.ts'

/** The state of one element in Slack's `view.state.values`, of any type. */
interface ElementState {
  type?: string
  value?: string | null
  selected_option?: { value: string } | null
  selected_options?: { value: string }[]
  selected_users?: string[]
  selected_conversations?: string[]
  selected_conversation?: string | null
  selected_date?: string | null
  files?: { id: string }[]
}

export type StateValues = Readonly<Record<string, Readonly<Record<string, ElementState>>>>

/** A form's answers by field name. Absent, empty and never-shown fields are `undefined` or empty lists alike. */
export interface Answers {
  text(field: string): string | undefined
  choice(field: string): string | undefined
  choices(field: string): string[]
  users(field: string): string[]
  conversations(field: string): string[]
  /** A channel's id. */
  conversation(field: string): string | undefined
  /** Ids of the files that were uploaded. */
  files(field: string): string[]
  has(field: string): boolean
}

/** Reads Slack's view state; every input of ours has the action_id `answer`. */
export function answersOf(values: StateValues): Answers {
  const state = (field: string): ElementState | undefined =>
    Object.hasOwn(values, field) ? values[field]?.[ANSWER] : undefined
  return {
    text(field) {
      const typed = state(field)?.value ?? ''
      // Slack lets nobody type more than 3,000: what is longer is not gone through.
      if (typed.length > TEXT_LIMITS.field)
        throw new FieldErrors({ [field]: 'This is too long: at most 3,000 characters are taken.' })
      return typed.trim() || undefined
    },
    choice: (field) => state(field)?.selected_option?.value,
    choices: (field) => (state(field)?.selected_options ?? []).map(({ value }) => value),
    users: (field) => state(field)?.selected_users ?? [],
    conversations: (field) => state(field)?.selected_conversations ?? [],
    conversation: (field) => state(field)?.selected_conversation ?? undefined,
    files: (field) => (state(field)?.files ?? []).map(({ id }) => id),
    has: (field) => state(field) !== undefined,
  }
}
