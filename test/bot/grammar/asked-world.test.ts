import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

it('names who and where in what it offers, and asks at once which of several', async () => {
  await using world = await startWorld({ checks: [{ name: 'Bank app' }, { name: 'Bank web' }] })
  const { member } = world.slack
  for (const [who, picked] of [
    ['@member', `<@${member.id}>`],
    ['@on-call', '<!subteam^S0ONCALL01|@on-call>'],
  ]) {
    const granted = await member.command('/hc', `make ${picked} operator`, { until: 'Did you mean' })
    expect(JSON.stringify(granted.message?.blocks)).toContain(`"text":"/hc grant ${who} operator"`)
  }
  const typed = 'send alerts of Bank to #operations'
  const asked = await member.command('/hc', typed, { until: 'No health check is named “Bank”' })
  expect(asked.text).toContain('/hc watch "Bank app" #operations')
  expect(asked.text).toContain('/hc watch "Bank web" #operations')
  await member.click(asked.message, '/hc watch "Bank app" #operations (shop.example.com)', {
    until: 'now watches',
  })
  // A guest may not see the channel.
  const guest = await world.slack.user('U0GUEST001').command('/hc', 'send alerts to #C0OPERATNS')
  expect(guest.text).not.toContain('#operations')
})
