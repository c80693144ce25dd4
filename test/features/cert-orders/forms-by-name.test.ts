import { describe, expect, it } from 'vitest'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { addOrder, modalShows, startOrders } from './order-helpers.ts'

describe('a name after /cert-order', () => {
  it('fills in a renewal from the newest order for it, and never passes for a certificate ID', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await admin.command('/cert-order', 'approve 1', UNTIL_FORM)
    await admin.submit({}, { until: modalShows('was received') })
    await admin.close({ all: true })
    const known = await member.command(
      '/cert-order',
      'renew <http://SHOP.example.com|SHOP.example.com>',
      UNTIL_FORM,
    )
    expect(known.text).toContain('Filled in from order 1, the newest for shop.example.com.')
    expect(known.text).toContain('Enter it below')
    expect(JSON.stringify(known.view)).not.toMatch(/"initial_value":"shop\.example\.com"/i)
    await member.close({ all: true })
    const byAddress = await member.command('/cert-order', 'renew https://shop.example.com:5501/', UNTIL_FORM)
    expect(byAddress.text).toContain('Filled in from order 1, the newest for shop.example.com.')
    await member.close({ all: true })
    const other = await member.command('/cert-order', 'reissue *.other.example', UNTIL_FORM)
    expect(other.text).toContain('Signalman has no earlier order for *.other.example.')
    expect(JSON.stringify(other.view)).not.toContain('"initial_value":"*.other.example"')
  })

  it('opens the form for a new certificate, which says where the names come from', async () => {
    await using world = await startOrders()
    const { member } = world.slack
    for (const typed of ['new *.example.com', '*.example.com', 'for *.example.com']) {
      const { text } = await member.command('/cert-order', typed, UNTIL_FORM)
      expect(text, typed).toContain('The names come from the request (CSR). Paste one for *.example.com.')
      await member.close({ all: true })
    }
  })
})
