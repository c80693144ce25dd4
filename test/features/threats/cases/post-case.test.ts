import { expect, it } from 'vitest'
import { CASE_WORK } from '../../../../src/features/threats/rows/case-rows.ts'
import { WORKSPACE, type World } from '../../../world.ts'
import { findCase, startQuickWorld, startWatch } from '../watched/watch-world.ts'
import { ID, startWorldWithThreat } from '../world.ts'

const CHANNEL = 'C0GENERAL1'
const TOO_LONG = { kind: 'error', error: 'msg_too_long' } as const
const REJECTED_POST = { method: 'chat.postMessage', ...TOO_LONG } as const
const REJECTED_EDIT = { method: 'chat.update', ...TOO_LONG } as const

/** Waits until all messages about the case are posted, and returns the texts in the channel. */
async function waitForTexts({ app, slack }: World): Promise<string[]> {
  const countOpenWork = async () => (await app.store.work.listOpen(WORKSPACE, [CASE_WORK.post])).length
  await expect.poll(countOpenWork).toBe(0)
  const { messages } = await slack.member.state()
  return (messages[CHANNEL] ?? [])
    .filter((post) => post.app && !post.ephemeral && !post.deleted)
    .map(({ text }) => text)
}

it('posts a step in the thread of a case even if Slack refuses the edit of the card, also in Signalman’s own words', async () => {
  await using world = await startWorldWithThreat(() => undefined, { workTimes: { pollMs: 50 } })
  const { member } = world.slack
  await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
  expect(await waitForTexts(world)).toHaveLength(2)
  await world.slack.faults({ ...REJECTED_EDIT, times: 2 })
  await member.command('/threat', `takedown-sent ${ID}`, { until: 'Recorded' })
  const [card, ...threadReplies] = await waitForTexts(world)
  expect(card).not.toContain('Takedown sent')
  expect(threadReplies).toEqual([
    expect.stringContaining('Taken · '),
    expect.stringContaining('Takedown sent'),
  ])
  expect(
    world.log.filter((line) => line.includes('refused a case message even in Signalman’s own words')),
  ).toHaveLength(1)
})

it('tells the person who took a case if Slack refuses its card, also in Signalman’s own words', async () => {
  await using world = await startWorldWithThreat(() => undefined, { workTimes: { pollMs: 50 } })
  const { member } = world.slack
  await world.slack.faults({ ...REJECTED_POST, times: 2 })
  await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
  expect(await waitForTexts(world)).toEqual([])
  const dms = await member.messages('dm')
  expect(dms.map(({ text }) => text).join()).toContain('Slack doesn’t accept messages in the channel.')
})

it('posts a case in Signalman’s own words if Slack refuses its card', async () => {
  await using world = await startWorldWithThreat(() => undefined, { workTimes: { pollMs: 50 } })
  const { member } = world.slack
  await world.slack.faults(REJECTED_POST)
  await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
  const [card] = await waitForTexts(world)
  expect(card).toBe(
    'A threat case has news. Slack refused the message about it. To see it, use /threat queue.',
  )
})

it('says that the card can’t be updated if its channel is archived after all steps were posted', {
  timeout: 60_000,
}, async () => {
  let offsetMs = 0
  await using world = await startQuickWorld(undefined, { now: () => new Date(Date.now() + offsetMs) })
  const { member } = world.slack
  await startWatch(world)
  const isPosted = async () => {
    const { version, postedVersion, shownVersion } = (await findCase(world)) ?? {}
    return postedVersion === version && shownVersion === version
  }
  await expect.poll(isPosted).toBe(true)
  await world.slack.faults({ method: 'chat.update', kind: 'error', error: 'is_archived', times: 99 })
  offsetMs += 3 * 3_600_000
  await world.slack.clock({ advanceMs: offsetMs })
  const readDms = async () => (await member.messages('dm')).map(({ text }) => text)
  await expect
    .poll(readDms, { timeout: 20_000 })
    .toEqual([
      expect.stringContaining(
        'Signalman can’t update the card of a threat case anymore. The channel is archived.',
      ),
    ])
})

it('tells everyone whose step couldn’t be posted, once', { timeout: 90_000 }, async () => {
  await using world = await startQuickWorld()
  const { member, admin } = world.slack
  await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
  expect(await waitForTexts(world)).toHaveLength(2)
  await world.slack.faults({ method: 'chat.update', kind: 'status', status: 503, times: 99 })
  await member.command('/threat', `takedown-sent ${ID}`, { until: 'Recorded' })
  await member.command('/threat', `note ${ID} by phone`, { until: 'Note added' })
  await admin.command('/threat', `note ${ID} hi`, { until: 'Note added' })
  await world.slack.faults({ method: 'chat.update', kind: 'error', error: 'is_archived', times: 99 })
  await expect.poll(async () => (await findCase(world))?.card, { timeout: 60_000 }).toBeUndefined()
  const sentence = 'Your step wasn’t posted. The channel is archived.'
  for (const person of [member, admin])
    expect((await person.messages('dm')).map(({ text }) => text)).toEqual([expect.stringContaining(sentence)])
})
