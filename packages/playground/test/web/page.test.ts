import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { choose } from '../../src/browser/fill.ts'
import type { Fields } from '../../src/protocol/json.ts'
import { isFields, objectsIn } from '../../src/protocol/json.ts'
import { type AppRequest, readId, startWorld, type World } from '../app.ts'
import { button, displayBlocks, form, mrkdwn, option, plain } from './payloads.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

const BLOCK_ID = 'acts'
const card: Fields[] = [
  {
    type: 'section',
    text: mrkdwn('*api* is down'),
    accessory: { type: 'overflow', action_id: 'more', options: [option('Mute', 'mute')] },
  },
  {
    type: 'actions',
    block_id: BLOCK_ID,
    elements: [
      {
        type: 'static_select',
        action_id: 'status',
        placeholder: plain('All statuses'),
        options: [option('Down', 'DOWN')],
      },
      button('Delete', 'delete', {
        confirm: {
          title: plain('Really?'),
          text: plain('This can’t be undone.'),
          confirm: plain('Delete it'),
          deny: plain('Keep it'),
        },
      }),
    ],
  },
]

const receivedActionIds = (sent: readonly AppRequest[]) =>
  sent.flatMap(({ body }) => objectsIn(body.actions ?? null)).map((action) => action.action_id)

describe.skipIf(!hasBrowser)('the page in a browser', () => {
  const browser = useBrowser()

  async function sendLine(page: Page, line: string): Promise<void> {
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill(line)
    await field.press('Enter')
  }

  /** Creates a handler that responds to `/hc` with the blocks in an ephemeral message. */
  const answerCommand = (blocks: Fields[]) => (request: AppRequest) =>
    request.body.command ? { json: { response_type: 'ephemeral', text: 'answer', blocks } } : {}

  /** Makes the app open the form for `/hc`, push `pushed` when its button is clicked, and respond to a submission with `answer`. */
  function openFormOnCommand(world: World, answer: (values: Fields) => Fields, pushed?: Fields) {
    world.setHandler((request) => {
      const { type: kind, trigger_id } = request.body
      if (request.body.command) void world.api('views.open', { trigger_id, view: form })
      if (kind === 'block_actions' && pushed) void world.api('views.push', { trigger_id, view: pushed })
      if (kind === 'block_suggestion') return { json: { options: [option('Wildcard', 'wild')] } }
      if (kind !== 'view_submission') return {}
      // The server's tests check the shape of submissions.
      const { view } = request.body as { view: { state: { values: Fields } } }
      return { json: answer(view.state.values) }
    })
  }

  it('autocompletes a command with Tab, sends it, and shows the response only to the person who sent it', async () => {
    await using world = await startWorld(answerCommand([{ type: 'section', text: mrkdwn('*hello*') }]))
    const page = await browser.open(world.playground.url)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.pressSequentially('/h')
    await page.getByRole('option', { name: '/hc' }).waitFor()
    await field.press('Tab')
    expect(await field.inputValue()).toBe('/hc ')
    await field.pressSequentially('list up')
    await field.press('Enter')
    const answer = page.getByRole('log').getByRole('article')
    await answer.getByText('Only visible to you').waitFor()
    expect(world.sent[0]?.body).toMatchObject({ command: '/hc', text: 'list up' })
    await page.getByRole('combobox', { name: 'Acting as' }).selectOption({ label: 'Admin (admin)' })
    await page.getByRole('heading', { name: '#general' }).last().waitFor()
    await expect.poll(() => answer.count()).toBe(0)
  })

  it('shows an error for an unknown command, and for a command in a thread', async () => {
    await using world = await startWorld()
    const page = await browser.open(world.playground.url)
    await sendLine(page, '/nothing')
    await page.getByText('The app has no command /nothing.').waitFor()
    await sendLine(page, 'hello <b> & *you*')
    const message = page.getByRole('article').filter({ hasText: 'hello <b> & you' })
    await message.hover()
    await message.getByRole('button', { name: 'Message actions' }).click()
    await page.getByRole('menuitem', { name: 'Reply in thread' }).click()
    const reply = page.getByRole('textbox', { name: 'Reply' })
    await reply.fill('/hc list')
    await reply.press('Enter')
    await page.getByText('Slash commands don’t work in threads.').waitFor()
    await reply.fill('a reply')
    await reply.press('Enter')
    await page.getByRole('button', { name: '1 reply' }).waitFor()
  })

  it('sends the app clicks and choices, and asks for confirmation if the element has a dialog', async () => {
    await using world = await startWorld(answerCommand(card))
    const page = await browser.open(world.playground.url)
    await sendLine(page, '/hc')
    await choose(page, 'All statuses', 'Down')
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Really?' })
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'More actions', exact: true }).press('Enter')
    await page.getByRole('menuitem', { name: 'Mute' }).press('Enter')
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete it' }).click()
    await world.eventually('three actions', () => receivedActionIds(world.sent).length === 3)
    expect(receivedActionIds(world.sent)).toEqual(['status', 'more', 'delete'])
  })

  it('renders every kind of block without loading anything from other servers', async () => {
    await using world = await startWorld()
    // A message can contain only one table.
    const blocksPerMessage = [
      displayBlocks.filter((block) => block.type !== 'table'),
      displayBlocks.filter((block) => block.type === 'table'),
    ]
    const page = await browser.open(world.playground.url, { colorScheme: 'dark' })
    for (const blocks of blocksPerMessage) {
      expect(await world.api('chat.postMessage', { channel: 'C0GENERAL1', text: 'x', blocks })).toMatchObject(
        { ok: true },
      )
    }
    const log = page.getByRole('log')
    await log.getByRole('cell', { name: 'ns1.example.com' }).waitFor()
    expect(await log.getByText('Can’t be displayed').count()).toBe(0)
    expect(await log.getByText('bold <b> site @Admin <javascript:alert(1)|no>').count()).toBe(1)
    expect(await log.getByRole('link', { name: 'site' }).getAttribute('rel')).toContain('noopener')
  })

  it('keeps a form open until it is valid, shows the app’s errors next to their fields, and sends every value', async () => {
    await using world = await startWorld()
    const received: Fields[] = []
    openFormOnCommand(world, (values) => {
      received.push(values)
      return received.length === 1
        ? { response_action: 'errors', errors: { name: 'That name is taken.' } }
        : {}
    })
    const page = await browser.open(world.playground.url)
    await sendLine(page, '/hc create')
    const dialog = page.getByRole('dialog', { name: 'New check' })
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Complete this required field.').waitFor()
    expect(await name.evaluate((field) => field.matches(':focus'))).toBe(true)
    await name.fill('ab')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Enter at least 3 characters.').waitFor()
    expect(received).toEqual([])

    await name.fill('api')
    await choose(dialog, 'Protocol', /^HTTP$/)
    await dialog.getByRole('textbox', { name: 'Port' }).fill('80')
    await choose(dialog, /^Tags/, 'dev')
    await dialog.getByRole('combobox', { name: 'Product' }).fill('w')
    await dialog.getByRole('option', { name: 'Wildcard' }).click()
    await dialog
      .getByLabel('File')
      .setInputFiles({ name: 'a.csr', mimeType: 'text/plain', buffer: Buffer.from('text') })
    await dialog.getByText('a.csr · 4 B').waitFor()
    await dialog.getByRole('checkbox', { name: 'Verify' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('That name is taken.').waitFor()
    await name.fill('api-2')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(received[1]).toMatchObject({
      name: { v: { value: 'api-2' } },
      protocol: { v: { selected_option: { value: 'HTTP' } } },
      port: { v: { value: '80' } },
      tags: { v: { selected_options: [{ value: 'd' }] } },
      product: { v: { selected_option: { value: 'wild' } } },
      file: { v: { files: [{ name: 'a.csr' }] } },
      ssl: { v: { selected_options: [{ value: 'yes' }] } },
    })
  })

  it('stacks modals, keeps typed text when Escape closes the top one, and shows an error if the app doesn’t respond', async () => {
    await using world = await startWorld(() => ({}), { limits: { ackTimeoutMs: 2000 } })
    openFormOnCommand(world, () => ({}), { ...form, title: plain('On top') })
    const page = await browser.open(world.playground.url)
    await sendLine(page, '/hc create')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('kept')
    await dialog.getByRole('button', { name: 'Push' }).click()
    await page.getByRole('dialog', { name: 'On top' }).waitFor()
    expect(await dialog.count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'New check' }).waitFor()
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('kept')
    world.setHandler(() => 'silent')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'trouble connecting' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('shows App Home as the app published it, with its requests in the inspector', async () => {
    await using world = await startWorld()
    world.setHandler((request) => {
      const event = isFields(request.body.event) ? request.body.event : {}
      const view = { type: 'home', blocks: [{ type: 'section', text: mrkdwn('*All* is well') }] }
      if (event.type === 'app_home_opened') void world.api('views.publish', { user_id: event.user, view })
      return {}
    })
    const page = await browser.open(world.playground.url)
    await page.getByRole('button', { name: /Home$/ }).click()
    await page.getByText('All is well').waitFor()
    await page.getByRole('button', { name: 'Inspector' }).click()
    const inspector = page.getByRole('complementary', { name: 'Delivery inspector' })
    await inspector.getByText('views.publish').click()
    await inspector.getByText('"ok": true').waitFor()
  })

  it('moves the focus into a form that replaces a loading view', async () => {
    await using world = await startWorld()
    world.setHandler(async (request) => {
      if (!request.body.command) return {}
      const placeholder = {
        type: 'modal',
        title: plain('Wait'),
        blocks: [{ type: 'section', text: plain('Loading…') }],
      }
      const opened = await world.api('views.open', { trigger_id: request.body.trigger_id, view: placeholder })
      void world.api('views.update', { view_id: readId(opened.view), view: form })
      return {}
    })
    const page = await browser.open(world.playground.url)
    await sendLine(page, '/hc create')
    await page.getByRole('dialog', { name: 'New check' }).waitFor()
    await page.keyboard.type('typed at once')
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('typed at once')
  })

  it('shows when the connection is lost, and reconnects', async () => {
    const world = await startWorld()
    const { url } = world.playground
    const page = await browser.open(url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await world[Symbol.asyncDispose]()
    await page.getByText('Connection lost').waitFor()
    await using restarted = await startWorld(undefined, { port: Number(new URL(url).port) })
    await restarted.api('chat.postMessage', { channel: 'C0GENERAL1', text: 'back' })
    await page.getByRole('log').getByText('back').waitFor()
    expect(await page.getByText('Connection lost').count()).toBe(0)
  })

  it('marks unread channels', async () => {
    await using world = await startWorld()
    const page = await browser.open(world.playground.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await world.api('chat.postMessage', { channel: 'C0OPERATNS', text: 'news' })
    await page.getByRole('button', { name: 'operations 1 unread' }).click()
    await page.getByRole('button', { name: 'operations', exact: true }).waitFor()
  })
})
