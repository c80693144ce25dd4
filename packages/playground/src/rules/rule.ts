import type { Fields } from '../protocol/json.ts'

// Types and helpers to define Slack's rules for blocks as data. The other files in this folder contain the rules, from
// https://docs.slack.dev/reference (November 2026). The validator applies
// them, and most payloads in tests are generated from them.

/** Where blocks can be shown. */
export type Surface = 'message' | 'modal' | 'home'

/** The values that a field accepts. */
export type ValueType =
  | { type: 'text'; min: number; max: number; escaped?: true }
  | { type: 'boolean' }
  | { type: 'integer'; min: number; max: number }
  | { type: 'enum'; values: readonly string[] }
  | { type: 'pattern'; pattern: RegExp; expected: string }
  | { type: 'url'; schemes: readonly string[]; max: number }
  | { type: 'list'; of: ValueType; min: number; max: number; distinct?: true }
  /** A text object with one of these types. */
  | { type: 'text object'; styles: readonly ('plain_text' | 'mrkdwn')[]; max: number }
  /** An object of one of these kinds. If there are several, the object's `type` field determines its kind. */
  | { type: 'kind'; kinds: readonly string[] }
  | { type: 'any' }

export interface Field {
  type: ValueType
  required?: true
}

/** A rule about several fields. `report` adds an error at a path inside the object, such as `/text`; '' is the object itself. */
export interface CrossFieldRule {
  check(value: Fields, report: (path: string, message: string) => void, surface: Surface): void
}

/** The rules for one kind of block, element, object, or view. */
export interface Kind {
  /** The name that other rules refer to in `kind(…)`. */
  name: string
  /** The value of its `type` field; undefined for objects without one. */
  type?: string
  fields: Readonly<Record<string, Field>>
  crossFieldRules?: readonly CrossFieldRule[]
}

export const text = (max: number, min = 1): ValueType => ({ type: 'text', min, max })
export const boolean: ValueType = { type: 'boolean' }
export const integer = (min: number, max: number): ValueType => ({ type: 'integer', min, max })
export const oneOfValues = (...values: string[]): ValueType => ({ type: 'enum', values })
export const url = (...schemes: string[]): ValueType => ({ type: 'url', schemes, max: 3000 })
export const list = (of: ValueType, max: number, min = 1): ValueType => ({ type: 'list', of, min, max })
/** A list without duplicates. */
export const distinctList = (of: ValueType, max: number): ValueType => ({
  type: 'list',
  of,
  min: 1,
  max,
  distinct: true,
})
export const plainText = (max: number): ValueType => ({ type: 'text object', styles: ['plain_text'], max })
export const textObject = (max: number): ValueType => ({
  type: 'text object',
  styles: ['plain_text', 'mrkdwn'],
  max,
})
export const kind = (...kinds: string[]): ValueType => ({ type: 'kind', kinds })
export const anything: ValueType = { type: 'any' }

/** Builds fields from their types by name. A name that ends in `!` is required. */
function buildFields(types: Readonly<Record<string, ValueType>>): Record<string, Field> {
  return Object.fromEntries(
    Object.entries(types).map(([name, type]): [string, Field] =>
      name.endsWith('!') ? [name.slice(0, -1), { type, required: true }] : [name, { type }],
    ),
  )
}

type Shape = Readonly<Record<string, ValueType>>
type CrossFieldRules = Pick<Kind, 'crossFieldRules'>

/** Defines an element inside a block, by its `type`. */
export const element = (type: string, shape: Shape, options: CrossFieldRules = {}): Kind => ({
  name: type.replaceAll('_', ' '),
  type,
  fields: buildFields({ 'type!': anything, ...shape }),
  ...options,
})

/** Defines a block by its `type`. */
export const block = (type: string, shape: Shape, options: CrossFieldRules = {}): Kind =>
  element(type, { block_id: text(255), ...shape }, options)

/** Defines an object inside a block or element. Not all objects have a `type`. */
export const object = (
  name: string,
  shape: Shape,
  { type, ...options }: CrossFieldRules & Pick<Kind, 'type'> = {},
): Kind => ({
  name,
  ...options,
  ...(type !== undefined && { type }),
  fields: buildFields(type === undefined ? shape : { 'type!': anything, ...shape }),
})
