import type { BlockOf } from '../block-kit.ts'
import { Picture } from '../elements/picture.tsx'
import { Icon } from '../icon.tsx'
import { SafeLink } from '../text/inline-view.tsx'
import { Plain } from '../text/text-view.tsx'

/** Shows a video's thumbnail and texts. The page doesn't play external videos. */
export function Video({ block }: { block: BlockOf<'video'> }) {
  const { title, title_url: url, author_name: author, provider_name: provider, description } = block
  const byline = [author, provider].filter(Boolean).join(' · ')
  const name = <Plain text={title} />
  return (
    <figure className="video">
      <figcaption>
        <strong>{url === undefined ? name : <SafeLink url={url}>{name}</SafeLink>}</strong>
        {byline !== '' && <span className="card-subtitle soft">{byline}</span>}
        {description && (
          <p className="plain">
            <Plain text={description} />
          </p>
        )}
      </figcaption>
      <Picture image={{ image_url: block.thumbnail_url, alt_text: block.alt_text }} />
      <p className="card-subtitle soft">
        <Icon name="play" /> <SafeLink url={block.video_url}>Watch on its site</SafeLink>
      </p>
    </figure>
  )
}
