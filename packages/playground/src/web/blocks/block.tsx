import type { ReactNode } from 'react'
import type { Block } from '../../protocol.ts'
import { Each } from '../each.ts'
import { ElementView } from '../elements/element.tsx'
import { Picture } from '../elements/picture.tsx'
import { parseMarkdown } from '../text/markdown.ts'
import { PiecesView, Plain, Text } from '../text/text-view.tsx'
import { type BlockOf, type Element, type WireBlock, wire } from '../wire.ts'
import { ChartBlock } from './chart.tsx'
import { DataTableBlock } from './data-table.tsx'
import { InputBlockView } from './input.tsx'
import { RichTextView } from './rich-text.tsx'
import { TableBlock } from './table.tsx'
import { BlockBoundary, Unknown } from './unknown.tsx'

type Drawers = { [T in WireBlock['type']]: (block: BlockOf<T>, error: string | undefined) => ReactNode }

/** What an element outside an input block is called, when it has no text of its own. */
function nameOf(element: Element, fallback: string): string {
  return element.accessibility_label ?? element.placeholder?.text ?? fallback
}

function Section({ block }: { block: BlockOf<'section'> }) {
  const name = block.text?.text.replace(/[*_~`]/g, '').slice(0, 80) ?? 'Choose'
  return (
    <div className="section">
      <div className="section-body">
        {block.text && (
          <div className="text">
            <Text of={block.text} />
          </div>
        )}
        {block.fields && (
          <div className="fields">
            <Each of={block.fields}>
              {(field) => (
                <div className="text">
                  <Text of={field} />
                </div>
              )}
            </Each>
          </div>
        )}
      </div>
      {block.accessory && (
        <div className="accessory">
          <ElementView
            slot={{ blockId: block.block_id, element: block.accessory, name: nameOf(block.accessory, name) }}
          />
        </div>
      )}
    </div>
  )
}

function Actions({ blockId, elements }: { blockId: string; elements: readonly Element[] }) {
  return (
    <div className="actions">
      {elements.map((element) => (
        <ElementView key={element.action_id} slot={{ blockId, element, name: nameOf(element, 'Choose') }} />
      ))}
    </div>
  )
}

function Context({ block }: { block: BlockOf<'context'> }) {
  return (
    <div className="context">
      <Each of={block.elements}>
        {(element) =>
          element.type === 'image' ? (
            <Picture url={element.image_url} fileId={element.slack_file?.id} alt={element.alt_text} small />
          ) : (
            <div className="text">
              <Text of={element} />
            </div>
          )
        }
      </Each>
    </div>
  )
}

function ImageView({ block }: { block: BlockOf<'image'> }) {
  return (
    <figure className="image">
      {block.title && (
        <figcaption>
          <Plain text={block.title.text} emoji={block.title.emoji} />
        </figcaption>
      )}
      <Picture url={block.image_url} fileId={block.slack_file?.id} alt={block.alt_text} />
    </figure>
  )
}

const DRAWERS: Drawers = {
  section: (block) => <Section block={block} />,
  header: (block) => (
    <h3 className="header">
      <Plain text={block.text.text} emoji={block.text.emoji} />
    </h3>
  ),
  divider: () => <hr />,
  context: (block) => <Context block={block} />,
  actions: (block) => <Actions blockId={block.block_id} elements={block.elements} />,
  context_actions: (block) => <Actions blockId={block.block_id} elements={block.elements} />,
  image: (block) => <ImageView block={block} />,
  input: (block, error) => <InputBlockView block={block} error={error} />,
  rich_text: (block) => <RichTextView block={block} />,
  table: (block) => <TableBlock block={block} />,
  data_visualization: (block) => <ChartBlock block={block} />,
  data_table: (block) => <DataTableBlock block={block} />,
  alert: (block) => (
    <div
      className={`alert alert-${block.level ?? 'default'} text`}
      role={block.level === 'error' ? 'alert' : 'note'}
    >
      <Text of={block.text} />
    </div>
  ),
  markdown: (block) => (
    <div className="text">
      <PiecesView pieces={parseMarkdown(block.text)} />
    </div>
  ),
}

function BlockView({ block, error }: { block: Block; error: string | undefined }) {
  const known = Object.hasOwn(DRAWERS, block.type)
  if (!known) return <Unknown what={block} />
  const wired = wire(block)
  // The table has the drawer of each type; TypeScript cannot follow that the two types are the same one.
  const draw = DRAWERS[wired.type] as (block: WireBlock, error: string | undefined) => ReactNode
  return draw(wired, error)
}

/** The blocks of a message, a modal or Home; `errors` by block_id. */
export function Blocks({
  blocks,
  errors = {},
}: {
  blocks: readonly Block[]
  errors?: Record<string, string>
}) {
  return blocks.map((block) => (
    <div key={block.block_id} className={`block block-${block.type}`} data-block-id={block.block_id}>
      <BlockBoundary what={block}>
        <BlockView block={block} error={errors[block.block_id]} />
      </BlockBoundary>
    </div>
  ))
}
