import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GUESTS_CAN_VIEW } from '../../../src/bot/access/access.ts'
import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'
import { HOSTILE } from '../../features/threats/events.ts'
import { ID, startWorldWithThreat } from '../../features/threats/world.ts'
import { halfOf } from '../../long.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { captureStep, deliver, type StepEvent, waitForEnd } from './step-events.ts'

let world: World
beforeAll(async () => {
  world = await startWorldWithThreat(() => undefined, {
    features: ['workflows'],
    checks: [
      { name: 'web-1', status: 'UNHEALTHY', alerts: [['oncall@example.com']] },
      { name: 'web-2', status: 'HEALTHY' },
      { name: '--share', status: 'INSTALLING' },
    ],
  })
})
afterAll(() => world[Symbol.asyncDispose]())

const listAudited = async (verb: string, { app } = world): Promise<string[]> =>
  (await app.store.audit.search({ workspaceId: WORKSPACE, verb, limit: 200 })).map(
    ({ object = '', outcome, actor }) => `${actor.userId} ${object} ${outcome}`,
  )

const ORDER = { product: '101', duration: '1 year' }
const countCompletions = async (): Promise<number> =>
  (await world.slack.deliveries('functions.completeSuccess')).length

/** Starts a step as a member, changes the event that Slack sends, delivers it, and returns the result. */
async function runAlteredStep(
  change: (event: StepEvent) => void,
  step = 'check_status',
  inputs: Parameters<typeof captureStep>[2] = { check: 'web-1' },
) {
  const event = await captureStep(world, step, inputs)
  change(event)
  await deliver(world.app.url, event)
  return waitForEnd(world.slack, event)
}

describe('a step', () => {
  it('returns only its declared outputs, without email addresses', async () => {
    const run = await world.slack.member.runStep('check_status', { check: 'web-1' })
    expect(run.outputs).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'web-1',
      status: 'down',
      is_up: false,
      answer: 'web-1 is down',
    })
    const runById = await world.slack.member.runStep('check_status', { check: String(run.outputs.id) })
    expect(runById.outputs).toEqual(run.outputs)
  })

  it('shows no personal data from a threat event, and is audited once', async () => {
    const run = await world.slack.member.runStep('look_up_threat', { event: ID })
    expect(run.outputs).toEqual({ verdict: expect.stringContaining('HIGH') })
    expect(JSON.stringify(run.outputs)).not.toMatch(/Somebody|owner@|Example Organisation/)
    expect(await listAudited('/threat')).toEqual([
      expect.stringMatching(/^U0MEMBER01 .*, through a workflow done$/),
    ])
  })

  it('requests an order that people then approve or reject', async () => {
    const listOrdered = async () => (await listAudited('/cert-order')).filter((row) => row.endsWith(' done'))
    const before = (await listOrdered()).length
    const { pem: csr } = await makeCsr()
    const run = await world.slack.member.runStep('request_order', { ...ORDER, csr })
    const { order } = run.outputs
    expect(run.outputs).toEqual({
      order: expect.any(Number),
      outcome: 'waiting',
      answer: expect.stringContaining(`order ${order} is waiting for approval`),
    })
    const ordered = await listOrdered()
    expect(ordered).toHaveLength(before + 1)
    expect(ordered[0]).toBe('U0MEMBER01 order: create shop.example.com, through a workflow done')
    const secondRun = await world.slack.member.runStep('request_order', { ...ORDER, csr })
    expect(secondRun.error).toContain(`Order ${order}, for the same key, `)
  })

  it.each([
    ['check_status', { check: 'nope' }, 'No health check is named “nope”.'],
    ['check_status', { check: '  ' }, 'needs its “Health check”'],
    ['check_status', { check: 'web-1', environment: 'moon' }, 'production or ote'],
    ['wait_until_up', { check: 'web-1', minutes: 0 }, 'from 1 to 20160 minutes'],
    ['wait_until_up', { check: 'web-1', minutes: 'soon' }, 'from 1 to 20160 minutes'],
    ['await_decision', { order: 99 }, 'There is no order 99'],
    ['await_decision', { order: '1 --share' }, 'The order must be a number'],
    ['look_up_threat', { event: 'x' }, 'must be exactly one ID, without anything else'],
    ['look_up_threat', { event: `${ID} please` }, 'must be exactly one ID, without anything else'],
    ['look_up_threat', { event: `${ID},please` }, 'must be exactly one ID'],
    ['look_up_threat', { event: `https://portal.example/${ID}` }, 'must be exactly one ID'],
    ['look_up_threat', { event: `${ID},${ID}` }, 'must be exactly one ID'],
    ['look_up_threat', { event: `${ID} ${ID.replaceAll('-', '')}` }, 'must be exactly one ID'],
    ['request_order', { ...ORDER, csr: 'x' }, 'No certificate signing request was found.'],
    [
      'request_order',
      { ...ORDER, csr: '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n' },
      'private key',
    ],
  ])('explains why %s fails with %o, without an error reference', async (step, inputs, expected) => {
    const run = await world.slack.member.runStep(step, inputs)
    expect(run).toMatchObject({ status: 'failed', outputs: {} })
    expect(run.error).toContain(expected)
    expect(run.error).not.toMatch(/Reference|Nothing was changed/)
  })
})

describe('the person who starts a workflow', () => {
  it.each([
    ['a member', 'U0MEMBER01', undefined],
    ['a guest', 'U0GUEST001', 'isn’t open to guests'],
    ['a person of another organization', 'U0FOREIGN1', 'from another organization'],
    ['a person of another workspace', 'U0WSMEMBR1', 'from another organization'],
    ['a person with a deactivated account', 'U0LEFT0001', 'account is deactivated'],
    ['an app', 'U0OTHERBOT', 'to other apps'],
    ['a person that Slack doesn’t know', 'U0NOBODY99', 'from another organization'],
  ])(
    'gets the same answer as for a typed command, and refusals are audited once: %s',
    async (_, id, refusal) => {
      const run = await runAlteredStep(({ event }) => {
        event.inputs.person = { id, secret: 'of Slack' }
      })
      const rows = (await listAudited('/hc show')).filter((row) => row.startsWith(id))
      if (refusal === undefined) expect(run.outputs).toMatchObject({ status: 'down' })
      else expect(run.error).toContain(refusal)
      expect(rows).toEqual(refusal === undefined ? [] : [`${id} (through a workflow) refused`])
    },
  )

  it('can look things up as a guest if an admin allows it, but can’t order', async () => {
    await world.app.store.settings.set(WORKSPACE, GUESTS_CAN_VIEW, true)
    const looked = await world.slack.user('U0GUEST001').runStep('check_status', { check: 'web-1' })
    expect(looked.outputs).toMatchObject({ status: 'down' })
    const { pem: csr } = await makeCsr()
    const guest = await world.slack.user('U0GUEST001').runStep('request_order', { ...ORDER, csr })
    expect(guest.error).toContain('Guests can view but not change anything.')
    expect(await listAudited('/cert-order')).toContain('U0GUEST001 (through a workflow) refused')
    await world.app.store.settings.set(WORKSPACE, GUESTS_CAN_VIEW, false)
  })

  const PERSON = { id: 'U0ADMIN001', secret: 'of Slack' }
  it.each<[string, (inputs: Record<string, unknown>, parameters: { name: string; type: string }[]) => void]>([
    ['names nobody', (inputs) => void delete inputs.person],
    ['has a typed id', (inputs) => void Object.assign(inputs, { person: PERSON.id })],
    [
      'has an ID without Slack’s secret',
      (inputs) => void Object.assign(inputs, { person: { id: PERSON.id } }),
    ],
    ['has no id', (inputs) => void Object.assign(inputs, { person: { secret: 'x' } })],
    ['has a list', (inputs) => void Object.assign(inputs, { person: [PERSON] })],
    [
      'declares another type for it',
      (inputs, parameters) => {
        inputs.person = PERSON
        for (const one of parameters) if (one.name === 'person') one.type = 'slack#/types/user_id'
      },
    ],
    [
      'has a person in an input of its own',
      (inputs) => {
        delete inputs.person
        Object.assign(inputs, { user: PERSON, user_id: PERSON.id })
      },
    ],
  ])('is treated as unknown if the event %s', async (_, forge) => {
    const { pem: csr } = await makeCsr()
    const orders = (await listAudited('/cert-order')).length
    const run = await runAlteredStep(
      ({ event }) => forge(event.inputs, event.function.input_parameters),
      'request_order',
      { ...ORDER, csr },
    )
    expect(run).toMatchObject({ status: 'failed' })
    expect(run.error).toContain('Slack didn’t say who started this workflow, so nothing was done.')
    expect(await listAudited('/cert-order')).toHaveLength(orders)
  })
})

it('runs and completes a step once, even if Slack sends its event repeatedly with new signatures', async () => {
  const { pem: csr } = await makeCsr()
  const event = await captureStep(world, 'request_order', { ...ORDER, csr })
  const [orders, before] = [(await listAudited('/cert-order')).length, await countCompletions()]
  const statuses = await Promise.all(
    Array.from({ length: 50 }, (_, nth) =>
      deliver(
        world.app.url,
        { ...event, event_id: `${event.event_id}${nth % 10}` },
        new Date(Date.now() - nth * 1000),
      ),
    ),
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect((await waitForEnd(world.slack, event)).status).toBe('completed')
  await deliver(world.app.url, { ...event, event_id: 'EvAfterwards' })
  expect(await listAudited('/cert-order')).toHaveLength(orders + 1)
  expect(await countCompletions()).toBe(before + 1)
})

describe('an input of a step', () => {
  it.each([
    ...halfOf(HOSTILE),
    ...['web-1 --share', '" --share "', '\\" --share', '\u201d --share \u201c', 'web-1\n--share'],
    ...[
      'list',
      'delete',
      'queue',
      'find shop',
      'help',
      'case',
      'memory',
      '/hc delete web-1',
      'x'.repeat(9000),
    ],
  ])('can be any text: %j', async (hostile) => {
    const [logStart, rows] = [world.log.length, (await listAudited('/hc show')).length]
    for (const run of [
      await world.slack.member.runStep('check_status', { check: hostile }),
      await world.slack.member.runStep('look_up_threat', { event: hostile }),
    ]) {
      expect(run).toMatchObject({ status: 'failed', outputs: {} })
      expect(run.error).not.toContain('Reference')
    }
    const verbs = world.log.slice(logStart).flatMap((line) => /"verb":"(\/[^"]+)"/.exec(line)?.[1] ?? [])
    expect(verbs.filter((verb) => !['/hc', '/hc show', '/threat'].includes(verb))).toEqual([])
    expect(await listAudited('/hc show')).toHaveLength(rows)
    expect((await world.service.requests()).filter(({ method }) => method !== 'GET')).toEqual([])
  })

  // A check is found by its name as people see it, whatever their keyboard makes of its dashes.
  it.each(['--share', '-\u2013share', '\u2014share'])('is never parsed as a flag: %s', async (check) => {
    const posts = (await world.slack.deliveries('chat.postMessage')).length
    const run = await world.slack.member.runStep('check_status', { check })
    expect(run.outputs).toMatchObject({ name: '--share', status: 'installing' })
    expect(await world.slack.deliveries('chat.postMessage')).toHaveLength(posts)
  })
})

describe('the outcome of a step', () => {
  it('is resent until Slack accepts it', async () => {
    await using failing = await startWorld({
      features: ['workflows'],
      checks: [{ name: 'web' }],
      workTimes: { pollMs: 50, retryMs: 50 },
    })
    for (const fault of [
      { kind: 'drop-reply' },
      { kind: 'status', status: 503, times: 2 },
      { kind: 'error', error: 'ratelimited' },
      { kind: 'error', error: 'internal_error' },
    ] as const) {
      await failing.slack.faults({ method: 'functions.completeSuccess', ...fault })
      const run = await failing.slack.member.runStep('check_status', { check: 'web' }, { waitMs: 30_000 })
      expect(run, JSON.stringify(fault)).toMatchObject({ status: 'completed', error: null })
    }
  })

  it('turns into an error with a reference if Slack rejects the outputs', async () => {
    await world.slack.faults({
      ...{ method: 'functions.completeSuccess', kind: 'error', error: 'parameter_validation_failed' },
    })
    const run = await world.slack.member.runStep('check_status', { check: 'web-2' })
    expect(run.error).toMatch(/Slack rejected its outputs\. Reference: \w{10}$/)
  })
})

describe('a deployment without workflow steps', () => {
  it.each([
    ['workflows', 'check_status', { check: 'web' }, { SLACK_WITH_FEATURES: '' }],
    ['threat', 'look_up_threat', { event: ID }, { SLACK_WITHOUT_FEATURES: 'threat' }],
    ['cert-order', 'await_decision', { order: 1 }, { SLACK_WITHOUT_FEATURES: 'cert-order' }],
  ])('says that %s is turned off when Slack runs %s', async (_, step, inputs, environment) => {
    await using without = await startWorld({ features: ['workflows'], environment })
    const run = await without.slack.member.runStep(step, inputs)
    expect(run.error).toContain('doesn’t have this step')
  })
})
