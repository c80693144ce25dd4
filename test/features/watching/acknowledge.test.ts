import { readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { WORKSPACE } from '../../world.ts'
import { startWatchedWorld, untilPolled, untilPosted } from './watched-world.ts'

/** Behind a button of a card stands a whole outage: one of them serves every step that follows from it. */
describe('an outage, from its card to its history', () => {
  it('is taken by one, muted, shown everywhere, over, and counted', async () => {
    const { world, channelId } = await startWatchedWorld({
      checks: [{ name: 'web-1', status: 'HEALTHY' }],
    })
    await using _ = world
    const { member, admin } = world.slack
    const guest = world.slack.user('U0GUEST001')
    await untilPolled(world)
    const [check] = await world.service.checksNamed('web-1')
    const uuid = check?.uuid ?? ''
    await world.service.hold(uuid, 'UNHEALTHY')
    const [down] = await untilPosted(world, channelId, (posts) => posts.length > 0)
    expect(down?.text).toContain('🔴 web-1 is down')

    // The card is edited at any moment now: what is waited for is the answer.
    await guest.click(down, 'I’m on it', { until: 'Guests can look' })
    const [, cardId] = /watch-ack ([\w-]{22})/.exec(JSON.stringify(down?.blocks)) ?? []
    await member.click(down, 'I’m on it', { until: 'You are on it' })
    // The button goes from the card then; what it says can still be typed.
    const typed = `watch-ack ${cardId}`
    await member.command('/hc', typed, { until: 'You are on it' })
    await admin.command('/hc', typed, { until: 'member has been on it since' })
    const [taken] = await untilPosted(
      world,
      channelId,
      ([post]) => post?.text.includes('On it: member') === true,
    )
    expect(JSON.stringify(taken)).not.toContain('<@')
    // The summary says since when, and who is on it.
    const summary = async () => (await member.command('/hc', '', { until: 'Refresh' })).message?.text
    expect(await summary()).toMatch(/The one health check is down|1 of 1 health check is down/)
    expect(await summary()).toMatch(/web-1.* · \d+ (?:s|min) · member is on it/)

    const asked = await member.click(taken, 'Mute', { until: 'For how long should “web-1” be muted?' })
    // By a pattern: the button ends the mute that the card names, whatever that was typed as.
    const wider = await member.click(asked.message, 'All named web*', { until: 'For how long should “web*”' })
    await member.click(wider.message, '4 hours', { until: 'Muted in this channel: web*' })
    await member.command('/hc', 'mute mail-* 1h')
    const [muted] = await untilPosted(
      world,
      channelId,
      ([post]) => post?.text.includes('Muted: web*, until') === true,
    )

    const shown = (await member.click(muted, 'Show')).text.replaceAll('\n', '')
    expect(shown).toContain('🔴 web-1 is down')
    for (const words of ['Watched in', 'Muted here', 'Last changes']) expect(shown).toContain(words)
    expect((await member.openHome()).text).toContain('web-1 has been down since ')
    expect((await admin.openHome()).text).not.toContain('you are on it')
    await member.click(muted, 'Unmute web*', { until: 'Unmuted web* in production, in this channel' })
    const { mutes } = world.app.store.watching
    await expect.poll(() => mutes.list(WORKSPACE)).toMatchObject([{ about: { pattern: 'mail-*' } }])

    // Somebody else goes on with it: the card says from whom, and nobody who is on it takes it over.
    const { cards } = world.app.store.watching
    const by = (await cards.find(WORKSPACE, cardId ?? ''))?.card.acknowledged?.by ?? ''
    await admin.command('/hc', `${typed} --over ${by}`, { until: 'You are on it' })
    const [over] = await untilPosted(
      world,
      channelId,
      ([post]) => post?.text.includes('taken over from member') === true,
    )
    expect(over?.text).toContain('On it: admin, since')
    await admin.command('/hc', `${typed} --over ${by}`, { until: 'You are on it' })
    // A button that was drawn before, or pressed again, takes it from nobody else.
    const late = { userId: 'U9', name: 'Cid', now: new Date(), over: by }
    expect(await cards.acknowledge(WORKSPACE, cardId ?? '', late)).toMatchObject({
      already: { name: 'admin' },
    })
    expect((await cards.find(WORKSPACE, cardId ?? ''))?.card).toMatchObject({
      acknowledged: { name: 'admin', from: 'member' },
    })
    expect((await admin.openHome()).text).toContain('you are on it')
    expect((await member.openHome()).text).not.toContain('you are on it')

    await world.service.hold(uuid, 'HEALTHY')
    const posts = await untilPosted(
      world,
      channelId,
      ([post]) => post?.text.includes('🟢 web-1 is up again') === true,
    )
    expect(posts[0]?.ts).toBe(down?.ts)
    expect(await summary()).toMatch(/^The one health check is up · since <!date/)

    const answer = await member.command('/hc', 'history web-1 --days 1')
    const history = answer.text.replaceAll('\n', '')
    // One bar compares nothing with nothing: the numbers stand in words.
    expect(JSON.stringify(answer.message?.blocks)).not.toContain('"data_visualization"')
    expect(answer.message?.text).toMatch(/: 1 outage, down .*, uptime /)
    for (const words of [
      '*Outages*1',
      'of the time that was observed',
      '🟢 Up again · web-1',
      ' was down from ',
    ])
      expect(history).toContain(words)
    await member.command('/hc', 'watch-edit')
    const preview = await member.submit(
      { Names: 'web-*' },
      { until: ({ view }) => readText(view).includes('Nothing is saved yet') },
    )
    expect(preview.text).toContain('Matches 1 health check now, which is up.')
    const rows = await world.app.store.audit.search({
      workspaceId: WORKSPACE,
      verb: '/hc watch-ack',
      limit: 10,
    })
    expect(rows.map(({ outcome }) => outcome).toSorted()).toEqual([
      'done',
      'done',
      'done',
      'done',
      'done',
      'refused',
    ])
    await member.close({ all: true })
  })

  it('has no card that nobody knows', async () => {
    const { world } = await startWatchedWorld()
    await using _ = world
    for (const id of ['nothing', 'Abcdefghij0123456789_-']) {
      const { text } = await world.slack.member.command('/hc', `watch-ack ${id}`)
      expect(text).toContain('This card is too old')
      expect(text.split('Nothing was changed')).toHaveLength(2)
    }
  })
})
