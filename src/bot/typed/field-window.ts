import { FieldErrors, UserError } from '@signalman/runtime'
import { type Answers, readAnswers } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { type FieldTable, fieldEntries, toValues } from './fields.ts'

export const buildInputs = <Values>(fields: FieldTable<Values>, values: Values): KnownBlock[] =>
  fieldEntries(fields).map(([name, field]) => field.input(values[name]))

/** The answers of a submitted window. */
interface FilledWindow<Values> {
  values: Values
  /** The answer to every input, as it would be typed, by flag; null for an empty one. */
  answers: Readonly<Partial<Record<string, string | null>>>
}

/** Parses the answers in a window with these fields. Throws FieldErrors. */
export function readWindow<Values>(fields: FieldTable<Values>, answers: Answers): FilledWindow<Values> {
  const errors: Record<string, string> = {}
  const shownFields = fieldEntries(fields).filter(([, { flag }]) => answers.has(flag))
  const values = shownFields.map(([name, field]): [keyof Values, unknown] => {
    const answer = field.readAnswer(answers)
    try {
      return [name, answer === undefined ? undefined : field.read(answer)]
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      errors[field.flag] = /^[a-z]/.test(error.message) ? `It ${error.message}` : error.message
      return [name, undefined]
    }
  })
  if (Object.keys(errors).length > 0) throw new FieldErrors(errors)
  const typed = shownFields.map(([, field]) => [field.flag, field.readAnswer(answers) ?? null])
  return { values: toValues(values), answers: Object.fromEntries(typed) }
}

/** Keeps the earlier value of each input that wasn't changed or isn't in the window, even if its input couldn't show all of it. */
export const keepUnchanged = <Values>(
  fields: FieldTable<Values>,
  { values, answers }: FilledWindow<Values>,
  shown: Values,
): Values =>
  toValues(
    fieldEntries(fields).map(([name, field]) => {
      const answer = answers[field.flag]
      const before = field.readAnswer(unchangedAnswer(field.input(shown[name]))) ?? null
      return [name, answer === undefined || answer === before ? shown[name] : values[name]]
    }),
  )

/** What Slack sends for an input that wasn't changed. */
export function unchangedAnswer(block: KnownBlock): Answers {
  const element: object = 'element' in block ? block.element : {}
  const state = {
    value: Reflect.get(element, 'initial_value'),
    selected_option: Reflect.get(element, 'initial_option'),
    selected_options: Reflect.get(element, 'initial_options'),
  }
  return readAnswers({ [block.block_id ?? '']: state })
}
