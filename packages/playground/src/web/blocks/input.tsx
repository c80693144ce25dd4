import type { BlockOf } from '../block-kit.ts'
import { ElementView, GROUP_TYPES } from '../elements/element.tsx'
import type { Slot } from '../elements/slot.ts'
import { Plain } from '../text/text-view.tsx'

/** Renders `input`: a labeled element with its hint, and after a failed submission with its error. */
export function InputBlockView({ block, error }: { block: BlockOf<'input'>; error: string | undefined }) {
  const {
    block_id: blockId,
    element,
    label,
    hint,
    optional = false,
    dispatch_action: dispatches = false,
  } = block
  const id = `input-${blockId}`
  const describedBy = [hint && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ')
  const slot: Slot = {
    blockId,
    element,
    name: label.text,
    input: {
      id,
      describedBy: describedBy || undefined,
      invalid: error !== undefined,
      required: !optional,
      dispatches,
    },
  }
  const title = (
    <>
      <Plain text={label} />
      {optional && <span className="optional"> (optional)</span>}
    </>
  )
  return (
    <div className={error === undefined ? 'input-block' : 'input-block faulty'}>
      {GROUP_TYPES.has(element.type) ? (
        <span className="label" id={`${id}-label`}>
          {title}
        </span>
      ) : (
        <label className="label" htmlFor={id} id={`${id}-label`}>
          {title}
        </label>
      )}
      <ElementView slot={slot} />
      {error !== undefined && (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p className="soft" id={`${id}-hint`}>
          <Plain text={hint} />
        </p>
      )}
    </div>
  )
}
