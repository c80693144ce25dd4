import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../world.ts'

it('stores responders by ID, and rejects unknown names', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }] })
  const { member } = world.slack
  const listWatches = () => world.app.store.watching.watches.list(WORKSPACE)
  const refused = await member.command('/hc', 'watch web-* --escalate "10m @nobody-here"')
  expect(refused.text).toContain('No one here is named @nobody-here')
  for (const [typed, suggestion] of [
    ['@oncall', '@on-call'],
    ['@membr', '@member'],
  ])
    expect((await member.command('/hc', `watch web-* --escalate "10m ${typed}"`)).text).toContain(
      `No one here is named ${typed}. Did you mean ${suggestion}?`,
    )
  expect(await listWatches()).toEqual([])
  const PAGES = /pages @\u2060?member after 10 min, then @\u2060?admin after 1 h while nobody is on it/
  await member.command('/hc', 'watch web-* --escalate "10m @member, 1h @admin" --sure', { until: PAGES })
  expect(await listWatches()).toMatchObject([
    {
      page: [
        { afterMs: 600_000, responders: [{ name: '@member', id: 'U0MEMBER01' }] },
        { afterMs: 3_600_000, responders: [{ name: '@admin', id: 'U0ADMIN001' }] },
      ],
    },
  ])
  await member.command('/hc', 'watches', { until: PAGES })
})

it('says that it searched no user groups if Slack doesn’t return them', async () => {
  await using world = await startWorld({
    checks: [{ name: 'web-1' }],
    playground: { missingScopes: ['usergroups:read'] },
  })
  await world.slack.member.command('/hc', 'watch web-* --escalate "10m @on-call" --sure', {
    until: 'User groups weren’t searched: Slack didn’t return them, or the app lacks the scope',
  })
})
