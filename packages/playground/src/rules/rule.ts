import type { Fields } from '../protocol.ts'

// Slack's rules for blocks, as data. The validator applies them; docs/rules.md and the tests' payloads are generated from them.

/** Where blocks can be shown. */
export type Surface = 'message' | 'modal' | 'home'

/** `slack`: Slack's validation. `careful`: also Slack's advice to escape text. */
export type Level = 'slack' | 'careful'

/** The values that a field accepts. */
export type Type =
  | { is: 'text'; min: number; max: number; escaped?: true }
  | { is: 'boolean' }
  | { is: 'integer'; min: number; max: number }
  | { is: 'number'; above?: number }
  | { is: 'enum'; values: readonly string[] }
  | { is: 'pattern'; pattern: RegExp; expected: string }
  | { is: 'date' }
  | { is: 'url'; schemes: readonly string[]; max: number }
  | { is: 'list'; of: Type; min: number; max: number; distinctList?: true }
  /** A text object of one of the styles. */
  | { is: 'text object'; styles: readonly ('plain_text' | 'mrkdwn')[]; max: number }
  /** An object of one of these kinds; if there are several, its `type` decides. */
  | { is: 'kind'; kinds: readonly string[] }
  | { is: 'either'; of: readonly [Type, Type] }
  | { is: 'null or'; of: Type }
  | { is: 'any' }

export interface Field {
  type: Type
  required?: true
}

/** A rule about several fields. `fault` reports an error at a path below the object, such as `/text`, or '' for the object itself. */
export interface CrossFieldRule {
  description: string
  check(value: Fields, fault: (path: string, message: string) => void, surface: Surface): void
}

/** The rules for one kind of block, element, object, or view. */
export interface Kind {
  /** The name that `kind` refers to. */
  name: string
  family: 'block' | 'element' | 'object' | 'rich text' | 'cell' | 'chart' | 'view'
  /** The value of its `type` field; undefined for objects without one. */
  type?: string
  /** The surfaces that accept it; blocks only. */
  surfaces?: readonly Surface[]
  fields: Readonly<Record<string, Field>>
  crossFieldRules?: readonly CrossFieldRule[]
  /** Accepts unknown fields too. */
  allowsUnknownFields?: true
  /** The page of Slack's reference, below https://docs.slack.dev/reference/. */
  source: string
  /** Open questions and contradictions in Slack's docs. */
  openQuestion?: string
}

export const ALL_SURFACES: readonly Surface[] = ['message', 'modal', 'home']

export const text = (max: number, min = 1): Type => ({ is: 'text', min, max })
export const boolean: Type = { is: 'boolean' }
export const integer = (min: number, max: number): Type => ({ is: 'integer', min, max })
export const oneOfValues = (...values: string[]): Type => ({ is: 'enum', values })
export const url = (...schemes: string[]): Type => ({ is: 'url', schemes, max: 3000 })
export const list = (of: Type, max: number, min = 1): Type => ({ is: 'list', of, min, max })
/** A list without duplicates. */
export const distinctList = (of: Type, max: number): Type => ({
  is: 'list',
  of,
  min: 1,
  max,
  distinctList: true,
})
export const plainText = (max: number): Type => ({ is: 'text object', styles: ['plain_text'], max })
export const textObject = (max: number): Type => ({
  is: 'text object',
  styles: ['plain_text', 'mrkdwn'],
  max,
})
export const kind = (...kinds: string[]): Type => ({ is: 'kind', kinds })
export const anything: Type = { is: 'any' }

/** Builds fields from their types by name. A name that ends in `!` is required. */
export function buildFields(types: Readonly<Record<string, Type>>): Record<string, Field> {
  return Object.fromEntries(
    Object.entries(types).map(([name, type]): [string, Field] =>
      name.endsWith('!') ? [name.slice(0, -1), { type, required: true }] : [name, { type }],
    ),
  )
}

/** The optional properties of a kind. */
type KindOptions = Partial<Pick<Kind, 'crossFieldRules' | 'openQuestion' | 'allowsUnknownFields'>>
type Shape = Readonly<Record<string, Type>>

/** A block. Its name and its page in the reference follow from its `type`. */
export const block = (
  type: string,
  surfaces: readonly Surface[],
  shape: Shape,
  options: KindOptions = {},
): Kind => ({
  name: type.replaceAll('_', ' '),
  family: 'block',
  type,
  surfaces,
  fields: buildFields({ 'type!': anything, block_id: text(255), ...shape }),
  source: `block-kit/blocks/${type.replaceAll('_', '-')}-block`,
  ...options,
})

/** An element inside a block; `page` is the last part of its URL in the reference. */
export const element = (
  [name, type, page]: readonly [name: string, type: string, page: string],
  shape: Shape,
  options: KindOptions = {},
): Kind => ({
  name,
  family: 'element',
  type,
  fields: buildFields({ 'type!': anything, ...shape }),
  source: `block-kit/block-elements/${page}`,
  ...options,
})

/** An object inside a block or element, identified by its `type`, or by its position if it has none. */
export const object = (
  name: string,
  source: string,
  shape: Shape,
  { family = 'object', type, ...options }: KindOptions & Partial<Pick<Kind, 'family' | 'type'>> = {},
): Kind => ({
  name,
  family,
  source,
  ...options,
  ...(type !== undefined && { type }),
  fields: buildFields(type === undefined ? shape : { 'type!': anything, ...shape }),
})
