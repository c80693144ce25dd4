import { expect, it } from 'vitest'
import { readShipped } from '../../../docs/shipped.ts'
import { judgeViews } from '../../../src/doctor/views/examine-views.ts'
import { rehearse } from '../../../src/doctor/views/rehearse.ts'
import { startWorld } from '../../world.ts'
import { screenFaults } from './screen-rules.ts'

/** The app itself is run through all that it can show: some 300 requests. */
const PATIENCE_MS = 300_000

/** Once for both tests that look at all views; whichever runs first begins it. */
let rehearsed: ReturnType<typeof rehearse> | undefined
const rehearsal = () => {
  rehearsed ??= rehearse('')
  return rehearsed
}

it('keeps the rules of what people read in every view', { timeout: PATIENCE_MS }, async () => {
  const { shown } = await rehearsal()
  const { verbs } = await readShipped()
  const faults = screenFaults(shown, verbs)
  expect([...faults].map(([fault, brokenBy]) => `${fault}: ${brokenBy}`)).toEqual([])
})

it('rehearses every command, form and Home, and Slack takes all that is shown', {
  timeout: PATIENCE_MS,
}, async () => {
  await using world = await startWorld()
  const { shown, verbs, forms } = await rehearsal()
  const { routes } = world.app
  expect(
    routes.verbs.map(({ command, verb }) => `/${command} ${verb}`.trim()).filter((one) => !verbs.has(one)),
  ).toEqual([])
  expect(routes.forms.map(({ id }) => id).filter((id) => !forms.has(id))).toEqual([])
  const texts = JSON.stringify(shown)
  const words = ['is down', 'are all up again', 'is placed', 'Example Shops', 'Created.', '"type":"home"']
  expect(words.filter((one) => !texts.includes(one))).toEqual([])
  const { botToken, apiUrl } = world.playground
  expect(await judgeViews(botToken, apiUrl, shown)).toEqual([
    { part: 'views', state: 'ok', says: expect.stringMatching(/^Slack accepts all \d{3} of them\.$/) },
  ])
})

it('names what Slack refuses, where, and that it is no fault of the operator’s', async () => {
  await using world = await startWorld()
  const { botToken, apiUrl } = world.playground
  const good = { type: 'section', text: { type: 'mrkdwn', text: 'Fine.' } }
  const bad = { type: 'section', text: { type: 'mrkdwn', text: '' } }
  const shown = [
    { of: '/hc list', kind: 'message', payload: { text: 'Fine.', blocks: [good] } },
    { of: '/hc show', kind: 'message', payload: { text: 'Odd.', blocks: [good, bad] } },
  ] as const
  const [finding, ...more] = await judgeViews(botToken, apiUrl, shown)
  expect(more).toEqual([])
  expect(finding).toMatchObject({
    state: 'fault',
    says: expect.stringMatching(/rejects the view for \/hc show: .+ \(at .*\/1\/text/),
    mend: expect.stringContaining('--bundle'),
  })
  await world.slack.faults({ method: 'blocks.validate', kind: 'error', error: 'unknown_method', times: 2 })
  expect(await judgeViews(botToken, apiUrl, shown)).toMatchObject([
    { state: 'skipped', says: expect.stringContaining('no blocks.validate') },
  ])
})

it('says how many more Slack refuses than it names', async () => {
  await using world = await startWorld()
  const { botToken, apiUrl } = world.playground
  const bad = (text: string) => ({ text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '' } }] })
  const shown = [...'abcdefghijklm'].map(
    (of) => ({ of, kind: 'message', payload: bad(`The view ${of}.`) }) as const,
  )
  const findings = await judgeViews(botToken, apiUrl, shown)
  expect(findings).toHaveLength(11)
  expect(findings.at(-1)).toMatchObject({ state: 'fault', says: 'Slack rejects 3 more.' })
})

it('names what Slack refuses before it looks nothing more through', async () => {
  await using world = await startWorld()
  const { botToken, apiUrl } = world.playground
  const bad = (of: string) => ({
    of,
    kind: 'message' as const,
    payload: { text: of, blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '' } }] },
  })
  const shown = ['one', 'two', 'three', 'four', 'five'].map(bad)
  const method = 'blocks.validate'
  await world.slack.faults(
    { method, kind: 'delay', ms: 0, times: 2 },
    { method, kind: 'error', error: 'fatal_error', times: 3 },
  )
  const findings = await judgeViews(botToken, apiUrl, shown)
  expect(findings).toMatchObject([
    { state: 'fault', says: expect.stringContaining('rejects the view for') },
    { state: 'fault' },
    { state: 'skipped', says: 'Slack didn’t check all of them (fatal_error).' },
  ])
})
