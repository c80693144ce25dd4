import { anything, flag, type Kind, kind, list, part, type Type, text } from './rule.ts'

const source = 'messaging/attachments'
const said = text(8000, 0)
const TEXTS =
  'fallback color pretext author_name author_link author_icon author_subname title title_link text image_url thumb_url footer_icon callback_id'

/** Secondary attachments: Slack accepts unknown fields in them. */
export const ATTACHMENTS: readonly Kind[] = [
  part(
    'attachment',
    source,
    {
      ...Object.fromEntries(TEXTS.split(' ').map((name): [string, Type] => [name, said])),
      footer: text(300, 0),
      blocks: anything,
      fields: list(kind('attachment field'), 100, 0),
      mrkdwn_in: list(text(20), 10, 0),
    },
    { isOpen: true, unsettled: 'Only `footer` has a documented limit.' },
  ),
  part('attachment field', source, { title: said, value: said, short: flag }, { isOpen: true }),
]
