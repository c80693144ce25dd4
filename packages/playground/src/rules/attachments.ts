import { anything, fields, flag, type Kind, kind, list, type Type, text } from './rule.ts'

const source = 'messaging/attachments'
const said = text(8000, 0)
const TEXTS = [
  'fallback',
  'color',
  'pretext',
  'author_name',
  'author_link',
  'author_icon',
  'author_subname',
  'title',
  'title_link',
  'text',
  'image_url',
  'thumb_url',
  'footer_icon',
  'callback_id',
]

/** Secondary attachments: Slack takes what it does not know in them. */
export const ATTACHMENTS: readonly Kind[] = [
  {
    name: 'attachment',
    family: 'object',
    isOpen: true,
    fields: fields({
      ...Object.fromEntries(TEXTS.map((name): [string, Type] => [name, said])),
      footer: text(300, 0),
      blocks: anything,
      fields: list(kind('attachment field'), 100, 0),
      mrkdwn_in: list(text(20), 10, 0),
    }),
    source,
    unsettled: 'Its fields have no documented limits but that of `footer`.',
    example: {
      fallback: 'A check is down',
      color: '#a30200',
      pretext: 'Just now',
      author_name: 'Checks',
      title: 'api.example.com',
      title_link: 'https://example.com',
      text: 'is *down*',
      fields: [{ title: 'Since', value: '8:24', short: true }],
      footer: 'Checks',
      mrkdwn_in: ['text'],
    },
  },
  {
    name: 'attachment field',
    family: 'object',
    isOpen: true,
    fields: fields({ title: said, value: said, short: flag }),
    source,
    example: { title: 'Since', value: '8:24', short: true },
  },
]
