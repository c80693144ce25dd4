import { describe, expect, it } from 'vitest'
import { giveRole } from '../../give-role.ts'
import { CHANNEL_SCOPES } from '../../manifest.ts'
import { shareWorld } from '../../shared-world.ts'
import { startWorld, WORKSPACE } from '../../world.ts'

const WEB = { name: 'web', status: 'HEALTHY' }

/** For the tests that store no token and switch no environment. */
const share = shareWorld()

describe('/hc tokens', () => {
  it('lists the active tokens masked, with their age, and says which one is used', async () => {
    const world = await share()
    const { text, message } = await world.slack.admin.command('/hc', 'tokens')
    expect(text).toMatch(/\d+ active connection tokens?\n(.*\n)*••••.{0,4} · .+ old · in use here/)
    for (const shown of [text, message?.text]) expect(shown).not.toContain(world.sandbox.token)
  })

  it('has pages if there are many', async () => {
    const world = await share()
    const data = Array.from({ length: 60 }, (_, index) => ({
      data: `token-of-a-test-${index}`,
      created_at: '2026-01-01 00:00:00',
    }))
    await world.service.answerWith('/auth/v1/tokens', data)
    const { admin } = world.slack
    const first = await admin.command('/hc', 'tokens')
    expect(first.text).toContain('60 active connection tokens · page 1 of 3')
    const second = await admin.click(first.message, 'Next', { until: 'page 2 of 3' })
    expect(second.text).toContain('••••t-25')
    const last = await admin.command('/hc', 'tokens --page 9')
    expect(last.text).toContain('page 3 of 3')
    expect(last.text).not.toContain('Next')
  })

  it('generates a token and uses it right away, without showing it to anyone', async () => {
    await using world = await startWorld()
    const { admin } = world.slack
    const { message } = await admin.command('/hc', 'tokens')
    const { text } = await admin.click(message, 'Generate and use it here', { until: 'and stored it' })
    const stored = await world.app.store.connections.find(WORKSPACE, 'production')
    expect(stored?.token).toBeTruthy()
    expect(stored?.token).not.toBe(world.sandbox.token)
    expect(text).not.toContain(stored?.token)
    expect(world.log.join('')).not.toContain(stored?.token)
    expect((await admin.command('/hc', 'tokens')).text).toMatch(/\d+ s old · in use here/)
    const auditEvents = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 9 })
    expect(auditEvents.map(({ verb }) => verb)).toEqual(['/hc connect', '/hc token-generate'])
    expect(JSON.stringify(auditEvents)).not.toContain(stored?.token)
  })

  it('says if a new token couldn’t be tested, and doesn’t ask anyone to paste it', async () => {
    await using world = await startWorld({ serviceLimits: { retry: { attempts: 1 } } })
    await world.service.faults({ method: 'GET', path: '/healthcheck', kind: 'status', status: 503 })
    const { text } = await world.slack.admin.command('/hc', 'token-generate', {
      until: 'couldn’t test the new token',
    })
    expect(text).toContain(
      'Signalman doesn’t use the new token, and no one has a copy. It may stay active in the service.',
    )
    expect(text).not.toContain('paste')
    expect(await world.app.store.connections.find(WORKSPACE, 'production')).toBeUndefined()
  })

  it('counts unreadable tokens instead of saying that there are none', async () => {
    const world = await share()
    await world.service.answerWith('/auth/v1/tokens', [{ token: 'of another form' }, 7])
    const { text } = await world.slack.admin.command('/hc', 'tokens')
    expect(text).toContain('2 active connection tokens\nSignalman couldn’t read 2 of them')
    expect(text).not.toContain('No active')
  })

  it('mentions any other tokens that the service created along with the new one', async () => {
    await using world = await startWorld()
    const tokens = [world.sandbox.token, 'second-token-of-two']
    const data = tokens.map((token) => ({ token, account_id: '1100' }))
    const page = { total: 12_345, results: [] }
    await world.service.faults(
      { method: 'POST', path: '/auth/v1/tokens', kind: 'body', body: { message: 'OK', data } },
      { method: 'GET', path: '/healthcheck', kind: 'body', body: { message: 'OK', data: page } },
    )
    const { text } = await world.slack.admin.command('/hc', 'token-generate', { until: 'stored it' })
    expect(text).toContain('It gives access to 12,345 health checks.')
    expect(text).toContain('The service also created 1 more token')
    expect(text).not.toContain('second-token')
  })
})

describe('/hc env', () => {
  it('tells the channel once who switched the environment, without a mention', async () => {
    await using world = await startWorld()
    const { member, admin } = world.slack
    expect((await member.command('/hc', 'env')).text).toContain('Switch to OTE')
    await member.command('/hc', 'env ote', { until: 'add --env production.' })
    const posted = (await admin.messages('general')).filter(({ text }) =>
      text.includes('switched the environment'),
    )
    expect(posted.map(({ text }) => text)).toEqual([
      'Member switched the environment. This channel now uses the OTE environment.',
    ])
    expect(JSON.stringify(posted)).not.toContain('<@')
    await member.command('/hc', 'env ote', { until: 'already uses' })
    expect(
      (await admin.messages('general')).filter(({ text }) => text.includes('switched the environment')),
    ).toHaveLength(1)
  })

  it('posts nothing about a switch where another organization reads', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    const { text } = await member.command('/hc', 'env ote', { channel: 'partner', until: 'now uses' })
    expect(text).toContain(
      'Signalman couldn’t tell anyone else. This channel is shared with another organization. Use another channel.',
    )
    expect((await member.messages('partner')).filter(({ ephemeral }) => !ephemeral)).toEqual([])
  })

  it.each([
    [
      'it may not post',
      'not_in_channel',
      [],
      'Signalman couldn’t tell anyone else. Signalman isn’t in this channel',
    ],
    ['Slack failed', 'internal_error', [], 'Signalman couldn’t tell anyone else. Slack rejected the message'],
    [
      'it can’t look whether Slack failed',
      'internal_error',
      CHANNEL_SCOPES.history,
      'Slack may not have posted the announcement',
    ],
  ])('says that it couldn’t notify the channel, because %s', async (_, error, missingScopes, expected) => {
    await using world = await startWorld({ playground: { missingScopes } })
    await world.slack.faults({ method: 'chat.postMessage', kind: 'error', error, times: 9 })
    const { text } = await world.slack.member.command('/hc', 'env ote', { until: 'This channel now uses' })
    expect(text).toMatch(/^This channel now uses the OTE .*\.\n/)
    expect(text).toContain(expected)
  })

  it('switches a channel to the other environment, and every response there shows it', async () => {
    await using world = await startWorld({ checks: [WEB] })
    const { member } = world.slack
    // What the channel reads about a switch may come in between.
    const switchTo = (typed: string, name: string) =>
      member.command('/hc', `env ${typed}`, { until: `This channel now uses the ${name} environment.` })
    await switchTo('ote', 'OTE')
    const { message } = await member.command('/hc', '', { until: 'There are no health checks' })
    expect(message?.text).toContain('(OTE)')
    const production = await member.command('/hc', '--env production', { until: 'The only health check' })
    expect(production.message?.text).not.toContain('OTE')
    await member.command('/hc', 'env', { until: 'This channel uses the OTE environment.' })
    await switchTo('production', 'production')
    const back = await member.command('/hc', '', { until: 'The only health check' })
    expect(back.message?.text).not.toContain('OTE')
    const search = { workspaceId: WORKSPACE, text: '/hc env', limit: 9 }
    expect((await world.app.store.audit.search(search)).map(({ object }) => object)).toEqual([
      'channel C0GENERAL1 (OTE)',
      'channel C0GENERAL1 (OTE)',
      'channel C0GENERAL1',
      'channel C0GENERAL1',
    ])
  })

  it('lists the valid environments if the typed one is invalid', async () => {
    const world = await share()
    const { text } = await world.slack.member.command('/hc', 'env staging')
    expect(text).toMatch(/staging[\s\S]*production\|ote/)
  })
})

describe('a missing or rejected token', () => {
  it('opens the window for the environment of the typed line', async () => {
    await using world = await startWorld({ connected: false, checks: [WEB] })
    const { admin } = world.slack
    for (const [typed, name] of [
      ['list "w e b" --env ote', 'OTE'],
      ['create blog www.example.com', 'production'],
    ]) {
      const { message } = await admin.command('/hc', typed)
      const opened = await admin.click(message, 'Store a token', { until: 'one connection token' })
      expect(opened.text).toContain(`for the ${name} environment`)
      await admin.close({ all: true })
    }
  })

  it.each([
    ['/hc', ''],
    ['/threat', '7e57ed00-0000-4000-8000-000000000002'],
    ['/threat', '7e57ed00-0000-4000-8000-000000000002 foo'],
  ])('is reported to non-admins with the names of the admins: %s %s', async (command, line) => {
    await using world = await startWorld({ access: 'closed', connected: false })
    await giveRole(world, 'U0ADMIN001', 'admin')
    const { text, message } = await world.slack.member.command(command, line)
    expect(text).toContain('Ask an admin to store one.')
    expect(text).toContain('Admins who can store a token: <@U0ADMIN001>.')
    expect(JSON.stringify(message?.blocks)).not.toContain('Store a token')
  })

  it('is reported in a form, which keeps what was typed', async () => {
    await using world = await startWorld({ checks: [WEB] })
    const { member } = world.slack
    await member.command('/hc', 'edit web')
    await world.service.faults({ path: '/healthcheck', kind: 'status', status: 401, times: 1 })
    const { text } = await member.submit({ Name: 'shop' }, { until: /Reference|Nothing was changed/ })
    expect(text).toContain('The service doesn’t accept the token.')
    const view = await member.view()
    expect(JSON.stringify(view.view.blocks)).toContain('"initial_value":"shop"')
    await member.click(view, 'Store a new token')
    await member.submit({ Token: world.sandbox.token }, { until: 'and stored it' })
    await member.close()
    expect((await member.submit({}, { until: 'Changed 1 health check.' })).text).toContain('shop')
  })
})
