import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

it('names who and where in what it offers', async () => {
  await using world = await startWorld({ checks: [{ name: 'Bank app' }, { name: 'Bank web' }] })
  const { member } = world.slack
  for (const [who, picked] of [
    ['@member', `<@${member.id}>`],
    ['@on-call', '<!subteam^S0ONCALL01|@on-call>'],
  ]) {
    const granted = await member.command('/hc', `make ${picked} operator`, { until: 'Did you mean' })
    expect(JSON.stringify(granted.message?.blocks)).toContain(`"text":"/hc grant ${who} operator"`)
  }
  const typed = 'subscribe "Bank app" #operations'
  const asked = await member.command('/hc', typed, { until: 'Did you mean this?' })
  await member.click(asked.message, '/hc watch "Bank app" #operations', { until: 'now watches' })
  // A guest may not see the channel.
  const guest = await world.slack.user('U0GUEST001').command('/hc', 'subscribe "Bank app" #C0OPERATNS')
  expect(guest.text).not.toContain('#operations')
})
