import { selectInput } from '@signalman/slack'
import { capitalize } from '../../domain/wording.ts'
import type { Field } from './fields.ts'

/** For a longer menu, the help lists only the first two choices and the last. */
const MAX_NAMED = 8

/** A field for one of several values in a menu. The first is the default. */
export function menuField<T extends string | number>(
  flag: string,
  label: string,
  choices: readonly (readonly [value: string, label: string])[],
  { read, describe }: { read: (typed: string) => T | undefined; describe: (value: T) => string },
): Field<T> {
  const helpChoices = choices.filter(
    (_, index) => choices.length <= MAX_NAMED || index < 2 || index === choices.length - 1,
  )
  return {
    flag,
    spec: 'value',
    help: `${label}: ${helpChoices.map(([value, words]) => (value === words ? value : `${value} (${words})`)).join(choices.length > MAX_NAMED ? ' … ' : ', ')}`,
    valueName: flag.charAt(0).toUpperCase(),
    // Undefined for the default, which counts as no value.
    read: (typed) => read(typed) as T,
    write: String,
    describe,
    input: (value) =>
      selectInput(
        flag,
        label,
        choices.map(([choice, words], index) => ({
          label: capitalize(words),
          value: choice,
          chosen: value === undefined ? index === 0 : choice === String(value),
        })),
      ),
    readAnswer: (answers) => answers.choice(flag),
  }
}
