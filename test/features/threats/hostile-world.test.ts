import { describe, expect, it } from 'vitest'
import { WORKSPACE } from '../../world.ts'
import { createEventWithText } from './events.ts'
import { SAMPLE_INTERVAL, SAMPLE_START, SAMPLED_STRINGS } from './hostile.ts'
import { findMarkup, type MarkupNode } from './markup.ts'
import { ID, startWorldWithThreat } from './world.ts'

const VERBS = ['', 'details', 'whois', 'dns', 'comments', 'copy', 'export', 'screenshot', 'source']
/** Subcommands that post in the channel and in a thread. Only run for a few events, because that takes longer. */
const CASE_VERBS = ['take', 'case', 'close --as down']
/** How many hostile strings one event contains. */
const BATCH_SIZE = 40

/** The clickable parts of a request that the app sent to Slack. Ignores files, because Slack doesn't render them. */
function findClickable(body: unknown): MarkupNode[] {
  if (typeof body !== 'object' || body === null) return []
  const { text, blocks, view } = body as Record<string, unknown>
  const shown = view && typeof view === 'object' && 'blocks' in view ? view.blocks : blocks
  return findMarkup({ text: typeof text === 'string' ? text : '', blocks: Array.isArray(shown) ? shown : [] })
}

/** Whether this is one of the app's own file names. */
const isOwnFile = ({ source }: MarkupNode): boolean =>
  /^(?:csv|json|stix|threat-)/.test(source) || source.includes(ID.slice(0, -3))

/** Whether this is the app's own mention of the channel with a case's card. */
const isOwnChannel = ({ source }: MarkupNode): boolean => source.includes('C0GENERAL1')

describe('a hostile event in the running app', () => {
  it(`puts nothing clickable into Slack, regardless of the command (sample ${SAMPLE_START} of ${SAMPLE_INTERVAL})`, async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    for (let start = 0; start < SAMPLED_STRINGS.length; start += BATCH_SIZE) {
      const text = SAMPLED_STRINGS.slice(start, start + BATCH_SIZE)
        .join(' ')
        .slice(0, 2000)
      const id = `${ID.slice(0, -3)}${start.toString(16).padStart(3, '0')}`
      await world.service.storeThreat(id, {
        ...createEventWithText(text, 3),
        domain: SAMPLED_STRINGS[start],
        date: '2026-11-18T14:00:00Z',
      })
      const mention = await member.say(`@signalman threat details ${id}`)
      await mention.answer({ until: 'Event: ' })
      const verbs = start % (4 * BATCH_SIZE) === 0 ? [...VERBS, ...CASE_VERBS] : VERBS
      for (const verb of verbs) await member.command('/threat', `${verb} ${id}`.trim())
    }
    await member.command('/threat', 'queue --page 1', { until: 'threat case' })
    // Waits until all messages are posted.
    const { threatCases } = world.app.store
    const countUnposted = async () =>
      (await threatCases.list({ workspaceId: WORKSPACE, environment: 'production', limit: 100 })).filter(
        ({ version, postedVersion }) => postedVersion < version,
      ).length
    await expect.poll(countUnposted).toBe(0)
    const deliveries = await world.slack.deliveries()
    const sent = deliveries.filter(({ direction }) => direction === 'from-app')
    const clickable = sent
      .flatMap(({ request }) => findClickable(request.body))
      .filter((node) => !isOwnFile(node) && !isOwnChannel(node))
    const kinds = Map.groupBy(clickable, ({ kind }) => kind)
    // The app formats dates as clickable markup. If none are found, `findMarkup` doesn't work.
    expect(kinds.get('date')?.length).toBeGreaterThanOrEqual(SAMPLED_STRINGS.length / BATCH_SIZE)
    kinds.delete('date')
    expect([...kinds.values()].flat().slice(0, 10)).toEqual([])
    expect(sent.filter(({ verdict }) => verdict !== 'ok')).toEqual([])
  })
})
