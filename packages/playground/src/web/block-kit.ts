import type * as Slack from '@slack/types'
import type { Block } from '../protocol/protocol.ts'

// TypeScript types of the Block Kit blocks and elements that the page renders: those that an app sends for
// messages, modals, and Home. The compiler checks that each of them has a renderer. The server validates blocks before it stores them, so the
// page doesn't validate them again.

export type Confirm = Slack.ConfirmationDialog
export type TextObject = Slack.TextObject

export interface Option {
  text: TextObject
  value: string
}

type KeyOf<T> = T extends unknown ? keyof T : never
type ValueOf<T, K> = T extends unknown ? (K extends keyof T ? Exclude<T[K], undefined> : never) : never
/** Merges a union of types into one type that has all their fields, each of them optional. */
type Merged<T> = { [K in KeyOf<T>]?: ValueOf<T, K> }
type Override<T, Own> = Omit<T, keyof Own> & Own

type SlackElement =
  | Slack.ActionsBlockElement
  | Slack.ContextActionsBlockElement
  | Slack.InputBlockElement
  | Slack.SectionBlockAccessory

/** Any interactive element. The server adds an `action_id` if the app sets none. */
export type Element = Override<
  Merged<SlackElement>,
  {
    type: string
    action_id: string
    options?: Option[]
    initial_option?: Option
    initial_options?: Option[]
  }
>

export type RichStyle = NonNullable<Slack.RichTextText['style']>
export type RichLeaf = Override<Merged<Slack.RichTextElement>, { type: string }>
export type RichPart = Exclude<Slack.RichTextBlockElement, Slack.RichTextList>
export type RichText = { type: 'rich_text'; elements: RichPart[] }

/** Blocks whose types differ from @slack/types: they use the elements above, nest other blocks, or have additional fields. */
interface ChangedBlocks {
  actions: { type: 'actions'; elements: Element[] }
  context: { type: 'context'; elements: TextObject[] }
  input: Override<Slack.InputBlock, { element: Element }>
  rich_text: RichText
  section: Override<Slack.SectionBlock, { accessory?: Element }>
}

export type TypedBlock = { block_id: string } & (
  | Slack.DividerBlock
  | Slack.HeaderBlock
  | ChangedBlocks[keyof ChangedBlocks]
)

export type BlockOf<T extends TypedBlock['type']> = Extract<TypedBlock, { type: T }>

export function toTypedBlock(block: Block): TypedBlock {
  // Safe cast: the server validates blocks.
  return block as unknown as TypedBlock
}
