// This folder: one component per block.

import type { ReactNode } from 'react'
import type { Block } from '../../protocol/protocol.ts'
import { type BlockOf, type TypedBlock, toTypedBlock } from '../block-kit.ts'
import { Each } from '../each.ts'
import { ElementView } from '../elements/element.tsx'
import { Plain, TextObjectView } from '../text/text-view.tsx'
import { Actions, accessibleName } from './actions.tsx'
import { InputBlockView } from './input.tsx'
import { RichTextView } from './rich-text.tsx'

type Errors = Readonly<Record<string, string>>
/** One renderer for each type of block that the app sends. */
type Renderers = { [T in TypedBlock['type']]: (block: BlockOf<T>, errors: Errors) => ReactNode }

function Section({ block }: { block: BlockOf<'section'> }) {
  const name = block.text?.text.replace(/[*_~`]/g, '').slice(0, 80) ?? 'Choose'
  return (
    <div className="section">
      <div className="section-body">
        {block.text && <TextObjectView text={block.text} />}
        {block.fields && (
          <div className="fields">
            <Each of={block.fields}>{(field) => <TextObjectView text={field} />}</Each>
          </div>
        )}
      </div>
      {block.accessory && (
        <div className="accessory">
          <ElementView
            slot={{
              blockId: block.block_id,
              element: block.accessory,
              name: accessibleName(block.accessory, name),
            }}
          />
        </div>
      )}
    </div>
  )
}

function Context({ block }: { block: BlockOf<'context'> }) {
  return (
    <div className="context soft">
      <Each of={block.elements}>{(element) => <TextObjectView text={element} />}</Each>
    </div>
  )
}

const RENDERERS: Renderers = {
  section: (block) => <Section block={block} />,
  header: (block) => (
    <h2 className="header">
      <Plain text={block.text} />
    </h2>
  ),
  divider: () => <hr />,
  context: (block) => <Context block={block} />,
  actions: (block) => <Actions blockId={block.block_id} elements={block.elements} />,
  input: (block, errors) => <InputBlockView block={block} error={errors[block.block_id]} />,
  rich_text: (block) => <RichTextView block={block} />,
}

function BlockView({ block, errors }: { block: Block; errors: Errors }) {
  const typedBlock = toTypedBlock(block)
  // Safe cast: each renderer accepts the block type that is its key, but TypeScript can't infer that.
  const render = RENDERERS[typedBlock.type] as (block: TypedBlock, errors: Errors) => ReactNode
  return render(typedBlock, errors)
}

/** The types of blocks that can contain buttons or menus. */
const TYPES_WITH_BUTTONS: ReadonlySet<string> = new Set(['actions', 'section'])

/**
 * React's keys of blocks. Blocks with buttons are identified by their position among blocks of their type, because Slack generates
 * new IDs when the app updates a message. A new key would take the focus from a button, and a press that has begun would be lost.
 */
function createKeys(blocks: readonly Block[]): string[] {
  const counts = new Map<string, number>()
  return blocks.map(({ type, block_id }) => {
    if (!TYPES_WITH_BUTTONS.has(type)) return `id ${block_id}`
    const count = counts.get(type) ?? 0
    counts.set(type, count + 1)
    return `${type} ${count}`
  })
}

/** The blocks of a message, a modal, or Home. `errors` are by block ID. */
export function Blocks({ blocks, errors = {} }: { blocks: readonly Block[]; errors?: Errors }) {
  const keys = createKeys(blocks)
  return blocks.map((block, index) => (
    <div key={keys[index]} className={`block block-${block.type}`} data-block-id={block.block_id}>
      <BlockView block={block} errors={errors} />
    </div>
  ))
}
