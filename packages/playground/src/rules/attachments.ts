import { anything, boolean, type Kind, kind, list, object, text, type ValueType } from './rule.ts'

const source = 'legacy/legacy-messaging/legacy-secondary-message-attachments'
const anyText = text(8000, 0)
const TEXT_FIELDS =
  'fallback color pretext author_name author_link author_icon author_subname title title_link text image_url thumb_url footer_icon callback_id'

/** The rules for legacy attachments, in which Slack accepts unknown fields. Only the limit of `footer` is documented. */
export const ATTACHMENTS: readonly Kind[] = [
  object(
    'attachment',
    source,
    {
      ...Object.fromEntries(TEXT_FIELDS.split(' ').map((name): [string, ValueType] => [name, anyText])),
      footer: text(300, 0),
      blocks: anything,
      fields: list(kind('attachment field'), 100, 0),
      mrkdwn_in: list(text(20), 10, 0),
    },
    { allowsUnknownFields: true },
  ),
  object(
    'attachment field',
    source,
    { title: anyText, value: anyText, short: boolean },
    { allowsUnknownFields: true },
  ),
]
