import { FieldErrors, UserError } from '@signalman/runtime'
import {
  ANSWER,
  type Answers,
  answersOf,
  numberInput,
  selectInput,
  switchInput,
  textInput,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { quoted } from '../../domain/quoting.ts'
import { type Arguments, type FlagSpec, type FlagSpecs, isOfMany } from './command-line.ts'
import { linesIn } from './list-field.ts'

/** One option of a verb: how it is typed, written into the line of a button, said, and asked for in a window. */
export interface Field<T> {
  readonly flag: string
  readonly spec: Exclude<FlagSpec, { takes: unknown }>
  /** What it is for, in the help of its verb. */
  readonly about: string
  /**
   * Reads what is typed behind the flag; of one that may be given several times, all of them, one a line. Throws UserError: what it
   * takes, without the name of the flag.
   */
  read(typed: string): T
  /** As it is typed behind the flag; empty for a switch. */
  write(value: T): string
  says(value: T): string
  /** The input is named after the flag. */
  input(value: T | undefined): KnownBlock
  /** The answer as it would be typed. */
  answer(answers: Answers): string | undefined
}

/** The options of a verb; everything that people read, type or press about them is made of this one table. */
export type FieldTable<Values> = {
  readonly [Name in keyof Values]-?: Field<Exclude<Values[Name], undefined>>
}

/** A value that its field does not take. */
class FieldFault extends UserError {
  override readonly name = 'FieldFault'
  constructor(flag: string, says: string) {
    super(/^[a-z]/.test(says) ? `--${flag} ${says}` : `--${flag}: ${says}`)
  }
}

export interface FieldOptions<T> {
  hint?: string
  /** Words for a line that says what is asked for; `flag value` unless given. */
  says?: (value: T) => string
}

const aboutOf = (label: string, { hint }: { hint?: string }): string => (hint ? `${label}. ${hint}` : label)

interface TextOptions<T> extends FieldOptions<T> {
  multiline?: boolean
  max?: number
  placeholder?: string
  read: (typed: string) => T
  write: (value: T) => string
}

/** A text that stands for something else. */
export const readField = <T>(flag: string, label: string, options: TextOptions<T>): Field<T> => ({
  flag,
  spec: 'value',
  about: aboutOf(label, options),
  read: options.read,
  write: options.write,
  says: options.says ?? ((value) => `${flag} ${options.write(value)}`),
  input: (value) =>
    textInput(flag, label, { ...options, initial: value && options.write(value), optional: true }),
  answer: (answers) => answers.text(flag),
})

export const textField = (
  flag: string,
  label: string,
  options: FieldOptions<string> & { multiline?: boolean; read?: (typed: string) => string } = {},
): Field<string> => readField(flag, label, { read: String, ...options, write: String })

/** A whole number. */
export function numberField(
  flag: string,
  label: string,
  options: FieldOptions<number> & { min: number; max?: number; wants?: string },
): Field<number> {
  const { min, max = Number.MAX_SAFE_INTEGER } = options
  const bounds = options.max === undefined ? '' : ` from ${min} to ${max}`
  return {
    ...readField(flag, label, {
      ...options,
      read(typed) {
        const value = Number(typed)
        if (/^\d{1,16}$/.test(typed) && value >= min && value <= max) return value
        throw new UserError(
          options.wants ?? `takes a whole number${bounds}; “${typed.slice(0, 40)}” is none.`,
        )
      },
      write: String,
    }),
    input: (value) => numberInput(flag, label, { ...options, max, initial: value, optional: true }),
  }
}

const NONE = 'none-chosen'

/** One of a few words, or none of them. */
export const choiceField = <T extends string>(
  flag: string,
  label: string,
  values: readonly T[],
  options: FieldOptions<T> & { none?: string; labelOf?: (value: T) => string } = {},
): Field<T> => ({
  flag,
  spec: values,
  about: aboutOf(label, options),
  // The flag's own list lets nothing else through.
  read: (typed) => typed as T,
  write: String,
  says: options.says ?? ((value) => `${flag} ${value}`),
  input: (value) =>
    selectInput(flag, label, [
      { label: options.none ?? 'Any', value: NONE, chosen: value === undefined },
      ...values.map((one) => ({ label: options.labelOf?.(one) ?? one, value: one, chosen: one === value })),
    ]),
  answer(answers) {
    const chosen = answers.choice(flag)
    return chosen === NONE ? undefined : chosen
  },
})

/** Yes, no, or left as it is. */
export function yesNoField(flag: string, label: string, options: FieldOptions<boolean>): Field<boolean> {
  const word = (value: boolean) => (value ? 'yes' : 'no')
  const choice = choiceField(flag, label, ['yes', 'no'], {
    none: 'As it is',
    labelOf: (value) => (value === 'yes' ? 'Yes' : 'No'),
  })
  return {
    ...choice,
    read: (typed) => typed === 'yes',
    write: word,
    says: options.says ?? ((value) => `${flag} ${word(value)}`),
    input: (value) => choice.input(value === undefined ? undefined : word(value)),
  }
}

/** A flag that asks for something more. */
export const switchField = (flag: string, label: string, { says }: { says: string }): Field<true> => ({
  flag,
  spec: 'switch',
  about: label,
  read: () => true,
  write: () => '',
  says: () => says,
  input: (value) => switchInput(flag, label, { says: label, isOn: value === true }),
  answer: (answers) => (answers.choices(flag).includes('yes') ? '' : undefined),
})

/** A flag that takes something away; in a window its box is ticked as long as it is not given. */
export const withoutField = (
  flag: string,
  label: string,
  { box, says }: { box: string; says: string },
): Field<false> => ({
  flag,
  spec: 'switch',
  about: says,
  read: () => false,
  write: () => '',
  says: () => says,
  input: (value) => switchInput(flag, label, { says: box, isOn: value === undefined }),
  answer: (answers) => (answers.choices(flag).includes('yes') ? undefined : ''),
})

const entriesOf = <Values>(fields: FieldTable<Values>): [keyof Values, Field<unknown>][] =>
  // Each field is only ever given values of its own name.
  Object.entries(fields) as unknown as [keyof Values, Field<unknown>][]

/** The values that are there, each made by its own field. */
const valuesOf = <Values>(found: readonly (readonly [keyof Values, unknown])[]): Values =>
  Object.fromEntries(found.filter(([, value]) => value !== undefined)) as Values

export const flagsOf = <Values>(fields: FieldTable<Values>): FlagSpecs =>
  Object.fromEntries(entriesOf(fields).map(([, { flag, spec, about }]) => [flag, { takes: spec, about }]))

function readOne(field: Field<unknown>, typed: string): unknown {
  try {
    return field.read(typed)
  } catch (error) {
    throw error instanceof UserError ? new FieldFault(field.flag, error.message) : error
  }
}

/** What was typed behind the flags. Throws UserError that names the flag and what it takes. */
export const readFields = <Values>(
  fields: FieldTable<Values>,
  flags: Arguments['flags'],
  lists: Arguments['lists'] = {},
): Values =>
  valuesOf(
    entriesOf(fields).map(([name, field]) => {
      const typed = flags[field.flag] ?? lists[field.flag]?.join('\n')
      return [name, typed === undefined ? undefined : readOne(field, typed === true ? '' : typed)]
    }),
  )

const each = <Values, T>(
  fields: FieldTable<Values>,
  values: Values,
  draw: (field: Field<unknown>, value: unknown) => T,
): T[] =>
  entriesOf(fields).flatMap(([name, field]) => {
    const value = values[name]
    return value === undefined ? [] : [draw(field, value)]
  })

/** The flags that ask for these values. */
export const writeFields = <Values>(fields: FieldTable<Values>, values: Values): string[] =>
  each(fields, values, (field, value) => {
    const written = field.write(value)
    if (field.spec === 'switch') return [`--${field.flag}`]
    const all = isOfMany(field.spec) ? linesIn(written) : [written]
    return all.map((one) => `--${field.flag} ${quoted(one)}`)
  }).flat()

export const sayFields = <Values>(fields: FieldTable<Values>, values: Values): string[] =>
  each(fields, values, (field, value) => field.says(value))

export const inputsOf = <Values>(fields: FieldTable<Values>, values: Values): KnownBlock[] =>
  entriesOf(fields).map(([name, field]) => field.input(values[name]))

/** What a window was sent with. */
export interface Filled<Values> {
  values: Values
  /** Every input that the window had, by its flag, with the answer as it would be typed. */
  answers: Readonly<Record<string, string | null>>
}

/** What a window with these fields asks for. Throws FieldErrors. */
export function readWindow<Values>(fields: FieldTable<Values>, answers: Answers): Filled<Values> {
  const faults: Record<string, string> = {}
  const given = entriesOf(fields).filter(([, { flag }]) => answers.has(flag))
  const values = given.map(([name, field]): [keyof Values, unknown] => {
    const answer = field.answer(answers)
    try {
      return [name, answer === undefined ? undefined : field.read(answer)]
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      faults[field.flag] = /^[a-z]/.test(error.message) ? `It ${error.message}` : error.message
      return [name, undefined]
    }
  })
  if (Object.keys(faults).length > 0) throw new FieldErrors(faults)
  const typed = given.map(([, field]) => [field.flag, field.answer(answers) ?? null])
  return { values: valuesOf(values), answers: Object.fromEntries(typed) }
}

/** An input that nobody touched gives its value back as it was, also where it could not show all of it. */
export const unlessTouched = <Values>(
  fields: FieldTable<Values>,
  { values, answers }: Filled<Values>,
  shown: Values,
): Values =>
  valuesOf(
    entriesOf(fields).map(([name, field]) => {
      const before = field.answer(untouched(field.input(shown[name]))) ?? null
      return [name, answers[field.flag] === before ? shown[name] : values[name]]
    }),
  )

/** What Slack sends of an input as it was opened. */
export function untouched(block: KnownBlock): Answers {
  const element: object = 'element' in block ? block.element : {}
  const state = {
    value: Reflect.get(element, 'initial_value'),
    selected_option: Reflect.get(element, 'initial_option'),
    selected_options: Reflect.get(element, 'initial_options'),
  }
  return answersOf({ [block.block_id ?? '']: { [ANSWER]: state } })
}
