// This folder: mrkdwn and rich text.

import { useMemo } from 'react'
import type { TextObject } from '../block-kit.ts'
import { Each } from '../each.ts'
import { matchEmoji } from './emoji.ts'
import { InlineView } from './inline-view.tsx'
import { type MrkdwnOptions, parseMrkdwn } from './mrkdwn.ts'
import { parseWith, type TextBlock } from './nodes.ts'

function TextBlockView({ block }: { block: TextBlock }) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <InlineView nodes={block.children} />
        </p>
      )
    case 'quote':
      return (
        <blockquote>
          <TextBlocks blocks={block.blocks} />
        </blockquote>
      )
    case 'pre':
      return (
        <pre>
          <InlineView nodes={block.children} />
        </pre>
      )
  }
}

export function TextBlocks({ blocks }: { blocks: readonly TextBlock[] }) {
  return <Each of={blocks}>{(block) => <TextBlockView block={block} />}</Each>
}

export function Mrkdwn({ text, verbatim = false }: { text: string } & MrkdwnOptions) {
  const blocks = useMemo(() => parseMrkdwn(text, { verbatim }), [text, verbatim])
  return <TextBlocks blocks={blocks} />
}

/** Plain text, without markup or links. `:names:` become emoji unless the app sets `emoji: false`. */
export function Plain({ text }: { text: TextObject | string }) {
  const { text: content, emoji = true }: { text: string; emoji?: boolean } =
    typeof text === 'string' ? { text } : text
  return emoji ? <InlineView nodes={parseWith(content, (index) => matchEmoji(content, index))} /> : content
}

/** A text object of either type. */
export function Text({ text }: { text: TextObject }) {
  if (text.type === 'mrkdwn') return <Mrkdwn {...text} />
  return (
    <p className="plain">
      <Plain text={text} />
    </p>
  )
}

/** A text object in its own container. */
export function TextObjectView({ text, id }: { text: TextObject; id?: string }) {
  return (
    <div id={id} className="text">
      <Text text={text} />
    </div>
  )
}
