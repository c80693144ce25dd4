import type { BlockOf } from '../block-kit.ts'
import { Each } from '../each.ts'
import { Picture } from '../elements/picture.tsx'
import { Scrolling } from '../scrolling.tsx'
import { TextObjectView } from '../text/text-view.tsx'
import { Actions } from './actions.tsx'

/** A card with images, texts, and actions. */
export function Card({ block }: { block: BlockOf<'card'> }) {
  const {
    hero_image: hero,
    icon,
    slack_icon: slackIcon,
    title,
    subtitle,
    body,
    subtext,
    actions = [],
  } = block
  return (
    <article className="card">
      {hero && <Picture image={hero} />}
      <div className="card-head">
        {icon && <Picture image={icon} small />}
        {slackIcon && <span className="soft">{slackIcon.name}</span>}
        <div>
          {title && <TextObjectView text={title} className="card-title" />}
          {subtitle && <TextObjectView text={subtitle} className="card-subtitle soft" />}
        </div>
      </div>
      {body && <TextObjectView text={body} />}
      {subtext && <TextObjectView text={subtext} className="soft" />}
      {actions.length > 0 && <Actions blockId={block.block_id} elements={actions} />}
    </article>
  )
}

/** Cards side by side, which can be scrolled by mouse or keyboard. */
export function Carousel({ block }: { block: BlockOf<'carousel'> }) {
  return (
    <Scrolling isGroup className="carousel" label={`${block.elements.length} cards`}>
      <Each of={block.elements}>{(card) => <Card block={card} />}</Each>
    </Scrolling>
  )
}
