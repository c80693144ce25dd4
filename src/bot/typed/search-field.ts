import { type Choice, searchInput } from '@signalman/slack'
import { describeField, type Field, type FieldOptions, splitLines } from './fields.ts'

interface SearchOptions<T> extends FieldOptions<readonly T[]> {
  /** Its description in the help; `label` and `hint` unless given. */
  help?: string
  placeholder?: string
  /** The most values that the menu accepts. */
  maxItems: number
  read: (typed: string) => T
  /** The menu's option for a value. `read` parses the option's value. */
  toChoice: (value: T) => Choice
}

/**
 * A field for any number of values, each typed with its own flag. In a window, a menu searches while a person types, so its form
 * needs `options` for the field named `flag`.
 */
export function searchField<T>(
  flag: string,
  label: string,
  { read, toChoice, ...options }: SearchOptions<T>,
): Field<readonly T[]> {
  const write = (value: T): string => toChoice(value).value
  return {
    flag,
    spec: { listOf: 'value' },
    help: options.help ?? describeField(label, options),
    valueName: options.valueName ?? flag.charAt(0).toUpperCase(),
    read: (typed) => splitLines(typed).map(read),
    write: (values) => values.map(write).join('\n'),
    describe: options.describe ?? ((values) => `${flag} ${values.map(write).join(', ')}`),
    input: (values = []) => searchInput(flag, label, values.map(toChoice), { ...options, optional: true }),
    readAnswer: (answers) => answers.choices(flag).join('\n') || undefined,
  }
}
