import type { Fields } from '../protocol.ts'

/**
 * Slack's rules for blocks, as data. The validator, the payloads that the tests send, and docs/rules.md are made from it.
 * A rule about several fields is a `Together`: a sentence and a check.
 */
export type Surface = 'message' | 'modal' | 'home'

/** Which check a rule belongs to: Slack's validation, or Slack's advice on escaping text. */
export type Level = 'slack' | 'careful'

/** The values that a field accepts. */
export type Type =
  | { is: 'text'; min: number; max: number; escaped?: true }
  | { is: 'flag' }
  | { is: 'whole'; min: number; max: number }
  | { is: 'number'; above?: number }
  | { is: 'among'; values: readonly string[] }
  | { is: 'pattern'; pattern: RegExp; wanted: string }
  | { is: 'date' }
  | { is: 'address'; schemes: readonly string[]; max: number }
  | { is: 'list'; of: Type; min: number; max: number; distinct?: true }
  /** A text object of one of the styles. */
  | { is: 'words'; styles: readonly ('plain_text' | 'mrkdwn')[]; max: number }
  /** An object of one of these kinds of the table; if there are several, its `type` decides. */
  | { is: 'kind'; kinds: readonly string[] }
  | { is: 'either'; of: readonly [Type, Type] }
  | { is: 'null or'; of: Type }
  | { is: 'any' }

export interface Field {
  type: Type
  required?: true
}

/** A rule about several fields; `fault` takes the place below the object, `/text`, or '' for the object itself. */
export interface Together {
  says: string
  check(value: Fields, fault: (below: string, message: string) => void, surface: Surface): void
}

export interface Kind {
  /** The name that `kind` refers to. */
  name: string
  family: 'block' | 'element' | 'object' | 'rich text' | 'cell' | 'chart' | 'view'
  /** The value of its `type` field; undefined for objects without one. */
  type?: string
  /** The surfaces that accept it; blocks only. */
  surfaces?: readonly Surface[]
  fields: Readonly<Record<string, Field>>
  together?: readonly Together[]
  /** Accepts unknown fields too. */
  isOpen?: true
  /** The page of Slack's reference, below https://docs.slack.dev/reference/. */
  source: string
  /** What Slack's docs leave open or contradict; undefined if they are clear. */
  unsettled?: string
}

export const EVERYWHERE: readonly Surface[] = ['message', 'modal', 'home']

export const text = (max: number, min = 1): Type => ({ is: 'text', min, max })
export const flag: Type = { is: 'flag' }
export const whole = (min: number, max: number): Type => ({ is: 'whole', min, max })
export const among = (...values: string[]): Type => ({ is: 'among', values })
export const address = (...schemes: string[]): Type => ({ is: 'address', schemes, max: 3000 })
export const list = (of: Type, max: number, min = 1): Type => ({ is: 'list', of, min, max })
/** A list without duplicates. */
export const distinct = (of: Type, max: number): Type => ({ is: 'list', of, min: 1, max, distinct: true })
export const plain = (max: number): Type => ({ is: 'words', styles: ['plain_text'], max })
export const words = (max: number): Type => ({ is: 'words', styles: ['plain_text', 'mrkdwn'], max })
export const kind = (...kinds: string[]): Type => ({ is: 'kind', kinds })
export const anything: Type = { is: 'any' }

/** Fields by name; one that ends in `!` is required. */
export function fields(given: Readonly<Record<string, Type>>): Record<string, Field> {
  return Object.fromEntries(
    Object.entries(given).map(([name, type]): [string, Field] =>
      name.endsWith('!') ? [name.slice(0, -1), { type, required: true }] : [name, { type }],
    ),
  )
}

/** What defines a kind, apart from its fields. */
type More = Partial<Pick<Kind, 'together' | 'unsettled' | 'isOpen'>>
type Shape = Readonly<Record<string, Type>>

/** A block: its name and the page of its reference are those of its `type`. */
export const block = (type: string, surfaces: readonly Surface[], shape: Shape, more: More = {}): Kind => ({
  ...{ name: type.replaceAll('_', ' '), family: 'block', type, surfaces },
  fields: fields({ 'type!': anything, block_id: text(255), ...shape }),
  source: `block-kit/blocks/${type.replaceAll('_', '-')}-block`,
  ...more,
})

/** An element or object inside a block; `page` is the last part of its URL in the reference. */
export const element = (
  [name, type, page]: readonly [name: string, type: string, page: string],
  shape: Shape,
  more: More = {},
): Kind => ({
  ...{ name, family: 'element', type },
  fields: fields({ 'type!': anything, ...shape }),
  source: `block-kit/block-elements/${page}`,
  ...more,
})

/** A part of either, identified by its `type`, or by its position if it has none. */
export const part = (
  name: string,
  source: string,
  shape: Shape,
  { family = 'object', type, ...more }: More & Partial<Pick<Kind, 'family' | 'type'>> = {},
): Kind => ({
  ...{ name, family, source, ...more },
  ...(type !== undefined && { type }),
  fields: fields(type === undefined ? shape : { 'type!': anything, ...shape }),
})
