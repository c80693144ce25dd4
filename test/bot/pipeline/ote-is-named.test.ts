import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'
import {
  approveOrder,
  createFormAnswers,
  requestOrder,
  showMore,
} from '../../features/cert-orders/order-helpers.ts'
import { startWorld } from '../../world.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'

it('names OTE in every answer and window about something there', async () => {
  await using world = await startWorld()
  const { member, admin } = world.slack
  // Only these lines are about OTE, so that their buttons and windows have to remember it.
  const summary = await member.command('/hc', '--env ote')
  expect(summary.text).toContain('There are no health checks (OTE)')
  const form = await member.click(summary.message, 'Create', { until: 'New health check' })
  expect(form.text).toContain('OTE')
  const changed = await member.choose(form.view, 'Protocol', 'TCP', {
    until: ({ view }) => view !== undefined && !JSON.stringify(view).includes('verifySsl'),
  })
  expect(changed.text).toContain('OTE test environment')
  const check = { Name: 'web', Target: 'www.example.com', Port: '22', 'Customer ID': '1' }
  await member.submit(check, { until: 'Created 1 health check.' })
  await member.close({ all: true })
  const alerts = await member.command('/hc', 'alerts web --env ote')
  for (const text of [alerts.text, alerts.message?.text])
    expect(text).toContain('No one gets an email when the status of web changes (OTE)')
  expect((await member.click(alerts.message, 'Add alert')).text).toContain('“web” (OTE)')
  const added = await member.submit(
    { 'Email addresses': 'ann@example.com' },
    { until: 'Changed 1 health check.' },
  )
  expect(added.text).toContain('emails ann@example.com (OTE).')
  expect((await member.click(added.view, 'Show it')).text).toContain('ann@example.com')
  await member.close({ all: true })
  await member.command('/cert-order', '--env ote', UNTIL_FORM)
  const more = await showMore(member, await member.view())
  const renewing = await member.choose(more.view, 'Action', 'renew', { until: 'Certificate ID' })
  expect(renewing.text).toContain('OTE test environment')
  const { Product: _, ...answers } = createFormAnswers(makeCsr())
  const isRequested = ({ view }: { view?: Parameters<typeof readText>[0] }) =>
    /order 1 \(OTE\) is waiting for approval/.test(readText(view))
  await member.submit({ ...answers, 'Certificate ID': '900' }, { until: isRequested })
  await member.close({ all: true })

  // What is offered for a line that isn't read stays there, too.
  await member.command('/hc', 'watch web-* --sure --env ote', { until: 'now watches' })
  const unread = await member.command('/hc', 'silence all --env ote', { until: 'For how long' })
  const muted = await member.click(unread.message, '30 minutes', { until: 'Muted' })
  expect(muted.text).toContain('(OTE)')

  await member.command('/hc', 'env ote', { until: 'This channel now uses' })
  await member.command('/hc', 'watch db-* --sure', { until: 'now watches' })
  // The channel also reads who did that.
  const ended = await member.command('/hc', 'unwatch web-*', { until: 'Ended 1 watch' })
  expect(ended.text).toContain('Ended 1 watch of this channel: web-* (OTE).')
  // What the channel reads about the watch may come after the answer.
  const audit = await member.command('/hc', 'audit', { until: 'newest first' })
  expect(audit.message?.text).toMatch(/\/hc watch .*web-\*.*\(OTE\)/)

  const note = await member.command('/threat', `note ${ID} Seen`, { until: 'no case with this ID' })
  expect(note.text).toContain('There’s no case with this ID in OTE yet')

  for (const text of ['approve 1', 'reject 1', '']) {
    await admin.command('/cert-order', text, UNTIL_FORM)
    expect(`${text}: ${readText(await admin.view())}`).toContain('OTE')
    await admin.close({ all: true })
  }
  await member.command('/cert-order', 'withdraw 1', { until: 'withdrawn' })
  const again = await member.command('/cert-order', 'withdraw 1', { until: 'no longer waiting' })
  expect(again.text).toContain('Order 1 (OTE) is no longer waiting for a decision.')
  await requestOrder(member)
  await approveOrder(admin, 2)
  expect(await world.service.orders(), 'in production').toEqual([])
  expect(await world.service.countChecks(), 'in production').toBe(0)
})

it('names OTE where it says that something isn’t there, because it may be in production', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }] })
  const { member } = world.slack
  await requestOrder(member)
  await member.command('/hc', 'watch web', { until: 'now watches' })
  await member.command('/hc', 'mute web 1h', { until: 'Muted' })
  await member.command('/hc', 'env ote', { until: 'This channel now uses' })
  for (const [command, text] of [
    ...['unmute', 'mute all 1h', 'page web', 'unwatch web', 'show web', 'recipients web'].map((line) => [
      '/hc',
      line,
    ]),
    ...['withdraw', 'show', 'again', 'list shop', 'show 1', 'approve 1'].map((line) => ['/cert-order', line]),
    ['/threat', ID],
  ] as const) {
    const answer = await member.command(command ?? '', text, {
      until: ({ messages }) => messages.some(({ ephemeral }) => ephemeral),
    })
    expect(answer.text, text).toContain('OTE')
    expect(answer.message?.text, text).toContain('OTE')
  }
  const unread = await member.command('/threat', `comment ${ID} "seen" --env ote`)
  expect(JSON.stringify(unread.message?.blocks)).toContain(`"text":"/threat note ${ID} \\"seen\\" --env ote"`)
})
