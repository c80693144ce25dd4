import { textInput } from '@signalman/slack'
import { describeField, type Field, type FieldOptions, splitLines } from './fields.ts'

interface ListOptions<T> extends FieldOptions<readonly T[]> {
  placeholder?: string
  read: (typed: string) => T
  write: (value: T) => string
}

/** A field for any number of values: each typed with its own flag, or one per line in a window. */
export const listField = <T>(
  flag: string,
  label: string,
  { read, write, describe, ...options }: ListOptions<T>,
): Field<readonly T[]> => {
  const writeAll = (values: readonly T[]): string => values.map(write).join('\n')
  return {
    flag,
    spec: { listOf: 'value' },
    help: describeField(label, options),
    valueName: options.valueName ?? flag.charAt(0).toUpperCase(),
    read: (typed) => splitLines(typed).map(read),
    write: writeAll,
    describe: describe ?? ((values) => `${flag} ${values.map(write).join(', ')}`),
    input: (values = []) =>
      textInput(flag, label, { ...options, optional: true, multiline: true, initial: writeAll(values) }),
    readAnswer: (answers) => splitLines(answers.text(flag) ?? '').join('\n') || undefined,
  }
}
