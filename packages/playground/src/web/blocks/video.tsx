import { Picture } from '../elements/picture.tsx'
import { Icon } from '../icon.tsx'
import { SafeLink } from '../text/inline-view.tsx'
import { Plain } from '../text/text-view.tsx'
import type { BlockOf } from '../wire.ts'

/** A video by its picture and its words: the page plays nothing that comes from elsewhere. */
export function Video({ block }: { block: BlockOf<'video'> }) {
  const { title, title_url: url, author_name: author, provider_name: provider, description } = block
  const by = [author, provider].filter(Boolean).join(' · ')
  const name = <Plain text={title.text} emoji={title.emoji} />
  return (
    <figure className="video">
      <figcaption>
        <strong>{url === undefined ? name : <SafeLink url={url}>{name}</SafeLink>}</strong>
        {by !== '' && <span className="card-subtitle soft">{by}</span>}
        {description && (
          <p className="plain">
            <Plain text={description.text} emoji={description.emoji} />
          </p>
        )}
      </figcaption>
      <Picture url={block.thumbnail_url} fileId={undefined} alt={block.alt_text} />
      <p className="card-subtitle soft">
        <Icon name="play" /> <SafeLink url={block.video_url}>Watch it where it is</SafeLink>
      </p>
    </figure>
  )
}
