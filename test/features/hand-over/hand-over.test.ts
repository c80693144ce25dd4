import { type Driver, readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { formatCount } from '../../../src/domain/wording.ts'
import { handedOverView } from '../../../src/features/hand-over/views.ts'
import { ALL_CHECKS } from '../../../src/features/watching/rules/watch.ts'
import { quickOrLong } from '../../long.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { addOrder, waitForDirectMessage } from '../cert-orders/order-helpers.ts'
import { createThreatEvent } from '../threats/events.ts'
import { CHANNEL, startWatchedWorld } from '../watching/watched-world.ts'

const MEMBER = 'U0MEMBER01'
const ADMIN = 'U0ADMIN001'
/** How many items one person hands over at once. */
const MANY = quickOrLong('HANDED_OVER', { quick: 40, long: 1000 })
const FORMER_EMPLOYEE = 'U0LEFT0001'
const EVENT_ID = '7e57ed00-0000-4000-8000-00000000000a'
const MEMBER_TO_ADMIN = `${MEMBER} ${ADMIN}`

const startWithTwoChecks = () => startWatchedWorld({ checks: [{ name: 'web' }, { name: 'db' }] })

/** Makes the member the owner of one item of each kind. */
async function assignOneOfEachKind(world: World, channelId: string) {
  const { member } = world.slack
  await world.service.storeThreat(EVENT_ID, createThreatEvent('exa.mple'))
  await member.command('/threat', `take ${EVENT_ID}`, { until: 'This case is yours now' })
  await addOrder(world, member)
  const [web] = await world.service.checksNamed('web')
  await world.service.setStatus(web?.uuid ?? '', 'UNHEALTHY')
  await member.until('a card', ({ messages }) =>
    (messages[channelId] ?? []).some((message) => readText(message).includes('web')),
  )
  const card = (await member.messages(CHANNEL)).findLast((message) => readText(message).includes('web'))
  await member.click(card, 'I’m on it', { until: 'You’re on it' })
}

const previewHandOver = (who: Driver['member'], until: string, typed = MEMBER_TO_ADMIN) =>
  who.command('/hc', `handover ${typed}`, { until })

/** Adds a watch that this person owns. */
const addWatch = ({ app }: World, ownerId: string, index = 1) =>
  app.store.watching.watches.add({
    workspaceId: WORKSPACE,
    channelId: 'C0GENERAL1',
    environment: 'production',
    filter: { ...ALL_CHECKS, include: [{ field: 'name', pattern: `shop-${index}-*` }] },
    afterBadPolls: 1,
    notify: 'once',
    reminderHours: 0,
    ownerId,
    madeAt: new Date(),
  })

const listOwners = async ({ app }: World) =>
  (await app.store.watching.watches.list(WORKSPACE)).map(({ ownerId }) => ownerId)

const listAuditRows = async ({ app }: World) =>
  (await app.store.audit.search({ workspaceId: WORKSPACE, verb: '/hc handover', limit: 100 })).reverse()

describe('/hc handover', () => {
  it('previews everything that a person owns, and then transfers all of it', async () => {
    const { world: started, channelId } = await startWithTwoChecks()
    await using world = started
    await assignOneOfEachKind(world, channelId)
    const { admin, member } = world.slack
    const shown = await previewHandOver(admin, 'Hand over 4 items')
    expect(shown.text).toContain('Hand over 4 items from Member to Admin? Nothing has changed yet.')
    for (const kind of ['1 certificate order', '1 threat case', '1 outage', '1 watch'])
      expect(shown.text).toContain(kind)
    expect(await listAuditRows(world)).toEqual([])
    expect((await world.app.store.orders.find(WORKSPACE, 1))?.requesterId).toBe(MEMBER)

    await admin.click(shown.message, 'Hand over', { until: 'Handed over 4 items from Member to Admin.' })
    const { orders, threatCases, watching } = world.app.store
    expect((await orders.find(WORKSPACE, 1))?.requesterId).toBe(ADMIN)
    const event = { workspaceId: WORKSPACE, environment: 'production' as const, eventId: EVENT_ID }
    expect((await threatCases.find(event))?.holder?.userId).toBe(ADMIN)
    expect((await watching.watches.list(WORKSPACE)).map(({ ownerId }) => ownerId)).toEqual([ADMIN])
    expect(
      (await watching.acknowledgments.listAcknowledgedBy(WORKSPACE, ADMIN, 5)).map(
        ({ incident }) => incident.check.name,
      ),
    ).toEqual(['web'])
    // The former owner is notified, and the card names the new owner.
    await waitForDirectMessage(member, 'Admin handed over 4 items of yours to Admin')
    await member.until('the card names the new owner', ({ messages }) =>
      (messages[channelId] ?? []).some((message) => readText(message).includes('Admin')),
    )
    expect(
      (await listAuditRows(world)).filter(({ outcome }) => outcome === 'done').map(({ object }) => object),
    ).toEqual([
      expect.stringMatching(/^outages of U0MEMBER01/),
      expect.stringMatching(/^watch /),
      `threat event ${EVENT_ID}`,
      expect.stringMatching(/^order 1: /),
      `message to ${MEMBER}`,
    ])
    const { message: auditLog } = await admin.command('/hc', 'audit --verb handover --ungrouped')
    for (const sentence of [
      `handed over the outages of <@${MEMBER}> to <@${ADMIN}>`,
      `handed over the watch of `,
      `handed over order 1 for `,
      `sent a message to <@${MEMBER}> about handing over 1 outage, 1 watch, 1 threat case, and 1 certificate order`,
    ])
      expect(auditLog?.text).toContain(sentence)
    // A second press finds nothing left to transfer.
    expect(
      (await admin.click(shown.message, 'Hand over', { until: 'no longer has anything' })).text,
    ).toContain('Nothing was changed')
    expect((await previewHandOver(admin, 'doesn’t have anything')).text).toContain('to hand over')
  })

  it('notifies the former requester of an order about the handover, and the new requester about its outcome', async () => {
    await using world = await startWorld({ access: 'closed' })
    const { admin, member } = world.slack
    await addOrder(world, member)
    await waitForDirectMessage(member, 'Your order 1')
    const { message } = await previewHandOver(member, 'Hand over 1 item')
    await member.click(message, 'Hand over', { until: 'Handed over 1 item' })
    await waitForDirectMessage(member, 'Order 1 was handed over to Admin')
    await waitForDirectMessage(admin, 'Your order 1')
    await member.command('/cert-order', 'withdraw 1', { until: 'Only the requester can withdraw order 1' })
    await admin.command('/cert-order', 'approve 1', { until: 'were before it was handed over' })
    await admin.command('/cert-order', 'show 1', { until: 'Handed over to' })
    await admin.command('/cert-order', 'withdraw 1', { until: 'was withdrawn' })
  })

  it('transfers nothing if the app is uninstalled before the button is pressed', async () => {
    await using world = await startWorld()
    await addWatch(world, MEMBER)
    const { admin } = world.slack
    const { message } = await previewHandOver(admin, 'Hand over 1 item')
    await world.app.store.forgetWorkspace(WORKSPACE)
    await admin.click(message, 'Hand over', { until: ({ text }) => text !== '' }).catch(() => undefined)
    expect(await listOwners(world)).toEqual([])
  })

  it('transfers what a former employee owns', async () => {
    await using world = await startWorld()
    await addWatch(world, FORMER_EMPLOYEE)
    const { admin } = world.slack
    const { message } = await previewHandOver(
      admin,
      'Hand over 1 item',
      `${FORMER_EMPLOYEE} <@${MEMBER}|member>`,
    )
    await admin.click(message, 'Hand over', { until: 'Handed over 1 item' })
    expect(await listOwners(world)).toEqual([MEMBER])
    await waitForDirectMessage(world.slack.member, 'Admin handed over 1 item to you from Left the company')
  })

  it('lets members hand over what they own, and only admins what someone else owns', async () => {
    await using world = await startWorld({ access: 'closed' })
    await addWatch(world, MEMBER)
    const { admin, member } = world.slack
    await previewHandOver(member, 'Only an admin can hand over what someone else owns', `${ADMIN} ${MEMBER}`)
    expect((await listAuditRows(world)).map(({ object, outcome }) => `${object}: ${outcome}`)).toEqual([
      `what ${ADMIN} owns: refused`,
    ])
    await member.command('/hc', `handover-start ${ADMIN} ${MEMBER} --seen x`, { until: 'Only an admin' })
    const { message } = await previewHandOver(member, 'Hand over 1 item')
    await member.click(message, 'Hand over', { until: 'Handed over 1 item' })
    expect(await listOwners(world)).toEqual([ADMIN])
    await waitForDirectMessage(admin, 'Member handed over 1 item to you')
  })

  it('transfers nothing to someone who can’t own anything, and refuses other words', async () => {
    await using world = await startWorld()
    await addWatch(world, MEMBER)
    const { member } = world.slack
    for (const [to, reason] of [
      [MEMBER, 'the same person twice'],
      [FORMER_EMPLOYEE, 'has a deactivated account'],
      ['U0GUEST001', 'is a guest'],
      ['U0OTHERBOT', 'is an app'],
      ['U0FOREIGN1', 'belongs to another organization'],
      ['U0NOBODY99', 'no user with the ID'],
    ] as const) {
      await previewHandOver(member, reason, `${MEMBER} ${to}`)
      await member.command('/hc', `handover-start ${MEMBER} ${to} --seen x`, { until: reason })
    }
    const { text } = await member.command('/hc', `handover ${ADMIN} now`)
    expect(text).toContain('/hc handover doesn’t take “now”.')
    expect(await listOwners(world)).toEqual([MEMBER])
  })

  it('skips what the new owner isn’t allowed to own, and says why', async () => {
    await using world = await startWorld({ access: 'closed' })
    await addWatch(world, ADMIN)
    const { admin } = world.slack
    const shown = await previewHandOver(admin, 'can’t take over anything', `${ADMIN} ${MEMBER}`)
    expect(shown.text).toContain('Member doesn’t have the operator role.')
    expect(shown.text).not.toContain('handover-start')
    await world.app.store.grants.add(WORKSPACE, 'operator', { kind: 'user', id: MEMBER }, ADMIN, new Date())
    const { message } = await previewHandOver(admin, 'Hand over 1 item', `${ADMIN} ${MEMBER}`)
    // The role ends before the button is pressed.
    await world.app.store.grants.remove(WORKSPACE, 'operator', { kind: 'user', id: MEMBER })
    await admin.click(message, 'Hand over', { until: 'no longer has anything that Member can take over' })
    expect(await listOwners(world)).toEqual([ADMIN])
  })

  it('transfers nothing if what the person owns changes before the button is pressed', async () => {
    await using world = await startWorld()
    await addWatch(world, MEMBER)
    const { admin } = world.slack
    const { message } = await previewHandOver(admin, 'Hand over 1 item')
    await addWatch(world, MEMBER, 2)
    const refused = await admin.click(message, 'Hand over', { until: 'has changed since this preview' })
    expect(await listOwners(world)).toEqual([MEMBER, MEMBER])
    await admin.click(refused.message, 'Look again', { until: 'Hand over 2 items' })
  })

  it(`transfers ${MANY} items, lists them in a file, and audits each`, async () => {
    await using world = await startWorld()
    for (let index = 1; index <= MANY; index += 1) await addWatch(world, MEMBER, index)
    const { admin } = world.slack
    const { message } = await previewHandOver(admin, `Hand over ${formatCount(MANY)} items`)
    await admin.click(message, `All ${formatCount(MANY)} as a file`, { until: 'I sent you a DM with a file' })
    await admin.click(message, 'Hand over', { until: `Handed over ${formatCount(MANY)} items` })
    expect(new Set(await listOwners(world))).toEqual(new Set([ADMIN]))
    const { folds } = await world.app.store.audit.searchFolded({
      workspaceId: WORKSPACE,
      verb: '/hc handover',
      limit: 100,
    })
    expect(folds.map(({ rows, entry }) => `${rows} ${entry.outcome}`)).toEqual([`${MANY + 1} done`, '1 done'])
  })
})

it('names what wasn’t handed over, because the audit log may not', () => {
  const person = (name: string) => ({ userId: `U0${name}`, name, hasLeft: false })
  const item = (name: string) => ({ id: name, environment: 'production' as const, name })
  const people = { from: person('Lee'), to: person('Ada'), askedBy: 'U0Lee' }
  const watches = { singular: 'watch', plural: 'watches', items: [item('web-*')], remaining: [item('api-*')] }
  const { text } = handedOverView(people, [watches], [])
  expect(text).toContain('Handed over 1 of 2 items from Lee to Ada.')
  expect(text).toContain('couldn’t be changed right now:\n1 watch: api-*')
})
