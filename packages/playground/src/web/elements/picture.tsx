import type { Picture as PictureObject } from '../block-kit.ts'
import { Icon } from '../icon.tsx'
import { SafeLink } from '../text/inline-view.tsx'

/** An image. For images on other hosts, which the page doesn't load, shows the alt text and a link. */
export function Picture({ image, small = false }: { image: PictureObject; small?: boolean }) {
  const { alt_text: alt = '', image_url: url, slack_file: file } = image
  const fileId = file?.id
  const localUrl = fileId === undefined ? localPath(url) : `/_playground/files/${encodeURIComponent(fileId)}`
  if (localUrl !== undefined)
    return <img className={small ? 'picture small' : 'picture'} src={localUrl} alt={alt} />
  return (
    <span className={small ? 'picture-placeholder small' : 'picture-placeholder'}>
      <Icon name="image" /> {alt || 'Image'}
      {!small && url !== undefined && (
        <>
          {' · '}
          <SafeLink url={url}>Open on {hostName(url)}</SafeLink>
        </>
      )}
    </span>
  )
}

function hostName(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'its site'
}

function localPath(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  const parsed = new URL(url)
  return parsed.origin === window.location.origin ? `${parsed.pathname}${parsed.search}` : undefined
}
