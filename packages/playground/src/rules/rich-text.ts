import {
  address,
  among,
  block,
  EVERYWHERE,
  flag,
  type Kind,
  kind,
  list,
  part,
  type Type,
  text,
  whole,
} from './rule.ts'

const source = 'block-kit/blocks/rich-text-block'
const UNSAID = "The maximum number of parts isn't documented."
const STYLES = 'bold italic strike code underline highlight client_highlight unlink'

const rich = (
  name: string,
  shape: Record<string, Type>,
  more: { type?: string; unsettled?: string } = {},
): Kind => part(name, source, shape, { family: 'rich text', ...more })

/** What stands in a line of rich text, by its type. */
const LEAVES: Readonly<Record<string, Record<string, Type>>> = {
  text: { 'text!': text(40_000) },
  link: { 'url!': address('https', 'http', 'mailto', 'slack', 'tel'), text: text(40_000, 0), unsafe: flag },
  emoji: { 'name!': text(255), unicode: text(255), skin_tone: whole(1, 6), url: address('https') },
  user: { 'user_id!': text(50) },
  usergroup: { 'usergroup_id!': text(50) },
  team: { 'team_id!': text(50) },
  channel: { 'channel_id!': text(50) },
  broadcast: { 'range!': among('here', 'channel', 'everyone') },
  color: { 'value!': text(20) },
  date: {
    ...{ 'timestamp!': whole(0, Number.MAX_SAFE_INTEGER), 'format!': text(255) },
    ...{ url: address('https', 'http'), fallback: text(255) },
  },
}

const line = list(kind(...Object.keys(LEAVES).map((type) => `${type} part`)), 1000, 0)
const border = whole(0, 1)

/** A part with parts in it: `rich_text_list`. */
const nested = (name: string, elements: Type, shape: Record<string, Type> = {}): Kind =>
  rich(
    `rich text ${name}`,
    { 'elements!': elements, ...shape },
    { type: `rich_text_${name}`, unsettled: UNSAID },
  )

/** Rich text: what the composer of Slack's client writes. */
export const RICH_TEXT: readonly Kind[] = [
  block(
    'rich_text',
    EVERYWHERE,
    {
      'elements!': list(
        kind('rich text section', 'rich text list', 'rich text quote', 'rich text preformatted'),
        1000,
        0,
      ),
    },
    { unsettled: "The maximum number of elements isn't documented." },
  ),
  ...Object.entries(LEAVES).map(([type, shape]) =>
    rich(`${type} part`, { ...shape, style: kind('rich text style') }, { type }),
  ),
  rich('rich text style', Object.fromEntries(STYLES.split(' ').map((name) => [name, flag])), {
    unsettled:
      "Slack's pages disagree about which part allows which style. The playground allows all of them everywhere.",
  }),
  nested('section', line),
  nested('list', list(kind('rich text section'), 1000), {
    ...{ 'style!': among('bullet', 'ordered'), indent: whole(0, 8), offset: whole(0, 100_000), border },
  }),
  nested('quote', line, { border }),
  nested('preformatted', list(kind('text part', 'link part'), 1000, 0), { border, language: text(50) }),
]
