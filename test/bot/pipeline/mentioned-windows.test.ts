import { expect, it } from 'vitest'
import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'
import { modalShows, requestOrder, startOrders } from '../../features/cert-orders/order-helpers.ts'
import { loadVerbs } from '../grammar/real-verbs.ts'

const OPENS_WINDOW = 'This opens a window'

/** Lines of every command that may open a form. Those of `/cert-order` are about two orders, of which one waits for approval. */
const LINES = [
  'hc alert-add web',
  'hc alert-add nothing',
  'hc connect',
  'hc connect --env ote',
  'hc create',
  'hc create api',
  'hc delete all',
  'hc delete nothing',
  'hc delete web',
  'hc delete web*',
  'hc disconnect',
  'hc edit all every 30s',
  'hc edit nothing',
  'hc edit web',
  'hc edit web --frequency 30',
  'hc edit web* --frequency 30',
  'hc import',
  'hc maintenance-edit all',
  'hc watch-edit',
  'hc watch-edit all',
  'cert-order',
  'cert-order shop.example',
  'cert-order again',
  'cert-order again 1',
  'cert-order approve',
  'cert-order approve 2',
  'cert-order approve 99',
  'cert-order reject 1',
  'cert-order reject 2',
  'cert-order renew 12',
  'cert-order reissue 12',
  'cert-order resolve 1 failed',
  'cert-order settings',
]
/** They need the ID of an alert. */
const BUTTONS = ['/hc alert-edit', '/hc alert-remove']

it('has a line of every command that opens a form', async () => {
  const { verbs } = await loadVerbs()
  const missing = verbs
    .filter(({ canOpenForm }) => canOpenForm)
    .map(({ command, verb }) => `/${command} ${verb}`.trim())
    .filter((name) => !BUTTONS.includes(name) && !LINES.some((line) => `/${line} `.startsWith(`${name} `)))
  expect(missing).toEqual([])
})

it('offers a mentioned line as a button only if it opens a window when it’s typed, and otherwise answers the same', async () => {
  await using world = await startOrders({}, { checks: [{ name: 'web' }, { name: 'web-2' }] })
  const { admin, member } = world.slack
  await requestOrder(member)
  await requestOrder(member, {
    csr: makeCsr({ names: ['blog.example.com'], commonName: 'blog.example.com' }),
  })
  const wrong: string[] = []
  for (const line of LINES) {
    const [command = '', ...words] = line.split(' ')
    const typed = await admin.command(`/${command}`, words.join(' '))
    const opensWindow = typed.view !== undefined
    if (opensWindow) await admin.close({ all: true })
    const { text, message } = await (await admin.say(`@signalman ${line}`)).answer()
    const isSame = opensWindow ? text.includes(OPENS_WINDOW) : text === typed.text
    if (line === 'cert-order approve 2') {
      await admin.click(message, '/cert-order approve 2', { until: modalShows('Approve order 2') })
      await admin.close({ all: true })
    }
    if (!isSame) wrong.push(`${line}: ${opensWindow}, ${text}`)
  }
  expect(wrong).toEqual([])
})
