import { checkMessage } from '@signalman/playground'
import type { KnownBlock } from '@slack/types'
import { describe, expect, it } from 'vitest'
import { card, facts } from '../../../packages/slack/src/blocks/card.ts'
import {
  commandButton,
  forSharedMessage,
  overflow,
} from '../../../packages/slack/src/blocks/command-buttons.ts'
import { actions, context } from '../../../packages/slack/src/blocks/layout.ts'
import type { Message } from '../../../packages/slack/src/blocks/message.ts'
import { lines, person, textElement } from '../../../packages/slack/src/blocks/rich-text.ts'
import { bindButtons } from '../../../src/bot/bind-buttons.ts'

const AT = new Date('2026-11-21T02:19:00Z')
const DATE = '<!date^1795227540^{date_short_pretty} at {time}|2026-11-21 02:19 UTC>'
const button = (label: string) => commandButton(label, `/hc ${label.toLowerCase()}`)

const isRejected = ({ text, blocks }: Message): boolean =>
  'error' in checkMessage(JSON.parse(JSON.stringify({ text, blocks: bindButtons(blocks, 'production') })))

/** The label and style of each button in brackets, and the labels of each menu's options. */
const controlLabels = (blocks: readonly KnownBlock[]): string[] =>
  blocks.flatMap((block) =>
    block.type === 'actions'
      ? block.elements.map((element) => {
          if (element.type === 'overflow') return element.options.map(({ text }) => text.text).join(' ')
          if (element.type !== 'button') return element.type
          return `[${element.text.text}${element.style ? ` ${element.style}` : ''}]`
        })
      : [],
  )

it.each([
  { unit: 'lines', body: Array.from({ length: 90 }, (_, index) => lines(`Line ${index}`)) },
  { unit: 'words', body: Array.from({ length: 30 }, () => lines('x'.repeat(1000))) },
])(
  'keeps the controls if a message has too many $unit, and shows how many parts are left out',
  ({ body }) => {
    const message = card({ headline: 'Many', body, controls: [button('Apply')], smallPrint: ['As of now'] })
    expect(isRejected(message)).toBe(false)
    const [leftOut, controls, small] = message.blocks.slice(-3)
    expect(JSON.stringify(leftOut)).toMatch(/\d+ more parts left out/)
    expect(JSON.stringify(controls)).toContain('/hc apply')
    expect(JSON.stringify(small)).toContain('As of now')
  },
)

describe('a card', () => {
  it('repeats everything from its blocks in its text, with the headline first', () => {
    const message = card({
      headline: ['🟢 <!channel> *is* up', ' · since ', AT],
      notes: [['asked by ', person('U1')]],
      facts: [
        ['Target', 'HTTPS shop.example.com'],
        ['Customer', undefined],
        ['Changed', AT],
        ['Note', 'long '.repeat(60)],
      ],
      body: [lines('web-1', 'web-2'), context('30 s')],
      smallPrint: [['As of ', AT]],
    })
    expect(message.text.split('\n')).toEqual([
      `🟢 &lt;!channel&gt; *\u2060is* up · since ${DATE}`,
      'asked by <@U1>',
      'Target: HTTPS shop.example.com',
      `Changed: ${DATE}`,
      `Note: ${'long '.repeat(60)}`,
      'web-1',
      'web-2',
      '30 s',
      `As of ${DATE}`,
    ])
    expect(isRejected(message)).toBe(false)
    expect(message.blocks[0]).toMatchObject({
      elements: [
        { elements: [{ text: '🟢 <!channel> *is* up', style: { bold: true } }, {}, { type: 'date' }] },
      ],
    })
    expect(message.blocks[2]).toMatchObject({
      type: 'section',
      fields: [{ text: '*Target*\nHTTPS shop.example.com' }, { text: `*Changed*\n${DATE}` }],
    })
  })

  it.each([
    { controls: 'Edit', more: '', shown: ['[Edit]'] },
    { controls: 'Edit', more: 'Share', shown: ['[Edit]', '[Share]'] },
    { controls: 'Edit Mails', more: 'Share Delete', shown: ['[Edit]', '[Mails]', 'Share Delete'] },
    { controls: 'A B C D E', more: '', shown: ['[A]', '[B]', '[C]', '[D]', '[E]'] },
    { controls: 'A B C D E F', more: 'G', shown: ['[A]', '[B]', '[C]', '[D]', 'E F G'] },
    { controls: 'A B C D', more: 'E F G H I', shown: ['[A]', '[B]', '[C]', '[D]', 'E F G H I'] },
  ])(
    'has at most five controls, and a menu for the rest: “$controls”, then “$more”',
    ({ controls, more, shown }) => {
      const buttons = (names: string) => names.split(' ').filter(Boolean).map(button)
      const { blocks } = card({ headline: 'A', controls: buttons(controls), moreControls: buttons(more) })
      expect(controlLabels(blocks)).toEqual(shown)
    },
  )

  it('keeps a primary button out of the menu', () => {
    const controls = [button('A'), button('B'), button('C'), button('D'), button('E')]
    const { blocks } = card({
      headline: 'A',
      controls: [...controls, commandButton('Take', '/threat take', { style: 'primary' })],
    })
    expect(controlLabels(blocks)).toEqual(['[A]', '[B]', '[C]', '[Take primary]', 'D E'])
  })

  it('makes no button primary by its position, and doesn’t move buttons that ask for confirmation to the menu', () => {
    const next = commandButton('Next', '/hc list', { inPlace: true })
    const confirmation = { title: 'Sure?', text: 'This can’t be undone.', confirm: 'Remove' }
    const removeButton = commandButton('Remove', '/hc delete', { confirm: confirmation, style: 'danger' })
    const { blocks } = card({
      headline: 'A',
      controls: [next],
      moreControls: [removeButton, button('B'), button('C')],
    })
    expect(controlLabels(blocks)).toEqual(['[Next]', '[Remove danger]', 'B C'])
  })
})

describe('the ··· menu', () => {
  const menu = actions(...overflow([button('Mute'), button('Share'), button('Delete')]))

  it('binds its commands like buttons, with an action ID that doesn’t contain them', () => {
    const [block] = bindButtons(menu, 'ote')
    expect(block).toMatchObject({
      elements: [
        {
          type: 'overflow',
          action_id: 'command.0',
          options: [
            { text: { text: 'Mute' }, value: '/hc mute --env ote' },
            { text: { text: 'Share' }, value: '/hc share --env ote' },
            { text: { text: 'Delete' }, value: '/hc delete --env ote' },
          ],
        },
      ],
    })
    expect(isRejected({ text: 'a', blocks: block ? [block] : [] })).toBe(false)
  })

  it.each([
    { unwanted: /delete/, remaining: ['Mute Share'] },
    { unwanted: /delete|share/, remaining: ['[Mute]'] },
    { unwanted: /./, remaining: [] },
  ])('removes options that match $unwanted and keeps the rest: $remaining', ({ unwanted, remaining }) => {
    expect(controlLabels(bindButtons(menu, 'ote', (line) => unwanted.test(line)))).toEqual(remaining)
  })

  it('has "Open for me" instead of "Share to channel" in a shared message', () => {
    const share = commandButton('Share to channel', '/hc show a --share')
    const shared = forSharedMessage(actions(...overflow([button('Mute'), share])))
    expect(controlLabels(shared)).toEqual(['Mute Open for me'])
    expect(JSON.stringify(shared)).toContain('"/hc show a"')
    const refresh = commandButton('Refresh', '/hc show a', { inPlace: true })
    expect(controlLabels(forSharedMessage(actions(refresh, ...overflow([button('Mute'), share]))))).toEqual([
      '[Open for me]',
      '[Mute]',
    ])
  })
})

it('leaves out empty parts of a line', () => {
  expect(card({ headline: ['A', '', textElement('b')] }).text).toBe('Ab')
})

it('shows a dash instead of empty text, which Slack rejects', () => {
  const message = card({
    headline: 'A',
    notes: ['', 'B'],
    facts: [
      ['Short', ''],
      ['Long', 'x'.repeat(201)],
    ],
    body: [facts([['In a window', '']])],
    smallPrint: [''],
  })
  expect(message.text.split('\n').filter((line) => line.endsWith('–'))).toEqual([
    '–',
    'Short: –',
    'In a window: –',
    '–',
  ])
  expect(isRejected(message)).toBe(false)
})
