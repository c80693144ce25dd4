import type { Answer } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { WORKSPACE, type World } from '../../../world.ts'
import { createThreatEvent } from '../events.ts'
import { ID, readAuditLines, startWorldWithThreat, waitForCasePosts } from '../world.ts'

const CHANNEL = 'C0GENERAL1'
const GUEST = 'U0GUEST001'
const EVENT = { workspaceId: WORKSPACE, environment: 'production', eventId: ID } as const

/** Waits until all messages about the case are posted, and returns the app's cards and replies in the channel. */
async function waitForPosts(world: World) {
  await waitForCasePosts(world)
  const { messages } = await world.slack.member.state()
  const posts = (messages[CHANNEL] ?? []).filter((post) => post.app && !post.ephemeral)
  return {
    cards: posts.filter(({ threadTs, ts }) => !threadTs || threadTs === ts),
    thread: posts.flatMap(({ threadTs, ts, text }) => (threadTs && threadTs !== ts ? [text] : [])),
  }
}

/** The blocks of the replies about a case, as people see them. */
async function readThreadBlocks(world: World): Promise<string> {
  const { messages } = await world.slack.member.state()
  const replies = (messages[CHANNEL] ?? []).filter(
    ({ app, threadTs, ts }) => app && threadTs && threadTs !== ts,
  )
  return JSON.stringify(replies.map(({ blocks }) => blocks))
}

/** Returns the newest message that only this person sees. */
const findEphemeral = ({ messages }: Answer) => messages.findLast(({ ephemeral }) => ephemeral)
const showsText = ({ view }: Answer, text: string): boolean => JSON.stringify(view ?? '').includes(text)

const startCaseWorld = () =>
  startWorldWithThreat(() => undefined, { guests: 'can-view', workTimes: { pollMs: 50 } })

describe('a case', () => {
  it('tells whoever took the step in a channel if Slack doesn’t let the card be posted there', async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    await admin.command('/threat', `take ${ID}`, { channel: 'dm', until: 'No channel has its card.' })
    await world.slack.faults({
      method: 'chat.postMessage',
      kind: 'error',
      error: 'restricted_action',
      times: 1,
    })
    await member.command('/threat', `note ${ID} x`, { until: 'Posting its card in <#C0GENERAL1>' })
    await member.until('a DM', ({ messages }) => JSON.stringify(messages).includes('let me post the case'))
    const [told] = await member.messages('dm')
    expect(told?.text).toMatch(/^Slack doesn’t let me post the case exa\[\.\]mple in <#C0GENERAL1>/)
    await member.click(told, 'Case', { until: (answer) => showsText(answer, 'No channel has its card.') })
  })

  it('is taken, noted on, closed, and reopened; its one card and its thread show each step', async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    const card = await member.command('/threat', ID, { until: 'exa[.]mple' })
    await member.click(card.message, 'Take', { until: 'This case is yours now.' })
    const taken = await waitForPosts(world)
    expect(taken.cards.map(({ text }) => text)).toEqual([
      expect.stringMatching(/exa\[\.\]mple[\s\S]*Taken by Member/),
    ])
    expect(taken.thread).toEqual(['Taken by Member'])
    await member.command('/threat', `note ${ID} Registrar called by @admin, see https://exa.mple/`, {
      until: 'Note added.',
    })
    const noted = await waitForPosts(world)
    const opened = await admin.click(noted.cards[0], 'Case', {
      until: (answer) => showsText(answer, 'Registrar called by @admin'),
    })
    await admin.click(opened.view, 'Taken down', { until: 'The case is closed.' })
    const closed = await waitForPosts(world)
    expect(closed.cards.map(({ ts }) => ts)).toEqual([taken.cards[0]?.ts])
    expect(closed.cards[0]?.text).toContain('🟢 Recorded as taken down')
    expect(closed.thread).toEqual([
      'Taken by Member',
      'Note from Member: Registrar called by @\u2060admin, see hxxps://exa[.]mple/',
      'Taken down, says Admin',
    ])
    expect(JSON.stringify(closed)).not.toContain('slack_file')
    await member.command('/threat', `close ${ID} --as false-positive`, { until: 'This case has ended' })
    await member.command('/threat', 'queue', { until: 'There are no open threat cases' })
    await admin.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    await member.command('/threat', 'queue', { until: 'Taken by Admin' })
    const none = await member.command('/threat', 'queue --mine', {
      until: 'The only open threat case isn’t yours',
    })
    expect(none.text).toContain(
      'To open one, take a threat event or share its card. The service finds threat events only by ID.',
    )
    const auditLines = (await readAuditLines(world)).filter((row) => /^\/threat (?:note|close)/.test(row))
    expect(auditLines).toContain(`/threat note: threat event ${ID} (exa[.]mple): done`)
    expect(auditLines).toContain(`/threat close: threat event ${ID} (exa[.]mple): failed`)
  })

  it('is taken over only after a confirmation, and only from the holder that the confirmation named', async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    const answers = await Promise.all(
      [member, admin].map((person) => person.command('/threat', `take ${ID}`, { until: /this case/i })),
    )
    expect(answers.filter(({ text }) => text.includes('This case is yours now.'))).toHaveLength(1)
    const offer = answers.find(({ text }) => /(?:Member|Admin) has this case/.test(text))
    const [loser, winner] = offer === answers[0] ? [member, admin] : [admin, member]
    await winner.command('/threat', `take ${ID}`, { until: 'You already have this case.' })
    await winner.command('/threat', `note ${ID} busy`, { until: 'Note added.' })
    const second = await loser.click(findEphemeral(offer as Answer), 'Take over', {
      until: 'has this case',
    })
    await loser.click(findEphemeral(second), 'Take over', { until: 'This case is yours now.' })
  })

  it('of somebody else is closed only after a question, which keeps what was typed', async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    const line = `close ${ID} --as other moved to legal --as told`
    const asked = await admin.command('/threat', line, { until: 'Do you want to close it anyway?' })
    expect(asked.text).toMatch(/Member has this case\. Nothing was changed\./)
    await member.command('/threat', `note ${ID} busy`, { until: 'Note added.' })
    const again = await admin.click(findEphemeral(asked), 'Close case', {
      until: 'Do you want to close it anyway?',
    })
    await admin.click(findEphemeral(again), 'Close case', { until: 'The case is closed.' })
    const closed = await member.command('/threat', `case ${ID}`, {
      until: (answer) => showsText(answer, 'Closed, says Admin: moved to legal --as told'),
    })
    expect(closed.view?.view.blocks[0]).toMatchObject({ text: { text: 'Closed, says Admin' } })
  })

  it('is closed only with its own ID, and how it ended', async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    const asked = await member.command('/threat', `close ${ID} gone since noon`, { until: 'How did it end?' })
    await member.command('/threat', 'close', {
      until: 'Which threat event? Type its ID after /threat close.',
    })
    await member.command('/threat', `take ${ID} please`, { until: 'Nothing was changed.' })
    expect((await waitForPosts(world)).cards).toEqual([])
    await member.click(asked?.message, 'Taken down', { until: 'The case is closed.' })
    await member.command('/threat', `case ${ID}`, {
      until: (answer) => showsText(answer, 'Taken down, says Member: gone since noon'),
    })
  })

  it('asks how it ended once, also of somebody who typed that behind the text', async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    const asked = await member.command('/threat', `close ${ID} the registrar took it down --as down`, {
      until: 'before the text',
    })
    await member.click(findEphemeral(asked), 'Taken down', { until: 'The case is closed.' })
    const { view } = await member.command('/threat', `case ${ID}`, {
      until: (answer) => showsText(answer, 'Taken down, says Member: the registrar took it down'),
    })
    expect(JSON.stringify(view)).not.toContain('took it down --as')
  })

  it('keeps the whole of a note, however long its addresses are when they’re shown', async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    await member.command('/threat', `take ${ID}`, { until: 'yours now' })
    const addresses = 'a@b.example.com '.repeat(32)
    const taken = `${addresses}TICKET-1, then curl --help`
    await member.command('/threat', `note ${ID} ${taken}`, { until: 'TICKET-1, then curl --help' })
    await member.command('/threat', `note ${ID} ${'a@b.example.com '.repeat(48)}TICKET-2`, {
      until: /A note can have up to 1,000 characters.* so it wasn’t saved/,
    })
    await expect.poll(() => readThreadBlocks(world)).toContain('TICKET-1, then curl --help')
    const { steps = [] } = (await world.app.store.threatCases.find(EVENT)) ?? {}
    expect(steps.map(({ kind, text }) => [kind, text])).toEqual([
      ['take', undefined],
      ['note', taken],
    ])
  })

  it('says what wasn’t noted yet, with its addresses defanged', async () => {
    await using world = await startCaseWorld()
    const { text } = await world.slack.member.command('/threat', `note ${ID} see https://evil.example/x`, {
      until: 'no case with this ID yet',
    })
    expect(text).toContain('see hxxps://evil[.]example/x')
  })

  it('that was shared in a direct message has no card, until someone shares it in a channel', async () => {
    await using world = await startCaseWorld()
    const { member, admin } = world.slack
    await member.command('/threat', `${ID} --share`, { channel: 'dm', until: 'exa[.]mple' })
    await admin.command('/threat', 'queue', { until: 'There are no open threat cases' })
    const shared = await admin.command('/threat', `${ID} --share --yes`, { until: 'Shared by' })
    await admin.click(shared.message, 'Take', { until: 'This case is yours now.' })
    await member.command('/threat', `case ${ID}`, { until: '<#C0GENERAL1>' })
  })

  it('that was taken in a direct message is hidden from guests, and gets its card when someone shares it', async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    await member.command('/threat', `take ${ID}`, { channel: 'dm', until: 'No channel has its card.' })
    expect((await waitForPosts(world)).cards).toEqual([])
    const seen = await world.slack.user(GUEST).command('/threat', ID, { until: 'exa[.]mple' })
    expect(JSON.stringify(findEphemeral(seen))).not.toContain('Taken by')
    await member.command('/threat', `${ID} --share --yes`, { until: 'Shared by' })
    await expect.poll(async () => (await waitForPosts(world)).thread).toEqual(['Taken by Member'])
    const { cards } = await waitForPosts(world)
    expect(cards.map(({ text }) => text)).toEqual([expect.stringContaining('Taken by Member')])
  })

  it('whose card is a reply has its steps in the same thread', async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    const root = await member.say('Something is wrong.')
    const mention = await member.say(`@signalman ${ID}`, { threadTs: root.ts })
    const { message } = await mention.answer({ until: 'exa[.]mple' })
    const question = await member.click(message, 'Share', { until: 'Guests can read this channel' })
    await member.click(question.message, 'Share', { until: 'Shared by' })
    await member.command('/threat', `take ${ID}`, { until: 'yours now' })
    await expect.poll(async () => (await waitForPosts(world)).thread).toContain('Taken by Member')
    // Slack would file a reply to a reply in the same thread, so what was sent decides.
    const sent = await world.slack.deliveries('chat.postMessage')
    expect(sent.map(({ request }) => request.body)).toContainEqual(
      expect.objectContaining({ text: 'Taken by Member', thread_ts: root.ts }),
    )
    const ask = async (until: string) =>
      (await member.say('@signalman what is this', { threadTs: root.ts })).answer({ until })
    await ask('Taken by Member')
    const other = ID.replace(/a$/, 'b')
    await world.service.storeThreat(other, createThreatEvent('other.example'))
    const { message: second } = await (await member.say(`@signalman ${other}`, { threadTs: root.ts })).answer(
      { until: 'other[.]example' },
    )
    const again = await member.click(second, 'Share', { until: 'Guests can read this channel' })
    await member.click(again.message, 'Share', { until: 'Shared by' })
    const both = await ask('2 threat cases in this thread')
    for (const shown of ['exa[.]mple', 'Taken by Member', 'other[.]example', 'Nobody is on it'])
      expect(both.text).toContain(shown)
    // The thread is about cases, whatever a sentence begins with.
    for (const words of ['who has this?', 'list these', 'is anybody on it?']) {
      const mention = await member.say(`@signalman ${words}`, { threadTs: root.ts })
      const { message } = await mention.answer({ until: '2 threat cases in this thread' })
      const shown = JSON.stringify(message?.blocks)
      expect(shown, words).toContain('"/threat queue')
      expect(shown, words).not.toMatch(/"\/hc (?:who|list|down)/)
    }
    // What may change something stays with its command.
    const muting = await member.say('@signalman mute these for a while', { threadTs: root.ts })
    const { message: muted } = await muting.answer({ until: '2 threat cases in this thread' })
    expect(JSON.stringify(muted?.blocks)).toContain('after “mute”')
    await member.choose(both.message, 'Open a case…', 'other[.]example', {
      until: (answer) => showsText(answer, 'Nobody is on it'),
    })
  })

  it.each([
    ['that the app isn’t in', 'random', 'Signalman isn’t in this channel, so nobody here sees it.'],
    ['that another organization reads', 'partner', 'This channel is shared with another organization'],
  ])('says that nobody else sees it in a channel %s', async (_, channel, why) => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    const taken = await member.command('/threat', `take ${ID}`, { channel, until: 'yours now' })
    expect(taken.text).toContain(why)
    expect(taken.text).toContain('No channel has its card.')
    await member.command('/threat', `case ${ID}`, {
      until: (answer) => showsText(answer, 'No channel has its card.'),
    })
  })

  it('has every note in its thread, however many there are when it gets one', async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    await member.command('/threat', `take ${ID}`, { channel: 'dm', until: 'No channel has its card.' })
    for (let number = 1; number <= 8; number += 1)
      await member.command('/threat', `note ${ID} ${'asked again <&> '.repeat(28)} TICKET-${number}`, {
        ...{ channel: 'dm', until: 'Note added.' },
      })
    await member.command('/threat', `${ID} --share --yes`, { until: 'Shared by' })
    const findTickets = async () => (await readThreadBlocks(world)).match(/TICKET-\d/g) ?? []
    await expect.poll(findTickets).toHaveLength(8)
    expect((await waitForPosts(world)).thread.length).toBeLessThan(4)
  })

  it('stays, without a card, if its channel no longer accepts messages', async () => {
    await using world = await startCaseWorld()
    const { member } = world.slack
    await member.command('/threat', `take ${ID}`, { until: 'yours now' })
    await waitForPosts(world)
    await world.slack.faults({ method: 'chat.update', kind: 'error', error: 'is_archived', times: 9 })
    await member.command('/threat', `close ${ID} --as other moved to legal`, { until: 'The case is closed.' })
    await waitForPosts(world)
    const found = await world.app.store.threatCases.find(EVENT)
    expect(found).toMatchObject({ state: 'other', card: undefined })
    await member.command('/threat', `case ${ID}`, { until: (answer) => showsText(answer, 'moved to legal') })
  })
})
