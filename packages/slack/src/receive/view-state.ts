import { FieldErrors, TEXT_LIMITS } from '@signalman/runtime'
import type { KnownBlock } from '@slack/types'
import { answerAction } from '../blocks/inputs.ts'
import { toObject, toText } from './request-origin.ts'

/** The state of an input of any type in Slack's `view.state.values`. */
interface InputState {
  value?: string | null
  selected_option?: { value: string } | null
  selected_options?: { value: string }[]
  selected_conversation?: string | null
  files?: { id: string }[]
}

/** The states of a form's inputs, by field name. */
export type StateValues = Readonly<Record<string, InputState | undefined>>

/** A modal at the time when a button in it was pressed, or when it was submitted. */
export interface ViewState {
  id: string
  callbackId: string
  metadata: string
  /** Changes with every update of the modal. */
  hash: string
  title: string
  submit: string
  /** As Slack sent them; see `readBlocks`. */
  blocks: readonly unknown[]
  values: StateValues
}

/** Undefined if it isn't a modal. */
export function readViewState(value: unknown): ViewState | undefined {
  const view = toObject(value)
  if (view.type !== 'modal') return undefined
  const metadata = toText(view.private_metadata)
  const action = answerAction(metadata)
  const states = Object.entries(toObject(toObject(view.state).values))
  return {
    id: toText(view.id),
    callbackId: toText(view.callback_id),
    metadata,
    hash: toText(view.hash),
    title: toText(toObject(view.title).text),
    submit: toText(toObject(view.submit).text),
    blocks: Array.isArray(view.blocks) ? view.blocks : [],
    // Slack's documented format of an input's state.
    values: Object.fromEntries(
      states.map(([field, state]) => [field, toObject(state)[action] as InputState | undefined]),
    ),
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** A modal's own blocks. Slack may return their texts escaped. If they were sent back unchanged, `R&D` would become `R&amp;D`. */
export const readBlocks = ({ blocks }: Pick<ViewState, 'blocks'>): KnownBlock[] =>
  JSON.parse(JSON.stringify(blocks), (key, value) =>
    key === 'text' && typeof value === 'string'
      ? value.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
      : value,
  )

/** The errors by field, as Slack accepts them: it rejects an error for a field that isn't shown, so that goes to the first field. */
export function toFieldErrors(
  errors: Readonly<Record<string, string>>,
  blocks: readonly KnownBlock[],
): Record<string, string> {
  const fields = blocks.flatMap(({ type, block_id }) => (type === 'input' && block_id ? [block_id] : []))
  const errorsByField: Record<string, string> = {}
  for (const [field, sentence] of Object.entries(errors)) {
    const target = fields.includes(field) ? field : (fields[0] ?? field)
    errorsByField[target] = [errorsByField[target], sentence].filter(Boolean).join(' ')
  }
  return errorsByField
}

/** A form's answers by field name. Missing, empty, and hidden fields all give `undefined` or an empty list. */
export type Answers = ReturnType<typeof readAnswers>

export function readAnswers(values: StateValues) {
  const readState = (field: string): InputState | undefined =>
    Object.hasOwn(values, field) ? values[field] : undefined
  return {
    values,
    text(field: string): string | undefined {
      const typed = readState(field)?.value ?? ''
      // Slack lets nobody type more than 3,000 characters, so a longer text isn't processed.
      if (typed.length > TEXT_LIMITS.field)
        throw new FieldErrors({ [field]: 'This is too long. The maximum is 3,000 characters.' })
      return typed.trim() || undefined
    },
    choice: (field: string): string | undefined => readState(field)?.selected_option?.value,
    choices: (field: string): string[] =>
      (readState(field)?.selected_options ?? []).map(({ value }) => value),
    /** A channel ID. */
    conversation: (field: string): string | undefined => readState(field)?.selected_conversation ?? undefined,
    /** The IDs of the uploaded files. */
    files: (field: string): string[] => (readState(field)?.files ?? []).map(({ id }) => id),
    has: (field: string): boolean => readState(field) !== undefined,
  }
}
