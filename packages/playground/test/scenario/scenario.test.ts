import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Handler, startWorld } from '../app.ts'
import { modalWithInput } from '../validation/refused-views.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'scenarios-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))

function writeScenario(text: string): string {
  const path = join(FOLDER, 'scenario.yml')
  writeFileSync(path, text)
  return path
}

const SCENARIO = `
clock: 2030-01-02T08:00:00Z
people:
  - { name: ann, realName: Ann Example, role: admin }
channels:
  - { name: incidents, topic: What is down, members: [ann, member, bot] }
history:
  - { channel: incidents, user: ann, text: The *api* is down }
  - { channel: incidents, user: bot, text: I know }
faults:
  - { method: chat.postMessage, kind: error, error: internal_error }
`

describe('a scenario', () => {
  it('sets the initial people, channels, messages, faults, and time', async () => {
    await using world = await startWorld(undefined, { scenarioPath: writeScenario(SCENARIO) })
    const { people, channels, messages } = await world.slack.member.state()
    const ann = people.find(({ name }) => name === 'ann')
    const incidents = channels.find(({ name }) => name === 'incidents')
    expect(ann).toMatchObject({ realName: 'Ann Example', role: 'admin', email: 'ann@example.com' })
    expect(incidents).toMatchObject({ topic: 'What is down', members: [ann?.id, 'U0MEMBER01', 'U0PLAYGBOT'] })
    // The time of the scenario's clock is 1893571200 in seconds.
    expect(messages[incidents?.id ?? '']).toMatchObject([
      { user: ann?.id, text: 'The *api* is down', ts: expect.stringMatching(/^18935\d+\./) },
      { app: true, text: 'I know' },
    ])
    expect(await world.api('chat.postMessage', { channel: 'C0GENERAL1', text: 'x' })).toMatchObject({
      error: 'internal_error',
    })
    expect((await world.slack.user(ann?.id ?? '').state()).me.name).toBe('ann')
  })

  it('can be loaded while the playground is running, and its clock can be advanced', async () => {
    await using world = await startWorld()
    await world.slack.load(SCENARIO)
    await world.slack.clock({ advanceMs: 3_600_000 })
    await world.slack.member.say('later')
    const last = (await world.slack.member.messages()).at(-1)
    expect(new Date(Number(last?.ts) * 1000).toISOString()).toMatch(/^2030-01-02T09:00/)
  })

  it.each<[problem: string, text: string, message: string]>([
    ['an unknown field', 'persons: []', 'Unrecognized key: "persons"'],
    ['an invalid handle', 'people: [{ name: Ann }]', 'scenario.yml:1:18 people[0].name: must be a handle'],
    ['an invalid time', 'clock: yesterday', 'clock: Invalid ISO datetime'],
    ['an invalid fault', 'faults: [{ method: x, kind: nope }]', 'faults[0].kind: Invalid option'],
    ['an invalid step', 'steps: [{ do: fly }]', 'steps[0].do: Invalid'],
    ['an unknown person', 'channels: [{ name: a, members: [nobody] }]', 'names "nobody"'],
    ['an unknown channel', 'history: [{ channel: nope, user: member, text: x }]', 'names #nope'],
  ])('is rejected with %s', async (_problem, text, message) => {
    await expect(startWorld(undefined, { scenarioPath: writeScenario(text) })).rejects.toThrow(message)
  })
})

const button = (id: string) => ({ type: 'button', action_id: id, text: { type: 'plain_text', text: id } })
const card = (text: string) => ({
  json: { text, blocks: [{ type: 'actions', elements: [button('open'), button('other')] }] },
})

/** Creates the handler of an app with a command, and with a button that opens a form. */
const createHandler: (open: (trigger: string) => void) => Handler =
  (open) =>
  ({ body }) => {
    if (body.command) return card(String(body.text))
    if (body.type === 'block_actions') open(String(body.trigger_id))
    return {}
  }

const form = modalWithInput({ type: 'plain_text_input', action_id: 'reason' })

async function startFormWorld() {
  const world = await startWorld()
  world.setHandler(
    createHandler(
      (trigger_id) => void world.api('views.open', { trigger_id, view: JSON.parse(JSON.stringify(form)) }),
    ),
  )
  return world
}

describe('a recording', () => {
  it('contains people’s actions, and can be replayed in another playground', async () => {
    await using first = await startFormWorld()
    const { member } = first.slack
    await first.slack.record()
    const firstAnswer = await member.command('/hc', 'one')
    await member.command('/hc', 'two')
    await member.click(firstAnswer.message, 'open', { until: ({ view }) => view !== undefined })
    await member.submit({ reason: 'because' }, { until: ({ closed }) => closed })
    await member.say('done')
    const recorded = await first.slack.recording()
    const user = 'member'
    expect(recorded.steps).toEqual([
      { do: 'command', user, channel: 'general', command: '/hc', text: 'one' },
      { do: 'command', user, channel: 'general', command: '/hc', text: 'two' },
      { do: 'act', user, on: { channel: 'general', back: 1 }, action: 'open' },
      { do: 'submit', user, values: { reason: 'because' } },
      { do: 'say', user, channel: 'general', text: 'done' },
    ])

    await using second = await startFormWorld()
    await second.slack.load({ ...recorded, steps: [] })
    const replayed = await second.slack.replay(recorded.steps ?? [])
    expect(replayed.map(({ outcome }) => outcome.ok)).toEqual(replayed.map(() => true))
    const sentKinds = async ({ slack }: typeof first) =>
      (await slack.deliveries()).filter(({ direction }) => direction === 'to-app').map(({ kind }) => kind)
    expect(await sentKinds(second)).toEqual(await sentKinds(first))
    expect((await second.slack.deliveries('view_submission'))[0]?.request.body).toMatchObject({
      view: { state: { values: expect.anything() } },
    })
  })

  it('leaves out faults and loaded scenarios, which aren’t people’s actions', async () => {
    await using world = await startFormWorld()
    await world.slack.record()
    await world.slack.faults({ method: 'chat.postMessage', kind: 'error', error: 'fatal_error' })
    await world.slack.load('people: []')
    expect((await world.slack.recording()).steps).toEqual([])
  })

  it('leaves out rejected actions, and names the step that can’t be replayed', async () => {
    await using world = await startFormWorld()
    await world.slack.record()
    await expect(world.slack.member.shortcut('nope')).rejects.toThrow('no global shortcut')
    expect((await world.slack.recording()).steps).toEqual([])
    await expect(
      world.slack.replay([{ do: 'command', user: 'nobody', channel: 'general', command: '/hc', text: '' }]),
    ).rejects.toThrow('Step 1 (command): The scenario names "nobody"')
  })
})
