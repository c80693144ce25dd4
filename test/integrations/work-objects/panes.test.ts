import { createHmac } from 'node:crypto'
import { readText, type User } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { ALLOWED_SHARED_CHANNELS } from '../../../src/bot/posts/may-post.ts'
import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'
import {
  APPROVALS_CHANNEL,
  listPlacedOrders,
  modalShows,
  requestOrder,
  startOrders,
  waitForDirectMessage,
} from '../../features/cert-orders/order-helpers.ts'
import { ID, startWorldWithThreat } from '../../features/threats/world.ts'
import { SIGNING_SECRET, startWorld, WORKSPACE, type World } from '../../world.ts'

type Pane = Awaited<ReturnType<User['openEntity']>>

const GUEST = 'U0GUEST001'
const PARTNER = 'C0PARTNER1'

/** Waits until the card of the object is in the channel, and returns it. */
async function waitForCard(world: World, ref: string, channel = APPROVALS_CHANNEL) {
  const { member } = world.slack
  const named = JSON.stringify(ref)
  const isCard = (message: { entities?: unknown }): boolean =>
    JSON.stringify(message.entities ?? '').includes(named)
  const { messages } = await member.until(`a card of ${ref}`, (now) =>
    (now.messages[channel] ?? []).some(isCard),
  )
  const card = messages[channel]?.find(isCard)
  if (!card) throw new Error(`There is no card of ${ref}.`)
  return card
}

const readFields = (pane: Pane): Map<string, unknown> => {
  const { fields, custom_fields } = JSON.parse(JSON.stringify(pane.metadata)).entity_payload
  const custom = custom_fields as { label: string; value: unknown }[]
  return new Map([
    ['status', fields.status.value],
    ...custom.map((field) => [field.label, field.value] as const),
  ])
}
const listButtons = (pane: Pane): string[] =>
  JSON.parse(JSON.stringify(pane.metadata)).entity_payload.actions.primary_actions.map(
    ({ text }: { text: string }) => text,
  )
const toText = (pane: Pane): string => JSON.stringify(pane)
const searchAudit = ({ app }: World) => app.store.audit.search({ workspaceId: WORKSPACE, limit: 100 })

async function startWorldWithOrder(options: Parameters<typeof startOrders>[1] = {}) {
  const world = await startOrders(
    { channelId: APPROVALS_CHANNEL },
    { features: ['work-objects'], guests: 'can-view', ...options },
  )
  await requestOrder(world.slack.member, await makeCsr())
  return { world, card: await waitForCard(world, 'order:production:1') }
}

async function startWorldWithCase(now = () => new Date()) {
  const world = await startWorldWithThreat(() => undefined, {
    features: ['work-objects'],
    guests: 'can-view',
    now,
    workTimes: { pollMs: 50 },
  })
  await world.slack.member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
  return { world, card: await waitForCard(world, `threat:production:${ID}`) }
}

describe('the pane of an order', () => {
  it('shows approvers the order, although the card’s data doesn’t include it', async () => {
    const { world, card } = await startWorldWithOrder()
    await using _ = world
    expect(card.entities).toEqual([
      {
        entity_type: 'slack#/entities/task',
        external_ref: { id: 'order:production:1', type: 'order' },
        url: 'https://signalman.invalid/order/production/1',
        entity_payload: {
          attributes: {
            title: { text: 'Certificate order 1' },
            display_type: 'Certificate order',
            display_id: '1',
            product_name: 'Signalman',
          },
        },
      },
    ])
    const pane = await world.slack.admin.openEntity(card)
    const fields = readFields(pane)
    expect(fields.get('status')).toBe('Approve order 1?')
    expect(fields.get('Subject')).toBe('CN=shop.example.com, O=Example')
    expect(fields.get('Decide by')).toBeTypeOf('number')
    expect(listButtons(pane)).toEqual(['Review and approve', 'Reject'])
    // Opening a pane changes and stores nothing.
    expect((await searchAudit(world)).filter(({ object }) => object?.includes('work object'))).toEqual([])
  })

  it('opens the same approval modal as the card, and audits the approval as “through a work object”', async () => {
    const { world, card } = await startWorldWithOrder()
    await using _ = world
    const { admin, member } = world.slack
    await admin.openEntity(card)
    const modal = await admin.pressEntity(card, 'Review and approve', {
      inPane: true,
      until: ({ view }) => Boolean(view?.view.submit),
    })
    expect(readText(modal.view)).toContain('If you approve, it’s sent once, exactly as shown.')
    await admin.submit({}, { until: modalShows('was received') })
    await waitForDirectMessage(member, 'Your order 1 was received')
    expect(await listPlacedOrders(world)).toHaveLength(1)
    const rows = await searchAudit(world)
    expect(rows.filter(({ verb }) => verb === '/cert-order approve')).toMatchObject([
      {
        object: 'order 1: create shop.example.com, through a work object',
        actor: { userId: admin.id },
        outcome: 'done',
      },
    ])
    // The card was edited, but it's still about the same object, so the pane shows the current state.
    const edited = await waitForCard(world, 'order:production:1')
    expect(edited.ts).toBe(card.ts)
    const pane = await admin.openEntity(edited)
    expect(readFields(pane).get('status')).toBe('📨 Order 1 was received')
    expect(listButtons(pane)).not.toContain('Review and approve')
  })

  it('refuses a decision without the role, even if the role was removed after the pane opened', async () => {
    const { world, card } = await startWorldWithOrder()
    await using _ = world
    const { grants } = world.app.store
    const { admin, member } = world.slack
    expect(listButtons(await admin.openEntity(card))).toContain('Reject')
    await admin.updateAccount({ role: 'member' })
    for (const { role, subject } of await grants.list(WORKSPACE))
      await grants.remove(WORKSPACE, role, subject)
    const refused = await admin.pressEntity(card, 'Reject', {
      inPane: true,
      until: modalShows('needs the approver role'),
    })
    expect(readText(refused.view)).toContain('This needs the approver role')
    expect((await searchAudit(world))[0]).toMatchObject({
      verb: '/cert-order reject',
      object: '(through a work object)',
      outcome: 'refused',
    })
    const pane = await member.openEntity(card)
    expect(readFields(pane).has('Certificate request of order 1')).toBe(false)
    expect(listButtons(pane)).not.toContain('Review and approve')
  })
})

describe('the pane of a threat event', () => {
  it('shows who took the case, hides the WHOIS record, and writes one audit entry', async () => {
    const { world, card } = await startWorldWithCase()
    await using _ = world
    const { admin } = world.slack
    const before = (await searchAudit(world)).length
    const pane = await admin.openEntity(card)
    const fields = readFields(pane)
    expect(fields.get('status')).toContain('Taken by Member')
    expect(toText(pane)).not.toMatch(/Somebody|owner\[@\]/)
    expect(toText(pane)).toContain('C0GENERAL1')
    expect(listButtons(pane)).toEqual(['Take over', 'Takedown sent'])
    const rows = await searchAudit(world)
    expect(rows).toHaveLength(before + 1)
    expect(rows[0]).toMatchObject({
      verb: '/threat',
      object: `threat event ${ID}, through a work object`,
      actor: { userId: admin.id },
      outcome: 'done',
    })
    await admin.pressEntity(card, 'Takedown sent', {
      inPane: true,
      until: modalShows('Recorded that the takedown request was sent.'),
    })
    expect((await searchAudit(world)).filter(({ verb }) => verb === '/threat takedown-sent')).toMatchObject([
      { object: `threat event ${ID}, through a work object`, outcome: 'done' },
    ])
    await expect
      .poll(async () => readFields(await admin.openEntity(card)).get('status'))
      .toContain('Takedown sent by Admin')
  })

  it('audits a button of an answer as “through a work object”, where Slack names no channel', async () => {
    const { world, card } = await startWorldWithCase()
    await using _ = world
    const { admin } = world.slack
    await admin.openEntity(card, undefined, { outside: true })
    const answer = await admin.pressEntity(card, 'Takedown sent', {
      inPane: true,
      until: modalShows('Recorded that the takedown request was sent.'),
    })
    await admin.click(answer.view, 'Take over', { until: modalShows('Admin') })
    const taken = (await searchAudit(world)).find(({ verb }) => verb === '/threat take')
    expect(taken).toMatchObject({
      object: `threat event ${ID}, through a work object`,
      actor: { userId: admin.id },
      outcome: 'done',
    })
  })

  it('shows a guest the card without personal data', async () => {
    const { world, card } = await startWorldWithCase()
    await using _ = world
    const pane = await world.slack.user(GUEST).openEntity(card)
    expect(readFields(pane).get('status')).toBe('exa[.]mple')
    expect(toText(pane)).toContain('HIGH')
    expect(toText(pane)).not.toMatch(/Somebody|owner\[@\]|Taken by|WHOIS record/)
    expect(listButtons(pane)).toEqual(['Details', 'Copy values'])
  })

  it('opens once for repeated deliveries, and acts once on repeated clicks', async () => {
    const { world, card } = await startWorldWithCase()
    await using _ = world
    const { slack } = world
    await slack.admin.openEntity(card)
    const delivery = (await slack.deliveries()).find(({ request }) =>
      JSON.stringify(request.body).includes('entity_details_requested'),
    )
    expect(delivery).toBeDefined()
    const statuses = await slack.redeliver(delivery?.id ?? '', 50)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await slack.deliveries('entity.presentDetails')).toHaveLength(1)
    await slack.admin.pressEntity(card, 'Takedown sent', { inPane: true, until: modalShows('was sent') })
    const [pressed] = (await slack.deliveries('block_actions')).slice(-1)
    await slack.redeliver(pressed?.id ?? '', 50)
    const rows = await searchAudit(world)
    expect(rows.filter(({ verb }) => verb === '/threat').map(({ object }) => object)).toContain(
      `threat event ${ID}, through a work object`,
    )
    expect(rows.filter(({ verb }) => verb === '/threat takedown-sent')).toHaveLength(1)
  })

  it('says that the service isn’t responding, and still shows what is known', async () => {
    let aheadMs = 0
    const { world, card } = await startWorldWithCase(() => new Date(Date.now() + aheadMs))
    await using _ = world
    // The app's cache has expired by then, so the app has to ask the service again.
    aheadMs = 60_000
    await world.service.faults({ method: 'GET', path: '/cti/v2/events', kind: 'status', status: 500 })
    const pane = await world.slack.admin.openEntity(card)
    expect(readFields(pane).get('status')).toContain('Taken by Member')
    expect(toText(pane)).toContain('The service is unreachable or failing.')
    const guestPane = await world.slack.user(GUEST).openEntity(card)
    expect(guestPane).toMatchObject({
      metadata: null,
      error: { status: 'custom', custom_title: `Threat event ${ID}` },
    })
  })
})

const CALLS = 'entity.presentDetails'

/** Sends an event in Slack's format, with a valid signature unless `isSigned` is false. */
function sendEvent(world: World, event: object, teamId = WORKSPACE, isSigned = true): Promise<Response> {
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: teamId,
    event_id: `Ev${createHmac('sha256', 'id').update(JSON.stringify(event)).digest('hex').slice(0, 10)}`,
    authorizations: [{ team_id: teamId, user_id: 'U0PLAYGBOT', is_enterprise_install: false }],
    event: { type: 'entity_details_requested', trigger_id: '1.2.3', event_ts: '1.000001', ...event },
  })
  const at = String(Math.floor(Date.now() / 1000))
  const secret = isSigned ? SIGNING_SECRET : 'forged'
  const digest = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': at,
    'x-slack-signature': `v0=${digest}`,
  }
  return fetch(new URL('/slack/events', world.app.url), { method: 'POST', body, headers })
}

it('shows nothing to a person of another organization or with a deactivated account, and audits that once', async () => {
  await using world = await startWorldWithThreat(() => undefined, {
    features: ['work-objects'],
    workTimes: { pollMs: 50 },
  })
  await world.app.store.settings.set(WORKSPACE, ALLOWED_SHARED_CHANNELS, [PARTNER])
  const { member } = world.slack
  const listRefused = async (userId: string) =>
    (await searchAudit(world)).filter(({ actor }) => actor.userId === userId)
  const refused = { verb: '/threat', object: '(through a work object)', outcome: 'refused' }

  await member.command('/threat', `${ID} --share --yes`, { channel: PARTNER, until: () => true })
  const card = await waitForCard(world, `threat:production:${ID}`, PARTNER)
  const pane = await world.slack.user('U0FOREIGN1').openEntity(card)
  expect(pane).toMatchObject({ metadata: null, error: { status: 'restricted' } })
  expect(toText(pane)).not.toMatch(/exa\[|Somebody|HIGH|Signalman/)
  expect(await listRefused('U0FOREIGN1')).toMatchObject([refused])

  // Slack doesn't let deactivated people open anything, but its event about an earlier click can be late.
  await sendEvent(world, { user: 'U0LEFT0001', external_ref: { id: `threat:production:${ID}` } })
  const listCalls = async () => (await world.slack.deliveries(CALLS)).map(({ request }) => request.body)
  await expect
    .poll(async () => (await listCalls()).at(-1))
    .toEqual({ trigger_id: '1.2.3', error: { status: 'restricted' } })
  await expect.poll(() => listRefused('U0LEFT0001')).toMatchObject([refused])
})

it.each([
  ['work objects are off', {}],
  ['the installed app isn’t allowed to send them', { environment: { SLACK_WITH_FEATURES: 'work-objects' } }],
])('posts the card without a work object if %s', async (_, options) => {
  await using world = await startWorldWithThreat(() => undefined, options)
  const { member } = world.slack
  await member.command('/threat', `${ID} --share --yes`, { until: () => true })
  const { messages } = await member.until('the shared card', (now) =>
    (now.messages[APPROVALS_CHANNEL] ?? []).some(
      ({ app, ephemeral, text }) => app && !ephemeral && /exa\[/.test(text),
    ),
  )
  const card = messages[APPROVALS_CHANNEL]?.find(({ app, ephemeral }) => app && !ephemeral)
  expect(card?.blocks.length).toBeGreaterThan(1)
  expect(card?.entities).toBeUndefined()
})

it('ignores events without a person, from another workspace, or about an unknown object', async () => {
  await using world = await startWorld({ features: ['work-objects'] })
  const { slack } = world
  const user = slack.member.id
  const withRef = (id: unknown) => ({ external_ref: { id } })
  expect((await sendEvent(world, { user, ...withRef('order:production:1') }, WORKSPACE, false)).status).toBe(
    401,
  )
  const events: [object, string?][] = [
    [withRef('order:production:1')],
    [{ user: '', ...withRef('order:production:1') }],
    [{ user, ...withRef('order:production:1') }, 'T0NOTHERE1'],
    [{ user }],
    ...[
      '',
      'order',
      'order:production',
      'order:production:1:2',
      'order:staging:1',
      'order:production:1 --share',
      'threat:production:x\n/hc delete web',
      '__proto__:production:1',
      'constructor:ote:1',
      `order:production:${'9'.repeat(100_000)}`,
      7,
      {},
      null,
    ].map((id): [object] => [{ user, ...withRef(id) }]),
  ]
  for (const [event, teamId] of events) {
    const { status } = await sendEvent(world, event, teamId)
    expect(status, JSON.stringify(event).slice(0, 100)).toBe(200)
  }
  // When this command is answered, all earlier events have been handled, and no more calls for them can arrive.
  await slack.member.command('/hc', 'help')
  const calls = (await slack.deliveries(CALLS)).map(({ request }) => request.body)
  expect(calls).toEqual([{ trigger_id: '1.2.3', error: { status: 'restricted' } }])
  expect(await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 5 })).toEqual([])
  expect(world.log.filter((line) => /"level":(?:50|60)/.test(line))).toEqual([])
})
