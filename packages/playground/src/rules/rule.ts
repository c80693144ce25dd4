import type { Fields, Json } from '../protocol.ts'

/**
 * Slack's rules for blocks, as data. The validator, the payloads that the tests send, and docs/rules.md come from it.
 * What no field can say by itself is a `Together`: a sentence and its check.
 */
export type Surface = 'message' | 'modal' | 'home'

/** Who refuses what breaks a rule: Slack; Slack's advice on safe text; or this playground's page, which cannot draw it. */
export type Level = 'slack' | 'careful' | 'drawn'

/** What a field may hold. */
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
  /** An object of one of the kinds, which are named in the table; several are told apart by their `type`. */
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
  /** As `kind` names it. */
  name: string
  family: 'block' | 'element' | 'object' | 'rich text' | 'cell' | 'chart' | 'view'
  /** What its field `type` says; undefined for objects that have none. */
  type?: string
  /** Where it may stand; blocks only. */
  surfaces?: readonly Surface[]
  fields: Readonly<Record<string, Field>>
  together?: readonly Together[]
  /** Fields that are not named are taken too. */
  isOpen?: true
  /** The page of Slack's reference, below https://docs.slack.dev/reference/. */
  source: string
  /** What Slack's documents leave open, or say in two ways; undefined when they are plain. */
  unsettled?: string
  /** One that Slack takes, with as many of its fields as go together. */
  example: Fields
}

/** When the table was compared with Slack's reference. */
export const CHECKED = 'November 2026'

export const text = (max: number, min = 1): Type => ({ is: 'text', min, max })
export const flag: Type = { is: 'flag' }
export const whole = (min: number, max: number): Type => ({ is: 'whole', min, max })
export const among = (...values: string[]): Type => ({ is: 'among', values })
export const address = (...schemes: string[]): Type => ({ is: 'address', schemes, max: 3000 })
export const list = (of: Type, max: number, min = 1): Type => ({ is: 'list', of, min, max })
/** A list in which nothing stands twice. */
export const distinct = (of: Type, max: number): Type => ({ is: 'list', of, min: 1, max, distinct: true })
export const plain = (max: number): Type => ({ is: 'words', styles: ['plain_text'], max })
export const words = (max: number): Type => ({ is: 'words', styles: ['plain_text', 'mrkdwn'], max })
export const kind = (...kinds: string[]): Type => ({ is: 'kind', kinds })
export const anything: Type = { is: 'any' }

/** Fields by name; one that ends in `!` is required. */
export function fields(given: Record<string, Type>): Record<string, Field> {
  return Object.fromEntries(
    Object.entries(given).map(([name, type]): [string, Field] =>
      name.endsWith('!') ? [name.slice(0, -1), { type, required: true }] : [name, { type }],
    ),
  )
}

/** Examples are written briefly with these. */
export const say = (said: string): Fields => ({ type: 'plain_text', text: said })
export const mark = (said: string): Fields => ({ type: 'mrkdwn', text: said })
export const choice = (label: string, value: string): Json => ({ text: say(label), value })
