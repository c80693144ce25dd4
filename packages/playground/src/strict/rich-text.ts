import {
  address,
  all,
  among,
  anything,
  byType,
  flag,
  list,
  object,
  type Rule,
  type Shape,
  text,
  whole,
} from './rules.ts'

/** Rich text: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block (November 2026). */
const style = object({
  bold: flag,
  italic: flag,
  strike: flag,
  code: flag,
  underline: flag,
  highlight: flag,
  client_highlight: flag,
  unlink: flag,
})
const styled: Shape = { 'type!': anything, style }

const textPart = object({ ...styled, 'text!': text(40_000) })
const linkPart = object({
  ...styled,
  'url!': address('https', 'http', 'mailto', 'slack', 'tel'),
  text: text(40_000, 0),
  unsafe: flag,
})

const PARTS: Record<string, Rule> = {
  text: textPart,
  link: linkPart,
  emoji: object({
    ...styled,
    'name!': text(255),
    unicode: text(255),
    skin_tone: whole(1, 6),
    url: address('https'),
  }),
  user: object({ ...styled, 'user_id!': text(50) }),
  usergroup: object({ ...styled, 'usergroup_id!': text(50) }),
  team: object({ ...styled, 'team_id!': text(50) }),
  channel: object({ ...styled, 'channel_id!': text(50) }),
  broadcast: object({ ...styled, 'range!': among('here', 'channel', 'everyone') }),
  color: object({ ...styled, 'value!': text(20) }),
  date: object({
    ...styled,
    'timestamp!': whole(0, Number.MAX_SAFE_INTEGER),
    'format!': text(255),
    url: address('https', 'http'),
    fallback: text(255),
  }),
}

const parts = list(byType(PARTS), 1000, 0)
const border = whole(0, 1)
const section = object({ 'type!': anything, 'elements!': parts })

const RICH: Record<string, Rule> = {
  rich_text_section: section,
  rich_text_list: object({
    'type!': anything,
    'style!': among('bullet', 'ordered'),
    'elements!': list(byType({ rich_text_section: section }), 1000),
    indent: whole(0, 8),
    offset: whole(0, 100_000),
    border,
  }),
  rich_text_quote: object({ 'type!': anything, 'elements!': parts, border }),
  rich_text_preformatted: object({
    'type!': anything,
    'elements!': list(byType({ text: textPart, link: linkPart }), 1000, 0),
    border,
    language: text(50),
  }),
}

export const richTextShape: Shape = { 'elements!': list(byType(RICH), 1000) }

/** A rich_text block inside another thing: a table's cell, an input's initial value. */
export const richText: Rule = all(
  byType({ rich_text: object({ 'type!': anything, block_id: text(255), ...richTextShape }) }),
)
