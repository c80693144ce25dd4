import type { Answer } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { ALLOWED_SHARED_CHANNELS } from '../../../../src/bot/posts/may-post.ts'
import { WORKSPACE, type World } from '../../../world.ts'
import { createThreatEvent } from '../events.ts'
import { ID, readAuditLines, startWorldWithThreat } from '../world.ts'

const CHANNEL = 'C0GENERAL1'
const GUEST = 'U0GUEST001'
const PARTNER = 'C0PARTNER1'

/** Returns the app's posts in the channel: cards, and the texts of replies in their threads. */
async function readPosts({ slack }: World) {
  const { messages } = await slack.member.state()
  const posts = (messages[CHANNEL] ?? []).filter(
    ({ app, ephemeral, deleted }) => app && !ephemeral && !deleted,
  )
  return {
    cards: posts.filter(({ threadTs, ts }) => !threadTs || threadTs === ts),
    thread: posts.flatMap(({ threadTs, ts, text }) => (threadTs && threadTs !== ts ? [text] : [])),
  }
}

/** Waits until the messages about this version of the case are posted, and returns all posts. */
async function waitUntilPosted(world: World, version: number) {
  const { threatCases } = world.app.store
  const readPostedVersion = async () =>
    (await threatCases.find({ workspaceId: WORKSPACE, environment: 'production', eventId: ID }))
      ?.postedVersion
  await expect.poll(readPostedVersion).toBe(version)
  return readPosts(world)
}

/** Returns the newest message that only this person sees. */
const findEphemeral = ({ messages }: Answer) => messages.findLast(({ ephemeral }) => ephemeral)

/** Whether the modal shows this text. A modal opens before its content arrives. */
const showsText = ({ view }: Answer, text: string): boolean => JSON.stringify(view ?? '').includes(text)

const startCaseWorld = (options: Parameters<typeof startWorldWithThreat>[1] = {}) =>
  startWorldWithThreat(() => undefined, {
    guests: 'can-view',
    ...options,
    workTimes: { pollMs: 50, ...options.workTimes },
  })

/** Shares a case in a channel that is archived before its next step. Returns a function that reads the person's direct messages. */
async function takeInArchivedChannel({ slack }: Awaited<ReturnType<typeof startCaseWorld>>) {
  const { member } = slack
  await member.command('/threat', `${ID} --share --yes`, { until: 'Shared by' })
  await slack.faults(
    // After the failed post, the app looks for the message before it posts again.
    { method: 'chat.update', kind: 'error', error: 'is_archived', times: 1000 },
    { method: 'chat.postMessage', kind: 'status', status: 500 },
  )
  await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
  return async () => (await member.messages('dm')).map(({ text }) => text).join('\n')
}

describe('a case', () => {
  it('can be taken, closed, and reopened, and its card and thread show each step without names', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    const card = await member.command('/threat', ID, { until: 'exa[.]mple' })
    const taken = await member.click(card.message, 'Take and announce', { until: 'This case is yours now.' })
    expect(taken.text).toMatch(/Taken by Member \d+ d( \d+ h)? after the report/)
    const { cards, thread } = await waitUntilPosted(world, 1)
    expect(cards).toHaveLength(1)
    expect(cards[0]?.text).toMatch(/exa\[\.\]mple[\s\S]*Taken \d+ d/)
    expect(thread).toEqual([expect.stringMatching(/^Taken · .* after the report$/)])
    const later = await admin.command('/threat', ID, { until: 'Taken by Member' })
    const opened = await admin.click(later.message, 'Case', {
      until: (answer) => showsText(answer, 'Taken by Member'),
    })
    await admin.click(opened.view, 'Takedown sent', { until: 'Recorded that the takedown request was sent.' })
    const posted = await waitUntilPosted(world, 2)
    expect(posted.cards).toHaveLength(1)
    expect(posted.cards[0]?.text).toMatch(/Takedown sent \d+ d/)
    expect(posted.thread.at(-1)).toMatch(/^Takedown sent · .* later$/)
    expect(JSON.stringify(posted)).not.toMatch(/(?:by|says) (?:Member|Admin)|slack_file/)
    await member.command('/threat', `down ${ID}`, { until: 'The case is closed.' })
    const closed = await member.command('/threat', `false-positive ${ID}`, { until: 'Nothing was changed.' })
    expect(closed.text).toContain('can’t be marked as a false positive now. Taken down ')
    await member.command('/threat', 'queue', { until: 'There are no open threat cases' })
    await admin.command('/threat', `reopen ${ID}`, { until: 'open again and yours' })
    await member.command('/threat', 'queue', { until: 'Taken by Admin' })
    await member.command('/threat', 'queue --mine', { until: 'You have no open threat cases' })
    await admin.openHome({ until: 'Your threat cases' })
    const auditLines = (await readAuditLines(world)).filter((row) => row.startsWith('/threat take:'))
    // The search merges each intent with its outcome.
    expect(auditLines).toEqual([`/threat take: threat event ${ID}: done`])
  })

  it('is taken over only after a confirmation, and only from the holder that the confirmation named', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    await member.command('/threat', `take ${ID}`, { until: 'You already have this case.' })
    const takeOverOffer = await admin.command('/threat', `take ${ID}`, { until: 'Member has had this case' })
    await member.command('/threat', `release ${ID}`, { until: 'You gave this case back' })
    await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    // The case was given back and taken again since this button was shown, so Signalman asks again.
    const secondOffer = await admin.click(findEphemeral(takeOverOffer), 'Take over', {
      until: 'Member has had this case',
    })
    await admin.click(findEphemeral(secondOffer), 'Take over', {
      until: 'You took this case over from Member',
    })
    const { thread } = await waitUntilPosted(world, 4)
    expect(thread.join('\n')).toContain('Taken over · ')
  })

  it('goes to one of two people who take it at the same time, and the other one sees who has it', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    const answers = await Promise.all(
      [member, admin].map((person) => person.command('/threat', `take ${ID}`, { until: /this case/i })),
    )
    expect(answers.filter(({ text }) => text.includes('This case is yours now.'))).toHaveLength(1)
    expect(answers.filter(({ text }) => /(Member|Admin) has had this case/.test(text))).toHaveLength(1)
  })

  it('that was taken in a direct message is posted once its card is shared in a channel', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    const card = await member.command('/threat', ID, { channel: 'dm', until: 'exa[.]mple' })
    await member.click(card.message, 'Take', { until: 'This case isn’t posted in a channel yet' })
    await member.command('/threat', `${ID} --share --yes`, { until: 'Shared by' })
    const shared = await waitUntilPosted(world, 1)
    expect(shared.cards).toHaveLength(1)
    expect(shared.cards[0]?.text).toContain('Taken ')
    const { view } = await admin.click(shared.cards[0], 'Case', {
      until: (answer) => showsText(answer, 'Taken by Member'),
    })
    await admin.click(view, 'False positive', { until: 'Marked as a false positive' })
    const { cards } = await waitUntilPosted(world, 2)
    expect(cards[0]?.ts).toBe(shared.cards[0]?.ts)
    expect(cards[0]?.text).toContain('False positive')
  })

  it('is offered to be taken and announced, also in a direct message, once a channel has the event’s card', async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    const readButtons = async (channel: string, line: string) => {
      const { message, view } = await member.command('/threat', line, {
        channel,
        until: ({ text }) => (line === ID ? /exa\[\.\]mple/ : /Nobody has taken|Threat case/).test(text),
      })
      const labels = JSON.stringify(message?.blocks ?? view?.view.blocks).match(/"Take[^"]*"/g)
      await (view ? member.close() : undefined)
      return labels
    }
    expect(await readButtons('dm', ID)).toEqual(['"Take"'])
    expect(await readButtons('dm', `case ${ID}`)).toEqual(['"Take"', '"Takedown sent"'])
    expect(await readButtons('general', ID)).toEqual(['"Take and announce"'])
    expect(await readButtons('general', `case ${ID}`)).toEqual(['"Take and announce"', '"Takedown sent"'])
    const refused = await member.command('/threat', `note ${ID} Seen`, { until: 'Nobody has taken' })
    expect(JSON.stringify(refused.message?.blocks)).toContain('"Take and announce"')
    // Signalman may not post threat events in the one, and isn't in the other.
    expect(await readButtons('partner', ID)).toEqual(['"Take"'])
    expect(await readButtons('random', ID)).toEqual(['"Take"'])
    const taken = await member.command('/threat', `take ${ID}`, {
      channel: 'random',
      until: 'isn’t posted',
    })
    expect(taken.text).toContain('This case is yours now.')
    await member.command('/threat', `release ${ID}`, { until: 'unassigned' })
    await member.command('/threat', `${ID} --share --yes`, { until: 'Shared by' })
    // A card in the DM may still be edited.
    await expect.poll(() => readButtons('dm', `case ${ID}`)).toContain('"Take and announce"')
  })

  it('is announced in one channel, and shown on its event’s cards in other channels', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    await member.command('/threat', `${ID} --share --yes`, { until: 'Shared by' })
    await member.command('/threat', `${ID} --share --yes`, { channel: 'operations', until: 'Shared by' })
    await admin.command('/threat', `take ${ID}`, { channel: 'operations', until: 'This case is yours now.' })
    const readGeneral = async () => JSON.stringify(await readPosts(world))
    await expect.poll(readGeneral).toMatch(/Taken \d+ d/)
    await admin.command('/threat', `down ${ID}`, { channel: 'operations', until: 'The case is closed.' })
    await expect.poll(readGeneral).toMatch(/Taken down \d+ d/)
    const { cards, thread } = await readPosts(world)
    expect(cards).toHaveLength(1)
    expect(thread).toEqual([])
  })

  it('is hidden from guests, and can’t be taken by members without the role', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const guest = world.slack.user(GUEST)
    const card = await guest.command('/threat', ID, { until: 'exa[.]mple' })
    expect(JSON.stringify(card.message?.blocks)).not.toMatch(/Take|Case/)
    for (const line of [`take ${ID}`, `case ${ID}`, 'queue'])
      await guest.command('/threat', line, { until: 'Guests' })
    expect((await guest.openHome()).text).not.toContain('threat cases')
    await world.slack.member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    const otherId = ID.replace('7e57', '7e58')
    await world.service.storeThreat(otherId, createThreatEvent('exa.mple'))
    for (const ids of [ID, `${ID} ${otherId}`]) {
      // The card of the case in the channel has the domain, too, and may be edited meanwhile.
      const answer = await guest.command('/threat', ids, {
        until: (reply) => JSON.stringify(findEphemeral(reply) ?? '').includes('exa[.]mple'),
      })
      expect(JSON.stringify(findEphemeral(answer))).not.toMatch(/Take|Case/)
    }
    await world.app.store.grants.remove(WORKSPACE, 'operator', { kind: 'everyone', id: '*' })
    await world.app.store.grants.remove(WORKSPACE, 'admin', { kind: 'everyone', id: '*' })
    const { member } = world.slack
    const memberCard = await member.command('/threat', ID, { until: 'exa[.]mple' })
    expect(JSON.stringify(memberCard.message?.blocks)).not.toMatch(/"Take(?: and announce)?"/)
    await member.command('/threat', `take ${ID}`, { until: 'This needs the operator role' })
  })
})

describe('the names of people in a case', () => {
  it('are posted in the channel only on request', { timeout: 60_000 }, async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    const guest = world.slack.user(GUEST)
    const readChannel = async () => JSON.stringify((await guest.state()).messages[CHANNEL])
    // The first cards don't wait long for the screenshot, and a case keeps what its card had.
    await expect
      .poll(async () => JSON.stringify((await member.command('/threat', ID)).message?.blocks))
      .toContain('slack_file')
    await member.command('/threat', `${ID} --share --yes`, { until: 'Shared by a member' })
    const taken = await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    await waitUntilPosted(world, 1)
    expect(taken.text).toContain('without your name')
    expect(await readChannel()).not.toMatch(/Taken by|by member|slack_file/)
    const opened = await admin.command('/threat', `case ${ID}`, {
      until: (answer) => showsText(answer, 'Taken by Member'),
    })
    await admin.click(opened.view, 'Show names in the channel')
    const { cards, thread } = await waitUntilPosted(world, 2)
    expect(cards.at(-1)?.text).toContain('Taken by Member')
    expect(JSON.stringify(cards.at(-1)?.blocks)).toContain('slack_file')
    expect(thread.at(-1)).toMatch(/^Screenshot and names revealed by Admin/)
    expect(thread[0]).toMatch(/^Taken · /)
    await admin.command('/threat', `takedown-sent ${ID}`, { until: 'Recorded' })
    expect((await waitUntilPosted(world, 3)).thread.at(-1)).toMatch(/^Takedown sent, says Admin/)
    expect((await readAuditLines(world)).join()).toContain(`/threat reveal: threat event ${ID}: done`)
  })

  it('promises no question and no reading of a health check if there is none', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    await member.command('/threat', `take ${ID}`)
    const answers = []
    for (const verb of ['up', 'down'])
      answers.push((await member.command('/threat', `${verb} ${ID}`, { until: 'Recorded as' })).text)
    expect(answers[0]).toContain('Recorded as still up. The case stays open.')
    expect(answers[1]).toContain('Recorded as down. The case is closed.')
    expect(answers.join()).not.toContain('health check')
  })

  it('can’t be revealed if the case has no card', { timeout: 60_000 }, async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    await member.command('/threat', `take ${ID}`, { channel: 'dm', until: 'This case is yours now.' })
    const { text } = await member.command('/threat', `reveal ${ID}`, { until: 'Nothing was changed' })
    expect(text).toContain('No channel has the card of this case. Share the card first.')
  })
})

describe('the messages about a case', () => {
  it('continue after a rate limit, a lost edit, and a deleted card', { timeout: 60_000 }, async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    await world.slack.faults({ method: 'chat.postMessage', kind: 'status', status: 429, retryAfter: 1 })
    await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    expect((await waitUntilPosted(world, 1)).cards).toHaveLength(1)
    await world.slack.faults(
      { method: 'chat.update', kind: 'drop-reply' },
      { method: 'chat.update', kind: 'error', error: 'message_not_found' },
    )
    await member.command('/threat', `takedown-sent ${ID}`, { until: 'Recorded' })
    const { cards } = await waitUntilPosted(world, 2)
    expect(cards).toHaveLength(2)
    expect(cards.at(-1)?.text).toContain('Takedown sent ')
  })

  it('stop if the card’s thread was deleted', { timeout: 60_000 }, async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    const event = { workspaceId: WORKSPACE, environment: 'production', eventId: ID } as const
    const place = { channelId: CHANNEL, messageTs: '1.000002', threadTs: '1.000001' }
    await world.app.store.threatShares.add(event, place, new Date())
    await world.slack.faults(
      { method: 'chat.update', kind: 'error', error: 'message_not_found' },
      { method: 'chat.postMessage', kind: 'error', error: 'thread_not_found' },
    )
    await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    const readDms = async () => (await member.messages('dm')).map(({ text }) => text).join('\n')
    await expect
      .poll(readDms)
      .toContain('Your step wasn’t posted. Slack doesn’t accept messages in the channel.')
    const findCard = async () => (await world.app.store.threatCases.find(event))?.card
    await expect.poll(findCard).toBeUndefined()
  })

  it('stop in an archived channel, notify the person who took the step, and continue in another channel', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    const readDms = await takeInArchivedChannel(world)
    await expect.poll(readDms).toContain('Your step wasn’t posted. The channel is archived.')
    await world.slack.faults()
    await member.command('/threat', `release ${ID}`, { until: 'It’s unassigned' })
    const { cards, thread } = await waitUntilPosted(world, 2)
    expect(cards).toHaveLength(2)
    expect(thread.join('\n')).toContain('Given back')
  })

  it('stop in an archived channel, and continue with a card that is shared in another one', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    const readDms = await takeInArchivedChannel(world)
    await expect.poll(readDms).toContain('To post it in another channel, share its card there.')
    await world.slack.faults()
    const shared = { channel: 'operations', until: 'Shared by' }
    await member.command('/threat', `${ID} --share --yes`, shared)
    const readChannel = async () => JSON.stringify((await member.state()).messages.C0OPERATNS)
    await expect.poll(readChannel).toContain('Taken · ')
    // The next step is posted there too, wherever it is taken.
    await member.command('/threat', `release ${ID}`, { until: 'It’s unassigned' })
    await expect.poll(readChannel).toContain('Given back')
  })

  it('stop in a shared channel that an admin no longer allows, and say so', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    const { settings } = world.app.store
    await settings.set(WORKSPACE, ALLOWED_SHARED_CHANNELS, [PARTNER])
    const shared = { channel: 'partner', until: 'Shared by' }
    await member.command('/threat', `${ID} --share --yes`, shared)
    await settings.set(WORKSPACE, ALLOWED_SHARED_CHANNELS, [])
    await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    const readDms = async () => (await member.messages('dm')).map(({ text }) => text).join('\n')
    await expect.poll(readDms).toContain('The channel is shared with another organization')
    const { messages } = await member.state()
    expect(JSON.stringify(messages[PARTNER])).toContain('exa[.]mple')
    expect(JSON.stringify(messages[PARTNER])).not.toContain('Taken')
  })

  it('say that only the holder can give a case back', {
    timeout: 60_000,
  }, async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    await admin.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    const { text } = await member.command('/threat', `release ${ID}`, { until: 'Nothing was changed' })
    expect(text).toContain('You don’t have this case. Taken by Admin')
    expect(text).not.toContain('The earlier steps were already done')
    expect(text.split('Nothing was changed.')).toHaveLength(2)
    expect((await readAuditLines(world)).at(-1)).toMatch(/^\/threat release: .*: failed$/)
  })
})
