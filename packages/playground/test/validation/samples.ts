import type { Fields, Json } from '../../src/protocol/json.ts'

export const repeatX = (count: number) => 'x'.repeat(count)
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
export const plain = (text: string): Fields => ({ type: 'plain_text', text })
export const mrkdwn = (text: string): Fields => ({ type: 'mrkdwn', text })
export const section = (extraFields: Fields = {}): Fields => ({
  type: 'section',
  text: mrkdwn('hi'),
  ...extraFields,
})
export const button = (extraFields: Fields = {}): Fields => ({
  type: 'button',
  text: plain('Go'),
  ...extraFields,
})
export const actions = (...elements: Json[]): Fields => ({ type: 'actions', elements })
export const option = (text = 'A', value = 'a'): Fields => ({ text: plain(text), value })
export const confirm = (extraFields: Fields = {}): Fields => ({
  title: plain('t'),
  text: plain('t'),
  confirm: plain('y'),
  deny: plain('n'),
  ...extraFields,
})
export const rich = (...elements: Json[]): Fields => ({ type: 'rich_text', elements })
export const select = (extraFields: Fields = {}): Fields => ({
  type: 'static_select',
  options: [option()],
  ...extraFields,
})
export const input = (element: Json, extraFields: Fields = {}): Fields => ({
  type: 'input',
  label: plain('L'),
  element,
  ...extraFields,
})
export const modal = (extraFields: Fields = {}): Fields => ({
  type: 'modal',
  title: plain('T'),
  submit: plain('S'),
  blocks: [],
  ...extraFields,
})
export const modalWithInput = (element: Fields, extraFields: Fields = {}): Fields =>
  modal({ blocks: [input(element, extraFields)] })
