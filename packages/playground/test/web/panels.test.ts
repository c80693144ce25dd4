import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findAxeViolations } from '../../src/browser/axe.ts'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { isFields } from '../../src/protocol/json.ts'
import { type AppRequest, FULL_MANIFEST, startWorld, type World } from '../app.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

const LINK = 'https://example.com/7'
const entity = (status: string): Fields => ({
  entity_type: 'slack#/entities/incident',
  url: LINK,
  external_ref: { id: '7' },
  entity_payload: {
    attributes: { title: { text: 'Incident 7' }, display_id: 'INC-7' },
    fields: { status: { value: status }, created_by: { value: { user: { user_id: 'U0ADMIN001' } } } },
    custom_fields: [
      { key: 'hosts', label: 'Hosts', value: 'web-1\nweb-2', type: 'string', long: true },
      ...['C0OPERATNS', 'C0RANDOM01', 'C0ELSEWHER'].map((value, index) => ({
        key: `channel-${index}`,
        label: 'Posted in',
        type: 'slack#/types/channel_id',
        value,
      })),
    ],
    actions: { primary_actions: [{ text: 'Take it', action_id: 'take', value: '7' }] },
  },
})

const TOOLS: Fields[] = [
  {
    name: 'find',
    title: 'Find a check',
    description: 'By its name',
    inputSchema: { properties: { name: { type: 'string' }, most: { type: 'integer' } }, required: ['name'] },
  },
]

/** Responds like an MCP server. A tool call returns a card with a button that calls the tool again. */
function answerToolRequest({ method, params }: Fields): Json {
  if (method === 'tools/list') return { tools: TOOLS }
  const callParams = isFields(params) ? params : {}
  const button = { type: 'button', action_id: 'tool:find', text: { type: 'plain_text', text: 'Again' } }
  const blocks = [
    { type: 'section', text: { type: 'mrkdwn', text: `*${JSON.stringify(callParams.arguments)}*` } },
    { type: 'actions', elements: [{ ...button, value: '{"name":"again"}' }] },
  ]
  return { content: [{ type: 'text', text: 'found' }], _meta: { slack: { blocks } } }
}

/** Makes the app complete steps, show work objects, respond like an MCP server, and unfurl links. */
function answerRequests({ api, setHandler }: World): void {
  setHandler(({ body }: AppRequest) => {
    if (body.jsonrpc)
      return { json: { jsonrpc: '2.0', id: body.id ?? null, result: answerToolRequest(body) } }
    const event = isFields(body.event) ? body.event : {}
    const { type, function_execution_id = '', trigger_id = '', unfurl_id = '', source = '' } = event
    if (type === 'function_executed')
      void api('functions.completeSuccess', { function_execution_id, outputs: { status: 'all up' } })
    if (type === 'entity_details_requested')
      void api('entity.presentDetails', { trigger_id, metadata: entity('open, for you') })
    if (type === 'link_shared')
      void api('chat.unfurl', { unfurl_id, source, unfurls: { [LINK]: { title: 'What it is' } } })
    return {}
  })
}

describe.skipIf(!hasBrowser)('the page', () => {
  const browser = useBrowser()

  const start = async () => {
    const world = await startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off' })
    answerRequests(world)
    return world
  }

  async function openPanel(page: Page, name: string, isNarrow: boolean): Promise<void> {
    if (isNarrow) await page.getByRole('button', { name: 'More', exact: true }).click()
    const role = isNarrow ? 'menuitem' : 'button'
    await page.getByRole(role, { name, exact: true }).press('Enter')
  }

  it.each([
    { width: 1280, height: 900 },
    { width: 390, height: 800 },
  ])(
    'runs a step and calls a tool by keyboard with no axe violations at $width px wide',
    async (viewport) => {
      await using world = await start()
      const isNarrow = viewport.width < 500
      const page = await browser.open(world.playground.url, { viewport })
      await openPanel(page, 'Steps', isNarrow)
      const steps = page.getByRole('complementary', { name: 'Workflow steps' })
      await steps.getByRole('textbox', { name: 'Name' }).fill('shop')
      await steps.getByRole('spinbutton', { name: 'Times' }).fill('3')
      await steps.getByRole('combobox', { name: 'Where' }).selectOption({ label: '#operations' })
      await steps.getByRole('textbox', { name: 'Name' }).press('Enter')
      await steps.getByText('Completed.').waitFor()
      await steps.getByText('all up').waitFor()
      const stepEvent = world.sent.map(({ body }) => body.event).find(isFields)
      expect(stepEvent?.inputs).toMatchObject({
        name: 'shop',
        times: 3,
        loud: false,
        where: 'C0OPERATNS',
        who: { id: 'U0MEMBER01' },
      })
      expect(await findAxeViolations(page)).toEqual([])
      await steps.getByRole('button', { name: 'Close the workflow steps' }).press('Enter')

      await openPanel(page, 'Slackbot', isNarrow)
      const tools = page.getByRole('complementary', { name: 'Ask Slackbot' })
      await tools.getByText('Find a check').press('Enter')
      await tools.getByRole('textbox', { name: 'name' }).fill('shop')
      await tools.getByRole('button', { name: 'Call find' }).press('Enter')
      await tools.locator('details').getByText('{"name":"shop"}').waitFor()
      expect(await findAxeViolations(page)).toEqual([])
      await tools.getByRole('button', { name: 'Again' }).press('Enter')
      await tools.getByText('{"name":"again"}').waitFor()
    },
  )

  it.each([1280, 1366])(
    'keeps the buttons of the header visible next to a panel, %i px wide',
    async (width) => {
      await using world = await start()
      const page = await browser.open(world.playground.url, { viewport: { width, height: 720 } })
      for (const name of ['Steps', 'Slackbot', 'Inspector']) {
        await openPanel(page, name, false)
        await page.getByRole('complementary').last().waitFor()
        const main = await page.getByRole('main').boundingBox()
        const theme = await page.getByRole('button', { name: /^Theme/ }).boundingBox()
        const rightEdges = [theme, main].map((box) => (box ? box.x + box.width : Number.NaN))
        expect(rightEdges[0], name).toBeLessThan(rightEdges[1] ?? 0)
      }
    },
  )

  it('shows a work object, and sends the app a click on its action', async () => {
    await using world = await start()
    await world.api('bookmarks.add', {
      channel_id: 'C0GENERAL1',
      title: 'Runbook',
      type: 'link',
      link: LINK,
    })
    const metadata = { entities: [entity('open')] }
    await world.api('chat.postMessage', { channel: 'C0GENERAL1', text: 'x', metadata })
    const page = await browser.open(world.playground.url)
    const bookmarks = page.getByRole('list', { name: 'Bookmarks' })
    expect(await bookmarks.getByRole('link', { name: 'Runbook' }).getAttribute('href')).toBe(LINK)
    const card = page.getByRole('article', { name: 'Work object' })
    // Line breaks in the value are preserved.
    expect(await card.getByText('web-1').innerText()).toBe('web-1\nweb-2')
    for (const name of ['Admin', '#operations', '#random', 'a channel that you aren’t in'])
      await card.getByText(name).waitFor()
    await card.getByRole('button', { name: 'Open details' }).press('Enter')
    const pane = page.getByRole('complementary', { name: 'Work object' })
    await pane.getByText('open, for you').waitFor()
    await pane.getByRole('button', { name: 'Take it' }).press('Enter')
    const clickRequest = () => world.sent.map(({ body }) => body).find(({ type }) => type === 'block_actions')
    await world.eventually('the action', () => clickRequest() !== undefined)
    expect(clickRequest()).toMatchObject({
      container: { type: 'entity_detail' },
      actions: [{ action_id: 'take' }],
    })
    expect(await findAxeViolations(page)).toEqual([])
  })

  it('shows the unfurl of a link before and after the message is sent', async () => {
    await using world = await start()
    const page = await browser.open(world.playground.url)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill(`see ${LINK}`)
    const previews = page.getByRole('region', { name: 'Link previews' })
    await previews.getByText('What it is').waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    await field.press('Enter')
    await page.getByRole('log').getByText('What it is').waitFor()
    await previews.waitFor({ state: 'detached' })
  })

  it('shows an assistant’s status and suggested prompts in a conversation', async () => {
    await using world = await start()
    const page = await browser.open(world.playground.url)
    await page.getByRole('button', { name: /^Full\b(?!.*Home)/ }).click()
    await page.getByRole('button', { name: 'New chat' }).press('Enter')
    const thread = page.getByRole('complementary', { name: 'Thread' })
    await thread.getByText('New chat').waitFor()
    const { assistant_thread } = await world.waitForEvent('assistant_thread_started')
    const { channel_id, thread_ts } = JSON.parse(JSON.stringify(assistant_thread))
    const prompts = [{ title: 'What is down?', message: 'What is down now?' }]
    await world.api('assistant.threads.setSuggestedPrompts', { channel_id, thread_ts, prompts, title: 'Try' })
    await world.api('assistant.threads.setStatus', { channel_id, thread_ts, status: 'is thinking…' })
    await thread.getByText('Full is thinking…').waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    await thread.getByRole('button', { name: 'What is down?' }).press('Enter')
    await thread.getByText('What is down now?').waitFor()
    await world.api('chat.postMessage', { channel: channel_id, thread_ts, text: 'Nothing.' })
    await thread.getByText('Nothing.').waitFor()
    await thread.getByText('Full is thinking…').waitFor({ state: 'detached' })
  })
})
