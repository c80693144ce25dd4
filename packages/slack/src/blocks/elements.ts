import type { ConfirmationDialog, PlainTextOption } from '@slack/types'
import { LIMITS } from './limits.ts'
import { plain, withoutControlCharacters } from './text.ts'

export interface Confirm {
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
