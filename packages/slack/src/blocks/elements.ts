import type { Button, ConfirmationDialog, PlainTextOption, StaticSelect } from '@slack/types'
import { LIMITS } from './limits.ts'
import { plain, withoutControlCharacters } from './text.ts'

interface Confirm {
  title: string
  text: string
  confirm: string
  /** Makes the confirm button red. */
  danger?: boolean
}

export function confirmation({ title, text, confirm, danger }: Confirm): ConfirmationDialog {
  return {
    title: plain(title, LIMITS.confirmTitle),
    text: plain(text, LIMITS.confirmText),
    confirm: plain(confirm, LIMITS.confirmButton),
    deny: plain('Cancel', LIMITS.confirmButton),
    ...(danger && { style: 'danger' }),
  }
}

interface ButtonOptions {
  style?: 'primary' | 'danger'
  confirm?: Confirm
  /** Read by screen readers instead of the label, for when several buttons of a message have the same label. */
  accessibilityLabel?: string
}

/** A button. Slack sends its value back in a signed payload. The value isn't secret: it's part of the message's JSON. */
export function button(label: string, actionId: string, value: string, options: ButtonOptions = {}): Button {
  const { style, confirm, accessibilityLabel } = options
  return {
    type: 'button',
    text: plain(label, LIMITS.buttonText),
    action_id: actionId,
    value: withoutControlCharacters(value),
    ...(style && { style }),
    ...(confirm && { confirm: confirmation(confirm) }),
    ...(accessibilityLabel && { accessibility_label: plain(accessibilityLabel, LIMITS.buttonText).text }),
  }
}

export interface Choice {
  label: string
  value: string
  chosen?: boolean
}

export const option = ({ label, value }: Choice): PlainTextOption => ({
  text: plain(label, LIMITS.optionText),
  value: withoutControlCharacters(value),
})

/** The response to a menu that requests options while a person types. Slack accepts at most 100. */
export const menuOptions = (choices: readonly Choice[]): { options: PlainTextOption[] } => ({
  options: choices.slice(0, LIMITS.options).map(option),
})

/** A menu. Options after the first 100 are cut, because Slack would reject the menu. */
export function menu(placeholder: string, actionId: string, choices: readonly Choice[]): StaticSelect {
  const shown = choices.slice(0, LIMITS.options)
  const chosen = shown.find((choice) => choice.chosen)
  return {
    type: 'static_select',
    action_id: actionId,
    placeholder: plain(placeholder, LIMITS.placeholder),
    options: shown.map(option),
    ...(chosen && { initial_option: option(chosen) }),
  }
}
