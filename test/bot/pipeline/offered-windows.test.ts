import { readText } from '@signalman/playground/driver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../../world.ts'

const CHECKS = ['shop', 'Kiosk checkout', 'bank api', 'bank web'].map((name) => ({ name }))
const LIST_PATH = '/healthcheck/v1/healthchecks'

/** Shared by tests that change nothing. */
let world: World
beforeAll(async () => {
  world = await startWorld({ checks: CHECKS, guests: 'can-view' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

function splitLine(line: string): [command: string, text: string] {
  const [command = '', ...words] = line.split(' ')
  return [command, words.join(' ')]
}

it.each<[line: string, note: string, field?: string]>([
  [
    '/cert-order new shop.example.com',
    'Signalman read this as:',
    'Paste a certificate signing request (CSR) for shop.example.com.',
  ],
  ['/hc add web https://w.example.com every 5m', 'Signalman read this as:', 'https://w.example.com'],
  ['/hc change shop', 'Signalman read this as:', '"initial_value":"shop"'],
  ['/hc remove shop', 'Signalman read this as:', 'Deletes shop ('],
  ['/cert-order channel', 'Signalman read this as:', 'Approvals channel'],
])('opens the window of what was understood at once, and says so: %s', async (line, note, field = '') => {
  const { admin } = world.slack
  const { view } = await admin.command(...splitLine(line), {
    until: ({ view }) => Boolean(view?.view.submit),
  })
  await admin.close({ all: true })
  expect(readText(view)).toContain(note)
  expect(JSON.stringify(view?.view.blocks)).toContain(field)
})

it.each([
  // A question.
  ['/hc remove shop?', '/hc delete shop'],
  // It may be the rest of a name.
  ['/hc remove shop front', 'Show shop'],
  // An act, of which nothing may be left out.
  ['/hc silence shop 2h with love', 'Show shop'],
  ['/hc silence shop 2h', '/hc mute shop 2h'],
  // Nothing is left out, also of what opens a window.
  ['/hc watch shop* and ping @on-call', '/hc help watch'],
  ['/hc update contact of shop', 'What is down'],
  // Nothing has the name.
  ['/hc silence nosuch 2h', 'List all'],
  ['/hc subscribe nosuch', 'List all'],
  // Which of several.
  ['/hc delete bank', '/hc delete \\"bank api\\"'],
])('answers with a button otherwise: %s', async (line, button) => {
  const { message, view } = await world.slack.admin.command(...splitLine(line))
  expect(view).toBeUndefined()
  expect(JSON.stringify(message?.blocks)).toContain(`"text":"${button}"`)
})

it('opens no window where there is none to open, or for whoever may not use it', async () => {
  const { admin } = world.slack
  const mention = await admin.say('@signalman /hc change shop', { channel: 'general' })
  const { text } = await mention.answer({ until: 'Did you mean' })
  expect(text).toContain('/hc edit shop')
  await using closed = await startWorld({ checks: CHECKS, access: 'closed' })
  for (const person of [closed.slack.member, world.slack.user('U0GUEST001')])
    for (const line of ['/hc change shop', '/hc remove shop', '/hc add web https://w.example.com'])
      expect((await person.command(...splitLine(line))).view, line).toBeUndefined()
  const guest = await world.slack.user('U0GUEST001').command('/cert-order', 'new cert for shop.example.com')
  expect(guest.view).toBeUndefined()
})

it('opens it in time even if the service is slow', async () => {
  await using slow = await startWorld({ checks: CHECKS, requestDeadlines: { modalDeadlineMs: 50 } })
  const { member } = slow.slack
  await slow.service.faults({ path: LIST_PATH, kind: 'hold' })
  await member.command('/hc', 'change shop', { until: 'One moment…' })
  await slow.service.faults()
  await member.see('Signalman read this as:')
  expect((await slow.slack.deliveries('views.open')).map(({ verdict }) => verdict)).toEqual(['ok'])
})

it.each(['invalid_arguments', 'internal_error'])(
  'says so if Slack doesn’t fill it, rather than leaving it at the placeholder: %s',
  async (error) => {
    await using slow = await startWorld({ checks: CHECKS, requestDeadlines: { modalDeadlineMs: 50 } })
    const { member } = slow.slack
    await slow.service.faults({ path: LIST_PATH, kind: 'hold' })
    await slow.slack.faults({ method: 'views.update', kind: 'error', error, times: 9 })
    await member.command('/hc', 'edit shop', { until: 'One moment…' })
    await slow.service.faults()
    await member.until('the message', ({ messages }) =>
      JSON.stringify(messages).includes('couldn’t show what belongs in the window'),
    )
  },
)
