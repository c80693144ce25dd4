import type { InputBlock } from '@slack/types'
import { type Choice, option } from './elements.ts'
import { LIMITS } from './limits.ts'
import { clip, plain, withoutControlCharacters } from './text.ts'

/**
 * The action_id of a modal's inputs. Each form's metadata begins with 8 random characters: Slack keeps typed text as long as a block
 * and its element have the same IDs, even if another form replaces the one in the modal
 * (https://github.com/slackapi/bolt-js/issues/290).
 */
export const answerAction = (metadata: string): string => `answer.${metadata.slice(0, 8)}`

interface InputOptions {
  hint?: string
  optional?: boolean
  /** Notifies the app immediately when the answer changes, so that the form can update. */
  dispatch?: boolean
}

/** An input block named `field`. `modalView` adds the action_id. */
function input(
  field: string,
  label: string,
  { hint, optional, dispatch }: InputOptions,
  element: InputBlock['element'],
): InputBlock {
  return {
    type: 'input',
    block_id: field,
    label: plain(label, LIMITS.inputLabel),
    element,
    ...(hint && { hint: plain(hint, LIMITS.inputHint) }),
    optional: optional ?? false,
    ...(dispatch && { dispatch_action: true }),
  }
}

interface TextOptions extends InputOptions {
  initial?: string | undefined
  placeholder?: string
  multiline?: boolean
  max?: number
  /** With `dispatch`, the app is notified while the person types, not only when they press Enter. */
  whileTyping?: boolean
}

/** A text field. An `initial` longer than the limit is cut with `…`. */
export function textInput(field: string, label: string, options: TextOptions = {}): InputBlock {
  const max = Math.min(options.max ?? LIMITS.inputValue, LIMITS.inputValue)
  const initial = clip(withoutControlCharacters(options.initial ?? ''), max)
  return input(field, label, options, {
    type: 'plain_text_input',
    max_length: max,
    ...(options.multiline && { multiline: true }),
    ...(options.whileTyping && {
      dispatch_action_config: { trigger_actions_on: ['on_character_entered' as const] },
    }),
    ...(initial && { initial_value: initial }),
    ...(options.placeholder && { placeholder: plain(options.placeholder, LIMITS.placeholder) }),
  })
}

const isWithin = (value: number, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): boolean =>
  Number.isSafeInteger(value) && value >= min && value <= max

/** An integer. Slack itself checks the bounds and shows errors at the field. An `initial` outside the bounds is left out. */
export function numberInput(
  field: string,
  label: string,
  options: InputOptions & { initial?: number | undefined; min?: number; max?: number },
): InputBlock {
  const { min, max, initial } = options
  return input(field, label, options, {
    type: 'number_input',
    is_decimal_allowed: false,
    ...(initial !== undefined && isWithin(initial, min, max) && { initial_value: String(initial) }),
    ...(min !== undefined && { min_value: String(min) }),
    ...(max !== undefined && { max_value: String(max) }),
  })
}

/** All channels, but no direct messages. */
const CHANNELS = { include: ['public' as const, 'private' as const] }

/** A menu for choosing a channel. The answer is its ID. */
export const channelInput = (
  field: string,
  label: string,
  options: InputOptions & { initial?: string | undefined } = {},
): InputBlock =>
  input(field, label, options, {
    type: 'conversations_select',
    filter: CHANNELS,
    ...(options.initial && { initial_conversation: options.initial }),
  })

/** A file upload. `types` are file extensions without the dot. Slack drops the file when the form is shown again. */
export const fileInput = (
  field: string,
  label: string,
  options: InputOptions & { types: readonly string[]; max?: number },
): InputBlock =>
  input(field, label, options, {
    type: 'file_input',
    filetypes: [...options.types],
    max_files: options.max ?? 1,
  })

/** A checkbox; the answer's choices include `yes` if it is checked. */
export function switchInput(
  field: string,
  label: string,
  { text, isOn, dispatch = false }: { text: string; isOn: boolean; dispatch?: boolean },
): InputBlock {
  const options = [option({ label: text, value: 'yes' })]
  return input(
    field,
    label,
    { optional: true, dispatch },
    { type: 'checkboxes', options, ...(isOn && { initial_options: options }) },
  )
}

/** A menu in a form; at most 100 choices. */
export function selectInput(
  field: string,
  label: string,
  choices: readonly Choice[],
  options: InputOptions = {},
): InputBlock {
  const shown = choices.slice(0, LIMITS.options)
  const chosen = shown.find((choice) => choice.chosen)
  return input(field, label, options, {
    type: 'static_select',
    options: shown.map(option),
    ...(chosen && { initial_option: option(chosen) }),
  })
}

/** A menu with multiple selection whose options the app looks up while a person types, by `block_suggestion`. */
export const searchInput = (
  field: string,
  label: string,
  chosen: readonly Choice[],
  options: InputOptions & { placeholder?: string; maxItems?: number } = {},
): InputBlock =>
  input(field, label, options, {
    type: 'multi_external_select',
    // The first options appear when the menu opens.
    min_query_length: 0,
    ...(options.placeholder && { placeholder: plain(options.placeholder, LIMITS.placeholder) }),
    ...(options.maxItems && { max_selected_items: options.maxItems }),
    ...(chosen.length > 0 && {
      initial_options: chosen.slice(0, options.maxItems ?? LIMITS.options).map(option),
    }),
  })
