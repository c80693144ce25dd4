import { useMemo } from 'react'
import type { RichText } from '../block-kit.ts'
import { toTextBlock } from '../text/rich.ts'
import { TextBlocks } from '../text/text-view.tsx'

export function RichTextView({ block }: { block: RichText }) {
  const blocks = useMemo(() => block.elements.flatMap((part) => toTextBlock(part) ?? []), [block])
  return (
    <div className="text">
      <TextBlocks blocks={blocks} />
    </div>
  )
}
