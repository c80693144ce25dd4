import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../world.ts'

const ID = '7e57ed00-0000-4000-8000-000000000001'

/** Lines that would act without the question mark. */
const ASKED = [
  'hc watch shop?',
  'hc unwatch ?',
  'hc mute all 30m?',
  'hc env ote?',
  'hc grant @member operator 8h?',
  `threat take ${ID}?`,
  `threat close ${ID}? --as down`,
  'cert-order withdraw 12?',
]

it('runs nothing that is asked, typed or in a mention, and offers it', async () => {
  await using world = await startWorld({ checks: [{ name: 'shop' }, { name: 'bank' }] })
  const { admin } = world.slack
  const { store } = world.app
  await admin.command('/hc', 'watch bank', { channel: 'general', until: 'This channel now watches' })
  const readState = async () => ({
    watches: (await store.watching.watches.list(WORKSPACE)).map(({ filter }) => filter),
    silences: await store.watching.silences.list(WORKSPACE, new Date(), {}),
    grants: await store.grants.list(WORKSPACE),
    writes: (await world.service.requests('POST')).length + (await world.service.requests('DELETE')).length,
  })
  const before = await readState()
  const problem = 'ends in a question mark'
  for (const line of ASKED) {
    const [command = '', ...words] = line.split(' ')
    const typed = await admin.command(`/${command}`, words.join(' '), { channel: 'general', until: problem })
    expect(typed.text, line).toContain('Nothing was changed.')
    expect(typed.text, line).toContain('Did you mean')
    expect(typed.text.includes('use quotes'), line).toBe(line !== 'hc unwatch ?')
    const mention = await admin.say(`@signalman /${line}`, { channel: 'general' })
    await mention.answer({ until: problem })
  }
  expect(await readState()).toEqual(before)
  // The line without its mark is one press away.
  const asked = await admin.command('/hc', 'mute shop 30m?', { channel: 'general', until: problem })
  await admin.click(asked.message, '/hc mute shop 30m', { until: 'Muted: shop' })
  expect((await readState()).silences).toHaveLength(1)
})

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
