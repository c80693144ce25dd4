import { useMemo } from 'react'
import type { RichText } from '../block-kit.ts'
import { Each } from '../each.ts'
import { InlineView } from '../text/inline-view.tsx'
import { type RichList, toTextBlock } from '../text/rich.ts'
import { TextBlocks } from '../text/text-view.tsx'

function ListView({ list }: { list: RichList }) {
  const List = list.ordered ? 'ol' : 'ul'
  return (
    <List
      className={`rich-list rich-list-${list.indent % 3}`}
      style={{ marginInlineStart: `calc(${list.indent} * var(--indent))` }}
      {...(list.ordered ? { start: list.start } : {})}
    >
      <Each of={list.items}>
        {(item) => (
          <li>
            <InlineView nodes={item} />
          </li>
        )}
      </Each>
    </List>
  )
}

export function RichTextView({ block }: { block: RichText }) {
  const pieces = useMemo(() => block.elements.map(toTextBlock), [block])
  return (
    <div className="text">
      <Each of={pieces}>
        {(piece) => {
          if (!piece) return null
          return piece.kind === 'rich-list' ? <ListView list={piece} /> : <TextBlocks blocks={[piece]} />
        }}
      </Each>
    </div>
  )
}
