import type { RichLeaf, RichPart, RichStyle } from '../block-kit.ts'
import { type Inline, parseWith, type TextBlock } from './nodes.ts'

const STYLES = ['code', 'strike', 'underline', 'italic', 'bold'] as const

function applyStyle(node: Inline, style: RichStyle | undefined): Inline {
  return STYLES.reduce<Inline>((inner, kind) => (style?.[kind] ? { kind, children: [inner] } : inner), node)
}

/** Rich text contains no markup, so only line breaks are converted. */
function textWithBreaks(value: string): Inline[] {
  return parseWith(value, (index) =>
    value[index] === '\n' ? { node: { kind: 'break' }, length: 1 } : undefined,
  )
}

function toDateNode(leaf: RichLeaf): Inline {
  const { timestamp = 0, format = '', fallback = '', url } = leaf
  return { kind: 'date', timestamp, format, fallback, ...(url === undefined ? {} : { url }) }
}

const INLINE_BUILDERS: Record<string, (leaf: RichLeaf) => Inline[]> = {
  text: (leaf) => textWithBreaks(leaf.text ?? ''),
  link: (leaf) => [
    { kind: 'link', url: leaf.url ?? '', children: textWithBreaks(leaf.text || (leaf.url ?? '')) },
  ],
  user: (leaf) => [{ kind: 'user', id: leaf.user_id ?? '' }],
  channel: (leaf) => [{ kind: 'channel', id: leaf.channel_id ?? '' }],
  usergroup: (leaf) => [{ kind: 'usergroup', id: leaf.usergroup_id ?? '' }],
  team: (leaf) => [{ kind: 'team', id: leaf.team_id ?? '' }],
  broadcast: (leaf) => [{ kind: 'broadcast', range: leaf.range ?? 'channel' }],
  emoji: (leaf) => [{ kind: 'emoji', name: leaf.name ?? '', ...(leaf.unicode && { unicode: leaf.unicode }) }],
  color: (leaf) => [{ kind: 'color', value: leaf.value ?? '' }],
  date: (leaf) => [toDateNode(leaf)],
}

function richInline(leaves: readonly RichLeaf[]): Inline[] {
  return leaves.flatMap((leaf) =>
    (INLINE_BUILDERS[leaf.type]?.(leaf) ?? []).map((node) => applyStyle(node, leaf.style)),
  )
}

/** Converts preformatted text. Line breaks stay characters. */
function preformatted(leaves: readonly RichLeaf[]): Inline[] {
  return leaves.flatMap((leaf) =>
    leaf.type === 'text'
      ? [applyStyle({ kind: 'text', text: leaf.text ?? '' }, leaf.style)]
      : richInline([leaf]),
  )
}

/** A list of a rich text block. Slack's lists are flat: nested items are separate lists with an `indent`. */
export interface RichList {
  kind: 'rich-list'
  ordered: boolean
  indent: number
  start: number
  items: Inline[][]
}

export function toTextBlock(part: RichPart): TextBlock | RichList | undefined {
  switch (part.type) {
    case 'rich_text_section':
      return { kind: 'paragraph', children: richInline(part.elements) }
    case 'rich_text_quote':
      return { kind: 'quote', blocks: [{ kind: 'paragraph', children: richInline(part.elements) }] }
    case 'rich_text_preformatted':
      return { kind: 'pre', children: preformatted(part.elements) }
    case 'rich_text_list':
      return {
        kind: 'rich-list',
        ordered: part.style === 'ordered',
        indent: Math.min(part.indent ?? 0, 8),
        start: (part.offset ?? 0) + 1,
        items: part.elements.map((item) => richInline(item.elements)),
      }
    default:
      return undefined
  }
}
