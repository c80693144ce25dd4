import { readText } from '@signalman/playground/driver'
import { LIMITS } from '@signalman/slack'
import { expect, it } from 'vitest'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { shareWorld } from '../../shared-world.ts'
import { WORKSPACE } from '../../world.ts'
import { makeCsr } from './csr/make-csr.ts'
import {
  approveOrder,
  createFormAnswers,
  findOrderState,
  modalShows,
  openUpload,
  setPolicy,
  showMore,
  startOrders,
} from './order-helpers.ts'

const share = shareWorld()
const CSR_FIELD = 'Certificate signing request (CSR)'

it.each([
  { what: 'no alternative name', csr: { names: [] }, warning: 'It has no subject alternative names (SANs)' },
  {
    what: 'a name outside',
    csr: { names: ['shop.example.org'] },
    warning: 'Only names under example.com',
  },
  { what: 'a wildcard', csr: { names: ['*.shop.example.com'] }, warning: 'a wildcard for every name' },
])('warns in the form, before it’s sent, of $what', async ({ csr, warning }) => {
  const world = await share()
  await setPolicy(world, { domains: warning.startsWith('Only') ? ['example.com'] : [] })
  const { member } = world.slack
  const { view } = await member.command('/cert-order', '', UNTIL_FORM)
  const { pem } = makeCsr(csr)
  const warned = await member.choose(view, CSR_FIELD, pem, { until: modalShows('⚠️') })
  expect(readText(warned.view)).toContain(warning)
  expect(await findOrderState(world)).toBeUndefined()
})

it('warns of a private key at once, and doesn’t send it back', async () => {
  const world = await share()
  const { member } = world.slack
  const { view } = await member.command('/cert-order', '', UNTIL_FORM)
  const { privateKey } = makeCsr()
  const warned = await member.choose(view, CSR_FIELD, privateKey, { until: modalShows('treat it as leaked') })
  expect(JSON.stringify(warned.view?.view.blocks)).not.toContain('PRIVATE KEY-----')
  expect(world.log.join('')).not.toContain(privateKey.split('\n')[1])
})

it.each([
  { typed: 'https://pay.example.com:8443/ shop.example.com', missing: 'pay.example.com' },
  { typed: '*.shop.example.com', missing: '*.shop.example.com' },
  { typed: 'api.blog.example.com', missing: undefined },
])('warns once of a request that isn’t for the name that was typed: $typed', async ({ typed, missing }) => {
  await using world = await startOrders()
  const { member } = world.slack
  const { pem } = makeCsr({ names: ['shop.example.com', '*.blog.example.com'] })
  const { view } = await member.command('/cert-order', typed, UNTIL_FORM)
  const pasted = await member.choose(view, CSR_FIELD, pem, { until: modalShows('This is for') })
  const warning = `This request isn’t for ${missing}.`
  if (missing) expect(readText(pasted.view)).toContain(warning)
  else expect(readText(pasted.view)).not.toContain('This request isn’t for')
  const answers = { ...createFormAnswers({ pem }), Product: '202' }
  if (missing) {
    const warned = await member.submit(answers, { until: modalShows('Nothing was requested yet') })
    expect(warned.text).toContain(warning)
    expect(await findOrderState(world)).toBeUndefined()
  }
  await member.submit(missing ? {} : answers, { until: modalShows('is waiting for approval') })
  expect(await findOrderState(world)).toBe('awaiting')
})

it('keeps a pasted request that is too long for its field, and warns again of another one', async () => {
  await using world = await startOrders()
  const { member } = world.slack
  const [long, other] = [['www', 'api', 'cdn', 'img', 'css', 'app'], ['pay']].map((hosts) =>
    makeCsr({
      names: ['web', ...hosts].flatMap((host) =>
        [1, 2, 3, 4, 5, 6, 7].map((at) => `${host}-${'x'.repeat(19)}-${at}.example.com`),
      ),
    }),
  )
  const body = (long?.pem ?? '').split('\n').slice(1, -2).join('')
  expect(long?.pem.length).toBeGreaterThan(3000)
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----`
  expect(pem.length).toBeLessThanOrEqual(3000)
  await member.command('/cert-order', 'blog.example.com', UNTIL_FORM)
  const kept = await member.submit(
    { ...createFormAnswers({ pem }), Product: '202' },
    { until: modalShows('Nothing was requested yet') },
  )
  expect(kept.text).toContain('The request (CSR) is the one that you sent.')
  await member.submit({}, { until: modalShows('is waiting for approval') })
  expect(await findOrderState(world)).toBe('awaiting')
  await member.close({ all: true })
  await member.command('/cert-order', 'blog.example.com', UNTIL_FORM)
  const small = makeCsr({ commonName: 'one.example.com' })
  await member.submit(createFormAnswers(small), { until: modalShows('Nothing was requested yet') })
  const two = { ...createFormAnswers({ pem: other?.pem ?? '' }), Product: '101' }
  await member.submit(two, { until: modalShows('⚠️ Compare the product') })
  expect(await findOrderState(world, 2)).toBeUndefined()
})

it('warns once of a product for one name, for which the request has more', async () => {
  await using world = await startOrders()
  const { member } = world.slack
  const { pem } = makeCsr({ names: ['shop.example.com', 'www.example.com'] })
  await member.command('/cert-order', '', UNTIL_FORM)
  const warned = await member.submit(createFormAnswers({ pem }), {
    until: modalShows('Nothing was requested yet'),
  })
  expect(warned.text).toContain('⚠️ Compare the product with the names: it’s “Domain validated, one name”')
  expect(await findOrderState(world)).toBeUndefined()
  await member.submit({}, { until: modalShows('is waiting for approval') })
  await member.command('/cert-order', 'show 1', { until: '⚠️ Compare the product with the names' })
})

it('warns once of an open order with the same name, and not of one that has ended', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  const order = async (warning?: string) => {
    await member.command('/cert-order', '', UNTIL_FORM)
    const answers = createFormAnswers(makeCsr())
    if (warning) await member.submit(answers, { until: modalShows(warning) })
    await member.submit(warning ? {} : answers, { until: modalShows('is waiting for approval') })
    await member.close({ all: true })
  }
  await order()
  await order('⚠️ Same name: order 1 (waiting for approval).')
  await approveOrder(admin, 1)
  await member.command('/cert-order', 'withdraw 2', { until: 'was withdrawn' })
  await order()
  expect(await findOrderState(world, 3)).toBe('awaiting')
})

it('says that nothing was requested if the window with a file’s warnings was closed', async () => {
  const world = await share()
  const { member } = world.slack
  const { der } = makeCsr({ names: [] })
  const file = await member.upload('shop.der', new Uint8Array(der), 'application/octet-stream')
  await openUpload(member)
  await world.slack.faults({ method: 'views.update', kind: 'error', error: 'not_found' })
  const answers = { 'CSR as a file': [file.id], Product: '101', Duration: '90 days' }
  const { text, message } = await member.submit(answers, { until: 'No certificate was requested.' })
  expect(text).toContain('the window was closed')
  expect(await findOrderState(world)).toBeUndefined()
  await member.close({ all: true })
  await member.click(message, 'Order a certificate', UNTIL_FORM)
})

it.each([
  ['', 'shop.example.com', 'DNS:shop.example.com'],
  ['*.example.org, www.example.net', 'example.org', 'DNS:*.example.org,DNS:www.example.net'],
  ['renew www.example.net', 'www.example.net', 'DNS:www.example.net'],
])('writes the command that makes a request for the typed names: %s', async (typed, file, names) => {
  const world = await share()
  const { member } = world.slack
  const form = await member.command('/cert-order', typed, UNTIL_FORM)
  expect(form.text).toContain(`-keyout ${file}.key -out ${file}.csr`)
  expect(form.text).toContain(`-addext "subjectAltName=${names}"`)
  if (typed.includes(', '))
    expect(form.text).toContain(`Paste a certificate signing request (CSR) for ${typed}.`)
  expect(JSON.stringify(form.view)).not.toMatch(/"initial_value":"[^"]*example/)
})

it.each([
  ['www.example.com 1 year', 'doesn’t take “1 year”'],
  ['--duration "1 year"', 'not --duration'],
])('opens no form without what was typed for its other fields: %s', async (typed, refusal) => {
  const { text, view } = await (await share()).slack.member.command('/cert-order', typed, {
    until: 'My orders',
  })
  expect(text).toContain(refusal)
  expect(view).toBeUndefined()
})

it('asks for the request, the product, the duration, and the organization, and says how to make a request', async () => {
  const world = await share()
  const { member } = world.slack
  const form = await member.command('/cert-order', '', UNTIL_FORM)
  const listFields = (blocks: readonly { type: string; block_id?: string }[] = []) =>
    blocks.flatMap((block) => (block.type === 'input' ? [block.block_id] : []))
  expect(listFields(form.view?.view.blocks)).toEqual([
    ...['csr', 'product', 'duration', 'organization', 'more'],
  ])
  // Slack calls every other field optional.
  expect(form.view?.view.blocks).toContainEqual(expect.objectContaining({ block_id: 'csr', optional: false }))
  expect(form.text).toContain('openssl req -new')
  expect(JSON.stringify(form.view)).toMatch(/"initial_value":"\d+ days"/)
  // What was typed stays.
  const { pem } = makeCsr()
  await member.choose(form.view, CSR_FIELD, pem, { until: modalShows('This is for') })
  const more = await showMore(member, form.view)
  expect(listFields(more.view?.view.blocks)).toEqual([
    ...[
      'csr',
      'csr-file',
      'action',
      'product',
      'duration',
      'organization',
      'admin-contacts',
      'tech-contacts',
    ],
    ...['validation', 'web-server', 'customer', 'billing', 'reference'],
  ])
  expect(more.text).toContain('This is for shop.example.com')
  expect(more.text).toContain('Paste or upload a certificate signing request')
  const renewal = await member.choose(more.view, 'Action', 'Renew a certificate', {
    until: modalShows('Certificate ID'),
  })
  expect(listFields(renewal.view?.view.blocks)).toContain('billing')
  await member.close({ all: true })
  const renew = await member.command('/cert-order', 'renew C-9', UNTIL_FORM)
  expect(listFields(renew.view?.view.blocks)).toEqual([
    ...['csr', 'action', 'certificate', 'duration', 'organization', 'more'],
  ])
  await member.close({ all: true })
  await openUpload(member)
  const { view } = await member.submit({ Product: '101', Duration: '1 year' })
  expect(view?.errors).toEqual({ csr: expect.stringContaining('Paste the request here, or upload it below') })
  await member.close({ all: true })
})

it.each([0, 70])(
  'shows the warnings of a file before it’s requested, and asks once: %i more names',
  async (more) => {
    await using world = await startOrders()
    const { member } = world.slack
    const names = [
      '*.shop.example.com',
      ...Array.from({ length: more }, (_, at) => `${'x'.repeat(50)}${at}.shop.example.com`),
    ]
    const { der, pem } = makeCsr({ commonName: '*.shop.example.com', names })
    expect(pem.length > LIMITS.inputValue).toBe(more > 0)
    const file = await member.upload('shop.der', new Uint8Array(der), 'application/octet-stream')
    await openUpload(member)
    const answers = { 'CSR as a file': [file.id], Product: '101', Duration: '90 days' }
    const warned = await member.submit(answers, { until: modalShows('Nothing was requested yet') })
    expect(warned.text).toContain('a wildcard for every name directly below it')
    expect(await findOrderState(world)).toBeUndefined()
    // Also after the form was drawn again.
    await showMore(member, warned.view)
    await member.submit({}, { until: modalShows('is waiting for approval') })
    expect((await world.app.store.orders.find(WORKSPACE, 1))?.content.request.csr).toBe(pem)
    // An earlier request that is too long for its field is uploaded again.
    await member.close({ all: true })
    await member.command('/cert-order', 'withdraw 1', { until: 'was withdrawn' })
    const again = await member.command('/cert-order', 'again 1', UNTIL_FORM)
    for (const text of ['is too long for the field: upload it again.', 'at most 64 KB'])
      expect(again.text.includes(text)).toBe(more > 0)
  },
)
