import type { Message } from '@signalman/playground'
import { describe, expect, it } from 'vitest'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const startClosedWorld = () => startWorld({ access: 'closed', checks: [{ name: 'web' }] })

const findAuditRows = async (world: World, verb: string) =>
  (await world.app.store.audit.search({ workspaceId: WORKSPACE, verb, limit: 50 })).filter(
    (row) => row.verb === verb,
  )

const giveRole = (world: World, userId: string, role: 'operator' | 'approver' | 'admin') =>
  world.app.store.grants.add(WORKSPACE, role, { kind: 'user', id: userId }, 'U0ADMIN001', new Date())

/** The app's direct messages to a person, oldest first. */
const listDms = (world: World, who: 'member' | 'admin'): Promise<Message[]> => world.slack[who].messages('dm')

/** Requests a role with the button of a refusal. Returns what the person sees. */
async function requestRole(world: World) {
  const refused = await world.slack.member.command('/hc', 'create')
  return world.slack.member.click(refused.message, 'Request access')
}

const waitForQuestion = async (world: World): Promise<Message> => {
  const { messages } = await world.slack.admin.until('the question', ({ messages }) =>
    JSON.stringify(messages).includes('asks for the operator role'),
  )
  const question = Object.values(messages)
    .flat()
    .find(({ text }) => text.includes('asks for the operator role'))
  if (!question) throw new Error('The question is missing.')
  return question
}

describe('a request for access', () => {
  it('reaches an admin, whose approval grants the role and notifies the person', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    const requested = await requestRole(world)
    expect(requested.message?.text).toContain(`I sent your request for the operator role to <@${admin.id}>.`)
    const decided = await admin.click(await waitForQuestion(world), 'Approve', { until: 'Approved by' })
    expect(decided.message?.text).toContain('They got the role. Signalman sent them a DM.')
    await member.until('the answer', ({ messages }) =>
      JSON.stringify(messages).includes('gave you the operator role'),
    )
    expect((await listDms(world, 'member')).at(-1)?.text).toContain(
      `<@${admin.id}> gave you the operator role. You can now change health checks, their alerts and watches, and threat cases.`,
    )
    expect((await member.command('/hc', 'create')).text).toContain('New health check')
    expect((await listDms(world, 'admin')).map(({ text }) => text)).toEqual([
      expect.stringContaining('Approved by'),
    ])
    expect(await findAuditRows(world, '/hc access-request')).toMatchObject([
      { object: `role operator of ${member.id}`, outcome: 'done' },
    ])
    expect(await findAuditRows(world, '/hc access-grant')).toMatchObject([
      { object: `role operator of ${member.id}`, actor: { userId: admin.id }, outcome: 'done' },
    ])
  })

  it('doesn’t grant the role if an admin declines it, and notifies the requester', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    await requestRole(world)
    await admin.click(await waitForQuestion(world), 'Decline', { until: 'Declined by' })
    await member.until('the answer', ({ messages }) =>
      JSON.stringify(messages).includes('declined your request'),
    )
    expect(await world.app.store.grants.list(WORKSPACE)).toEqual([])
    expect(await findAuditRows(world, '/hc access-decline')).toHaveLength(1)
  })

  it('can be decided only once, and admins who click later see who decided', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    await giveRole(world, admin.id, 'admin')
    await requestRole(world)
    const question = await waitForQuestion(world)
    const clicked = await admin.click(question, 'Decline', { until: 'Declined by' })
    await world.slack.redeliver(clicked.outcome.deliveryId ?? '', 20)
    const lateDecision = await admin.command('/hc', `access-grant ${await findRequestId(world)}`)
    expect(lateDecision.message?.text).toContain(`Declined by <@${admin.id}>`)
    expect(await world.app.store.grants.find(WORKSPACE, member.id)).toEqual([])
    expect(await findAuditRows(world, '/hc access-decline')).toHaveLength(1)
    expect(await findAuditRows(world, '/hc access-grant')).toEqual([])
  })

  it('can be decided only by admins', async () => {
    await using world = await startClosedWorld()
    await requestRole(world)
    const refused = await world.slack.member.command('/hc', `access-grant ${await findRequestId(world)}`)
    expect(refused.text).toContain('This needs the admin role')
    expect(await world.app.store.grants.list(WORKSPACE)).toEqual([])
  })

  it('isn’t sent again while an admin still has to decide', async () => {
    await using world = await startClosedWorld()
    await requestRole(world)
    expect((await requestRole(world)).text).toContain('No one has decided yet')
    expect(await listDms(world, 'admin')).toHaveLength(1)
  })

  it('isn’t stored if no admin can be notified', async () => {
    await using world = await startClosedWorld()
    await world.slack.faults({ method: 'chat.postMessage', kind: 'error', error: 'channel_not_found' })
    expect((await requestRole(world)).text).toContain('Slack didn’t confirm a message to any admin')
    await world.slack.faults()
    expect((await requestRole(world)).text).toContain('I sent your request')
    expect((await findAuditRows(world, '/hc access-request')).map(({ outcome }) => outcome)).toEqual([
      'done',
      'failed',
    ])
  })

  it('is also listed in /hc access, and can be decided there', async () => {
    await using world = await startClosedWorld()
    const { admin } = world.slack
    await requestRole(world)
    const { message } = await admin.command('/hc', 'access')
    expect(message?.text).toContain('asks for the operator role')
    await admin.choose(message, 'Decide…', 'Approve operator for Member', {
      until: 'They got the role',
    })
    expect(await world.app.store.grants.list(WORKSPACE)).toHaveLength(1)
  })
})

async function findRequestId(world: World): Promise<string> {
  const [row] = await findAuditRows(world, '/hc access-request')
  const after = row?.after
  if (!after || typeof after !== 'object' || !('request' in after)) throw new Error('There is no request.')
  return String(after.request)
}
