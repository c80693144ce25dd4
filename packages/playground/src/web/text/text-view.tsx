import { useMemo } from 'react'
import { alignClass, TableView } from '../blocks/table-view.tsx'
import { Each } from '../each.ts'
import type { TextObject } from '../wire.ts'
import { emojiAt } from './emoji.ts'
import { InlineView } from './inline-view.tsx'
import { type MrkdwnOptions, parseMrkdwn } from './mrkdwn.ts'
import { type Piece, scanned } from './nodes.ts'

function MarkdownTable({ table }: { table: Extract<Piece, { kind: 'table' }> }) {
  return (
    <TableView
      label="Table"
      head={table.head}
      rows={table.rows}
      classOf={(column) => alignClass(table.align[column])}
      draw={(cell) => <InlineView nodes={cell} />}
    />
  )
}

function PieceView({ piece }: { piece: Piece }) {
  switch (piece.kind) {
    case 'paragraph':
      return (
        <p>
          <InlineView nodes={piece.children} />
        </p>
      )
    case 'quote':
      return (
        <blockquote>
          <PiecesView pieces={piece.pieces} />
        </blockquote>
      )
    case 'pre':
      return (
        <pre>
          <InlineView nodes={piece.children} />
        </pre>
      )
    case 'heading':
      return (
        <p className={`md-heading md-heading-${Math.min(piece.level, 3)}`}>
          <InlineView nodes={piece.children} />
        </p>
      )
    case 'rule':
      return <hr />
    case 'table':
      return <MarkdownTable table={piece} />
    case 'list': {
      const List = piece.ordered ? 'ol' : 'ul'
      return (
        <List {...(piece.ordered ? { start: piece.start } : {})}>
          <Each of={piece.items}>
            {(item) => (
              <li>
                <PiecesView pieces={item} />
              </li>
            )}
          </Each>
        </List>
      )
    }
  }
}

export function PiecesView({ pieces }: { pieces: readonly Piece[] }) {
  return <Each of={pieces}>{(piece) => <PieceView piece={piece} />}</Each>
}

export function Mrkdwn({ text, verbatim = false }: { text: string } & MrkdwnOptions) {
  const pieces = useMemo(() => parseMrkdwn(text, { verbatim }), [text, verbatim])
  return <PiecesView pieces={pieces} />
}

/** Plain text: no markup, no links; `:names:` become emoji unless the app said `emoji: false`. */
export function Plain({ of }: { of: TextObject | string }) {
  const { text, emoji = true }: { text: string; emoji?: boolean } = typeof of === 'string' ? { text: of } : of
  return emoji ? <InlineView nodes={scanned(text, (at) => emojiAt(text, at))} /> : text
}

/** A text object anywhere in Block Kit. */
export function Text({ of }: { of: TextObject }) {
  if (of.type === 'mrkdwn') return <Mrkdwn {...of} />
  return (
    <p className="plain">
      <Plain of={of} />
    </p>
  )
}

/** A text object in a part of its own. */
export function Words({ of, className = '', id }: { of: TextObject; className?: string; id?: string }) {
  return (
    <div id={id} className={`text ${className}`}>
      <Text of={of} />
    </div>
  )
}
