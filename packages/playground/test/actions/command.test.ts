import { describe, expect, it } from 'vitest'
import { createClock, startWorld } from '../app.ts'

describe('a slash command', () => {
  it.each([
    ['/hc', '@admin in #general'],
    ['/threat', '<@U0ADMIN001> in <#C0GENERAL1|general>'],
  ])('of %s is sent with names as markup only if the manifest says so', async (command, text) => {
    await using world = await startWorld(() => ({ text: 'done' }))
    await world.slack.member.command(command, '@admin in #general')
    expect(world.sent[0]?.body).toMatchObject({ text })
  })

  it.each([
    { problem: 'no response in time', reply: 'silent' as const, error: 'operation_timeout' },
    { problem: 'status 500', reply: { status: 500 }, error: 'dispatch_failed' },
    { problem: 'status 302', reply: { status: 302 }, error: 'dispatch_failed' },
  ])('shows the person an error after $problem', async ({ reply, error }) => {
    await using world = await startWorld(
      () => reply,
      reply === 'silent' ? { limits: { ackTimeoutMs: 100 } } : {},
    )
    const answer = await world.slack.member.command('/hc', 'list')
    expect(answer.text).toBe(`/hc failed with the error "${error}"`)
    expect(answer.message).toMatchObject({ user: 'USLACKBOT', ephemeral: true })
    const [delivery] = await world.slack.deliveries('command')
    expect(delivery).toMatchObject({ verdict: error })
    expect(delivery?.notes).toHaveLength(1)
  })
})

describe('a response_url', () => {
  it('accepts five messages and rejects the sixth', async () => {
    await using world = await startWorld()
    const waiting = world.slack.member.command('/hc', '', { until: 'four' })
    await world.eventually('the command', () => world.sent.length === 1)
    const url = world.sent[0]?.body.response_url
    for (const text of ['one', 'two', 'three', 'four', 'five'])
      expect(await world.respond(url, { text })).toMatchObject({ status: 200, ok: true })
    expect(await world.respond(url, { text: 'six' })).toMatchObject({ status: 404, error: 'used_url' })
    expect((await waiting).messages.every(({ ephemeral, cause }) => ephemeral && cause)).toBe(true)
    expect(await world.slack.admin.messages()).toEqual([])
  })

  it('expires after 30 minutes', async () => {
    const clock = createClock()
    await using world = await startWorld(() => ({ text: 'ok' }), { now: clock.now })
    await world.slack.member.command('/hc')
    const url = world.sent[0]?.body.response_url
    clock.advance(30 * 60_000)
    expect(await world.respond(url, { text: 'in time' })).toMatchObject({ status: 200 })
    clock.advance(1)
    expect(await world.respond(url, { text: 'late' })).toMatchObject({ status: 404, error: 'expired_url' })
  })
})
