import { FieldErrors, TEXT_LIMITS } from '@signalman/runtime'
import { ANSWER_ACTION } from '../blocks/inputs.ts'

/** The state of an element of any type in Slack's `view.state.values`. */
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

/** A form's answers by field name. Missing, empty, and hidden fields all give `undefined` or an empty list. */
export type Answers = ReturnType<typeof readAnswers>

/** Reads Slack's view state. All our inputs have the action_id `answer`. */
export function readAnswers(values: StateValues) {
  const readElement = (field: string): ElementState | undefined =>
    Object.hasOwn(values, field) ? values[field]?.[ANSWER_ACTION] : undefined
  return {
    text(field: string): string | undefined {
      const typed = readElement(field)?.value ?? ''
      // Slack lets nobody type more than 3,000 characters, so a longer text isn't processed.
      if (typed.length > TEXT_LIMITS.field)
        throw new FieldErrors({ [field]: 'This is too long. The maximum is 3,000 characters.' })
      return typed.trim() || undefined
    },
    choice: (field: string): string | undefined => readElement(field)?.selected_option?.value,
    choices: (field: string): string[] =>
      (readElement(field)?.selected_options ?? []).map(({ value }) => value),
    users: (field: string): string[] => readElement(field)?.selected_users ?? [],
    conversations: (field: string): string[] => readElement(field)?.selected_conversations ?? [],
    /** A channel ID. */
    conversation: (field: string): string | undefined =>
      readElement(field)?.selected_conversation ?? undefined,
    /** The IDs of the uploaded files. */
    files: (field: string): string[] => (readElement(field)?.files ?? []).map(({ id }) => id),
    has: (field: string): boolean => readElement(field) !== undefined,
  }
}
