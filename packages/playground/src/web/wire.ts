import type { Block, Fields } from '../protocol.ts'

/**
 * The parts of Slack's Block Kit that the page draws, as far as it reads them. The server refuses a block that breaks
 * Slack's rules before it is stored, so what arrives has these shapes.
 */
export interface TextObject {
  type: 'plain_text' | 'mrkdwn'
  text: string
  verbatim?: boolean
  emoji?: boolean
}

export interface Confirm {
  title?: TextObject
  text: TextObject
  confirm?: TextObject
  deny?: TextObject
  style?: 'primary' | 'danger'
}

export interface Option {
  text: TextObject
  value: string
  description?: TextObject
  url?: string
}

export interface OptionGroup {
  label: TextObject
  options: Option[]
}

export interface Picture {
  alt_text: string
  image_url?: string
  slack_file?: { id?: string; url?: string }
}

/** Every interactive element: the fields are those of its `type`, the others absent. */
export interface Element extends Partial<Picture> {
  type: string
  action_id: string
  text?: TextObject
  value?: string
  url?: string
  style?: 'primary' | 'danger'
  accessibility_label?: string
  confirm?: Confirm
  placeholder?: TextObject
  focus_on_load?: boolean
  options?: Option[]
  option_groups?: OptionGroup[]
  initial_option?: Option
  initial_options?: Option[]
  initial_user?: string
  initial_users?: string[]
  initial_channel?: string
  initial_channels?: string[]
  initial_conversation?: string
  initial_conversations?: string[]
  default_to_current_conversation?: boolean
  filter?: { include?: string[]; exclude_bot_users?: boolean }
  initial_date?: string
  initial_time?: string
  initial_date_time?: number
  /** Rich text in a rich_text_input. */
  initial_value?: string | RichText
  max_selected_items?: number
  min_query_length?: number
  multiline?: boolean
  min_length?: number
  max_length?: number
  is_decimal_allowed?: boolean
  min_value?: string
  max_value?: string
  dispatch_action_config?: { trigger_actions_on?: string[] }
  filetypes?: string[]
  max_files?: number
  icon?: string
  positive_button?: FeedbackButton
  negative_button?: FeedbackButton
  visible_to_user_ids?: string[]
  workflow?: { trigger?: { url?: string } }
}

export interface FeedbackButton {
  text: TextObject
  value: string
  accessibility_label?: string
}

export interface RichStyle {
  bold?: boolean
  italic?: boolean
  strike?: boolean
  code?: boolean
  underline?: boolean
}

/** A leaf of rich text; as with `Element`, the fields are those of its `type`. */
export interface RichLeaf {
  type: string
  style?: RichStyle
  text?: string
  url?: string
  user_id?: string
  channel_id?: string
  usergroup_id?: string
  team_id?: string
  range?: string
  name?: string
  unicode?: string
  timestamp?: number
  format?: string
  fallback?: string
  value?: string
}

export type RichPart =
  | { type: 'rich_text_section'; elements: RichLeaf[] }
  | { type: 'rich_text_quote'; elements: RichLeaf[]; border?: 0 | 1 }
  | { type: 'rich_text_preformatted'; elements: RichLeaf[]; border?: 0 | 1 }
  | {
      type: 'rich_text_list'
      elements: { elements: RichLeaf[] }[]
      style: string
      indent?: number
      offset?: number
    }

export type RichText = { type: 'rich_text'; elements: RichPart[] }
export type Cell =
  | RichText
  | { type: 'raw_text'; text: string }
  | { type: 'raw_number'; value: number; text: string }

export type WireBlock = { block_id: string } & (
  | {
      type: 'card'
      hero_image?: Picture
      icon?: Picture
      title?: TextObject
      subtitle?: TextObject
      body?: TextObject
      actions?: Element[]
    }
  | { type: 'carousel'; elements: BlockOf<'card'>[] }
  | {
      type: 'container'
      title?: TextObject
      rich_text_title?: RichText
      subtitle?: TextObject
      child_blocks: Block[]
      width?: 'narrow' | 'standard' | 'wide' | 'full'
      icon?: Picture
      is_collapsible?: boolean
      default_collapsed?: boolean
      has_header_divider?: boolean
    }
  | { type: 'layout'; label: string; fallback: Block[] }
  | ({ type: 'task_card' } & Task)
  | { type: 'plan'; title: string | TextObject; tasks?: Task[] }
  | {
      type: 'video'
      video_url: string
      thumbnail_url: string
      alt_text: string
      title: TextObject
      title_url?: string
      author_name?: string
      provider_name?: string
      description?: TextObject
    }
  | { type: 'file'; source: string; external_id: string }
  | { type: 'section'; text?: TextObject; fields?: TextObject[]; accessory?: Element; expand?: boolean }
  | { type: 'header'; text: TextObject; level?: number }
  | { type: 'divider' }
  | { type: 'context'; elements: (TextObject | ({ type: 'image' } & Picture))[] }
  | { type: 'actions'; elements: Element[] }
  | { type: 'context_actions'; elements: Element[] }
  | ({ type: 'image'; title?: TextObject } & Picture)
  | InputBlock
  | RichText
  | { type: 'table'; rows: Cell[][]; column_settings?: ({ align?: Align; is_wrapped?: boolean } | null)[] }
  | {
      type: 'data_table'
      rows: Cell[][]
      caption: string
      page_size?: number
      row_header_column_index?: number
    }
  | { type: 'alert'; text: TextObject; level?: string }
  | { type: 'markdown'; text: string }
  | { type: 'data_visualization'; title: string; chart: Chart }
)

interface Point {
  label: string
  value: number
}

export type Chart =
  | { type: 'pie'; segments: Point[] }
  | {
      type: 'bar' | 'line' | 'area'
      series: { name: string; data: Point[] }[]
      axis_config: { categories: string[]; x_label?: string; y_label?: string }
    }

export interface Task {
  title: string
  status?: 'pending' | 'in_progress' | 'complete' | 'error'
  details?: RichText
  output?: RichText
  sources?: { url: string; text: string }[]
}

export type Align = 'left' | 'center' | 'right'

export interface InputBlock {
  type: 'input'
  label: TextObject
  hint?: TextObject
  optional?: boolean
  dispatch_action?: boolean
  element: Element
}

export type BlockOf<T extends WireBlock['type']> = Extract<WireBlock, { type: T }>

/** Reads a stored block as what the server has made sure it is. */
export function wire(block: Block): WireBlock {
  // Holds because the server stores no block that breaks Block Kit's rules; a kind not listed is drawn as unknown.
  return block as unknown as WireBlock
}

export interface Attachment {
  fallback?: string
  color?: string
  pretext?: string
  author_name?: string
  author_link?: string
  title?: string
  title_link?: string
  text?: string
  fields?: { title: string; value: string; short?: boolean }[]
  blocks?: Block[]
  image_url?: string
  thumb_url?: string
  footer?: string
  ts?: string | number
}

/** Reads a stored attachment as what the server has made sure it is. */
export function attachment(given: Fields): Attachment {
  // Holds for the same reason.
  return given as unknown as Attachment
}
