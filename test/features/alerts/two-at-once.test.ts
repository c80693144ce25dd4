import { expect, it } from 'vitest'
import { startWorld, type World } from '../../world.ts'

const ADDRESSES = 'Email addresses'
const ENDS = {
  until: /Your change: |Nothing was changed|nothing was saved/,
}

/** What the second person does while the first one saves a recipient. */
const OTHERS: Record<string, (world: World, alertId: number) => Promise<() => Promise<string>>> = {
  async 'adds another one'({ slack: { admin } }, id) {
    await admin.command('/hc', `alert-edit web ${id}`)
    return async () => (await admin.submit({ [ADDRESSES]: 'ann@example.com, cat@example.com' }, ENDS)).text
  },
  async 'removes the alert'({ slack: { admin } }, id) {
    await admin.command('/hc', `alert-remove web ${id}`)
    return async () => (await admin.submit({}, ENDS)).text
  },
  async 'adds one to many checks'({ slack: { admin } }) {
    const { message } = await admin.command('/hc', 'recipients cat@example.com --add')
    return async () => (await admin.click(message, 'Change 2', { until: 'Started.' })).text
  },
  async 'adds one in a line'({ slack: { admin } }) {
    const { message } = await admin.command('/hc', 'recipients cat@example.com web --add')
    return async () => (await admin.click(message, 'Change 1', { until: 'Your change: ' })).text
  },
}

it.each(Object.keys(OTHERS))(
  'tells the truth to two people of whom one adds a recipient while the other %s',
  async (other) => {
    await using world = await startWorld({
      checks: [{ name: 'web', alerts: [['ann@example.com'], ['other@example.com']] }, { name: 'api' }],
    })
    const { service, slack } = world
    const [{ uuid = '' } = {}] = await service.checksNamed('web')
    const id = Number((await service.alerts(uuid))[0]?.id)
    await slack.member.command('/hc', `alert-edit web ${id}`)
    const doOther = await OTHERS[other]?.(world, id)
    // Both read before one of them has written.
    await service.faults({ path: '/healthcheck', kind: 'delay', ms: 100, times: 40 })
    const texts = await Promise.all([
      slack.member.submit({ [ADDRESSES]: 'ann@example.com, bob@example.com' }, ENDS).then(({ text }) => text),
      doOther?.(),
    ])
    // Only the end of a change of many is in a DM.
    await expect
      .poll(async () => texts[1] + JSON.stringify(await slack.admin.messages('dm')))
      .toMatch(/Your change: |nothing was saved/)
    const kept = (await service.alerts(uuid)).flatMap(({ recipients }) => recipients as string[])
    expect(kept).toContain('other@example.com')
    const isSaved = /Changed 1/.test(texts[0] ?? '')
    const results = `${texts[1]} ${JSON.stringify(await slack.admin.messages('dm'))}`
    const isOtherSaved = /Changed (?:2 health checks|1 health check)\./.test(results)
    // Whoever is told that it's saved finds it saved, and the other one is told that somebody was faster.
    expect([isSaved, isOtherSaved].filter(Boolean)).toHaveLength(1)
    expect(kept.includes('bob@example.com')).toBe(isSaved)
    expect(texts.concat(results).join()).toMatch(/was changed|have changed/)
    if (isOtherSaved) expect(kept.includes('cat@example.com')).toBe(other !== 'removes the alert')
  },
)
