import type { Element } from '../block-kit.ts'
import { ElementView } from '../elements/element.tsx'

/** The accessible name of an element outside an input block, if it has no text of its own. */
export function accessibleName(element: Element, fallback: string): string {
  return element.accessibility_label ?? element.placeholder?.text ?? fallback
}

export function Actions({ blockId, elements }: { blockId: string; elements: readonly Element[] }) {
  return (
    <div className="actions">
      {elements.map((element) => (
        <ElementView
          key={element.action_id}
          slot={{ blockId, element, name: accessibleName(element, 'Choose') }}
        />
      ))}
    </div>
  )
}
