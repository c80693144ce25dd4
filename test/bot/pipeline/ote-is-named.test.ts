import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'
import { createFormAnswers, modalShows } from '../../features/cert-orders/order-helpers.ts'
import { startWorld } from '../../world.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'

it('names OTE in every answer and window about something there', async () => {
  await using world = await startWorld()
  const { member, admin } = world.slack
  const hc = async (text: string) => (await member.command('/hc', text)).text
  await hc('env ote')
  await hc('watch web-* --sure')
  // The channel also reads who did that.
  const ended = await member.command('/hc', 'unwatch web-*', { until: 'Ended 1 watch' })
  expect(ended.text).toContain('Ended 1 watch of this channel: web-* (OTE).')
  // What the channel reads about the watch may come after the answer.
  const audit = await member.command('/hc', 'audit', { until: 'newest first' })
  expect(audit.message?.text).toMatch(/\/hc watch .*web-\*.*\(OTE\)/)

  const note = await member.command('/threat', `note ${ID} Seen`, { until: 'no case with this ID' })
  expect(note.text).toContain('There’s no case with this ID in OTE yet')

  await member.command('/cert-order', '', { until: ({ view }) => Boolean(view?.view.submit) })
  await member.submit(createFormAnswers(makeCsr()), { until: modalShows('is waiting for approval') })
  await member.close({ all: true })
  for (const text of ['approve 1', 'reject 1', '']) {
    await admin.command('/cert-order', text, { until: ({ view }) => Boolean(view?.view.submit) })
    expect(`${text}: ${readText(await admin.view())}`).toContain('OTE')
    await admin.close({ all: true })
  }
  await member.command('/cert-order', 'withdraw 1', { until: 'withdrawn' })
  const again = await member.command('/cert-order', 'withdraw 1', { until: 'no longer waiting' })
  expect(again.text).toContain('Order 1 (OTE) is no longer waiting for a decision.')
})
