import type { RichLeaf, RichPart, RichStyle } from '../block-kit.ts'
import { type Inline, parseWith, type TextBlock } from './nodes.ts'

const STYLES = ['code', 'strike', 'italic', 'bold'] as const

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
  const { timestamp = 0, format = '', fallback = '' } = leaf
  return { kind: 'date', timestamp, format, fallback }
}

const INLINE_BUILDERS: Record<string, (leaf: RichLeaf) => Inline[]> = {
  text: (leaf) => textWithBreaks(leaf.text ?? ''),
  link: (leaf) => [
    { kind: 'link', url: leaf.url ?? '', children: textWithBreaks(leaf.text || (leaf.url ?? '')) },
  ],
  user: (leaf) => [{ kind: 'user', id: leaf.user_id ?? '' }],
  channel: (leaf) => [{ kind: 'channel', id: leaf.channel_id ?? '' }],
  usergroup: (leaf) => [{ kind: 'usergroup', id: leaf.usergroup_id ?? '' }],
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

export function toTextBlock(part: RichPart): TextBlock | undefined {
  switch (part.type) {
    case 'rich_text_section':
      return { kind: 'paragraph', children: richInline(part.elements) }
    case 'rich_text_quote':
      return { kind: 'quote', blocks: [{ kind: 'paragraph', children: richInline(part.elements) }] }
    case 'rich_text_preformatted':
      return { kind: 'pre', children: preformatted(part.elements) }
    default:
      return undefined
  }
}
