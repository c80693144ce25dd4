import type { ReactNode } from 'react'
import type { BlockOf } from '../block-kit.ts'
import { Picture } from '../elements/picture.tsx'
import { Text } from '../text/text-view.tsx'
import { RichTextView } from './rich-text.tsx'

/** A `container` block: a box with a heading. `children` are its rendered blocks. */
export function Container({ block, children }: { block: BlockOf<'container'>; children: ReactNode }) {
  const { title, rich_text_title: rich, subtitle, icon, width = 'standard' } = block
  const classes = `container container-${width}${block.has_header_divider ? ' divided' : ''}`
  const head = (
    <>
      {icon && <Picture image={icon} small />}
      <span className="container-title">
        {rich && rich.elements.length > 0 ? <RichTextView block={rich} /> : title && <Text text={title} />}
        {subtitle && (
          <span className="card-subtitle soft">
            <Text text={subtitle} />
          </span>
        )}
      </span>
    </>
  )
  if (!block.is_collapsible) {
    return (
      <div className={classes}>
        <div className="container-head">{head}</div>
        <div className="container-body">{children}</div>
      </div>
    )
  }
  return (
    <details className={classes} open={!block.default_collapsed}>
      <summary className="container-head">{head}</summary>
      <div className="container-body">{children}</div>
    </details>
  )
}
