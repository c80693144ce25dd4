import type { Fields } from '../../protocol/json.ts'
import type { Attachment } from '../block-kit.ts'
import { Blocks } from '../blocks/block.tsx'
import { Each } from '../each.ts'
import { Picture } from '../elements/picture.tsx'
import { SafeLink } from '../text/inline-view.tsx'
import { SeeMore } from '../text/see-more.tsx'
import { Mrkdwn } from '../text/text-view.tsx'
import { clockTime, dayName } from './times.ts'

const COLORS: Readonly<Record<string, string>> = { good: '#2eb67d', warning: '#ecb22e', danger: '#e01e5a' }

function barColor(color = ''): { borderColor: string } | undefined {
  const cssColor =
    COLORS[color] ?? (/^#?[0-9a-f]{6}$/i.test(color) ? `#${color.replace('#', '')}` : undefined)
  return cssColor === undefined ? undefined : { borderColor: cssColor }
}

/** A line of text, as a link if the app set a URL. */
function Line({
  className,
  text,
  url,
}: {
  className: string
  text: string | undefined
  url: string | undefined
}) {
  if (text === undefined) return null
  return <p className={className}>{url === undefined ? text : <SafeLink url={url}>{text}</SafeLink>}</p>
}

function MrkdwnText({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <SeeMore text={text}>
      {(shown) => (
        <div className="text">
          <Mrkdwn text={shown} />
        </div>
      )}
    </SeeMore>
  )
}

function AttachmentFields({ fields }: { fields: Attachment['fields'] }) {
  if (!fields || fields.length === 0) return null
  return (
    <div className="fields">
      <Each of={fields}>
        {(field) => (
          <div className={field.short ? 'text' : 'text field-wide'}>
            <strong>{field.title}</strong>
            <Mrkdwn text={field.value} />
          </div>
        )}
      </Each>
    </div>
  )
}

function formatFooter({ footer, ts }: Attachment): string | undefined {
  const date = ts === undefined ? undefined : new Date(Number(ts) * 1000)
  const parts = [footer, date && `${dayName(date)}, ${clockTime(date)}`].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(' · ') : undefined
}

/** A message attachment in Slack's legacy format, with a colored bar next to its fields or blocks. */
export function AttachmentView({ attachment: storedAttachment }: { attachment: Fields }) {
  // Safe because the server stores only valid attachments.
  const attachment = storedAttachment as unknown as Attachment
  const alt = attachment.title ?? attachment.fallback ?? 'Image'
  return (
    <>
      <MrkdwnText text={attachment.pretext} />
      <div className="attachment" style={barColor(attachment.color)}>
        <Line className="attachment-author" text={attachment.author_name} url={attachment.author_link} />
        <Line className="attachment-title" text={attachment.title} url={attachment.title_link} />
        <MrkdwnText text={attachment.text} />
        <AttachmentFields fields={attachment.fields} />
        <Blocks blocks={attachment.blocks ?? []} />
        {attachment.image_url !== undefined && (
          <Picture image={{ image_url: attachment.image_url, alt_text: alt }} />
        )}
        {attachment.thumb_url !== undefined && (
          <Picture image={{ image_url: attachment.thumb_url, alt_text: alt }} small />
        )}
        <Line className="soft" text={formatFooter(attachment)} url={undefined} />
      </div>
    </>
  )
}
