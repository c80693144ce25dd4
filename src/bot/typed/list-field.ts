import { LIMITS, section, textInput } from '@signalman/slack'
import { formatCount } from '../../domain/wording.ts'
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
    input(values = []) {
      const initial = writeAll(values)
      // A part of a list would be saved as all of it. Without an input, all of it stays.
      if (initial.length > LIMITS.inputValue)
        return section(
          `${label}: ${formatCount(values.length)}, which is more than this window can show. They stay as they are.`,
        )
      return textInput(flag, label, { ...options, optional: true, multiline: true, initial })
    },
    readAnswer: (answers) => splitLines(answers.text(flag) ?? '').join('\n') || undefined,
  }
}
