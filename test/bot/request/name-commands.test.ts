import { readText } from '@signalman/playground/driver'
import { commandButton, header, LIMITS, message, section } from '@signalman/slack'
import { describe, expect, it } from 'vitest'
import { createNameCommands } from '../../../src/bot/request/name-commands.ts'
import { startWorld } from '../../world.ts'

const UNNAMED = /(?<![\w/.:=-])\/(?:hc|threat|cert-order)\b/
const worded = createNameCommands('x-')

describe('command names in outgoing text', () => {
  it.each([
    [
      'Run `/hc connect`, then /threat and “/cert-order”.',
      'Run `/x-hc connect`, then /x-threat and “/x-cert-order”.',
    ],
    ['/hc', '/x-hc'],
    ['Try /hc.', 'Try /x-hc.'],
    ['It is /x-hc already.', 'It is /x-hc already.'],
    ['https://exa.mple/hc and exa.mple/hc/list, /hc/list, /hcx, /hc-list, /hc.html', undefined],
  ])('are named as the deployment names them: %s', (text, named = text) => {
    expect(worded(text)).toBe(named)
    expect(worded({ text, blocks: [section(text)] })).toMatchObject({
      text: named,
      blocks: [{ text: { text: named } }],
    })
    expect(createNameCommands('')(text)).toBe(text)
  })

  it('keep what a person edits and what a press brings back', () => {
    const kept = {
      value: '/hc list',
      action_id: '/hc',
      initial_value: '/hc list',
      private_metadata: '/hc',
      metadata: { text: '/hc' },
    }
    expect(worded({ blocks: [kept] })).toEqual({ blocks: [kept] })
    expect(worded({ response_action: 'errors', errors: { name: 'See /hc help.' } })).toEqual({
      response_action: 'errors',
      errors: { name: 'See /x-hc help.' },
    })
  })

  it('leave alone what a step of a workflow hands on', () => {
    const sent = { function_execution_id: 'Fx1', outputs: { summary: '/hc list' } }
    expect(worded(sent)).toEqual(sent)
  })

  it('stay within what Slack takes of each text of a button, a field, an option and an input', () => {
    const long = createNameCommands('twenty-characters-x-')
    const full = (most: number) => ({ type: 'plain_text', text: `Run /hc ${'x'.repeat(most - 8)}` })
    const confirm = { title: full(100), text: full(300), confirm: full(30), deny: full(30) }
    const option = { text: full(75), description: full(75), value: '/hc' }
    const blocks = [
      { type: 'section', text: full(3000), fields: [full(2000)] },
      { type: 'actions', elements: [{ type: 'button', text: full(75), confirm }] },
      {
        type: 'input',
        label: full(2000),
        hint: full(2000),
        element: { type: 'static_select', placeholder: full(150), options: [option], initial_option: option },
      },
      { type: 'image', alt_text: full(2000).text },
    ]
    const view = { type: 'modal', title: full(24), submit: full(24), close: full(24), blocks }
    const lengths = (sent: unknown) =>
      [...JSON.stringify(sent).matchAll(/Run [^"]*/g)].map(([text]) => text.length)
    for (const sent of [{ text: '', blocks }, view, { view }]) {
      expect(lengths(long(sent))).toEqual(lengths(sent))
      expect(JSON.stringify(long(sent))).not.toMatch(/ \/hc/)
    }
  })

  it('stay within what Slack takes', () => {
    const long = createNameCommands('twenty-characters-x-')
    const full = (most: number) => `Run /hc ${'x'.repeat(most - 8)}`
    const { text, blocks } = long(
      message(
        full(LIMITS.messageText),
        header(full(LIMITS.headerText)),
        section(full(LIMITS.sectionText), commandButton(full(LIMITS.buttonText), '/hc')),
      ),
    )
    expect(text).toHaveLength(LIMITS.messageText)
    expect(blocks).toMatchObject([
      { text: { text: expect.stringMatching(new RegExp(`^[^]{${LIMITS.headerText}}$`)) } },
      {
        text: { text: expect.stringMatching(new RegExp(`^[^]{${LIMITS.sectionText}}$`)) },
        accessory: { text: { text: expect.stringMatching(new RegExp(`^[^]{${LIMITS.buttonText}}$`)) } },
      },
    ])
  })

  it('are named so in an answer, a window, its faults, a direct message and Home', async () => {
    await using world = await startWorld({
      checks: [{ name: 'web' }],
      connected: false,
      environment: { COMMAND_PREFIX: 'x-' },
    })
    const { admin, member } = world.slack
    const said: string[] = []
    for (const [command, words] of [
      ['/hc', 'lits'],
      ['/hc', 'list'],
      ['/hc', 'whoami'],
      ['/threat', 'nonsense'],
      ['/cert-order', 'policy'],
    ] as const)
      said.push((await member.command(command, words)).text)
    const form = await admin.command('/hc', 'connect')
    said.push(readText(form.view))
    said.push((await admin.submit({ Token: '/hc connect' })).text)
    said.push((await member.openHome()).text)
    expect(said.filter((text) => UNNAMED.test(text))).toEqual([])
    for (const named of ['“/x-hc list”', 'Type /x-hc in any channel']) expect(said.join(' ')).toContain(named)
  })
})
