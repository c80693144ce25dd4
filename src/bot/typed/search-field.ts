import { type Choice, searchInput } from '@signalman/slack'
import type { Field, FieldOptions } from './fields.ts'
import { listField } from './list-field.ts'

interface SearchOptions<T> extends FieldOptions<readonly T[]> {
  /** Its description in the help. */
  help: string
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
export const searchField = <T>(
  flag: string,
  label: string,
  { read, toChoice, ...options }: SearchOptions<T>,
): Field<readonly T[]> => ({
  ...listField(flag, label, { ...options, read, write: (value) => toChoice(value).value }),
  help: options.help,
  input: (values = []) => searchInput(flag, label, values.map(toChoice), { ...options, optional: true }),
  readAnswer: (answers) => answers.choices(flag).join('\n') || undefined,
})
