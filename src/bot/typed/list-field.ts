import { choicesInput, textInput } from '@signalman/slack'
import type { ValueSynonyms } from '../grammar/flags.ts'
import { describeField, type Field, type FieldOptions, splitLines } from './fields.ts'

interface ListOptions<T> extends FieldOptions<readonly T[]> {
  /** The only accepted values. The window offers them. */
  choices?: readonly string[]
  synonyms?: ValueSynonyms
  placeholder?: string
  read: (typed: string) => T
  write: (value: T) => string
}

/** A field for any number of values: each typed with its own flag, or one per line in a window. */
export const listField = <T>(
  flag: string,
  label: string,
  { choices, synonyms, read, write, describe, ...options }: ListOptions<T>,
): Field<readonly T[]> => {
  const writeAll = (values: readonly T[]): string => values.map(write).join('\n')
  return {
    flag,
    spec: { listOf: choices ?? 'value' },
    synonyms,
    help: describeField(label, options),
    valueName: options.valueName ?? flag.charAt(0).toUpperCase(),
    read: (typed) => splitLines(typed).map(read),
    write: writeAll,
    describe: describe ?? ((values) => `${flag} ${values.map(write).join(', ')}`),
    input(values = []) {
      const texts = values.map(write)
      const optional = { ...options, optional: true }
      if (!choices) return textInput(flag, label, { ...optional, multiline: true, initial: writeAll(values) })
      const selectable = choices.map((value) => ({ label: value, value, chosen: texts.includes(value) }))
      return choicesInput(flag, label, selectable, optional)
    },
    readAnswer: (answers) =>
      splitLines(choices ? answers.choices(flag).join('\n') : (answers.text(flag) ?? '')).join('\n') ||
      undefined,
  }
}
