// This folder declares fields once, for flags and for forms.

import { UserError } from '@signalman/runtime'
import { type Answers, clip, numberInput, selectInput, switchInput, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { quoted } from '../../domain/quoting.ts'
import { type FlagSpec, type FlagSpecs, isRepeatable, type ValueSynonyms } from '../grammar/flags.ts'
import type { Arguments } from '../grammar/read-words.ts'

/** One option of a verb: how to parse, format, and describe its value, and its input in a window. */
export interface Field<T> {
  readonly flag: string
  readonly spec: Exclude<FlagSpec, { type: unknown }>
  readonly synonyms?: ValueSynonyms | undefined
  /** Its description in the help. Undefined if only buttons use the flag. */
  readonly help: string | undefined
  /** The placeholder for its value in the help, such as `N`; empty for a switch. */
  readonly valueName: string
  /**
   * Parses the typed value, or all values of a repeatable flag, one per line. Throws a UserError with the valid values but
   * without the flag's name.
   */
  read(typed: string): T
  /** The value as it would be typed after the flag; empty for a switch. */
  write(value: T): string
  describe(value: T): string
  /** Builds the input for a window. Its block ID is the flag. */
  input(value: T | undefined): KnownBlock
  /** The answer, as it would be typed. */
  readAnswer(answers: Answers): string | undefined
}

/** The options of a verb. Parsing, help, buttons, and windows all use this table. */
export type FieldTable<Values> = {
  readonly [Name in keyof Values]-?: Field<Exclude<Values[Name], undefined>>
}

export class InvalidField extends UserError {
  override readonly name = 'InvalidField'
  constructor(flag: string, message: string, typed: string) {
    // All words up to the next flag are its value, which people may not expect.
    const read = typed.includes(' ') && !message.includes(typed) ? ` You typed “${clip(typed, 60)}”.` : ''
    super(`--${flag}${/^[a-z]/.test(message) ? '' : ':'} ${message}${read}`)
  }
}

export interface FieldOptions<T> {
  hint?: string
  /** Whether a value has no spaces, so that it ends at the first one. */
  isWord?: true
  /** Describes the value in a sentence. By default, `flag value`. */
  describe?: (value: T) => string
  /** The placeholder for the value in the help. By default, the flag's first letter. */
  valueName?: string
}

interface TextOptions<T> extends FieldOptions<T> {
  max?: number
  placeholder?: string
  /** Slack requires an answer before the window can be submitted. */
  isRequired?: boolean
  read: (typed: string) => T
  write: (value: T) => string
}

/** A text field whose value isn't a string. */
export const parsedTextField = <T>(flag: string, label: string, options: TextOptions<T>): Field<T> => ({
  flag,
  spec: options.isWord ? 'word' : 'value',
  help: describeField(label, options),
  valueName: options.valueName ?? flag.charAt(0).toUpperCase(),
  read: options.read,
  write: options.write,
  describe: options.describe ?? ((value) => `${flag} ${options.write(value)}`),
  input: (value) =>
    textInput(flag, label, {
      ...options,
      initial: value === undefined ? undefined : options.write(value),
      optional: !options.isRequired,
    }),
  readAnswer: (answers) => answers.text(flag),
})

export const textField = (
  flag: string,
  label: string,
  options: FieldOptions<string> & { isRequired?: boolean } = {},
): Field<string> => parsedTextField(flag, label, { ...options, read: String, write: String })

export function numberField(
  flag: string,
  label: string,
  options: FieldOptions<number> & { min: number; max?: number; invalidMessage?: string },
): Field<number> {
  const { min, max = Number.MAX_SAFE_INTEGER } = options
  const bounds = options.max === undefined ? '' : ` from ${min} to ${max}`
  return {
    ...parsedTextField(flag, label, {
      valueName: 'N',
      ...options,
      read(typed) {
        const value = Number(typed)
        if (/^\d{1,16}$/.test(typed) && value >= min && value <= max) return value
        throw new UserError(
          options.invalidMessage ?? `must be a whole number${bounds}, not “${typed.slice(0, 40)}”.`,
        )
      },
      write: String,
    }),
    input: (value) => numberInput(flag, label, { ...options, max, initial: value, optional: true }),
  }
}

/** A field that only the app's own buttons set. */
export const forButtons = <T>(field: Field<T>): Field<T> => ({ ...field, help: undefined })

export const pageField = forButtons(numberField('page', 'Page', { min: 1, max: 999_999 }))
export const PAGE_FIELDS: FieldTable<{ page?: number | undefined }> = { page: pageField }

const NONE = 'none-chosen'
/** The help abbreviates choices that are longer than this many characters. */
const MAX_CHOICES_LENGTH = 10

/** One of a few words, or none of them. */
export const choiceField = <T extends string>(
  flag: string,
  label: string,
  values: readonly T[],
  options: FieldOptions<T> & {
    none?: string
    formatLabel?: (value: T) => string
    synonyms?: ValueSynonyms
  } = {},
): Field<T> => ({
  flag,
  spec: values,
  synonyms: options.synonyms,
  help: describeField(label, options),
  valueName:
    options.valueName ??
    (values.join('|').length > MAX_CHOICES_LENGTH ? flag.charAt(0).toUpperCase() : values.join('|')),
  // The parser accepts only words of the flag's list.
  read: (typed) => typed as T,
  write: String,
  describe: options.describe ?? ((value) => `${flag} ${value}`),
  input: (value) =>
    selectInput(flag, label, [
      { label: options.none ?? 'Any', value: NONE, chosen: value === undefined },
      ...values.map((choice) => ({
        label: options.formatLabel?.(choice) ?? choice,
        value: choice,
        chosen: choice === value,
      })),
    ]),
  readAnswer(answers) {
    const chosen = answers.choice(flag)
    return chosen === NONE ? undefined : chosen
  },
})

/** Yes, no, or unchanged. */
export function yesNoField(flag: string, label: string, options: FieldOptions<boolean>): Field<boolean> {
  const toWord = (value: boolean) => (value ? 'yes' : 'no')
  const choice = choiceField(flag, label, ['yes', 'no'], {
    none: 'No change',
    formatLabel: (value) => (value === 'yes' ? 'Yes' : 'No'),
  })
  return {
    ...choice,
    read: (typed) => typed === 'yes',
    write: toWord,
    describe: options.describe ?? ((value) => `${flag} ${toWord(value)}`),
    input: (value) => choice.input(value === undefined ? undefined : toWord(value)),
  }
}

/** A flag without a value. `value` is what it sets. */
export const switchField = <T extends boolean = true>(
  flag: string,
  label: string,
  // Without a `value`, T is true.
  { description, title = label, value = true as T }: { description: string; title?: string; value?: T },
): Field<T> => ({
  flag,
  spec: 'switch',
  help: label,
  valueName: '',
  read: () => value,
  write: () => '',
  describe: () => description,
  input: (shown) => switchInput(flag, title, { text: label, isOn: shown === value }),
  readAnswer: (answers) => (answers.choices(flag).includes('yes') ? '' : undefined),
})

export const fieldEntries = <Values>(fields: FieldTable<Values>): [keyof Values, Field<unknown>][] =>
  // Each field only gets values of its own type.
  Object.entries(fields) as unknown as [keyof Values, Field<unknown>][]

/** Builds the values. Each was parsed by its own field, so the types are right. */
export const toValues = <Values>(entries: readonly (readonly [keyof Values, unknown])[]): Values =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Values

export const flagSpecs = <Values>(fields: FieldTable<Values>): FlagSpecs =>
  Object.fromEntries(
    fieldEntries(fields).map(([, { flag, spec, help, synonyms, valueName }]) => [
      flag,
      { type: spec, help, synonyms, valueName },
    ]),
  )

function readValue(field: Field<unknown>, typed: string): unknown {
  try {
    return field.read(typed)
  } catch (error) {
    throw error instanceof UserError ? new InvalidField(field.flag, error.message, typed) : error
  }
}

/** Parses the values of the flags. Throws a UserError that names the flag and its valid values. */
export function readFields<Values>(
  fields: FieldTable<Values>,
  flags: Arguments['flags'],
  lists: Arguments['lists'] = {},
): Values {
  const values: Partial<Record<keyof Values, unknown>> = {}
  for (const [name, field] of fieldEntries(fields)) {
    const typed = flags[field.flag] ?? lists[field.flag]?.join('\n')
    if (typed !== undefined) values[name] = readValue(field, typed === true ? '' : typed)
  }
  // Each was parsed by its own field, so the types are right.
  return values as Values
}

/** The flags for these values, as they would be typed. */
export function writeFields<Values>(fields: FieldTable<Values>, values: Values): string[] {
  const flags: string[] = []
  for (const [name, field] of fieldEntries(fields)) {
    const value = values[name]
    if (value === undefined) continue
    const { flag, spec } = field
    const written = field.write(value)
    if (spec === 'switch') flags.push(`--${flag}`)
    else
      for (const one of isRepeatable(spec) ? splitLines(written) : [written])
        flags.push(`--${flag} ${quoted(one)}`)
  }
  return flags
}

export const describeFields = <Values>(fields: FieldTable<Values>, values: Values): string[] =>
  fieldEntries(fields).flatMap(([name, field]) =>
    values[name] === undefined ? [] : [field.describe(values[name])],
  )

/** A field's description in the help. Leaves out “one per line”, which is only true in a window: typed flags are repeated. */
export function describeField(label: string, { hint = '' }: { hint?: string }): string {
  return [label, hint.replace(/,? ?\bone (?:a|per) line[;:.]? ?/i, '')].filter(Boolean).join('. ')
}

export const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
