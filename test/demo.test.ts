import { type Answer, createDriver, readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { STEPS } from '../src/demo/tour.ts'
import { runFile } from './process.ts'

/** The final answer, not the notice that the app is still working or took too long. */
const isAnswered = ({ outcome, messages, view }: Answer): boolean =>
  outcome.ok && (view !== undefined || messages.some(({ text }) => !text.startsWith('Still working')))

/**
 * Like the real Slack, the demo's Slack waits only 3 s for the app. On a busy machine that may be too short, so this tries again, as a
 * person would.
 */
async function retry<T>(act: () => Promise<T>, times = 4): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (times === 1) throw error
    return retry(act, times - 1)
  }
}

describe('npm run demo', () => {
  it.each(['--help', '-h'])('prints the help with %s, and starts nothing', async (flag) => {
    await using demo = runFile('src/demo.ts', { args: [flag] })
    await demo.waitFor(/npm run demo starts Signalman[\s\S]*PORT=3200/)
    expect(await demo.ended).toBe(0)
  })

  it.each(['abc', '70000', '3.5'])('rejects PORT=%s', async (port) => {
    await using demo = runFile('src/demo.ts', { env: { PORT: port } })
    await demo.waitFor(/isn’t a port\. Choose one: PORT=3200/)
    expect(await demo.ended).toBe(2)
  })

  it('starts with an order to approve and a tour in which every command works', async () => {
    await using demo = runFile('src/demo.ts', { env: { PORT: '0', LOG_LEVEL: 'silent' } })
    const [, url = ''] = await demo.waitFor(/Open (http:\/\/127\.0\.0\.1:\d+)/)
    const { member } = createDriver(url)
    const { panels, messages } = await member.state()
    expect(panels).toEqual([{ name: 'Tour', firstVisitChannel: 'C0OPERATNS' }, { name: 'Faults' }])
    expect(messages.C0GENERAL1?.map(({ user }) => user)).toEqual(['U0ADMIN001'])

    for (const { line } of STEPS) {
      if (line === undefined) continue
      const [command = '', ...words] = line.split(' ')
      const { text } = await retry(() => member.command(command, words.join(' '), { until: isAnswered }))
      expect(text, line).not.toMatch(/did you mean|went wrong|reference/i)
    }
    for (const userId of ['U0MEMBER01', 'U0GUEST001', 'U0ADMIN001']) {
      // Cards that arrive meanwhile don't count as answers.
      const until = userId === 'U0GUEST001' ? 'isn’t open to guests' : 'You are'
      await retry(() => createDriver(url).user(userId).command('/hc', 'whoami', { until }))
    }
    // The card of the outage is there when the page opens, and the check recovers on its own.
    await member.until('the card of the outage', ({ messages }) =>
      JSON.stringify(messages.C0OPERATNS).includes('Shop checkout'),
    )
    await member.command('/hc', 'diagnose Shop checkout', { until: 'it responds with HTTP 200' })
    const until = 'every health check; not Outlet stock feed'
    await retry(() => member.command('/hc', 'watches', { channel: 'operations', until }))
    const message = (await member.messages())[0]
    const event = '7e57ed00-0000-4000-8000-000000000002'
    await retry(() => member.shortcut('threat.look-up', { ...(message && { message }), until: event }))

    const card = (await member.messages('operations')).find(({ text }) => /order 1\b/i.test(text))
    const isRead = ({ view }: Answer) => readText(view).includes('shop.example.com')
    await retry(() => member.click(card, 'Review and approve', { until: isRead }))
    await member.submit({}, { until: ({ view }) => readText(view).includes('was sent') })
    demo.child.kill('SIGTERM')
    expect(await demo.ended).toBe(0)
  })
})
