// This folder builds blocks that Slack accepts.

import type {
  ActionsBlock,
  ActionsBlockElement,
  ContextBlock,
  DividerBlock,
  HeaderBlock,
  MrkdwnElement,
  PlainTextElement,
  SectionBlock,
  SectionBlockAccessory,
} from '@slack/types'
import { LIMITS } from './limits.ts'
import { mrkdwn, plain } from './text.ts'

/** A heading. It may contain untrusted text. */
export const header = (text: string): HeaderBlock => ({
  type: 'header',
  text: plain(text, LIMITS.headerText),
})

/** A paragraph of plain text, which may contain untrusted text. */
export function section(text: string, accessory?: SectionBlockAccessory): SectionBlock {
  return { type: 'section', text: plain(text, LIMITS.sectionText), ...(accessory && { accessory }) }
}

/** A paragraph that Slack doesn't collapse, for readers who must see all of it. */
export const expandedSection = (text: string): SectionBlock => ({ ...section(text), expand: true })

/** A paragraph in our own words, with mrkdwn. Never for untrusted text. */
export function mrkdwnSection(text: string, accessory?: SectionBlockAccessory): SectionBlock {
  return { type: 'section', text: mrkdwn(text, LIMITS.sectionText), ...(accessory && { accessory }) }
}

/** Small print: strings become plain text, objects are used as is. At most ten, because Slack would reject more. */
export function context(...parts: (string | PlainTextElement | MrkdwnElement)[]): ContextBlock {
  return {
    type: 'context',
    elements: parts
      .slice(0, LIMITS.contextElements)
      .map((part) => (typeof part === 'string' ? plain(part, LIMITS.fieldText) : part)),
  }
}

export const divider = (): DividerBlock => ({ type: 'divider' })

/** Rows of buttons and menus, in blocks of up to 25 elements. No blocks if there are no elements. */
export function actions(...elements: ActionsBlockElement[]): ActionsBlock[] {
  const blocks: ActionsBlock[] = []
  for (let start = 0; start < elements.length; start += LIMITS.actionElements) {
    blocks.push({ type: 'actions', elements: elements.slice(start, start + LIMITS.actionElements) })
  }
  return blocks
}
