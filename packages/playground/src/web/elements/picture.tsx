import { Icon } from '../icon.tsx'
import { SafeLink } from '../text/inline-view.tsx'
import type { Picture as PictureObject } from '../wire.ts'

/** An image: those on this server are shown, others are named, because the page loads nothing from elsewhere. */
export function Picture({ of, small = false }: { of: PictureObject; small?: boolean }) {
  const { alt_text: alt = '', image_url: url, slack_file: file } = of
  const fileId = file?.id
  const own = fileId === undefined ? ownPath(url) : `/_playground/files/${encodeURIComponent(fileId)}`
  if (own !== undefined) return <img className={small ? 'picture small' : 'picture'} src={own} alt={alt} />
  return (
    <span className={small ? 'picture-away small' : 'picture-away'}>
      <Icon name="image" /> {alt || 'Image'}
      {!small && url !== undefined && (
        <>
          {' · '}
          <SafeLink url={url}>not loaded from {readHost(url)}</SafeLink>
        </>
      )}
    </span>
  )
}

function readHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'elsewhere'
}

function ownPath(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  const parsed = new URL(url)
  return parsed.origin === window.location.origin ? `${parsed.pathname}${parsed.search}` : undefined
}
